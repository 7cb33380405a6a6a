//! A message as its type: what plain code gets of a value that follows its contract.

use gimbal_core::Milli;
use serde_json::Value;

use super::{Kind, Plan, Policy, Summary};
use crate::Layer;

/// A message of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// What happened.
    Summary(Summary),
    /// What to reach.
    Plan(Plan),
    /// What holds.
    Policy(Policy),
}

impl Message {
    /// Reads a value that follows the contract of its kind.
    ///
    /// # Errors
    /// When the value and the type differ: the place, what was found and what was expected.
    pub fn read(kind: Kind, value: &Value) -> Result<Self, String> {
        Ok(match kind {
            Kind::Summary => Self::Summary(Summary::read(value)?),
            Kind::Plan => Self::Plan(Plan::read(value)?),
            Kind::Policy => Self::Policy(Policy::read(value)?),
        })
    }

    /// What [`Kind::default`] reads as.
    #[must_use]
    pub fn default_of(kind: Kind, sender: Layer, now: Milli) -> Self {
        match kind {
            Kind::Summary => Self::Summary(Summary::nothing(sender, now)),
            Kind::Plan => Self::Plan(Plan::nothing()),
            Kind::Policy => Self::Policy(Policy::default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;
    use serde_json::{Value, json};

    use super::Message;
    use crate::Layer;
    use crate::contracts::{Anomaly, Contracts, Kind, Plan, Policy, Resources, Rollback, Rule, Subgoal, Summary};

    /// A member that is renamed in the schema or in the struct alone is found here.
    // covers: CTHA-040
    #[test]
    fn every_member_of_a_contract_is_a_field_and_every_field_a_member() {
        let contracts = Contracts::published().unwrap();
        let [summary, plan, policy] = Kind::ALL.map(|kind| contracts.get(kind));
        assert!(summary.differs_from::<Summary>("").is_empty(), "{:?}", summary.differs_from::<Summary>(""));
        assert!(summary.differs_from::<Anomaly>("anomalies").is_empty());
        assert!(summary.differs_from::<Resources>("resources").is_empty());
        assert!(plan.differs_from::<Plan>("").is_empty(), "{:?}", plan.differs_from::<Plan>(""));
        assert!(plan.differs_from::<Subgoal>("subgoals").is_empty());
        assert!(plan.differs_from::<Rollback>("rollback").is_empty());
        assert!(policy.differs_from::<Policy>("").is_empty(), "{:?}", policy.differs_from::<Policy>(""));
        assert!(policy.differs_from::<Rule>("rules").is_empty());
        assert_eq!(policy.differs_from::<Rollback>("rules"), ["id: no field reads it", "priority: no field reads it"]);
        assert_eq!(
            plan.differs_from::<Rule>("rollback"),
            ["id: no member of the schema", "priority: no member of the schema"]
        );
        assert_eq!(plan.differs_from::<Rule>("rule").len(), 1);
    }

    #[test]
    fn defaults_read_as_messages_that_ask_for_nothing() {
        for (kind, now) in Kind::ALL.into_iter().flat_map(|kind| [(kind, Milli(7000)), (kind, Milli(7500))]) {
            for sender in Layer::ALL {
                let value = kind.default(sender, now);
                assert_eq!(Message::read(kind, &value), Ok(Message::default_of(kind, sender, now)), "{value}");
            }
        }
    }

    /// What the schema lets through reads, and what it does not let through is an error with its place and no message of empty texts.
    #[test]
    fn a_message_reads_as_its_contract_has_it_or_not_at_all() {
        let contracts = Contracts::published().unwrap();
        let read = |kind: Kind, value: Value| {
            let follows = contracts.get(kind).accept(value.clone(), gimbal_messages::Tier::Direct);
            let read = Message::read(kind, &value);
            assert_eq!(follows.is_ok_and(|accepted| accepted.changes.is_empty()), read.is_ok(), "{value}: {read:?}");
            read
        };
        let subgoal = json!({ "id": "a", "description": "one", "success_criteria": "it is", "min_seconds": 4 });
        let plan = json!({ "goal_id": "g", "subgoals": [subgoal], "priority": 1, "deadline": 4.0, "rollback": {} });
        let Ok(Message::Plan(found)) = read(Kind::Plan, plan.clone()) else { panic!() };
        assert_eq!((found.priority, found.deadline), (Milli(1000), Some(4)));
        assert_eq!(found.rollback.map(|one| (one.condition, one.action.name())), Some((String::new(), "escalate")));
        let without = |value: &Value, place: &str, key: &str| {
            let mut value = value.clone();
            value.pointer_mut(place).and_then(Value::as_object_mut).unwrap().remove(key);
            value
        };
        for (place, key) in [("", "goal_id"), ("", "subgoals"), ("", "priority"), ("/subgoals/0", "description")] {
            let why = read(Kind::Plan, without(&plan, place, key)).unwrap_err();
            assert!(why.contains(&format!("missing field `{key}`")), "{why}");
        }
        let mut wrong = plan;
        wrong["subgoals"][0]["description"] = json!(7);
        let why = read(Kind::Plan, wrong).unwrap_err();
        assert!(why.starts_with("/subgoals[0].description: "), "{why}");
        let rule = json!({ "id": "r", "condition": "always", "action": "deny" });
        let policy = json!({ "rules": [rule], "thresholds": { "Step": 2, "step": 3 }, "valid_until": null });
        let Ok(Message::Policy(found)) = read(Kind::Policy, policy.clone()) else { panic!() };
        assert_eq!(
            (found.rules[0].priority, found.thresholds.get("step"), found.valid_until),
            (50, Some(&Milli(3000)), None)
        );
        assert!(read(Kind::Policy, without(&policy, "/rules/0", "action")).is_err());
        let summary = json!({
            "layer_id": 2, "timestamp": 3, "state_digest": "d", "anomalies": [{}], "resources": { "tokens_used": -1, "elapsed_seconds": 1.5 }
        });
        let Ok(Message::Summary(found)) = read(Kind::Summary, summary.clone()) else { panic!() };
        assert_eq!((found.layer, found.anomalies[0].kind.name()), (Layer::Tactical, "unexpected"));
        assert_eq!(found.resources.map(|used| (used.tokens_used, used.elapsed_seconds)), Some((0, Some(Milli(1500)))));
        assert!(read(Kind::Summary, without(&summary, "", "state_digest")).is_err());
    }
}
