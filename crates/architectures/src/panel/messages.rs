//! The messages of a panel: each is a contract as data, and its request brings the form, which depends on the brief.

use gimbal_core::Brief;
use gimbal_messages::{Contract, ContractError, Message};
use serde_json::{Value, json};

/// A message whose contract is a file beside this one.
#[derive(Debug)]
pub struct ByContract {
    name: &'static str,
}

/// The answers of a member to the five questions (ARES-098).
pub static OPINION: ByContract = ByContract { name: "opinion" };
/// What a seat gives in a round: plan, value, reason, vote.
pub static BALLOT: ByContract = ByContract { name: "ballot" };

impl Message for ByContract {
    fn name(&self) -> &'static str {
        self.name
    }

    fn request(&self, _brief: &Brief, target: &str) -> Value {
        if self.name == BALLOT.name {
            return Value::from(format!("You are {target}. (The rounds so far, as this agent saw them.)"));
        }
        json!({ "answer": ["(an answer)", "(another one)"] })
    }
}

/// The contracts, read once for each architecture that is built.
#[derive(Debug)]
pub(super) struct Contracts {
    pub opinion: Contract,
    pub ballot: Contract,
}

impl Contracts {
    pub(super) fn read() -> Result<Self, ContractError> {
        Ok(Self {
            opinion: Contract::parse("opinion", include_str!("contracts/opinion.json"))?,
            ballot: Contract::parse("ballot", include_str!("contracts/ballot.json"))?,
        })
    }
}
