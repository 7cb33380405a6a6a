//! The published baselines on the real stage: `reflexion` over trials, `lats` in branches.

mod lats;
mod prompts;
mod reflexion;

use std::sync::Arc;

use gimbal_core::Catalogue;
use gimbal_study::stage::SessionMemory;
use gimbal_testkit::environments::lamps::Lamps;
use serde_json::{Value, json};

use crate::debate::{Court, Played};

/// A play of an architecture in the evening of four lamps.
pub fn evening(base: &'static str, settings: Value) -> Court {
    Court::new(settings).of(base).on("evening")
}

/// The same with experts in every role.
pub fn experts(base: &'static str, settings: Value, constrained: bool) -> Court {
    let mut court = evening(base, settings);
    (court.experts, court.constrained) = (true, constrained);
    court
}

/// Plays with four lamps and no wind.
pub async fn play(court: Court) -> Played {
    court.play_in(&Lamps as &dyn Catalogue, json!({ "wind": 0 })).await
}

/// Plays as a trial of a session.
pub async fn trial(court: Court, memory: &Arc<SessionMemory>, number: u32) -> Played {
    let mut court = court;
    court.session = (Arc::clone(memory), number);
    play(court).await
}

/// An agent's own action.
pub fn acts(action: &str) -> String {
    format!("Thought: so.\nAnswer: {action}")
}

/// The action that lights a lamp.
pub fn light(lamp: u32) -> String {
    format!("Light lamp=lamp_{lamp}")
}

/// The actions that light all lamps.
pub fn lights() -> Vec<String> {
    [1, 2, 3, 4].map(|lamp| acts(&light(lamp))).into()
}

/// Requests to a role, as text.
pub fn told(played: &Played, role: &str) -> Vec<String> {
    let places = (0..played.requests.len()).filter(|at| played.requests[*at].0 == role);
    places.map(|at| played.prompt(at)).collect()
}
