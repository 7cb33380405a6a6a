//! What an environment says of its tools to whoever arranges decisions in time: how long a decision lasts, what kind of decision it is, what it
//! uses and what it brings about (CTHA-060, CTHA-070).
//!
//! An architecture that knows these facts needs no other knowledge of the environment: it finds out which calls exclude one another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolCall;

/// The facts of an environment's tools, by name. A tool that is not named has those of [`ToolFacts::default`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Manifest(pub BTreeMap<String, ToolFacts>);

/// What calls of one tool are like. Names of resources, keys and values of effects may hold parameters in braces: `host {hostname}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFacts {
    /// Shortest and longest time, in seconds of the environment, for which such a call decides; `None` where it decides its own step alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision such a call is.
    pub scope: Scope,
    /// What it reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
    /// What it changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What it brings about: a key and the value that it will have. Two values of one key contradict one another.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub effects: BTreeMap<String, String>,
}

/// What kind of decision a call is: which layer of a hierarchy may take it by itself (Tab. 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// An action like any other: whoever acts may take it.
    #[default]
    Act,
    /// It binds the task for long or cannot be undone: whoever acts takes it where a plan names it, and hands it on elsewhere.
    Plan,
}

/// The facts of one call: those of its tool with the call's arguments filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFacts {
    /// Shortest and longest time, in seconds of the environment.
    pub seconds: Option<(u32, u32)>,
    /// What kind of decision it is.
    pub scope: Scope,
    /// Names of what it reads.
    pub reads: Vec<String>,
    /// Names of what it changes.
    pub writes: Vec<String>,
    /// What it brings about.
    pub effects: BTreeMap<String, String>,
}

impl Manifest {
    /// Whether nothing is said of any tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The facts of a call. A parameter that the call does not give stays as it is written.
    #[must_use]
    pub fn of(&self, call: &ToolCall) -> CallFacts {
        let Some(facts) = self.0.get(&call.tool) else { return CallFacts::default() };
        let all = |texts: &[String]| texts.iter().map(|text| filled(text, call)).collect();
        CallFacts {
            seconds: facts.seconds,
            scope: facts.scope,
            reads: all(&facts.reads),
            writes: all(&facts.writes),
            effects: facts.effects.iter().map(|(key, value)| (filled(key, call), filled(value, call))).collect(),
        }
    }
}

/// A text with the arguments of a call in the place of parameters in braces.
fn filled(text: &str, call: &ToolCall) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            filled.push('{');
            rest = after;
            continue;
        };
        match call.arguments.get(name) {
            Some(Value::String(value)) => filled.push_str(value),
            Some(other) => filled.push_str(&other.to_string()),
            None => {
                filled.push('{');
                filled.push_str(name);
                filled.push('}');
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Manifest, Scope, ToolFacts};
    use crate::ToolCall;

    #[test]
    fn arguments_take_the_place_of_parameters() {
        let facts = ToolFacts {
            writes: vec!["host {host}".to_owned(), "{missing} {".to_owned()],
            effects: BTreeMap::from([("state of {host}".to_owned(), "clean".to_owned())]),
            ..ToolFacts::default()
        };
        let manifest = Manifest(BTreeMap::from([("Restore".to_owned(), facts)]));
        let found = manifest.of(&ToolCall::with("Restore", &[("host", "User1")]));
        assert_eq!(found.writes, ["host User1", "{missing} {"]);
        assert_eq!(found.effects["state of User1"], "clean");
        assert_eq!((found.scope, found.seconds), (Scope::Act, None));
        assert_eq!(manifest.of(&ToolCall::bare("Wait")), super::CallFacts::default());
    }
}
