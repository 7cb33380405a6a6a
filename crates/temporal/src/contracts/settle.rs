//! What a schema cannot say of a message: the sender of a summary, and subgoals of a plan that are distinct, known, in no circle, and
//! within the receiver's time scale (Eq. 16; CTHA-043, CTHA-053).

use std::collections::BTreeSet;

use serde_json::Value;

use super::note::{Cause, Note, Refusal};
use super::plan::waits_in_circle;
use super::{Envelope, Kind};

/// Settles a message that follows its schema.
///
/// # Errors
/// When subgoals wait for one another.
pub(super) fn settle(
    kind: Kind,
    value: &mut Value,
    envelope: &Envelope<'_>,
    notes: &mut Vec<Note>,
) -> Result<(), Refusal> {
    match kind {
        Kind::Summary => {
            let own = Value::from(envelope.sender.number());
            if value.get("layer_id") != Some(&own) {
                value["layer_id"] = own;
                notes.push(Note { cause: Cause::Claimed, place: "/layer_id".to_owned() });
            }
            Ok(())
        }
        Kind::Plan => plan(value, envelope, notes),
        Kind::Policy => Ok(()),
    }
}

fn plan(value: &mut Value, envelope: &Envelope<'_>, notes: &mut Vec<Note>) -> Result<(), Refusal> {
    let Some(subgoals) = value.get_mut("subgoals").and_then(Value::as_array_mut) else { return Ok(()) };
    let id = |subgoal: &Value| subgoal.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut known = BTreeSet::new();
    let mut note = |cause, place| notes.push(Note { cause, place });
    drop_where(subgoals, |place, subgoal| {
        let again = !known.insert(id(subgoal));
        if again {
            note(Cause::Duplicate, format!("/subgoals/{place}"));
        }
        again
    });
    // Before dependencies are resolved: what depends on a subgoal that is left out here is left out too.
    let tau = envelope.receiver.spec().tau.to_f64();
    let mut slow: BTreeSet<String> = subgoals
        .iter()
        .filter(|subgoal| subgoal.get("min_seconds").and_then(Value::as_f64).is_some_and(|least| least > tau))
        .map(id)
        .collect();
    if !slow.is_empty() {
        loop {
            let more = subgoals.iter().find(|subgoal| {
                !slow.contains(&id(subgoal)) && dependencies(subgoal).any(|needed| slow.contains(needed))
            });
            match more.map(id) {
                Some(more) => slow.insert(more),
                None => break,
            };
        }
        drop_where(subgoals, |place, subgoal| {
            let is_slow = slow.contains(&id(subgoal));
            if is_slow {
                note(Cause::TooSlow, format!("/subgoals/{place}"));
            }
            is_slow
        });
    }
    let known: BTreeSet<String> = subgoals.iter().map(id).collect();
    for (place, subgoal) in subgoals.iter_mut().enumerate() {
        let Some(list) = subgoal.get_mut("dependencies").and_then(Value::as_array_mut) else { continue };
        drop_where(list, |index, needed| {
            let unknown = needed.as_str().is_none_or(|needed| !known.contains(needed));
            if unknown {
                note(Cause::Unresolved, format!("/subgoals/{place}/dependencies/{index}"));
            }
            unknown
        });
    }
    let edges: Vec<(String, Vec<String>)> =
        subgoals.iter().map(|subgoal| (id(subgoal), dependencies(subgoal).map(str::to_owned).collect())).collect();
    match waits_in_circle(&edges) {
        circle if circle.is_empty() => Ok(()),
        circle => Err(Refusal::Cyclic(circle)),
    }
}

fn dependencies(subgoal: &Value) -> impl Iterator<Item = &str> {
    subgoal.get("dependencies").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Leaves out items, each with its place before anything was left out.
fn drop_where(items: &mut Vec<Value>, mut leaves: impl FnMut(usize, &Value) -> bool) {
    let mut place = 0;
    items.retain(|item| {
        let stays = !leaves(place, item);
        place += 1;
        stays
    });
}
