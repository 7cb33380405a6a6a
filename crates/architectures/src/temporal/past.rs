//! The policy store: what earlier trials of a session had for a policy, and what they came to (CTHA-003).
//!
//! It comes from outside the episode, so that it is checked before it is used. What cannot be read is replaced by an empty store, is noted in the
//! journal, and is kept under a key of its own.

use std::collections::BTreeMap;

use gimbal_core::{LaneId, Stage, Stop};
use gimbal_messages::records::temporal::StoreRefused;
use gimbal_messages::{StageExt, bounded};
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::Policy;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Key of the session's memory under which the store is.
const PAST: &str = "policies";
/// Key under which a store that could not be read is kept, as text.
const UNREADABLE: &str = "policies_unreadable";
/// Trials that Institutional is told about.
const TRIALS: usize = 8;
/// Most directives of a trial: those of two policies, of twenty rules each and what is forbidden.
const DIRECTIVES: usize = 42;
/// Longest text of a directive, in characters: ten patterns of 64 with a comma between, or a condition of 256, and a word.
const TEXT: usize = 800;
/// Longest text of a problem in a record, in characters.
const WHY: usize = 300;
/// How much of a store that cannot be read is in a record, in characters.
const SHOWN: usize = 2_000;

/// One earlier trial. Fields are in the order in which a journal keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trial {
    /// What held in it, as texts.
    policy: Vec<String>,
    /// Its return, where no answer was judged by it.
    #[serde(rename = "return", default, skip_serializing_if = "Option::is_none")]
    returned: Option<String>,
    /// Its number, from 1.
    trial: u32,
}

/// Earlier trials, the latest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Past(Vec<Trial>);

impl Past {
    /// The store of a session; what cannot be read is replaced by an empty one.
    pub(super) async fn of(stage: &dyn Stage, step: u32) -> Self {
        let Some(value) = stage.memory().get(PAST) else { return Self::default() };
        match Self::read(&value) {
            Ok(past) => past,
            Err(why) => {
                let held = value.to_string();
                let bytes = held.len() as u64;
                let why = bounded(&why, WHY);
                let record = StoreRefused { step, store: PAST.to_owned(), why, bytes, held: bounded(&held, SHOWN) };
                stage.record(LaneId::MAIN, &record).await;
                stage.memory().set(UNREADABLE, Value::String(held));
                stage.memory().set(PAST, Value::Array(Vec::new()));
                Self::default()
            }
        }
    }

    /// # Errors
    /// What is wrong, with the number of the trial.
    fn read(value: &Value) -> Result<Self, String> {
        let Some(trials) = value.as_array() else {
            return Err(format!("expected a list of trials, found {}", kind(value)));
        };
        if trials.len() > TRIALS {
            return Err(format!("{} trials; at most {TRIALS} are kept", trials.len()));
        }
        let mut read: Vec<Trial> = Vec::with_capacity(trials.len());
        for (place, trial) in trials.iter().enumerate() {
            let wrong = |what: String| format!("entry {}: {what}", place + 1);
            let trial = Trial::deserialize(trial).map_err(|error| wrong(error.to_string()))?;
            trial.check(read.last().map_or(0, |before| before.trial)).map_err(wrong)?;
            read.push(trial);
        }
        Ok(Self(read))
    }

    /// As Institutional is told; empty where there is nothing.
    pub(super) fn told(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    /// Keeps the policies of this trial and what they came to, for Institutional in the next one.
    ///
    /// The reward of the last step, which no transition brings, is part of the return. Where it judges an answer, no agent is told about it.
    pub(super) fn remember(&self, stage: &dyn Stage, policies: &BTreeMap<Layer, Policy>, stop: Stop) {
        if policies.is_empty() {
            return;
        }
        let policy = policies.values().flat_map(Policy::directives).map(|one| one.text).collect();
        let returned = stage.episode_return().filter(|_| stop != Stop::Answered).map(|returned| returned.to_string());
        let mut trials = self.0.clone();
        trials.push(Trial { policy, returned, trial: stage.trial() + 1 });
        trials.drain(..trials.len().saturating_sub(TRIALS));
        stage.memory().set(PAST, Self(trials).told());
    }
}

impl Trial {
    fn check(&self, before: u32) -> Result<(), String> {
        if self.trial <= before {
            return Err(format!("trial {} after trial {before}", self.trial));
        }
        if self.policy.len() > DIRECTIVES {
            return Err(format!("{} directives; a trial has at most {DIRECTIVES}", self.policy.len()));
        }
        if let Some(text) = self.policy.iter().find(|text| text.chars().count() > TEXT) {
            return Err(format!("a directive of {} characters; at most {TEXT} are kept", text.chars().count()));
        }
        match &self.returned {
            Some(returned) if !returned.parse::<f64>().is_ok_and(f64::is_finite) => {
                Err(format!("the return `{}` is not a number", bounded(returned, 40)))
            }
            _ => Ok(()),
        }
    }
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a flag",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{DIRECTIVES, Past, TEXT, TRIALS};

    fn trial(number: u32) -> Value {
        json!({ "policy": ["denied: call Light *"], "return": "-4.0", "trial": number })
    }

    // covers: CTHA-003
    #[test]
    fn a_sound_store_is_told_as_it_is_kept() {
        let untold = json!({ "policy": [], "trial": 3 });
        for sound in [json!([]), json!([trial(1)]), json!([trial(1), trial(2), untold])] {
            assert_eq!(Past::read(&sound).unwrap().told().to_string(), sound.to_string());
        }
    }

    // covers: CTHA-003
    #[test]
    fn a_store_of_another_form_is_refused_with_the_place() {
        let with = |key: &str, value: Value| {
            let mut trial = trial(2);
            trial[key] = value;
            json!([self::trial(1), trial])
        };
        let many: Vec<Value> = (1..).take(TRIALS + 1).map(trial).collect();
        for (value, words) in [
            (json!({ "trial": 1 }), "expected a list of trials, found an object"),
            (json!("[]"), "found a text"),
            (Value::Null, "found nothing"),
            (json!([trial(1), 7]), "entry 2: invalid type"),
            (json!([trial(1), { "trial": 2 }]), "entry 2: missing field `policy`"),
            (json!(many), "9 trials; at most 8"),
            (json!([trial(2), trial(2)]), "entry 2: trial 2 after trial 2"),
            (json!([trial(0)]), "entry 1: trial 0"),
            (with("trial", json!(-1)), "entry 2: invalid value"),
            (with("policy", json!("allow all")), "entry 2: invalid type"),
            (with("policy", json!([3])), "entry 2: invalid type"),
            (with("policy", json!(["x".repeat(TEXT + 1)])), "entry 2: a directive of 801 characters"),
            (with("policy", json!(vec!["x"; DIRECTIVES + 1])), "entry 2: 43 directives"),
            (with("return", json!("much")), "entry 2: the return `much` is not a number"),
            (with("return", json!("inf")), "entry 2: the return `inf`"),
            (with("return", json!(3)), "entry 2: invalid type"),
            (with("system", json!("do as I say")), "entry 2: unknown field `system`"),
        ] {
            let why = Past::read(&value).unwrap_err();
            assert!(why.contains(words), "{value}: {why}");
        }
    }
}
