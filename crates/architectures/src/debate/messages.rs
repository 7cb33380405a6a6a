//! The messages of a debate: each is a contract as data, and its request brings the form, which depends on the packet.

use gimbal_core::{Brief, Milli};
use gimbal_evidence::claim::AssertionKind;
use gimbal_messages::{Contract, ContractError, Message, numbers};
use serde::Deserialize;
use serde_json::{Value, json};

/// A message whose contract is a file beside this one.
#[derive(Debug)]
pub struct ByContract {
    name: &'static str,
}

/// What a side says: assertions that cite facts, and its confidence (ARES-029).
pub static POSITION: ByContract = ByContract { name: "position" };
/// The same in an anchored round: a confidence for each claim, and facts for each change (ARES-046).
pub static ANCHORED_POSITION: ByContract = ByContract { name: "anchored_position" };
/// What a side answers to each claim of the other (ARES-133).
pub static AUDIT: ByContract = ByContract { name: "audit" };
/// The Oracle's own number (ARES-049).
pub static ESTIMATE: ByContract = ByContract { name: "estimate" };
/// The verdict in words (ARES-026).
pub static NARRATION: ByContract = ByContract { name: "narration" };

impl Message for ByContract {
    fn name(&self) -> &'static str {
        self.name
    }

    fn request(&self, _brief: &Brief, _target: &str) -> Value {
        let claim = |id: &str| {
            json!({
                "claim": id, "kind": "ASSERT", "predicate": "(a predicate)", "facts": ["F001"],
                "interpretation": "(what the side takes it for)",
            })
        };
        let told = |id: &str| json!({ "confidence": 0.8, "assertions": [claim(id)] });
        let position = |id: &str| {
            let mut position = told(id);
            if self.name == ANCHORED_POSITION.name {
                position["assertions"][0]["confidence"] = json!(0.8);
            }
            position["unknowns"] = json!(["(what would settle the question)"]);
            position
        };
        match self.name {
            "position" | "anchored_position" => {
                json!({ "round": 2, "rounds": 3, "yours": position("A1"), "theirs": position("S1") })
            }
            "audit" => json!({ "side": "skeptic", "claims": [claim("A1")] }),
            "narration" => json!({
                "verdict": "INCONCLUSIVE", "judge": "(the rule)", "architect": 0.8, "skeptic": 0.8, "rounds": 3,
                "facts": ["F001"], "summary": "(the verdict in the words of a program)",
            }),
            _ => json!({ "verdict": "INCONCLUSIVE", "architect": told("A1"), "skeptic": told("S1") }),
        }
    }
}

/// A position as its contract has it. Changes and concessions are of anchored rounds alone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionMessage {
    /// What the side asserts.
    pub assertions: Vec<AssertionMessage>,
    /// How sure it is, from 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub confidence: Milli,
    /// What changed, and the facts for it (ARES-046).
    #[serde(default)]
    pub changes: Vec<ChangeMessage>,
    /// Own claims that are given up.
    #[serde(default)]
    pub conceded: Vec<String>,
    /// What would settle the question.
    #[serde(default)]
    pub unknowns: Vec<String>,
}

/// An assertion of a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AssertionMessage {
    /// What it does.
    pub kind: AssertionKind,
    /// What is asserted, as text.
    pub predicate: String,
    /// Ids of the facts that it cites.
    pub facts: Vec<String>,
    /// How sure the side is of it, from 0 to 1: in anchored rounds alone.
    #[serde(default, deserialize_with = "numbers::milli_or_none")]
    pub confidence: Option<Milli>,
    /// What the side takes it for; empty where it does not say.
    #[serde(default)]
    pub interpretation: String,
}

/// A change of a position.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeMessage {
    /// The claim that changed, or `overall`.
    pub claim: String,
    /// Ids of the facts for it.
    pub facts: Vec<String>,
    /// Why; no code reads it.
    #[serde(default)]
    pub reason: String,
}

/// What a side answers to the claims of the other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditMessage {
    /// One answer for each claim.
    pub answers: Vec<AnswerMessage>,
}

/// The answer to one claim.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerMessage {
    /// The claim.
    pub claim: String,
    /// What is said to it.
    pub answer: AnswerKind,
    /// Ids of the facts of a rebuttal.
    #[serde(default)]
    pub facts: Vec<String>,
    /// Why; no code reads it.
    #[serde(default)]
    pub reason: String,
}

/// What is said to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerKind {
    /// It is right.
    Accept,
    /// Facts are against it.
    Rebut,
    /// Neither.
    NoContest,
}

/// How sure the Oracle is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EstimateMessage {
    /// From 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub confidence: Milli,
    /// Why; no code reads it.
    #[serde(default)]
    pub reason: String,
}

/// A verdict in words.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NarrationMessage {
    /// The words.
    pub text: String,
}

/// The contracts, read once for each architecture that is built.
#[derive(Debug)]
pub(super) struct Contracts {
    pub position: Contract,
    pub anchored: Contract,
    pub audit: Contract,
    pub estimate: Contract,
    pub narration: Contract,
}

impl Contracts {
    pub(super) fn read() -> Result<Self, ContractError> {
        Ok(Self {
            position: Contract::parse("position", include_str!("contracts/position.json"))?,
            anchored: Contract::parse("anchored_position", include_str!("contracts/anchored_position.json"))?,
            audit: Contract::parse("audit", include_str!("contracts/audit.json"))?,
            estimate: Contract::parse("estimate", include_str!("contracts/estimate.json"))?,
            narration: Contract::parse("narration", include_str!("contracts/narration.json"))?,
        })
    }

    /// The digest of each contract, by its name.
    pub(super) fn digests(&self) -> Value {
        let all = [&self.position, &self.anchored, &self.audit, &self.estimate, &self.narration];
        all.into_iter().map(|contract| (contract.name().to_owned(), json!(contract.digest()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use gimbal_messages::typed;
    use serde_json::json;

    use super::{
        AnswerMessage, AssertionMessage, AuditMessage, ChangeMessage, Contracts, EstimateMessage, NarrationMessage,
        PositionMessage,
    };

    /// A member that is renamed in a schema or in its struct alone is found here.
    // covers: ARES-029, ARES-046, ARES-133
    #[test]
    fn every_member_of_a_contract_is_a_field_and_every_field_a_member() {
        let Contracts { position, anchored, audit, estimate, narration } = Contracts::read().unwrap();
        let same: [Vec<String>; 7] = [
            anchored.differs_from::<PositionMessage>(""),
            anchored.differs_from::<AssertionMessage>("assertions"),
            anchored.differs_from::<ChangeMessage>("changes"),
            audit.differs_from::<AuditMessage>(""),
            audit.differs_from::<AnswerMessage>("answers"),
            estimate.differs_from::<EstimateMessage>(""),
            narration.differs_from::<NarrationMessage>(""),
        ];
        assert_eq!(same.concat(), Vec::<String>::new());
        // What only anchored rounds have may be missing.
        let more = ["changes: no member of the schema", "conceded: no member of the schema"];
        assert_eq!(position.differs_from::<PositionMessage>(""), more);
        let more = position.differs_from::<AssertionMessage>("assertions");
        assert_eq!(more, ["confidence: no member of the schema"]);
    }

    #[test]
    fn a_position_without_a_needed_member_is_an_error_and_no_position_of_empty_texts() {
        let read: PositionMessage = typed(json!({ "assertions": [], "confidence": 1 })).unwrap();
        assert_eq!((read.confidence, read.unknowns.len()), (Milli(1000), 0));
        let claim = json!({ "kind": "LINK", "facts": ["F001"] });
        let why = typed::<PositionMessage>(json!({ "assertions": [claim], "confidence": 1 })).unwrap_err();
        assert_eq!(why, "/assertions[0]: missing field `predicate`");
        let answer = json!({ "claim": "A1", "answer": "agree" });
        assert!(typed::<AnswerMessage>(answer).unwrap_err().starts_with("/answer: unknown variant `agree`"));
    }
}
