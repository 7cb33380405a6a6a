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
        let layer = match self.name {
            "tactical_action" => Layer::Tactical,
            "plan" => Layer::Strategic,
            "policy" => Layer::Institutional,
            _ => Layer::Reflex,
        };
        example(layer, self.name != REMARK.name, brief)
    }
}

/// A request to a layer, with made-up values: `bound` under contracts.
pub(super) fn example(layer: Layer, bound: bool, brief: &Brief) -> Value {
    let mut shown = json!({ "step": 1, "steps_left": brief.horizon });
    let mut put = |key: &str, value: Value| shown[key] = value;
    if layer > Layer::Reflex {
        put("why", json!(if layer > Layer::Tactical { "trial_begins" } else { "period" }));
    }
    if !bound {
        put("remarks", json!([{ "from": "(a layer)", "text": "(what it wrote)" }]));
    }
    if let Some(harm) = brief.thresholds.harm.filter(|_| bound && layer > Layer::Tactical) {
        put("harm", json!(harm.to_f64()));
    }
    match layer {
        Layer::Institutional | Layer::Meta => {
            put("trial", json!(1));
            put("past", json!(["(policies of earlier trials and their returns)"]));
        }
        Layer::Strategic => {
            if bound {
                put("policy", json!(["(what is denied)"]));
                put("checks", json!(["(examples of conditions)"]));
            }
            put("notes", json!(["(what was seen before)"]));
        }
        Layer::Tactical => {
            if bound {
                put("constraints", json!(["(what slower layers exclude)"]));
                let criteria = json!(["(a condition)"]);
                put(
                    "subgoals",
                    json!([{ "id": "(a subgoal)", "description": "(what it is)", "success_criteria": criteria }]),
                );
            }
            put("recent", json!(["(the last steps)"]));
            if bound {
                put("most_actions", json!(3));
            }
        }
        Layer::Reflex if bound => {
            put("constraints", json!(["(what slower layers exclude)"]));
            put("subgoals", json!(["(what the plan wants to be reached now)"]));
            put("next", json!("(the next action of Tactical)"));
        }
        Layer::Reflex => {}
    }
    shown
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
