//! The prompt builder: the parts of the final prompt in the order of BOG-054, each with its origin.
//!
//! System prompt: identity, notice about tags, loop instructions, answer format, tools (or the notice that there are
//! none), knowledge, chain of thought, rules, worked examples, list of legal actions; parts that are switched off or
//! empty are left out. User prompt: opening, context blocks with what their keys mean, closing (BOG-061).

use gimbal_core::Brief;
use minijinja::Value;
use serde::Serialize;

use crate::Settings;
use crate::persona::{Content, JsonContent, Origin, Persona, PersonaError, Sourced, Speaks};
use crate::tool::Offered;
use crate::variables::Variables;

mod tools;
mod user;

pub(crate) use user::user_parts;
pub use user::{Question, asked, user};

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// What it is: `identity`, `tags`, `loop`, `answer_format`, `tools`, `no_tools`, `knowledge`,
    /// `chain_of_thought`, `rules`, `examples`, `actions`; `opening`, `block`, `legend`, `closing`.
    pub name: &'static str,
    /// The texts that it is made of, the leading one first.
    pub origins: Vec<Origin>,
    /// The final text.
    pub text: String,
}

/// The system prompt in its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SystemPrompt {
    /// The parts, in order.
    pub parts: Vec<Part>,
}

impl SystemPrompt {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        joined(&self.parts)
    }
}

/// The parts as one text, a blank line between them.
#[must_use]
pub fn joined(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// What a prompt may know of the environment.
#[derive(Clone, Copy)]
pub struct PromptContext<'a> {
    /// What the environment says of itself.
    pub brief: &'a Brief,
    /// The call that does nothing, as the environment writes it.
    pub idle: &'a str,
    /// The tools of the persona.
    pub tools: &'a [Offered],
    /// The legal actions; empty unless a text or a switch needs them.
    pub actions: &'a [String],
}

impl PromptContext<'_> {
    /// The values of the variables that texts may use.
    pub(crate) fn variables(&self) -> Variables {
        Variables::of(self.brief, self.idle, self.actions)
    }
}

/// Whether requests tell of a tool of the environment: its glossary does, or it is that of the idle call, which every prompt
/// names. What nothing explains cannot be chosen for a reason: no list, no mask and no native tool holds it. An environment
/// without a glossary explains none, and keeps all.
#[must_use]
pub fn explains(brief: &Brief, tool: &str) -> bool {
    brief.glossary.is_empty() || tool == brief.idle.tool || brief.entry_of(tool).is_some()
}

/// Builds the system prompt (BOG-054).
///
/// # Errors
/// When a text cannot be filled in; [`Persona::load`] finds this on a made-up brief.
pub fn system(
    persona: &Persona,
    settings: &Settings,
    context: PromptContext<'_>,
) -> Result<SystemPrompt, PersonaError> {
    let builder = Builder { persona, settings, context, variables: context.variables() };
    Ok(SystemPrompt { parts: builder.parts()? })
}

struct Builder<'a> {
    persona: &'a Persona,
    settings: &'a Settings,
    context: PromptContext<'a>,
    variables: Variables,
}

impl Builder<'_> {
    fn parts(&self) -> Result<Vec<Part>, PersonaError> {
        let texts = &self.persona.texts;
        let engine = &texts.engine;
        let protocol = engine.protocol(self.settings.protocol, speaks(self.persona, self.settings));
        let tools = !self.context.tools.is_empty();
        let turn = if tools { &protocol.loop_with_tools } else { &protocol.loop_without_tools };
        let mut parts = vec![
            self.plain("identity", &texts.system_message)?,
            self.plain("tags", &engine.tags_notice)?,
            self.turns(turn)?,
            self.answer_format()?,
            if tools { self.tools()? } else { self.plain("no_tools", &protocol.no_tools)? },
        ];
        parts.extend(self.knowledge()?);
        if self.settings.include_cot_instruction {
            parts.push(self.chain_of_thought()?);
        }
        parts.extend(self.rules()?);
        parts.extend(self.examples()?);
        if self.settings.inject_action_list {
            parts.push(self.actions());
        }
        parts.retain(|part| !part.text.is_empty());
        Ok(parts)
    }

    fn fill(&self, sourced: &Sourced, more: &[(&'static str, Value)]) -> Result<String, PersonaError> {
        Ok(self.persona.templates.render(&sourced.text, &self.variables.with(more))?)
    }

    fn plain(&self, name: &'static str, sourced: &Sourced) -> Result<Part, PersonaError> {
        Ok(Part { name, origins: vec![sourced.origin.clone()], text: self.fill(sourced, &[])? })
    }

    /// The instructions of the loop, with the bound of the messages for one answer (BOG-043).
    fn turns(&self, sourced: &Sourced) -> Result<Part, PersonaError> {
        let text = self.fill(sourced, &[("turns", Value::from(self.settings.turns))])?;
        Ok(Part { name: "loop", origins: vec![sourced.origin.clone()], text })
    }

    fn answer_format(&self) -> Result<Part, PersonaError> {
        let format = &self.persona.texts.answer_format;
        let notice = &self
            .persona
            .texts
            .engine
            .protocol(self.settings.protocol, speaks(self.persona, self.settings))
            .answer_notice;
        let text = answer_form(self.persona, self.settings, &self.variables)?;
        Ok(Part { name: "answer_format", origins: vec![notice.origin.clone(), format.origin.clone()], text })
    }

    fn knowledge(&self) -> Result<Option<Part>, PersonaError> {
        let texts = &self.persona.texts;
        if texts.knowledge.is_empty() {
            return Ok(None);
        }
        let heading = &texts.engine.knowledge_heading;
        let mut origins = vec![heading.origin.clone()];
        let mut blocks = vec![self.fill(heading, &[])?];
        for entry in &texts.knowledge {
            origins.push(entry.header.origin.clone());
            let content = self.content(&entry.content, entry.root.as_deref())?;
            blocks.push(format!("{}\n{content}", self.fill(&entry.header, &[])?));
        }
        let text = tagged("reflection_knowledge", &blocks.join("\n\n"));
        Ok(Some(Part { name: "knowledge", origins, text }))
    }

    fn content(&self, content: &Content, root: Option<&str>) -> Result<String, PersonaError> {
        let value = match content {
            Content::Plain(text) => return Ok(self.persona.templates.render(text, &self.variables.with(&[]))?),
            Content::Json(content) => self.json(content)?,
            Content::Variable(name) => self.context.variable(name),
        };
        let value = match root {
            Some(root) => serde_json::Value::Object(serde_json::Map::from_iter([(root.to_owned(), value)])),
            None => value,
        };
        Ok(match value {
            serde_json::Value::String(text) => text,
            other => format!("{other:#}"),
        })
    }

    fn json(&self, content: &JsonContent) -> Result<serde_json::Value, PersonaError> {
        Ok(match content {
            JsonContent::Text(text) => {
                serde_json::Value::String(self.persona.templates.render(text, &self.variables.with(&[]))?)
            }
            JsonContent::List(items) => {
                serde_json::Value::Array(items.iter().map(|item| self.json(item)).collect::<Result<_, _>>()?)
            }
            JsonContent::Object(members) => serde_json::Value::Object(
                members
                    .iter()
                    .map(|(name, member)| self.json(member).map(|member| (name.clone(), member)))
                    .collect::<Result<_, _>>()?,
            ),
            JsonContent::Other(value) => value.clone(),
        })
    }

    fn chain_of_thought(&self) -> Result<Part, PersonaError> {
        let (heading, steps) = (&self.persona.texts.engine.cot_heading, &self.persona.texts.cot);
        let inner = self.fill(steps, &[])?;
        let text = if inner.is_empty() {
            String::new()
        } else {
            tagged("chain_of_thought", &format!("{}\n{inner}", self.fill(heading, &[])?))
        };
        Ok(Part { name: "chain_of_thought", origins: vec![heading.origin.clone(), steps.origin.clone()], text })
    }

    fn rules(&self) -> Result<Option<Part>, PersonaError> {
        let texts = &self.persona.texts;
        let calibration = texts.calibration.iter().filter(|_| self.settings.include_calibration);
        let rules: Vec<&Sourced> = texts.rules.iter().chain(calibration).collect();
        let mut lines: Vec<String> = rules.iter().map(|rule| self.fill(rule, &[])).collect::<Result<_, _>>()?;
        // The text of a rule about some environments only is empty in the others.
        lines.retain(|rule| !rule.trim().is_empty());
        if lines.is_empty() {
            return Ok(None);
        }
        let origins = rules.iter().map(|rule| rule.origin.clone()).collect();
        Ok(Some(Part { name: "rules", origins, text: tagged("rules", &format!("- {}", lines.join("\n- "))) }))
    }

    fn examples(&self) -> Result<Option<Part>, PersonaError> {
        let (texts, settings) = (&self.persona.texts, self.settings);
        let (mut origins, mut blocks) = (Vec::new(), Vec::new());
        if settings.add_tool_examples {
            for offered in self.context.tools {
                for example in offered.examples(self.persona) {
                    origins.push(example.case.origin.clone());
                    blocks.push(self.worked(offered, example)?);
                }
            }
        }
        let own = texts.examples.iter().filter(|_| settings.add_examples);
        for sourced in own.chain(texts.reflection_examples.iter().filter(|_| settings.add_reflection_examples)) {
            origins.push(sourced.origin.clone());
            blocks.push(self.fill(sourced, &[])?);
        }
        if blocks.is_empty() {
            return Ok(None);
        }
        blocks.insert(0, self.fill(&texts.engine.examples_heading, &[])?);
        Ok(Some(Part { name: "examples", origins, text: tagged("examples", &blocks.join("\n\n")) }))
    }

    fn actions(&self) -> Part {
        let list = serde_json::Value::from(self.context.actions.to_vec());
        let origin = Origin { file: "environment".to_owned(), key: "actions".to_owned() };
        Part { name: "actions", origins: vec![origin], text: tagged("available_actions_list", &format!("{list:#}")) }
    }
}

/// What an agent's answers are.
fn speaks(persona: &Persona, settings: &Settings) -> Speaks {
    match (&persona.core.contract, settings.acting) {
        (Some(_), _) => Speaks::Message,
        (None, Some(_)) => Speaks::Often,
        (None, None) => Speaks::Once,
    }
}

/// The form of an answer, as the system prompt says it.
pub(crate) fn answer_form(
    persona: &Persona,
    settings: &Settings,
    variables: &Variables,
) -> Result<String, PersonaError> {
    let fill = |sourced: &Sourced, more: &[(&'static str, Value)]| {
        persona.templates.render(&sourced.text, &variables.with(more))
    };
    let inner = fill(&persona.texts.answer_format, &[])?;
    let notice = &persona.texts.engine.protocol(settings.protocol, speaks(persona, settings)).answer_notice;
    Ok(fill(notice, &[("answer_format", Value::from(inner))])?)
}

fn tagged(tag: &str, text: &str) -> String {
    format!("<{tag}>\n{text}\n</{tag}>")
}
