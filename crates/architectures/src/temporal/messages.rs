//! The messages of a temporal hierarchy: each is a contract as data, or free text without contracts.

use gimbal_core::{Brief, Milli};
use gimbal_messages::{Contract, ContractError, Message, numbers};
use gimbal_temporal::Layer;
use gimbal_temporal::contracts::Contracts;
use serde::Deserialize;
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

/// What Reflex wants of a step, as its contract has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReflexAction {
    /// The action, as a text.
    pub action: String,
    /// How soon it must happen, from 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub urgency: Milli,
    /// How sure the layer is, from 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub confidence: Milli,
    /// Whether it is an emergency.
    pub emergency: bool,
    /// What happened.
    pub summary: String,
}

/// What Tactical wants, as its contract has it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TacticalAction {
    /// The next actions in order, as texts.
    pub action_sequence: Vec<String>,
    /// What to remember; empty for what it remembers already.
    pub working_memory_update: String,
    /// Names of the subgoals that are met.
    pub reached: Vec<String>,
    /// How soon the actions must happen, from 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub urgency: Milli,
    /// How sure the layer is, from 0 to 1.
    #[serde(deserialize_with = "numbers::milli")]
    pub confidence: Milli,
    /// What happened.
    pub summary: String,
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

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use gimbal_messages::{Form, Tier, fields, typed};
    use gimbal_temporal::contracts::{Kind, Plan, Policy};
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::super::forms;
    use super::{Reading, ReflexAction, TacticalAction};

    /// The members that a form asks a model for.
    fn members(form: &Form) -> Vec<String> {
        let schema = form.schema.get("anyOf").map_or(&form.schema, |all| &all[0]);
        schema["properties"].as_object().unwrap().keys().cloned().collect()
    }

    fn of<T: DeserializeOwned>() -> Vec<String> {
        fields::<T>().iter().map(|name| (*name).to_owned()).collect()
    }

    // covers: CTHA-051
    #[test]
    fn contract_form_and_type_of_a_layers_answer_have_the_same_members() {
        let Reading { between, reflex, tactical } = Reading::new().unwrap();
        assert!(reflex.differs_from::<ReflexAction>("").is_empty(), "{:?}", reflex.differs_from::<ReflexAction>(""));
        assert!(tactical.differs_from::<TacticalAction>("").is_empty());
        assert_eq!(reflex.differs_from::<TacticalAction>("").len(), 2 + 3);
        let action = Form::word(&["Wait"]);
        assert_eq!(members(&forms::reflex(&reflex, action.clone(), Some("Wait"))), of::<ReflexAction>());
        assert_eq!(members(&forms::tactical(&tactical, &action, 3, &[])), of::<TacticalAction>());
        assert_eq!(members(&forms::plan(between.get(Kind::Plan), 30)), of::<Plan>());
        assert_eq!(members(&forms::policy(between.get(Kind::Policy), 30)), of::<Policy>());
    }

    /// What the rules of the contract fill in is read too, and an answer without an action is an error and no action of no letters.
    #[test]
    fn what_comes_out_of_a_contract_reads_as_its_type() {
        let Reading { reflex, tactical, .. } = Reading::new().unwrap();
        let short = reflex.accept(json!({ "action": "Wait", "urgency": 1 }), Tier::Direct).unwrap();
        let read: ReflexAction = typed(short.value).unwrap();
        assert_eq!((read.action.as_str(), read.urgency, read.confidence), ("Wait", Milli(1000), Milli(500)));
        assert!(!read.emergency && read.summary.is_empty());
        let short = tactical.accept(json!({ "action_sequence": ["Wait"] }), Tier::Direct).unwrap();
        let read: TacticalAction = typed(short.value).unwrap();
        assert_eq!((read.action_sequence.as_slice(), read.urgency), (&["Wait".to_owned()][..], Milli(500)));
        let without = |value: Value| typed::<ReflexAction>(value).unwrap_err();
        let wrong = json!({ "urgency": 1, "confidence": 1, "emergency": false, "summary": "" });
        assert_eq!(without(wrong), "/: missing field `action`");
    }
}
