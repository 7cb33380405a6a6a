//! Personas: agents as data (BOG-021, BOG-050).
//!
//! `personas/<name>/` holds `core.yaml`, `prompt.yaml` and, each optional, `knowledge.yaml`,
//! `reflection_knowledge.yaml`, `examples.yaml`, `reflection_examples.yaml`; `personas/common.yaml` is knowledge that
//! all share; `personas/engine.yaml` is the wording of the protocols.

pub mod data;
pub(crate) mod load;
mod mentions;
pub mod schemas;
pub mod wording;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gimbal_core::{Digest, FileError, Files, nearest};
use serde::Serialize;
use thiserror::Error;

pub use crate::template::TemplateError;
use crate::template::{Templates, Text};
use gimbal_core::yaml::YamlError;

/// Where a part of a prompt comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The file, by its path in the data folder; `tracker` for a block, `environment` for legal actions.
    pub file: String,
    /// Key in the file, or name of the block.
    pub key: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.key)
    }
}

/// An agent as data: read, checked and compiled.
#[derive(Debug)]
pub struct Persona {
    /// Name: its folder below `personas/`.
    pub name: String,
    /// `core.yaml` as written.
    pub core: data::Core,
    /// `prompt.yaml` as written.
    pub prompt: data::Prompt,
    /// The shared wording as written.
    pub wording: wording::Wording,
    /// Hash of everything that decides the prompts, comments and layout of the files left out.
    pub digest: Digest,
    /// The files that were read: path, and where each came from.
    pub files: Vec<(String, String)>,
    pub(crate) templates: Templates,
    pub(crate) texts: Texts,
}

/// Why a persona cannot be used.
#[derive(Debug, Error)]
pub enum PersonaError {
    /// There is no such persona.
    #[error(
        "there is no persona `{name}`{hint} (known: {known}); a persona is a folder `personas/<name>` with `core.yaml` and `prompt.yaml`"
    )]
    Unknown {
        /// The name.
        name: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
        /// The personas that there are.
        known: String,
    },
    /// A file is missing.
    #[error("the file `{0}` is missing; it belongs in the data folder beside the other personas")]
    Missing(String),
    /// A file is there and cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is not what it should be.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A value is wrong.
    #[error("{place}:{line}: {message}")]
    Value {
        /// The file.
        place: String,
        /// Line, from 1.
        line: u64,
        /// What is wrong and what would be right.
        message: String,
    },
}

impl Persona {
    /// Names of the personas that `files` holds, sorted.
    #[must_use]
    pub fn list(files: &dyn Files) -> Vec<String> {
        let names: BTreeSet<String> = files
            .list("personas")
            .iter()
            .filter_map(|path| {
                let path = path.strip_prefix("personas/").unwrap_or(path);
                path.strip_suffix("/core.yaml").filter(|name| !name.contains('/')).map(str::to_owned)
            })
            .collect();
        names.into_iter().collect()
    }

    /// Sorts the chosen blocks into the order of `prompt.yaml`; blocks that it does not list follow as given.
    #[must_use]
    pub fn ordered(&self, context: &[String]) -> Vec<String> {
        let order = &self.prompt.order;
        let place = |name: &String| order.iter().position(|other| other == name).unwrap_or(order.len());
        let mut context = context.to_vec();
        context.sort_by_key(place);
        context
    }
}

/// The named settings of `personas/configurations.yaml`, in order; none if there is no such file.
///
/// # Errors
/// When the file cannot be read as what it should be, or holds a name twice.
pub fn configurations(files: &dyn Files) -> Result<Vec<data::Configuration>, PersonaError> {
    shared_configurations(files).map(|shared| shared.to_vec())
}

/// The same as [`configurations`]; all who ask share one list as long as the text of the file is the same.
///
/// # Errors
/// As [`configurations`].
pub fn shared_configurations(files: &dyn Files) -> Result<Arc<[data::Configuration]>, PersonaError> {
    let Some((text, place)) = files.read("personas/configurations.yaml")? else { return Ok(Arc::default()) };
    // A study of thousands of cells asks as often; the file is read each time, and understood when it has changed.
    static LATEST: Mutex<Option<(String, Arc<[data::Configuration]>)>> = Mutex::new(None);
    let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, configurations)) = latest.as_ref().filter(|(known, _)| *known == text) {
        return Ok(Arc::clone(configurations));
    }
    let data::Configurations { configurations } = gimbal_core::yaml::read(&text, &place)?;
    for (index, configuration) in configurations.iter().enumerate() {
        if configurations[..index].iter().any(|other| other.name == configuration.name) {
            let line = gimbal_core::yaml::line_of(&text, &format!("configurations[{index}].name"));
            let message = format!("there is already a configuration `{}` above: rename one", configuration.name);
            return Err(PersonaError::Value { place, line, message });
        }
    }
    let configurations: Arc<[data::Configuration]> = configurations.into();
    *latest = Some((text, Arc::clone(&configurations)));
    Ok(configurations)
}

fn unknown(name: &str, files: &dyn Files) -> PersonaError {
    let known = Persona::list(files);
    PersonaError::Unknown {
        name: name.to_owned(),
        hint: nearest::hint(name, known.iter().map(String::as_str)),
        known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
    }
}

/// A compiled text and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Sourced {
    pub origin: Origin,
    pub text: Text,
}

/// The compiled texts.
#[derive(Debug)]
pub(crate) struct Texts {
    pub system_message: Sourced,
    pub answer_format: Sourced,
    pub rules: Vec<Sourced>,
    pub calibration: Vec<Sourced>,
    pub cot: Sourced,
    pub tools: Vec<ToolTexts>,
    pub knowledge: Vec<KnowledgeTexts>,
    pub examples: Vec<Sourced>,
    pub reflection_examples: Vec<Sourced>,
    pub opening: Sourced,
    pub closing: Sourced,
    pub repair: Option<RepairTexts>,
    pub engine: EngineTexts,
}

/// The texts of a call that asks for a message again.
#[derive(Debug)]
pub(crate) struct RepairTexts {
    pub system: Sourced,
    pub user: Sourced,
}

/// The texts of one deliberation tool.
#[derive(Debug)]
pub(crate) struct DeliberationTexts {
    pub description: Sourced,
    pub input: Sourced,
    pub reply: Sourced,
    /// The other reply: over the budget, or the other variant.
    pub other: Option<Sourced>,
    pub examples: Vec<ExampleTexts>,
}

/// The texts of a worked example of a tool.
#[derive(Debug)]
pub(crate) struct ExampleTexts {
    pub case: Sourced,
    pub thought: Sourced,
    pub input: Option<Sourced>,
}

/// The texts of one tool of the persona.
#[derive(Debug)]
pub(crate) struct ToolTexts {
    pub description: Option<Sourced>,
    pub example: Option<Sourced>,
    pub examples: Vec<ExampleTexts>,
}

/// The texts of one block of knowledge.
#[derive(Debug)]
pub(crate) struct KnowledgeTexts {
    pub header: Sourced,
    pub root: Option<String>,
    pub content: Content,
}

/// The content of a block of knowledge.
#[derive(Debug)]
pub(crate) enum Content {
    /// A template.
    Plain(Text),
    /// A value as written, with templates in its strings.
    Json(JsonContent),
    /// A variable of the brief.
    Variable(String),
}

/// JSON with compiled strings.
#[derive(Debug)]
pub(crate) enum JsonContent {
    Text(Text),
    List(Vec<JsonContent>),
    Object(Vec<(String, JsonContent)>),
    Other(serde_json::Value),
}

/// The compiled texts of `engine.yaml`, for every protocol.
#[derive(Debug)]
pub(crate) struct EngineTexts {
    pub tags_notice: Sourced,
    /// How long texts of an action may be under constrained decoding.
    pub text_bounds: Sourced,
    pub protocols: [ProtocolTexts; 3],
    pub advisers: [Option<ProtocolTexts>; 3],
    pub actors: [Option<ProtocolTexts>; 3],
    pub acting: Option<ActingTexts>,
    pub deliberation: [DeliberationTexts; 3],
    pub tools_heading: Sourced,
    pub tools_entry: Sourced,
    pub tools_critical: Sourced,
    pub tools_closing: Sourced,
    pub knowledge_heading: Sourced,
    pub legend_heading: Sourced,
    pub cot_heading: Sourced,
    pub examples_heading: Sourced,
    pub feedback_rejected: Sourced,
    pub feedback_placeholder: Sourced,
    pub feedback_refusal: Sourced,
    pub feedback_truncated: Sourced,
    pub feedback_bad_shape: Sourced,
    pub feedback_native_form: Sourced,
    pub unknown_tool: Sourced,
    pub no_tools: Sourced,
    pub failed: Sourced,
    pub answer_now: Sourced,
    pub not_used: Sourced,
    pub last_turn: Sourced,
}

impl EngineTexts {
    /// The instructions of a protocol to an agent that speaks in this way.
    pub(crate) fn protocol(&self, protocol: crate::Protocol, speaks: Speaks) -> &ProtocolTexts {
        let at = match protocol {
            crate::Protocol::ReactText => 0,
            crate::Protocol::NativeTools => 1,
            crate::Protocol::Json => 2,
        };
        let own = match speaks {
            Speaks::Once => None,
            Speaks::Often => self.actors[at].as_ref(),
            Speaks::Message => self.advisers[at].as_ref(),
        };
        own.unwrap_or(&self.protocols[at])
    }

    /// What follows the list of tools: to an agent that answers with an action what the protocol says of actions, to another
    /// that there is nothing else.
    pub(crate) fn closing(&self, protocol: crate::Protocol, speaks: Speaks) -> &Sourced {
        let own = self.protocol(protocol, speaks).tools_closing.as_ref();
        own.filter(|_| speaks == Speaks::Once).unwrap_or(&self.tools_closing)
    }
}

/// What an agent's answers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaks {
    /// One action, then the conversation is over.
    Once,
    /// Actions, one after another in one conversation.
    Often,
    /// A message to another agent.
    Message,
}

/// The compiled texts for an agent that acts many times.
#[derive(Debug)]
pub(crate) struct ActingTexts {
    pub tools_heading: Sourced,
    pub tools_closing: Sourced,
    pub refused: Sourced,
    pub actions_left: Sourced,
    pub literals_heading: Sourced,
    pub literals_open: Sourced,
    pub literals_more: Sourced,
}

/// The compiled texts of one protocol.
#[derive(Debug)]
pub(crate) struct ProtocolTexts {
    pub loop_with_tools: Sourced,
    pub loop_without_tools: Sourced,
    pub answer_notice: Sourced,
    /// What follows the list of tools; `None` if the general closing does.
    pub tools_closing: Option<Sourced>,
    pub no_tools: Sourced,
}
