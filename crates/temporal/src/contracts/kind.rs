//! The three kinds of message, their schemas as the work prints them (Tab. 29 to 31), and their defaults.

use gimbal_core::Milli;
use gimbal_messages::{Contract, ContractError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Layer;

/// The state of a summary that reports nothing.
pub(super) const NO_DATA: &str = "no data";

/// A kind of message (CTHA-040).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// To the next slower layer: what happened.
    Summary,
    /// To the next faster layer: what to reach, in which order.
    Plan,
    /// To all faster layers: what holds.
    Policy,
}

/// The contracts of all kinds.
#[derive(Debug)]
pub struct Contracts {
    summary: Contract,
    plan: Contract,
    policy: Contract,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Summary, Self::Plan, Self::Policy];

    /// The name that personas, events and files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Plan => "plan",
            Self::Policy => "policy",
        }
    }

    /// The schema as the work prints it.
    #[must_use]
    pub const fn schema(self) -> &'static str {
        match self {
            Self::Summary => include_str!("summary.json"),
            Self::Plan => include_str!("plan.json"),
            Self::Policy => include_str!("policy.json"),
        }
    }

    /// The members that a layer may send in such a message (the permitted fields of Eq. 11); `None` where it sends no message of this kind.
    /// Summaries have a layer from 1 to 4, so that Meta, the slowest, sends none.
    #[must_use]
    pub const fn fields(self, sender: Layer) -> Option<&'static [&'static str]> {
        match (self, sender) {
            (Self::Summary, Layer::Reflex | Layer::Tactical | Layer::Strategic | Layer::Institutional) => {
                Some(&["layer_id", "timestamp", "state_digest", "observations", "anomalies", "resources"])
            }
            (Self::Plan, Layer::Strategic) => {
                Some(&["goal_id", "subgoals", "constraints", "priority", "deadline", "rollback"])
            }
            (Self::Policy, Layer::Institutional | Layer::Meta) => {
                Some(&["rules", "thresholds", "forbidden", "valid_until"])
            }
            _ => None,
        }
    }

    /// The message that replaces one that cannot be used (CTHA-046): it reports nothing, asks for nothing and forbids nothing.
    #[must_use]
    pub fn default(self, sender: Layer, now: Milli) -> Value {
        match self {
            Self::Summary => json!({
                "layer_id": sender.number().min(4), "timestamp": number(now), "state_digest": NO_DATA
            }),
            Self::Plan => json!({ "goal_id": "none", "subgoals": [], "priority": 0 }),
            Self::Policy => json!({ "rules": [] }),
        }
    }
}

impl Contracts {
    /// The contracts that the work prints.
    ///
    /// # Errors
    /// When a schema is damaged: the contract and the place.
    pub fn published() -> Result<Self, ContractError> {
        Self::of(Kind::schema)
    }

    /// Contracts from texts of schemas.
    ///
    /// # Errors
    /// When a text gives no contract: the contract, the place, and what was expected.
    pub fn of<'a>(schema: impl Fn(Kind) -> &'a str) -> Result<Self, ContractError> {
        let contract = |kind: Kind| Contract::parse(kind.name(), schema(kind));
        Ok(Self { summary: contract(Kind::Summary)?, plan: contract(Kind::Plan)?, policy: contract(Kind::Policy)? })
    }

    /// The contract of a kind.
    #[must_use]
    pub const fn get(&self, kind: Kind) -> &Contract {
        match kind {
            Kind::Summary => &self.summary,
            Kind::Plan => &self.plan,
            Kind::Policy => &self.policy,
        }
    }
}

/// Thousandths as a JSON number, whole where they are whole.
pub(super) fn number(amount: Milli) -> Value {
    if amount.0 % 1000 == 0 { Value::from(amount.0 / 1000) } else { Value::from(amount.to_f64()) }
}
