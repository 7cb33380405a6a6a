//! The part of the system prompt about tools, and worked examples of their use (BOG-055).

use minijinja::Value;

use super::{Builder, Part, speaks, tagged};
use crate::Protocol;
use crate::persona::{ExampleTexts, PersonaError, Speaks};
use crate::protocol::native_call;
use crate::tool::{Carrier, Offered};

impl Builder<'_> {
    pub(super) fn tools(&self) -> Result<Part, PersonaError> {
        let engine = &self.persona.texts.engine;
        let acting = engine.acting.as_ref().filter(|_| speaks(self.persona, self.settings) == Speaks::Often);
        let (heading, closing) = match acting {
            Some(acting) => (&acting.tools_heading, &acting.tools_closing),
            None => {
                (&engine.tools_heading, engine.closing(self.settings.protocol, speaks(self.persona, self.settings)))
            }
        };
        let mut origins = vec![heading.origin.clone()];
        let mut lines = vec![self.fill(heading, &[])?];
        for offered in self.context.tools {
            let name = ("name", Value::from(offered.name.as_str()));
            let description = offered.spec.description.as_str();
            origins.extend(offered.description(self.persona).map(|sourced| sourced.origin.clone()));
            let example = match offered.example(self.persona) {
                Some(sourced) => {
                    origins.push(sourced.origin.clone());
                    self.fill(sourced, &self.offered(offered))?
                }
                None => self.example(offered)?,
            };
            let entry = [name.clone(), ("example", Value::from(example)), ("description", Value::from(description))];
            lines.push(self.fill(&engine.tools_entry, &entry)?);
            if offered.critical {
                origins.push(engine.tools_critical.origin.clone());
                lines.push(self.fill(&engine.tools_critical, &[name])?);
            }
        }
        origins.push(closing.origin.clone());
        lines.push(self.fill(closing, &[])?);
        Ok(Part { name: "tools", origins, text: tagged("tools", &lines.join("\n")) })
    }

    /// How a call of a tool is written, where the persona does not say.
    fn example(&self, offered: &Offered) -> Result<String, PersonaError> {
        let (name, required) = (&offered.name, offered.spec.required().collect::<Vec<_>>());
        let input = match (&offered.carrier, required.as_slice()) {
            (Carrier::Deliberation(kind), _) => {
                let tool = ("tool", Value::from(offered.name.as_str()));
                format!("<{}>", self.fill(&kind.texts(self.persona).input, &[tool])?).into()
            }
            (_, []) => serde_json::Value::String(String::new()),
            (_, [one]) => format!("<{one}>").into(),
            (_, many) => serde_json::Value::from_iter(many.iter().map(|name| (*name, "..."))),
        };
        Ok(match self.settings.protocol {
            Protocol::NativeTools => format!("{name}({})", required.join(", ")),
            Protocol::ReactText | Protocol::Json => self.call(name, "...", &input),
        })
    }

    /// A use of the tool `name` as the protocol writes it; in the form of lines without the thought.
    fn call(&self, name: &str, thought: &str, input: &serde_json::Value) -> String {
        match (self.settings.protocol, input) {
            (Protocol::ReactText, serde_json::Value::String(text)) if text.is_empty() => format!("Tool: {name}"),
            (Protocol::ReactText, serde_json::Value::String(text)) => format!("Tool: {name}: {text}"),
            (Protocol::ReactText, other) => format!("Tool: {name}: {}", gimbal_messages::spaced(other)),
            (_, other) => {
                spaced_members(&[("thought", thought.into()), ("tool", name.into()), ("input", other.clone())])
            }
        }
    }

    /// Values of the variables that texts of a tool may use beside those of the brief.
    fn offered(&self, offered: &Offered) -> [(&'static str, Value); 4] {
        [
            ("tool", Value::from(offered.name.as_str())),
            ("offered", self.context.tools.iter().map(|tool| Value::from(tool.name.as_str())).collect()),
            ("questions", Value::from(self.settings.question_budget)),
            ("native", Value::from(self.settings.protocol == Protocol::NativeTools)),
        ]
    }

    /// A worked example of a tool, in the form of the protocol (BOG-055).
    pub(super) fn worked(&self, offered: &Offered, example: &ExampleTexts) -> Result<String, PersonaError> {
        let more = self.offered(offered);
        let (case, thought) = (self.fill(&example.case, &more)?, self.fill(&example.thought, &more)?);
        let Some(input) = &example.input else {
            let answer = "<your answer>";
            return Ok(match (self.settings.protocol, speaks(self.persona, self.settings) == Speaks::Message) {
                (Protocol::ReactText, _) => format!("{case}\nThought: {thought}\nAnswer: {answer}"),
                (Protocol::Json, false) => {
                    format!("{case}\n{}", spaced_members(&[("thought", thought.into()), ("action", answer.into())]))
                }
                // A message is not a text in quotation marks.
                (protocol, true) => format!("{case}\n{}", protocol.write_message(&thought, answer)),
                (Protocol::NativeTools, false) => {
                    format!("{case}\n<an action>({})", spaced_members(&[("reasoning", thought.into())]))
                }
            });
        };
        let input = self.fill(input, &more)?;
        let input = match serde_json::from_str::<serde_json::Value>(&input) {
            Ok(object @ serde_json::Value::Object(_)) => object,
            _ => serde_json::Value::String(input),
        };
        let name = &offered.name;
        Ok(match self.settings.protocol {
            Protocol::ReactText => format!("{case}\nThought: {thought}\n{}\nPAUSE", self.call(name, "", &input)),
            Protocol::Json => format!("{case}\n{}", self.call(name, &thought, &input)),
            Protocol::NativeTools => {
                let mut members = vec![("reasoning", thought.into())];
                match &input {
                    serde_json::Value::Object(object) => {
                        members.extend(object.iter().map(|(key, value)| (key.as_str(), value.clone())));
                    }
                    other => members.extend(offered.spec.required().next().map(|only| (only, other.clone()))),
                }
                format!("{case}\n{}", native_call(name, &object(&members)))
            }
        })
    }
}

/// A JSON object as texts for a model write it.
fn spaced_members(members: &[(&str, serde_json::Value)]) -> String {
    gimbal_messages::spaced(&object(members))
}

fn object(members: &[(&str, serde_json::Value)]) -> serde_json::Value {
    members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}
