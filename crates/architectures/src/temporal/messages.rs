//! The messages of a temporal hierarchy: each is a contract as data, or free text without contracts.

use gimbal_core::Brief;
use gimbal_messages::{Contract, ContractError, Message};
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::Contracts;
use serde_json::{Value, json};

/// A message of a layer.
#[derive(Debug)]
pub struct LayerMessage {
    name: &'static str,
}

/// The action that Reflex wants of a step (CTHA-051).
pub static REFLEX_ACTION: LayerMessage = LayerMessage { name: "reflex_action" };
/// The next actions of Tactical (CTHA-051).
pub static TACTICAL_ACTION: LayerMessage = LayerMessage { name: "tactical_action" };
/// The plan of Strategic (CTHA-048).
pub static PLAN: LayerMessage = LayerMessage { name: "plan" };
/// The policy of Institutional, and of Meta (CTHA-049).
pub static POLICY: LayerMessage = LayerMessage { name: "policy" };
/// What a layer writes to all others without contracts.
pub static REMARK: LayerMessage = LayerMessage { name: "remark" };

/// The message of a layer under contracts.
pub(super) const fn of(layer: Layer) -> &'static LayerMessage {
    match layer {
        Layer::Reflex => &REFLEX_ACTION,
        Layer::Tactical => &TACTICAL_ACTION,
        Layer::Strategic => &PLAN,
        Layer::Institutional | Layer::Meta => &POLICY,
    }
}

impl Message for LayerMessage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn request(&self, brief: &Brief, _target: &str) -> Value {
        let mut shown = json!({ "step": 1, "steps_left": brief.horizon });
        let more = match self.name {
            "reflex_action" => {
                json!({ "constraints": ["(what slower layers decided)"], "next": "(the next action of Tactical)" })
            }
            "tactical_action" => {
                json!({ "why": "period", "plan": ["(subgoals that are ready)"], "recent": ["(the last steps)"] })
            }
            "plan" => {
                json!({ "why": "trial_begins", "policy": ["(what is denied)"], "notes": ["(what was seen before)"] })
            }
            "policy" => {
                json!({ "why": "trial_begins", "trial": 1, "past": ["(policies of earlier trials and their returns)"] })
            }
            _ => json!({ "why": "period", "remarks": ["(what the other layers wrote)"] }),
        };
        if let (Some(shown), Value::Object(more)) = (shown.as_object_mut(), more) {
            shown.extend(more);
        }
        shown
    }
}

/// What messages are read by.
#[derive(Debug)]
pub(super) struct Reading {
    /// Contracts between layers.
    pub between: Contracts,
    /// The answers of Reflex and of Tactical, which go to the arbiter.
    pub reflex: Contract,
    pub tactical: Contract,
}

impl Reading {
    pub(super) fn new() -> Result<Self, ContractError> {
        Ok(Self {
            between: Contracts::published()?,
            reflex: Contract::parse("reflex_action", include_str!("contracts/reflex_action.json"))?,
            tactical: Contract::parse("tactical_action", include_str!("contracts/tactical_action.json"))?,
        })
    }
}
