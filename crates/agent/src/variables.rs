//! Values of the variables that texts of a persona may use.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{Brief, GlossaryEntry};
use minijinja::Value;
use minijinja::value::Serde;

/// Variables of the brief that texts of the system prompt may use.
pub const SYSTEM_VARIABLES: [&str; 13] = [
    "role",
    "goal",
    "subject",
    "subjects",
    "glossary",
    "glossary_strict",
    "actions",
    "lists_examples",
    "idle",
    "idle_is_offered",
    "horizon",
    "runs_on",
    "has_answer",
];

/// Variables of a request to write a message again: the answer, what was asked, what the message may name, what was shown with the request, and the
/// form that is asked for.
pub(crate) const REPAIR: &[&str] = &["answer", "message", "allowed", "shown", "answer_format"];

/// Values of the variables of the brief.
#[derive(Clone)]
pub(crate) struct Variables {
    values: Arc<[(&'static str, Value)]>,
    /// What keys in the blocks of the belief state mean.
    legend: Arc<BTreeMap<String, String>>,
}

impl Variables {
    /// Those of an environment. `idle` is the call that does nothing and `actions` are the legal ones, as it writes them.
    pub(crate) fn of(brief: &Brief, idle: &str, actions: &[String]) -> Self {
        let values = Arc::new([
            ("role", Value::from(brief.role.as_str())),
            ("goal", Value::from(brief.goal.as_str())),
            ("subject", Value::from(brief.subject.as_str())),
            ("subjects", Value::from(Serde(&brief.subjects))),
            ("glossary", Value::from(Serde(&brief.glossary))),
            ("glossary_strict", Value::from(Serde(strict(brief)))),
            ("actions", Value::from(Serde(actions))),
            ("lists_examples", Value::from(brief.lists_examples())),
            ("idle", Value::from(idle)),
            ("idle_is_offered", Value::from(idle_is_offered(brief))),
            ("horizon", Value::from(brief.horizon)),
            ("runs_on", Value::from(brief.runs_on)),
            ("has_answer", Value::from(brief.answer.is_some())),
        ]);
        Self { values, legend: Arc::new(brief.legend.clone()) }
    }

    /// All keys, each with what it means.
    pub(crate) fn legend(&self) -> Vec<(&str, &str)> {
        self.legend.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect()
    }

    /// The keys that one of these texts holds, each with what it means.
    pub(crate) fn explained<'a>(&'a self, texts: &[&str]) -> Vec<(&'a str, &'a str)> {
        let holds = |key: &str| texts.iter().any(|text| text.contains(&format!("\"{key}\":")));
        self.legend.iter().filter(|(key, _)| holds(key)).map(|(key, text)| (key.as_str(), text.as_str())).collect()
    }

    pub(crate) fn with(&self, more: &[(&'static str, Value)]) -> Value {
        Value::from_pairs(self.values.iter().chain(more).cloned())
    }
}

/// Whether the idle call is an action that an agent can be told of. One with an empty text in it is only the scaffolding's way to
/// let a step go by, and a specialist may lack its tool.
#[must_use]
pub fn idle_is_offered(brief: &Brief) -> bool {
    let explained = brief.glossary.is_empty() || brief.entry_of(&brief.idle.tool).is_some();
    explained && !brief.idle.arguments.values().any(|value| value.as_str() == Some(""))
}

/// The glossary with nothing beyond what the environment's work says.
pub(crate) fn strict(brief: &Brief) -> Vec<GlossaryEntry> {
    brief.glossary.iter().map(GlossaryEntry::strict).collect()
}
