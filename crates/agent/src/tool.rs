//! Tools that an agent may use before it answers: deterministic queries of the tracker, deliberation, other agents.

use std::collections::BTreeMap;

use async_trait::async_trait;
use gimbal_core::{Acted, Brief, EpisodeStopped, LaneId, Rejection, Stage, ToolCall, ToolSpec};
use gimbal_messages::{Delegate, Form, Message};
use minijinja::Value as Filling;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::Protocol;
use crate::deliberation::Deliberation;
use crate::persona::data::FINISH;
use crate::persona::{ExampleTexts, PersonaError, Sourced};
use crate::protocol::Input;
use crate::reading::lenient;
use crate::variables::Variables;
use crate::{Persona, Settings};

/// Why a tool gave no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ToolError {
    /// What went wrong, for the agent to read (BOG-044).
    #[error("{0}")]
    Said(String),
    /// The episode is over.
    #[error(transparent)]
    EpisodeStopped(#[from] EpisodeStopped),
}

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// What the agent reads.
    pub text: String,
    /// The action that a reader who follows it would take now: only the noisy expert looks at it.
    pub advised: Option<String>,
}

/// Longest free input of a tool under constrained decoding, in characters.
pub(crate) const INPUT: usize = 400;

/// The tool called [`FINISH`].
#[derive(Debug)]
pub struct Finish;

impl Delegate for Finish {
    fn name(&self) -> &'static str {
        FINISH
    }

    fn spec(&self, _brief: &Brief) -> ToolSpec {
        let about = "What was done, and what is still open, in a sentence.";
        let description = "Says that the subtask is done and gives control back.";
        ToolSpec::of_strings(FINISH, description, &[("summary", about)])
    }

    fn form(&self, _brief: &Brief) -> Option<Form> {
        Some(Form::line(INPUT))
    }
}

/// What the others around an agent expect of it and offer to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Partners {
    /// The message that the agent must answer with; an action where there is none.
    pub message: Option<&'static dyn Message>,
    /// The tools by which it may ask others or give control back.
    pub delegates: &'static [&'static dyn Delegate],
}

/// Which delegates are known where tools are offered.
#[derive(Clone, Copy)]
pub(crate) enum Delegates<'a> {
    /// These.
    These(&'a [&'static dyn Delegate]),
    /// Any: a persona is tried before anyone knows where it will play.
    Any,
}

impl Delegates<'_> {
    fn get(self, generic: &str) -> Option<&'static dyn Delegate> {
        match self {
            Self::These(delegates) => delegates.iter().find(|delegate| delegate.name() == generic).copied(),
            Self::Any => Some(&Finish),
        }
    }
}

/// Those around an agent: the agents that it may ask, and whoever watches what it decides.
#[async_trait]
pub trait Peers: Send + Sync {
    /// Asks another agent through the tool called `generic`.
    ///
    /// # Errors
    /// What went wrong, or the stop that ended the episode.
    async fn ask(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        generic: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Observed, ToolError> {
        let _ = (stage, lane, arguments);
        Err(ToolError::Said(format!("nobody answers `{generic}` here")))
    }

    /// The agent has decided on this call, which is carried out next.
    async fn decided(&self, stage: &dyn Stage, lane: LaneId, call: &ToolCall) {
        let _ = (stage, lane, call);
    }

    /// What the environment made of the call on which the agent had decided. A call that ends the episode leads to no such word.
    async fn acted(&self, stage: &dyn Stage, lane: LaneId, call: &ToolCall, acted: &Acted) {
        let _ = (stage, lane, call, acted);
    }

    /// Looks at a call that the agent wants to make, before the environment does; what it is held back for, if it is (CYC-095).
    /// A call that is held back never reaches the environment; it counts as a tool call, and the agent reads why. `made` is how many
    /// calls this conversation has made before.
    ///
    /// # Errors
    /// What stopped the episode.
    async fn holds_back(
        &self,
        stage: &dyn Stage,
        lane: LaneId,
        (call, made): (&ToolCall, u32),
    ) -> Result<Option<Rejection>, EpisodeStopped> {
        let _ = (stage, lane, call, made);
        Ok(None)
    }

    /// Whether an expert in the agent's place would give control back now, where `expert` is what the environment's
    /// own expert would do next. Only the noisy expert goes by it.
    fn hands_back(&self, expert: &ToolCall) -> bool {
        let _ = expert;
        false
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Peers for Alone {}

/// What carries out a tool.
#[derive(Clone, Debug)]
pub enum Carrier {
    /// A read-only query of the tracker, under its generic specification.
    Query(ToolSpec),
    /// The agent's own thought.
    Deliberation(Deliberation),
    /// Another agent.
    Delegate(&'static dyn Delegate),
}

/// Where the texts of a tool stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// At this place among the tools of the persona.
    Own(usize),
    /// Among the deliberation tools.
    Shared(Deliberation),
}

/// A tool as it is offered to a model.
#[derive(Clone, Debug)]
pub struct Offered {
    /// Generic name.
    pub generic: String,
    /// The name under which the environment publishes it (BOG-058, BOG-063).
    pub name: String,
    /// Specification under the published name, with the persona's description: for the prompt and for native calls.
    pub spec: ToolSpec,
    /// Whether the answer must follow its result (BOG-056).
    pub critical: bool,
    /// What carries it out.
    pub carrier: Carrier,
    /// Where its texts stand.
    pub texts: Texts,
}

impl Offered {
    /// The tools of a persona in an environment: its own, then deliberation as far as it is switched on (BOG-115). Queries
    /// that the environment does not answer are left out (the plan refuses such a pair by `Needs.queries`). `idle` is the
    /// call that does nothing, as the environment writes it.
    ///
    /// # Errors
    /// When a description cannot be filled in; [`Persona::load`] finds this on a made-up brief.
    pub(crate) fn of(
        persona: &Persona,
        settings: &Settings,
        (brief, idle): (&Brief, &str),
        queries: &[ToolSpec],
        delegates: Delegates<'_>,
    ) -> Result<Vec<Self>, PersonaError> {
        let own = persona.core.tools.iter().enumerate().filter_map(|(index, wanted)| {
            let generic = wanted.generic();
            let (spec, carrier) = match wanted.delegate {
                Some(_) => {
                    let delegate = delegates.get(generic)?;
                    (delegate.spec(brief), Carrier::Delegate(delegate))
                }
                None => {
                    let query = queries.iter().find(|query| query.name == generic)?;
                    (about(query, brief), Carrier::Query(query.clone()))
                }
            };
            let name = brief.tool_name(generic).to_owned();
            Some(Self {
                generic: generic.to_owned(),
                spec: ToolSpec { name: name.clone(), ..spec },
                name,
                critical: wanted.critical,
                carrier,
                texts: Texts::Own(index),
            })
        });
        let shared = Deliberation::ALL.into_iter().filter(|kind| kind.is_on(settings)).map(|kind| Self {
            generic: kind.name().to_owned(),
            name: kind.name().to_owned(),
            spec: kind.spec(persona),
            critical: false,
            carrier: Carrier::Deliberation(kind),
            texts: Texts::Shared(kind),
        });
        let mut all: Vec<Self> = own.chain(shared).collect();
        let offered: Vec<String> = all.iter().map(|tool| tool.name.clone()).collect();
        let variables = Variables::of(brief, idle, &[]);
        for tool in &mut all {
            let Some(description) = tool.description(persona) else { continue };
            let variables = variables.with(&[
                ("tool", Filling::from(tool.name.as_str())),
                ("offered", Filling::from(offered.clone())),
                ("questions", Filling::from(settings.question_budget)),
                ("native", Filling::from(settings.protocol == Protocol::NativeTools)),
            ]);
            tool.spec.description = persona.templates.render(&description.text, &variables)?;
        }
        Ok(all)
    }

    /// The persona's or the engine's description of the tool; `None` if the tracker's own words stand.
    pub(crate) fn description<'a>(&self, persona: &'a Persona) -> Option<&'a Sourced> {
        match self.texts {
            Texts::Own(index) => persona.texts.tools.get(index)?.description.as_ref(),
            Texts::Shared(kind) => Some(&kind.texts(persona).description),
        }
    }

    /// How the persona writes a call of the tool, where it says so.
    pub(crate) fn example<'a>(&self, persona: &'a Persona) -> Option<&'a Sourced> {
        match self.texts {
            Texts::Own(index) => persona.texts.tools.get(index)?.example.as_ref(),
            Texts::Shared(_) => None,
        }
    }

    /// The worked examples of the tool.
    pub(crate) fn examples<'a>(&self, persona: &'a Persona) -> &'a [ExampleTexts] {
        match self.texts {
            Texts::Own(index) => persona.texts.tools.get(index).map_or(&[], |own| &own.examples),
            Texts::Shared(kind) => &kind.texts(persona).examples,
        }
    }

    /// Whether a model that writes `name` means this tool. The second value says that it wrote the name of the flag
    /// instead (BOG-224).
    #[must_use]
    pub fn answers_to(&self, name: &str) -> Option<bool> {
        let same = |name: &str| name.eq_ignore_ascii_case(&self.name) || name.eq_ignore_ascii_case(&self.generic);
        if same(name) {
            return Some(false);
        }
        name.strip_prefix("include_tool_").is_some_and(same).then_some(true)
    }
}

/// The parameter of queries about one subject, by its generic name.
const SUBJECT: &str = "subject";

/// The specification of a query as it is offered: its subject is called what the environment calls one.
fn about(query: &ToolSpec, brief: &Brief) -> ToolSpec {
    let mut spec = query.clone();
    if brief.subject.is_empty() || brief.subject == SUBJECT || query.required().ne([SUBJECT]) {
        return spec;
    }
    let renamed = |value: &Value| match value.as_str() {
        Some(SUBJECT) => Value::from(brief.subject.as_str()),
        _ => value.clone(),
    };
    if let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut) {
        let all = std::mem::take(properties).into_iter();
        properties.extend(all.map(|(key, value)| (if key == SUBJECT { brief.subject.clone() } else { key }, value)));
    }
    if let Some(required) = spec.parameters.get_mut("required").and_then(Value::as_array_mut) {
        required.iter_mut().for_each(|name| *name = renamed(name));
    }
    spec
}

/// Arguments from what a model wrote: an object, an object as text, or the one required parameter as text.
pub(crate) fn arguments(spec: &ToolSpec, input: &Input) -> Result<BTreeMap<String, Value>, String> {
    // A tool of one parameter is offered under the environment's word for its subject, and models use words of their own:
    // the one argument that is given is the one that is meant.
    let named = |arguments: &Map<String, Value>| {
        let required: Vec<&str> = spec.required().collect();
        match (required.as_slice(), arguments.iter().next()) {
            ([only], Some((_, value))) if arguments.len() == 1 => BTreeMap::from([((*only).to_owned(), value.clone())]),
            _ => arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    };
    match input {
        Input::Arguments(object) | Input::Beside(object) => Ok(named(object)),
        Input::Text(text) => {
            if let Some(Value::Object(object)) = lenient::whole(text).map(|found| found.value) {
                return Ok(named(&object));
            }
            let required: Vec<&str> = spec.required().collect();
            match required.as_slice() {
                [] if text.trim().is_empty() => Ok(BTreeMap::new()),
                [only] => {
                    let bare = text.trim();
                    let named = bare.strip_prefix(only).map(str::trim_start);
                    let bare = named.and_then(|rest| rest.strip_prefix(['=', ':'])).map_or(bare, str::trim);
                    let value = bare.trim_matches(['"', '\'', '`', '\u{201c}', '\u{201d}']).to_owned();
                    Ok(BTreeMap::from([((*only).to_owned(), Value::String(value))]))
                }
                [] => Err("this tool takes no input".to_owned()),
                many => Err(format!("the input must be a JSON object with the keys {}", many.join(", "))),
            }
        }
    }
}

/// A specification with the argument `reasoning`, which is journaled and never reaches the environment.
#[must_use]
pub fn with_reasoning(spec: &ToolSpec) -> ToolSpec {
    let mut spec = spec.clone();
    let reason = serde_json::json!({ "type": "string", "description": "Your thought: why you make this call." });
    if let Some(properties) = spec.parameters.get_mut("properties").and_then(Value::as_object_mut)
        && !properties.contains_key("reasoning")
    {
        let mut all = Map::from_iter([("reasoning".to_owned(), reason)]);
        all.append(properties);
        *properties = all;
    }
    spec
}

#[cfg(test)]
mod tests {
    use gimbal_core::ToolSpec;
    use serde_json::{Map, Value};

    use super::{Input, arguments, with_reasoning};

    #[test]
    fn reads_inputs_as_models_write_them() {
        let one = ToolSpec::of_strings("look", "Looks.", &[("subject", "what")]);
        let two = ToolSpec::of_strings("weigh", "Weighs.", &[("a", "x"), ("b", "y")]);
        for text in [
            "lathe",
            " \"lathe\" ",
            "`lathe`",
            r#"{"subject": "lathe"}"#,
            "subject=lathe",
            "subject: \"lathe\"",
            "{'subject': 'lathe'}",
        ] {
            let found = arguments(&one, &Input::Text(text.to_owned())).unwrap();
            assert_eq!(found.get("subject"), Some(&Value::from("lathe")), "{text}");
        }
        let message = arguments(&two, &Input::Text("lathe".to_owned())).unwrap_err();
        assert_eq!(message, "the input must be a JSON object with the keys a, b");
        assert!(arguments(&two, &Input::Arguments(Map::new())).unwrap().is_empty());
    }

    #[test]
    fn the_reason_stands_first_and_is_not_required() {
        let spec = with_reasoning(&ToolSpec::of_strings("look", "Looks.", &[("subject", "what")]));
        let names: Vec<&String> = spec.parameters["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["reasoning", "subject"]);
        assert_eq!(spec.required().collect::<Vec<_>>(), ["subject"]);
        assert_eq!(with_reasoning(&spec), spec);
    }
}
