//! The messages of a debate: each is a contract as data, and its request brings the form, which depends on the packet.

use gimbal_core::Brief;
use gimbal_messages::{Contract, ContractError, Message};
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
