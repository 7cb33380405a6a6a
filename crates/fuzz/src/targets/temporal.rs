//! Messages between layers of a temporal hierarchy, and conditions of their rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use gimbal_core::{CommandForm, Milli, ToolCall, ToolSpec};
use gimbal_messages::Tier;
use gimbal_temporal::Layer;
use gimbal_temporal::commitments::Commitments;
use gimbal_temporal::contracts::{Condition, Contracts, Criterion, Envelope, Kind, Message, Outcome, Situation};

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
        assert_eq!(Message::read(kind, &once.value).as_ref(), Ok(&once.message));
        match once.message {
            Message::Summary(summary) => {
                let _ = (summary.alarms().len(), summary.to_value());
            }
            Message::Plan(plan) => {
                assert_eq!(plan.order().len(), plan.subgoals.len());
                table.set_plan(sender, &plan, &BTreeSet::new(), 1, 2);
            }
            Message::Policy(policy) => {
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

pub fn criteria() -> Vec<Vec<u8>> {
    owned(&[
        "subject_state(User1).current_status is baseline\n{\"current_status\":\"baseline\"}",
        "q(a, text=\"b, c\").holds contains pen 1 and q(b).carried >= 4\n{\"holds\":[\"pen 1\"],\"carried\":4.5}",
        "the host is clean\nnothing",
    ])
}

/// The first line is a criterion, the rest an answer. What can be read is written and read again as the same, and is judged without a panic.
pub fn criterion(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (first, answer) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(criterion) = first.parse::<Criterion>() else { return };
    assert_eq!(criterion.to_string().parse::<Criterion>().as_ref(), Ok(&criterion));
    let answers = vec![Some(answer.to_owned()); criterion.checks().len()];
    let _ = criterion.holds(&answers);
    let queries = [ToolSpec::of_strings("subject_state", "", &[("subject", "")])];
    assert_eq!(criterion.calls(&queries, &BTreeMap::new()).len(), criterion.checks().len());
}

pub fn forms() -> Vec<Vec<u8>> {
    owned(&[
        "take {object} from {receptacle}\ntake pen 1 from desk 2",
        "craft {made} {output} using [{number} {input}]\ncraft 1 sign using 6 planks, 1 stick",
        "look\nlook",
    ])
}

/// The first line is the form of a command, the rest a command. What is read has every name of the form, and no empty part.
pub fn form(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let (first, command) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(form) = first.parse::<CommandForm>() else { return };
    assert_eq!(form.as_str().parse::<CommandForm>().as_ref(), Ok(&form));
    let Some(parts) = form.read(command) else { return };
    let once = parts.once.iter().chain(parts.rows.first().into_iter().flatten());
    let read: BTreeSet<&str> = once.map(|(name, _)| name.as_str()).collect();
    assert_eq!(read, form.names().collect());
    assert!(parts.once.iter().chain(parts.rows.iter().flatten()).all(|(_, part)| !part.is_empty()));
}
