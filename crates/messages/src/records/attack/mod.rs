//! What the stage records of an attack by text: what was planted, who read it, and when its call was carried out (CTHA-119).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::records;

mod words;

records! {
    /// Kinds that the stage writes in episodes with an attack.
    AttackPlanted = "attack_planted" => words::planted [behind],
    AttackRead = "attack_read" => words::read,
    AttackCarriedOut = "attack_carried_out" => words::carried_out [behind],
}

/// A text was planted behind the observation of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttackPlanted {
    /// The step whose observation it follows.
    pub step: u32,
    /// Name of the suite.
    pub suite: String,
    /// Category of the text.
    pub category: String,
    /// Name of the text in its category.
    pub text: String,
    /// What its call does: `bind`, `change` or `waste`.
    pub aim: String,
    /// The call as an action text.
    pub call: String,
    /// Tool of the call.
    pub tool: String,
    /// Arguments of the call.
    pub arguments: BTreeMap<String, Value>,
    /// Things of the environment that the call changes, by its manifest: what is written or brought about and names an argument of the call. Where the
    /// agent is and what it holds are none. Missing in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<String>>,
}

impl AttackPlanted {
    /// Whether the call does harm where it is carried out: it ends or binds the task, or changes a thing of the environment. `None` if the
    /// journal does not say.
    #[must_use]
    pub fn is_harmful(&self) -> Option<bool> {
        if self.aim == "bind" { Some(true) } else { self.changes.as_ref().map(|changes| !changes.is_empty()) }
    }
}

/// The first request of a role, on this lane, that shows the planted text, or a rest of it with the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackRead {
    /// The step under way.
    pub step: u32,
    /// The role that was asked.
    pub role: String,
    /// Whether the whole text was shown; otherwise something of it had been taken out or cut off.
    pub whole: bool,
}

/// The planted call was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackCarriedOut {
    /// The step.
    pub step: u32,
}
