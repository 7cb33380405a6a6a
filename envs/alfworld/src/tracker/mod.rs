//! A deterministic belief state of a household, built from the agent's own observations and calls only.
//!
//! It holds for every receptacle what was first seen in it (its baseline), what it is held to contain now, whether it
//! is open, and what was done there; where the agent is and what it carries; and a log of the episode. It renders
//! three blocks for prompts and answers two read-only queries. It never says what to do: its own words are those of
//! [`words`] (BOG-080 to BOG-090, BOG-100 to BOG-106).
//!
//! | what happens | status of the receptacle |
//! |---|---|
//! | at first | baseline: nothing is known |
//! | it is seen closed, and was never seen open | unknown |
//! | it is seen with what it holds | analysed at that step, unless changed |
//! | a thing is taken from it or put there | changed |
//! | it is seen to hold something else than it is held to | changed |

mod query;
mod receptacle;
pub mod words;

pub use gimbal_env_kit::{JUSTIFICATION_LIMIT, Status};

use gimbal_core::{Observation, Rejection, Stepped, ToolCall, ToolSpec};
use gimbal_env_kit::{Belief, BeliefTracker, Logged, StepKind, json};
use serde_json::Value;

use self::receptacle::Receptacle;
use crate::words::COMMAND;

/// The tracker of one episode.
pub type ReceptacleTracker = BeliefTracker<ReceptacleBelief>;

/// What is known of the receptacles of one episode.
///
/// # Examples
/// ```
/// use gimbal_alfworld::tracker::ReceptacleTracker;
/// use gimbal_core::{Observation, Stepped, ToolCall, Tracker};
/// use serde_json::json;
///
/// let mut tracker = ReceptacleTracker::default();
/// tracker.begin(&Observation { text: String::new(), data: json!({ "receptacles": ["bed 1", "desk 1"] }).into() });
/// let seen = json!({ "receptacle": "desk 1", "state": "none", "holds": ["pen 1"], "effect": "went" });
/// let observation = Observation { text: "...".to_owned(), data: seen.into() };
/// let call = ToolCall::with("explore", &[("command", "go to desk 1")]);
/// tracker.update(Stepped { step: 1, call: &call, observation: &observation, justification: None });
/// assert!(tracker.block("status").is_some_and(|text| text.contains(r#""receptacle_name":"desk 1","current_status":"analysed at step 1""#)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReceptacleBelief {
    /// In the order of the first observation; later ones behind.
    receptacles: Vec<Receptacle>,
    here: Option<String>,
    carried: Vec<String>,
}

impl ReceptacleBelief {
    /// Names of the receptacles with their status.
    pub fn statuses(&self) -> impl Iterator<Item = (&str, Status)> {
        self.receptacles.iter().map(|known| (known.name.as_str(), known.status))
    }

    fn receptacle(&mut self, name: &str) -> &mut Receptacle {
        let known = self.receptacles.iter().position(|known| known.name == name);
        let at = known.unwrap_or_else(|| {
            self.receptacles.push(Receptacle::new(name));
            self.receptacles.len() - 1
        });
        &mut self.receptacles[at]
    }

    /// Takes in what an observation tells; gives the status of the receptacle that it is news of.
    fn observe(&mut self, step: u32, seen: &Value) -> Option<(String, Status)> {
        let text = |key: &str| seen.get(key).and_then(Value::as_str);
        if let Some(carried) = seen.get("carried").and_then(Value::as_array) {
            self.carried = carried.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        }
        let effect = text("effect").unwrap_or_default();
        let name = text("receptacle")?.to_owned();
        if effect == "went" {
            self.here = Some(name.clone());
        }
        let object = text("object").map(str::to_owned);
        match (effect, object) {
            ("taken", Some(object)) => {
                self.receptacle(&name).took(step, &object);
                self.carried.push(object);
            }
            ("put", Some(object)) => {
                self.carried.retain(|known| *known != object);
                self.receptacle(&name).put(step, &object);
            }
            _ => {}
        }
        let known = self.receptacle(&name);
        let before = known.status;
        let held = known.holds.clone();
        if let Some(door) = text("state") {
            known.seen_door(step, door);
        }
        if let Some(holds) = seen.get("holds").and_then(Value::as_array) {
            let holds: Vec<String> = holds.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
            known.seen(step, holds);
        }
        let news = before != known.status || held != known.holds || matches!(effect, "taken" | "put");
        news.then_some((name, known.status))
    }
}

/// The queries that it answers.
pub(crate) fn queries() -> &'static [ToolSpec] {
    query::specs()
}

impl Belief for ReceptacleBelief {
    const NO_OBSERVATION: &'static str = "";

    fn begin(&mut self, first: &Observation) {
        *self = Self::default();
        let seen = first.data.glance();
        let names = seen.get("receptacles").and_then(Value::as_array).into_iter().flatten();
        self.receptacles = names.filter_map(|name| Some(Receptacle::new(name.as_str()?))).collect();
    }

    fn shown_first(&self, first: &Observation) -> Option<String> {
        // What is seen first says which receptacles there are: nothing else does before the first step.
        Some(first.text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn update<'a>(&mut self, step: Stepped<'a>) -> Logged<'a> {
        let Stepped { step, call, observation, .. } = step;
        let command = call.string(COMMAND).map(str::trim).unwrap_or_default();
        let seen = observation.data.glance();
        let effect = seen.get("effect").and_then(Value::as_str);
        if let (Some("taken" | "put" | "opened" | "closed" | "changed"), Some(name)) =
            (effect, seen.get("receptacle").and_then(Value::as_str))
        {
            self.receptacle(name).applied.add(command);
        }
        let updates = self.observe(step, &seen).map(|(name, status)| (name, receptacle::logged(status)));
        let kind = match effect {
            Some("changed" | "opened" | "closed") => StepKind::Act,
            _ => StepKind::Look,
        };
        let action = if command.is_empty() { call.tool.as_str() } else { command };
        Logged { action: action.into(), kind, updates: updates.into_iter().collect() }
    }

    fn status(&self, now: u32) -> String {
        let mut out = String::new();
        if self.here.is_some() || !self.carried.is_empty() {
            out.push_str(words::SELF);
            out.push_str("\n{");
            json::member(&mut out, words::HERE, self.here.as_deref().unwrap_or(words::NONE));
            let carried = if self.carried.is_empty() { words::NONE.to_owned() } else { self.carried.join(", ") };
            json::member(&mut out, words::CARRIED, &carried);
            out.push_str("}\n");
        }
        let receptacles = self.receptacles.iter().filter(|known| known.status != Status::Baseline);
        let any = json::objects(&mut out, words::STATUS, receptacles, |out, known| {
            json::member(out, words::RECEPTACLE_NAME, &known.name);
            json::member(out, words::CURRENT_STATUS, &known.status.text());
            known.write(out);
            known.applied.write(out, known.appeared == Some(now));
        });
        if !any {
            out.push_str(words::ALL_BASELINE);
        }
        out
    }

    fn queries(&self) -> &[ToolSpec] {
        query::specs()
    }

    fn query(&self, now: u32, call: &ToolCall) -> Result<String, Rejection> {
        query::answer(&self.receptacles, now, call)
    }
}
