//! The outcome of an episode.

use gimbal_core::{Digest, Milli, Spent, Stop};
use serde::{Deserialize, Serialize};

/// The outcome of an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it stopped.
    pub stop: Stop,
    /// More, where the stop reason alone is not enough.
    pub detail: String,
    /// Sum of rewards in thousandths.
    #[serde(rename = "return")]
    pub episode_return: Milli,
    /// Environment steps.
    pub steps: u32,
    /// Calls and tokens as called.
    pub spent: Spent,
    /// Calls and unreadable answers that were refused.
    pub rejected: u64,
    /// Steps that the scaffolding took in the agent's place.
    pub fallbacks: u64,
    /// Hash of the true state at the end.
    pub state: Digest,
    /// Last value of the journal's chain.
    pub chain: Digest,
    /// Events in the journal.
    pub events: u64,
    /// Longest chain of calls that had to wait for one another, in microseconds. Volatile.
    pub critical_path_us: u64,
    /// Latency of all calls, in microseconds. Volatile.
    pub total_latency_us: u64,
}
