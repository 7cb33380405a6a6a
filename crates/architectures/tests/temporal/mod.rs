//! The architecture `temporal` on the real stage: layers that say what a test gives them, or what an expert would.

mod attacks;
mod bad_input;
mod before_the_score;
mod case;
mod contracts;
mod directives;
mod layers;
mod learned;
mod maps;
pub mod notes;
mod prompts;
mod safe_default;
mod side_by_side;
mod standing;
mod store;

use gimbal_core::Catalogue;
use gimbal_messages::Record;
use gimbal_messages::records::temporal::LayerDecided;
use serde_json::{Value, json};

use crate::debate::{Court, Played, answer};

/// A hierarchy with these settings in the evening of four lamps.
pub fn hierarchy(settings: Value) -> Court {
    Court::new(settings).of("temporal").on("evening")
}

/// Plays with four lamps and no wind.
pub async fn play(court: Court) -> Played {
    court.play_in(&gimbal_testkit::environments::lamps::Lamps as &dyn Catalogue, json!({ "wind": 0 })).await
}

pub fn action(action: &str) -> String {
    scored(action, 0.5, 0.5)
}

pub fn scored(action: &str, urgency: f64, confidence: f64) -> String {
    answer(
        &json!({ "action": action, "urgency": urgency, "confidence": confidence, "emergency": false, "summary": "lit" }),
    )
}

pub fn sequence(actions: &[&str], reached: &[&str]) -> String {
    answer(&json!({
        "action_sequence": actions, "working_memory_update": "", "reached": reached, "urgency": 0.5, "confidence": 0.5,
        "summary": "in order"
    }))
}

/// A plan of subgoals with their dependencies, with what else it holds.
pub fn plan(subgoals: &[(&str, &[&str])], more: &Value) -> String {
    let subgoal = |(id, needs): &(&str, &[&str])| json!({ "id": id, "description": format!("do {id}"), "success_criteria": "it burns", "dependencies": needs });
    let mut plan =
        json!({ "goal_id": "light", "subgoals": subgoals.iter().map(subgoal).collect::<Vec<_>>(), "priority": 0.5 });
    if let (Some(plan), Some(more)) = (plan.as_object_mut(), more.as_object()) {
        plan.extend(more.clone());
    }
    answer(&plan)
}

pub fn policy(policy: &Value) -> String {
    answer(policy)
}

/// The lamp that is lit by an action.
pub fn light(lamp: u32) -> String {
    format!("Light lamp=lamp_{lamp}")
}

/// Records of a kind.
pub fn all<R: Record>(played: &Played) -> Vec<R> {
    played.records::<R>()
}

/// The calls that were made, and whose they were.
pub fn calls(played: &Played) -> Vec<(String, Option<String>)> {
    all::<LayerDecided>(played).into_iter().map(|one| (one.call, one.caller)).collect()
}

/// The request of a role, the first or a later one.
pub fn told(played: &Played, role: &str, at: usize) -> String {
    let mut of_role = (0..played.requests.len()).filter(|place| played.requests[*place].0 == role);
    of_role.nth(at).map(|place| played.prompt(place)).unwrap_or_default()
}
