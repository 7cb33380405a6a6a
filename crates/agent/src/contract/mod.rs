//! Contracts: the messages that agents pass to one another, each a type with a schema, a bound and a default.
//!
//! | contract | from, to | form |
//! |---|---|---|
//! | `analysis_request` | planner, analyst | `{subject}` |
//! | `analysis` | analyst, planner | list of [`Finding`]s (BOG-065) |
//! | `situation` | planner, chooser | [`Situation`] (BOG-059) |
//! | `suggestions` | chooser, planner | list of at most three [`Suggestion`]s (BOG-067) |
//! | `graph`, `subtasks` | planner, controller | a task graph, a list of subtasks (CYC-001, CYC-025) |
//! | `routing`, `guidance` | router, controller | analysis, memory and the next subtask; the same without a choice (CYC-013) |
//! | `verification` | verifier, controller | list of [`Claim`]s: a figure and the stored words that it rests on (CYC-095) |
//! | `summary` | summariser, a file for planners | what led to success in one won episode (CYC-023) |
//!
//! What goes in is strict: a message that is not as it should be is refused with its reason. What comes out of a model
//! is read in tiers (BOG-070): as it stands, normalised, after one repair, and else the default; the tier is journaled.
//!
//! What cannot be read is never replaced by a value that could have been stated: `unknown` ([`UNKNOWN`]) stands in its place,
//! and the member `unread` holds it as it was written.

use serde_json::Value;

mod analysis;
mod extract;
mod situation;
mod suggestions;
mod verification;

pub use analysis::{Finding, Focus, Status};
pub use extract::{array, keyed, object};
pub use situation::{ANY, Severity, Situation, SituationError};
pub use suggestions::{MAX_SUGGESTIONS, Menu, Suggestion};
pub use verification::{Claim, Quote};

pub use gimbal_messages::{Tier, bounded, spaced};

pub(crate) use suggestions::competent as competent_suggestions;

/// What stands in the place of a value that could not be read.
pub const UNKNOWN: &str = "unknown";

/// Longest part of something unread that is told, in characters.
const TOLD: usize = 80;

/// Something unread, as a message tells it.
fn told(key: &str, written: Option<&Value>) -> String {
    let written = written.map_or_else(|| "missing".to_owned(), crate::protocol::plain);
    format!("{key}: {}", bounded(written.trim(), TOLD))
}
