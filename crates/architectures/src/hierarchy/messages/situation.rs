//! What the planner tells the chooser (BOG-059).

use gimbal_agent::reading::words;
use gimbal_core::{Brief, ToolCall, ToolSpec, nearest};
use gimbal_messages::{ANY, Delegate, ExpertInput, Form, Input, bounded, spaced};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::severity;

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It could not be read: it counts as less than any.
    Unknown,
    /// Nothing that hurts.
    Low,
    /// Something that may come to hurt.
    Medium,
    /// Something that hurts.
    High,
    /// Something that hurts most.
    Critical,
}

impl Severity {
    /// All that can be stated, from the least.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => super::UNKNOWN,
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Reads the word, in any case, or one that means it (`reading/words.yaml`).
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let word = words().severity(text)?;
        Self::ALL.into_iter().find(|severity| severity.name() == word)
    }
}

/// Longest text of a field, in characters; what is longer is cut.
const BOUND: usize = 2_000;

/// What the planner tells the chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The subject that something is to be done about, or [`ANY`].
    pub target: String,
    /// What is the matter.
    pub situation: String,
    /// How grave it is.
    pub severity: Severity,
    /// What else matters.
    pub context: String,
}

/// Why a situation is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SituationError {
    /// A key is missing.
    #[error("the key `{0}` is missing; the input is one JSON object with the keys {1}")]
    Missing(String, String),
    /// A value is not a text.
    #[error("`{0}` must be a text")]
    NoText(String),
    /// The severity is none.
    #[error("`severity` is `{0}`; it must be one of low, medium, high, critical")]
    Severity(String),
    /// The target is not a subject.
    #[error("`{key}`: there is no {subject} `{name}`{hint}; give the name of one {subject}, or \"any\"")]
    Target {
        /// The key.
        key: String,
        /// What a subject is called.
        subject: String,
        /// The name as written.
        name: String,
        /// `; did you mean ...?`, or nothing.
        hint: String,
    },
}

impl Situation {
    /// The keys of the message: `target_<subject>`, `situation`, `severity`, `context`.
    #[must_use]
    pub fn keys(brief: &Brief) -> [String; 4] {
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        [format!("target_{subject}"), "situation".to_owned(), "severity".to_owned(), "context".to_owned()]
    }

    /// Reads a message, strictly.
    ///
    /// # Errors
    /// Which key is wrong, and what would be right.
    pub fn read(message: &Map<String, Value>, brief: &Brief) -> Result<Self, SituationError> {
        let keys = Self::keys(brief);
        let text = |key: &String| match message.get(key) {
            Some(Value::String(text)) => Ok(text.trim()),
            Some(_) => Err(SituationError::NoText(key.clone())),
            None => Err(SituationError::Missing(key.clone(), keys.join(", "))),
        };
        let [target, situation, severity, context] =
            [text(&keys[0])?, text(&keys[1])?, text(&keys[2])?, text(&keys[3])?];
        let mut known = brief.subjects.iter().map(String::as_str).chain([ANY]);
        let Some(name) = known.find(|subject| subject.eq_ignore_ascii_case(target)) else {
            return Err(SituationError::Target {
                key: keys[0].clone(),
                subject: brief.subject.clone(),
                name: bounded(target, 80),
                hint: nearest::hint(target, brief.subjects.iter().map(String::as_str)),
            });
        };
        let severity = Severity::read(severity).ok_or_else(|| SituationError::Severity(bounded(severity, 40)))?;
        Ok(Self {
            target: name.to_owned(),
            situation: bounded(situation, BOUND),
            severity,
            context: bounded(context, BOUND),
        })
    }

    /// The message.
    #[must_use]
    pub fn message(&self, brief: &Brief) -> Value {
        let [target, situation, severity, context] = Self::keys(brief);
        json!({ target: self.target, situation: self.situation, severity: self.severity.name(), context: self.context })
    }
}

/// The tool by which the planner asks the chooser for actions.
#[derive(Debug)]
pub struct SuggestAction;

impl Delegate for SuggestAction {
    fn name(&self) -> &'static str {
        "suggest_action"
    }

    fn spec(&self, brief: &Brief) -> ToolSpec {
        let subject = if brief.subject.is_empty() { "subject" } else { &brief.subject };
        let [target, situation, severity, context] = Situation::keys(brief);
        let about = format!("Name of the one {subject} to act on, or \"{ANY}\".");
        let parameters: [(&str, &str); 4] = [
            (&target, &about),
            (&situation, "What happened."),
            (&severity, "low, medium, high or critical."),
            (&context, "What else the specialist must know."),
        ];
        ToolSpec::of_strings(self.name(), "Asks a specialist to suggest ranked actions.", &parameters)
    }

    fn form(&self, brief: &Brief) -> Option<Form> {
        let [target, situation, severity, context] = Situation::keys(brief);
        let targets: Vec<&str> = brief.subjects.iter().map(String::as_str).chain([ANY]).collect();
        // An action with texts of its own takes more words to describe.
        let most = if brief.lists_examples() { 400 } else { 120 };
        Some(Form::object(&[
            (&target, Form::word(&targets)),
            (&situation, Form::text(1, most)),
            (&severity, Form::word(&Severity::ALL.map(Severity::name))),
            (&context, Form::text(0, most)),
        ]))
    }

    fn expert(&self) -> Option<&dyn ExpertInput> {
        Some(self)
    }
}

impl ExpertInput for SuggestAction {
    fn input(&self, brief: &Brief, call: &ToolCall, target: &str) -> Input {
        let situation = Situation {
            target: target.to_owned(),
            situation: "It needs attention.".to_owned(),
            severity: severity(brief, call),
            context: String::new(),
        };
        Input::Object(spaced(&situation.message(brief)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use gimbal_agent::sample;

    use super::{Severity, Situation, SituationError};

    fn read(message: &Value) -> Result<Situation, SituationError> {
        Situation::read(message.as_object().unwrap(), &sample::brief())
    }

    // covers: BOG-059
    #[test]
    fn a_situation_is_read_strictly() {
        let good = json!({ "target_machine": "Lathe", "situation": " hot ", "severity": "HIGH", "context": "" });
        let situation = read(&good).unwrap();
        assert_eq!((situation.target.as_str(), situation.severity), ("lathe", Severity::High));
        let again = situation.message(&sample::brief());
        assert_eq!(read(&again).unwrap(), situation);
        for (key, value, words) in [
            ("target_machine", json!("lath"), "there is no machine `lath`; did you mean `lathe`?"),
            ("severity", json!("purple"), "must be one of low, medium, high, critical"),
            ("severity", json!("unknown"), "must be one of low, medium, high, critical"),
            ("situation", json!(3), "`situation` must be a text"),
        ] {
            let mut bad = good.clone();
            bad[key] = value;
            assert!(read(&bad).unwrap_err().to_string().contains(words), "{words}");
        }
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove("context");
        assert!(read(&bad).unwrap_err().to_string().starts_with("the key `context` is missing"));
    }
}
