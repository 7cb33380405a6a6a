//! The messages of a tree search: proposals of actions, and what they are worth.

use gimbal_core::Brief;
use gimbal_messages::{Contract, ContractError, Message};
use serde::Deserialize;
use serde_json::{Value, json};

/// A message whose contract is a file beside this one.
#[derive(Debug)]
pub struct SearchMessage {
    name: &'static str,
}

/// Actions that are worth trying.
pub static PROPOSALS: SearchMessage = SearchMessage { name: "proposals" };
/// How likely the goal is reached from each candidate.
pub static APPRAISAL: SearchMessage = SearchMessage { name: "appraisal" };

impl Message for SearchMessage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn request(&self, brief: &Brief, _target: &str) -> Value {
        let mut shown = json!({ "step": 1, "steps_left": brief.horizon });
        let tried = json!([{ "action": "(an action)", "result": "(what was seen then)" }]);
        if self.name == PROPOSALS.name {
            shown["simulated"] = tried;
            shown["wanted"] = json!(3);
        } else {
            shown["candidates"] = json!([{ "number": 1, "action": "(an action)", "result": "(what was seen then)" }]);
        }
        shown
    }
}

/// The answer of the proposer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proposals {
    /// Actions as texts, the most promising first.
    pub actions: Vec<String>,
}

/// The answer of the valuer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Appraisal {
    /// How likely the goal is reached from each candidate, from 0 to 1.
    pub values: Vec<f64>,
}

/// What messages are read by.
#[derive(Debug)]
pub(super) struct Reading {
    pub proposals: Contract,
    pub appraisal: Contract,
}

impl Reading {
    pub(super) fn new() -> Result<Self, ContractError> {
        Ok(Self {
            proposals: Contract::parse("proposals", include_str!("contracts/proposals.json"))?,
            appraisal: Contract::parse("appraisal", include_str!("contracts/appraisal.json"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Appraisal, Proposals, Reading};

    #[test]
    fn every_member_of_a_contract_is_a_field_and_every_field_a_member() {
        let Reading { proposals, appraisal } = Reading::new().unwrap();
        assert!(proposals.differs_from::<Proposals>("").is_empty());
        assert!(appraisal.differs_from::<Appraisal>("").is_empty());
        assert_eq!(appraisal.differs_from::<Proposals>("").len(), 2);
    }
}
