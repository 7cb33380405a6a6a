//! The commitment table.

use std::collections::BTreeSet;

use gimbal_core::Milli;
use gimbal_temporal::commitments::{Commitments, ReleasedBy, last_step};
use gimbal_temporal::contracts::{Plan, Policy, RollbackAction};
use gimbal_temporal::{Directive, Layer, Proposal};
use serde_json::json;

use crate::support::call;

fn held(table: &Commitments, step: u32) -> Vec<(u64, &str)> {
    table.live(step).map(|one| (one.number, one.subject.as_str())).collect()
}

fn directive(layer: Layer, id: &str) -> Proposal {
    Proposal::directive(layer, Directive { id: id.to_owned(), ..Directive::default() })
}

#[test]
fn a_commitment_holds_until_it_is_over_released_or_superseded() {
    let mut table = Commitments::new();
    assert_eq!(table.commit(&Proposal::call(Layer::Reflex, call("look", "x")), 1), None);
    let mut sequence = Proposal::call(Layer::Tactical, call("look", "x"));
    sequence.until = Some(4);
    assert_eq!(table.commit(&sequence, 2), Some(1));
    assert_eq!(table.commit(&directive(Layer::Strategic, "g/a"), 2), Some(2));
    assert_eq!(held(&table, 1), []);
    assert_eq!(held(&table, 4), [(1, "look x"), (2, "g/a")]);
    assert_eq!(held(&table, 5), [(2, "g/a")]);
    assert_eq!(table.expire(5), [1]);
    assert_eq!(table.commit(&directive(Layer::Strategic, "g/a"), 6), Some(3));
    assert_eq!(table.all()[1].released.as_ref().unwrap().by, ReleasedBy::Superseded(3));
    // Another layer's directive of the same name holds beside it.
    table.commit(&directive(Layer::Institutional, "g/a"), 6);
    assert_eq!(held(&table, 6).len(), 2);
    assert!(table.release(3, 7, ReleasedBy::Overruled(Layer::Reflex)));
    assert!(!table.release(3, 7, ReleasedBy::Reached) && !table.release(99, 7, ReleasedBy::Reached));
    assert_eq!(table.all()[2].age(9), 3);
}

// covers: CTHA-048
#[test]
fn a_plan_writes_what_is_ready_and_its_deadline_ends_it() {
    let one = |id: &str, needs: &[&str]| json!({ "id": id, "description": id, "success_criteria": "", "dependencies": needs });
    let plan = Plan::read(
        &json!({ "goal_id": "g", "priority": 0.5, "deadline": 4, "subgoals": [one("a", &[]), one("b", &["a"])] }),
    )
    .unwrap();
    let mut table = Commitments::new();
    table.set_plan(Layer::Strategic, &plan, &BTreeSet::new(), 3, 3);
    assert_eq!(held(&table, 3), [(1, "g/a")]);
    assert_eq!(table.all()[0].until, Some(6));
    // The same plan again changes nothing.
    table.set_plan(Layer::Strategic, &plan, &BTreeSet::new(), 3, 4);
    assert_eq!(table.all().len(), 1);
    table.set_plan(Layer::Strategic, &plan, &BTreeSet::from(["a".to_owned()]), 3, 5);
    assert_eq!(held(&table, 5), [(2, "g/b")]);
    assert_eq!(table.all()[0].released.as_ref().unwrap().by, ReleasedBy::Reached);
    assert_eq!((held(&table, 6).len(), held(&table, 7).len()), (1, 0));
    assert_eq!(table.roll_back(Layer::Strategic, RollbackAction::Abort, 6), [2]);
    assert_eq!(held(&table, 6), []);
    table.set_plan(Layer::Strategic, &plan, &BTreeSet::new(), 3, 7);
    assert_eq!(held(&table, 7), []);
}

// covers: CTHA-049
#[test]
fn a_policy_takes_the_place_of_the_one_before_and_ends_with_its_time() {
    let policy =
        |forbidden: &[&str]| Policy::read(&json!({ "rules": [], "forbidden": forbidden, "valid_until": 9.5 })).unwrap();
    let mut table = Commitments::new();
    let last = policy(&[]).valid_until.map(|until| last_step(until, Milli(1000)));
    table.set_policy(Layer::Institutional, &policy(&["wipe *"]), 1, last);
    table.set_policy(Layer::Institutional, &policy(&["stop *"]), 3, last);
    assert_eq!(held(&table, 3), [(2, "policy/forbidden")]);
    assert_eq!((held(&table, 9).len(), held(&table, 10).len()), (1, 0));
    table.set_policy(Layer::Institutional, &policy(&[]), 4, None);
    assert_eq!(held(&table, 4), []);
    assert_eq!(
        [last_step(Milli(-1), Milli(1)), last_step(Milli(5), Milli::ZERO), last_step(Milli(i64::MAX), Milli(1))],
        [0, 0, u32::MAX]
    );
}
