//! Messages between layers of a temporal hierarchy, and conditions of their rules.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gimbal_core::{Milli, ToolCall};
use gimbal_messages::Tier;
use gimbal_temporal::Layer;
use gimbal_temporal::commitments::Commitments;
use gimbal_temporal::contracts::{Condition, Contracts, Envelope, Kind, Outcome, Plan, Policy, Situation, Summary};

use super::{owned, text};

static CONTRACTS: LazyLock<Option<Contracts>> = LazyLock::new(|| Contracts::published().ok());

pub fn messages() -> Vec<Vec<u8>> {
    owned(&[
        r#"{"layer_id": 1, "timestamp": 3, "state_digest": "ok", "anomalies": [{"type": "error", "description": "x"}]}"#,
        r#"{"goal_id": "g", "priority": 0.5, "deadline": 9, "subgoals": [{"id": "a", "description": "d", "success_criteria": "s",
           "dependencies": ["b"]}, {"id": "b", "description": "restore u1", "success_criteria": "s", "min_seconds": 2}],
           "constraints": ["forbid decoy *"], "rollback": {"condition": "refusals >= 2", "action": "Retry"}}"#,
        r#"{"rules": [{"id": "r", "condition": "call restore *", "action": "deny", "priority": "70"}],
           "thresholds": {"calls": "4"}, "forbidden": ["remove *"], "valid_until": null}"#,
    ])
}

/// What comes out follows its contract, projecting it again changes nothing, and plain code can use it.
pub fn message(bytes: &[u8]) {
    let (Some(contracts), Ok(value)) = (&*CONTRACTS, serde_json::from_slice::<serde_json::Value>(bytes)) else {
        return;
    };
    for (kind, sender, receiver) in [
        (Kind::Summary, Layer::Reflex, Layer::Tactical),
        (Kind::Plan, Layer::Strategic, Layer::Tactical),
        (Kind::Policy, Layer::Institutional, Layer::Strategic),
    ] {
        let envelope = Envelope::new(sender, receiver, Milli(3000));
        let once = contracts.project(kind, value.clone(), &envelope);
        let accepted = contracts.get(kind).accept(once.value.clone(), Tier::Direct);
        assert!(accepted.is_ok_and(|accepted| accepted.changes.is_empty()));
        let twice = contracts.project(kind, once.value.clone(), &envelope);
        assert_eq!((&twice.value, &twice.outcome), (&once.value, &Outcome::AsWritten));
        let mut table = Commitments::new();
        match kind {
            Kind::Summary => {
                let summary = Summary::read(&once.value);
                let _ = (summary.alarms().len(), summary.to_value());
            }
            Kind::Plan => {
                let plan = Plan::read(&once.value);
                assert_eq!(plan.order().len(), plan.subgoals.len());
                table.set_plan(sender, &plan, &BTreeSet::new(), 1, 2);
            }
            Kind::Policy => {
                let policy = Policy::read(&once.value);
                let call = ToolCall::with("restore", &[("host", "u1")]);
                let _ = policy.ruling(&Situation { numbers: None, call: Some(&call) });
                table.set_policy(sender, &policy, 1, None);
            }
        }
        let _ = table.live(2).count();
    }
}

pub fn conditions() -> Vec<Vec<u8>> {
    owned(&["always", "refusals >= 2 and reward < -1.5 or call restore *", "steps_left = 3", "when it seems wise"])
}

/// What code can judge is written and read again as the same.
pub fn condition(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let condition = Condition::of(text);
    let _ = condition.holds(&Situation::default());
    if condition.is_judged() {
        assert_eq!(Condition::of(&condition.to_string()), condition);
    }
}
