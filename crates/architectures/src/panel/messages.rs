//! The messages of a panel: each is a contract as data, and its request brings the form, which depends on the brief.

use gimbal_core::Brief;
use gimbal_messages::{Contract, ContractError, Message, numbers};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// A message whose contract is a file beside this one.
#[derive(Debug)]
pub struct ByContract {
    name: &'static str,
}

/// The answers of a member to the five questions (ARES-098).
pub static OPINION: ByContract = ByContract { name: "opinion" };
/// What an agent of a game gives in a round: plan, value, reason, vote.
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

/// A ballot as its contract has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BallotMessage {
    /// A plan that nobody else reads.
    pub strategy: String,
    /// The value; `None` for an abstention.
    #[serde(deserialize_with = "numbers::whole_or_none")]
    pub value: Option<i64>,
    /// A reason for the others.
    pub reason: String,
    /// Whether the game should end.
    pub vote: Vote,
}

/// A ballot on its way to the others, who do not read its plan. A fault may have taken a member of it or put another value in its place: a value
/// that is not a number is an abstention then, and a reason that is missing is empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PublicBallot {
    /// The value.
    #[serde(default, deserialize_with = "number_or_none")]
    pub value: Option<u64>,
    /// The reason.
    #[serde(default)]
    pub reason: String,
    /// The vote.
    pub vote: Vote,
}

/// Whether the game should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Vote {
    /// It should.
    Stop,
    /// It should go on.
    Continue,
}

impl Vote {
    /// Its name in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Continue => "continue",
        }
    }
}

/// An opinion as its contract has it. A fault may have taken a member of it on its way: it is empty then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OpinionMessage {
    /// The answer to the task.
    pub answer: String,
    /// The strongest finding.
    pub finding: String,
    /// What is missing.
    pub gap: String,
    /// What comes next.
    pub next: String,
    /// A wild card.
    pub wild_card: String,
}

fn number_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    Value::deserialize(from).map(|value| value.as_u64())
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

#[cfg(test)]
mod tests {
    use gimbal_messages::{fields, typed};
    use serde_json::json;

    use super::super::opinion::QUESTIONS;
    use super::{BallotMessage, Contracts, OpinionMessage, PublicBallot, Vote};

    #[test]
    fn every_member_of_a_contract_is_a_field_and_every_field_a_member() {
        let Contracts { opinion, ballot } = Contracts::read().unwrap();
        assert!(opinion.differs_from::<OpinionMessage>("").is_empty());
        assert_eq!(fields::<OpinionMessage>(), QUESTIONS);
        assert!(ballot.differs_from::<BallotMessage>("").is_empty());
        assert_eq!(ballot.differs_from::<PublicBallot>(""), ["strategy: no field reads it"]);
    }

    /// A ballot that a model gives has all of its members; of one that a fault altered on its way what is left is read.
    #[test]
    fn a_ballot_without_a_value_is_an_error_and_an_altered_one_an_abstention() {
        let whole = json!({ "strategy": "", "value": 4.0, "reason": "r", "vote": "stop" });
        assert_eq!(typed::<BallotMessage>(whole).unwrap().value, Some(4));
        let without = json!({ "strategy": "", "reason": "r", "vote": "stop" });
        assert_eq!(typed::<BallotMessage>(without).unwrap_err(), "/: missing field `value`");
        let public = |vote: Vote| PublicBallot { value: None, reason: String::new(), vote };
        assert_eq!(typed::<PublicBallot>(json!({ "value": "", "vote": "continue" })), Ok(public(Vote::Continue)));
        assert_eq!(
            serde_json::to_value(public(Vote::Stop)).unwrap().to_string(),
            r#"{"value":null,"reason":"","vote":"stop"}"#
        );
        assert!(typed::<PublicBallot>(json!({ "value": 3, "reason": "", "vote": "sto" })).is_err());
    }
}
