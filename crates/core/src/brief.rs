//! An environment's description of itself for an episode.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Digest, Manifest, Milli, ToolCall};

/// An environment's description of itself for an episode. Personas may use these values and nothing else of the environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// Registry name; never shown to a model.
    pub environment: String,
    /// What the agent is to reach, in a sentence for a prompt.
    pub goal: String,
    /// What this episode is to reach, in one sentence, where tasks differ in it. No prompt holds it: a run keeps it for its reports,
    /// because a goal may be long (a list of commands with what to make behind it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// Who the agent is, in a sentence for a prompt (BOG-025).
    pub role: String,
    /// What one subject is called: `host`, `receptacle`, ...
    pub subject: String,
    /// The subjects of this episode, in the environment's own order; empty where there are none.
    pub subjects: Vec<String>,
    /// The kinds of action, for a prompt (BOG-062); remedies of one class from the mildest to the strongest.
    pub glossary: Vec<GlossaryEntry>,
    /// Steps in an episode.
    pub horizon: u32,
    /// Most tool calls of a segment, as the environment's work sets them (CYC-051): what a controller over subtasks goes by where
    /// it gets nothing else.
    #[serde(default)]
    pub segment_calls: Option<u32>,
    /// Lowest and highest reward of one step, where known.
    pub reward_range: Option<(Milli, Milli)>,
    /// Return at and below which outcomes are named.
    pub thresholds: Thresholds,
    /// The call that does nothing: the fallback after exhausted attempts (BOG-034).
    pub idle: ToolCall,
    /// Seconds of the environment's time in a step, where the environment says.
    pub seconds_per_step: Option<u32>,
    /// What is known of its tools: how long their decisions last, what they use and bring about (CTHA-070).
    #[serde(default, skip_serializing_if = "Manifest::is_empty")]
    pub manifest: Manifest,
    /// Whether the environment goes on, and counts, when nobody acts. What is left of an episode that an architecture leaves early is
    /// then played with the idle call, so that its return is comparable; elsewhere the episode is over.
    #[serde(default)]
    pub runs_on: bool,
    /// Named, typed, hashed things that the episode is about.
    #[serde(default)]
    pub materials: Vec<Material>,
    /// Published names of generic tools, e.g. `subject_state` to `get_host_current_state` (BOG-058, BOG-063).
    #[serde(default)]
    pub tool_names: BTreeMap<String, String>,
    /// What keys in the blocks of its belief state mean, by key: a request that shows such a key explains it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub legend: BTreeMap<String, String>,
    /// Words that no prompt may contain: the knowledge-free audit (BOG-025).
    pub forbidden_words: Vec<String>,
    /// Whether the values that may be filled in for a call's parameters are all that there are and change from step to step:
    /// agents then see them before every call (CYC-036).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub literals_change: bool,
    /// Whether arguments hold free text, such as a query: legal calls are then examples, and a grammar follows the tools' schemas
    /// (CYC-036).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_arguments: bool,
    /// Whether an argument is any whole number within bounds: legal calls are then examples of it, and a grammar takes every number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_numbers: bool,
    /// The call by which an agent gives its answer and ends its task; `None` where acting alone reaches the goal (CYC-095).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answering>,
    /// Shift of the shifted efficiency (shift + return) / kilotoken, in thousandths (BOG-166).
    pub efficiency_shift: Option<Milli>,
}

impl Brief {
    /// Most tool calls of an episode for an architecture whose settings bound them by `named`: no episode is longer than its horizon.
    /// A horizon of 0 bounds nothing.
    #[must_use]
    pub fn most_calls(&self, named: Option<u32>) -> u32 {
        match named {
            Some(named) if self.horizon == 0 => named,
            Some(named) => named.min(self.horizon),
            None => self.horizon,
        }
    }

    /// Whether a list of legal calls holds examples alone, because a call can have any text or any number.
    #[must_use]
    pub const fn lists_examples(&self) -> bool {
        self.free_arguments || self.free_numbers
    }

    /// The name under which this environment publishes the generic tool `generic`.
    #[must_use]
    pub fn tool_name<'a>(&'a self, generic: &'a str) -> &'a str {
        self.tool_names.get(generic).map_or(generic, String::as_str)
    }

    /// The entry of the glossary that explains a tool: the one of its name, else the one whose name ends in a
    /// placeholder of capitals and begins as the tool does (`DecoySERVICE` explains `DecoyApache`).
    #[must_use]
    pub fn entry_of(&self, tool: &str) -> Option<&GlossaryEntry> {
        let exact = self.glossary.iter().find(|entry| entry.name.eq_ignore_ascii_case(tool));
        exact.or_else(|| {
            self.glossary.iter().find(|entry| {
                let stem = entry.name.trim_end_matches(|letter: char| letter.is_ascii_uppercase());
                let placeholder = entry.name.len() - stem.len();
                !stem.is_empty() && placeholder > 1 && tool.starts_with(stem)
            })
        })
    }

    /// The subject that a call is about: the first of its arguments that names one.
    #[must_use]
    pub fn subject_of<'a>(&self, call: &'a ToolCall) -> Option<&'a str> {
        call.arguments.values().filter_map(serde_json::Value::as_str).find(|name| self.knows(name))
    }

    /// Whether a subject of this episode is called so.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.subjects.iter().any(|subject| subject == name)
    }
}

/// The call that ends a task with an answer: by it, answers are found without knowing the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answering {
    /// Name of the tool.
    pub tool: String,
    /// Name of the argument that is the answer: a text.
    pub argument: String,
}

impl Answering {
    /// The answer that a call gives; `None` where it is another call, or gives no text.
    #[must_use]
    pub fn of<'a>(&self, call: &'a ToolCall) -> Option<&'a str> {
        (call.tool == self.tool).then(|| call.string(&self.argument)).flatten()
    }
}

/// A kind of action, explained for a prompt (BOG-062).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlossaryEntry {
    /// Name of the action.
    pub name: String,
    /// Class of the action, e.g. `passive`, `reactive`, `proactive`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it does.
    pub description: String,
    /// How it is written.
    pub usage: String,
    /// What it does as far as the glossary of the environment's work says, in our words; the description above may say more.
    /// For personas that keep to the work; never part of `glossary` in a prompt.
    #[serde(default, skip_serializing)]
    pub published: Option<String>,
}

impl GlossaryEntry {
    /// The entry as the work has it: with its own description where that is known.
    #[must_use]
    pub fn strict(&self) -> Self {
        Self { description: self.published.clone().unwrap_or_else(|| self.description.clone()), ..self.clone() }
    }
}

/// Where outcomes change their name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thresholds {
    /// An episode whose return is below this is catastrophic (BOG-164).
    pub catastrophic: Option<Milli>,
    /// An episode whose return is above this is a success (BOG-175).
    pub success: Option<Milli>,
    /// A step whose reward is this or lower calls for a remedy: something of worth is being harmed (BOG-221).
    pub harm: Option<Milli>,
    /// A step whose reward is this or lower counts as lost: the floor that a lost episode stays at (BOG-014, BOG-223).
    pub floor: Option<Milli>,
}

/// A named, typed, hashed thing in a brief, such as an evidence packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Material {
    /// Name, unique in the brief.
    pub name: String,
    /// Type, e.g. `packet`.
    pub kind: String,
    /// Hash of the content.
    pub digest: Digest,
    /// The content as text.
    pub text: String,
}
