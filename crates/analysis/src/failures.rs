//! Calls that gave no whole answer, by kind (BOG-047).

use serde::{Deserialize, Serialize};

use crate::row::EpisodeRow;

/// How many calls and requests failed, and in how many episodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFailures {
    /// Calls that the model or its provider refused to answer.
    pub refusals: u64,
    /// Calls whose answer was cut at the output bound.
    pub truncations: u64,
    /// Calls whose answer had not the demanded shape.
    pub bad_shapes: u64,
    /// Requests that failed for reasons that are not the agent's, whether or not a later one went through.
    pub outages: u64,
    /// Requests that the provider turned down for what they ask: the same request would be turned down again.
    #[serde(default)]
    pub turned_down: u64,
    /// Requests of unknown cost.
    pub unknown: u64,
    /// Episodes with any of these, lost ones included.
    pub flagged: u64,
}

impl CallFailures {
    /// The failures of these episodes together.
    #[must_use]
    pub fn of(rows: &[&EpisodeRow]) -> Self {
        rows.iter().fold(Self::default(), |total, row| Self {
            refusals: total.refusals + u64::from(row.refusals),
            truncations: total.truncations + u64::from(row.truncations),
            bad_shapes: total.bad_shapes + u64::from(row.bad_shapes),
            outages: total.outages + u64::from(row.outages),
            turned_down: total.turned_down + u64::from(row.turned_down),
            unknown: total.unknown + u64::from(row.unknown_attempts),
            flagged: total.flagged + u64::from(row.is_flagged()),
        })
    }
}
