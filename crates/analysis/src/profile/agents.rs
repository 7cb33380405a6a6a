//! What a work says of its agents, so that trajectories are counted by them.

use std::fmt;

use super::Contrast;

/// The role of the only agent of a system.
pub(super) const SINGLE: &str = "default";

/// Agents that a trace contrast has lines for whether they were asked or not, as a work names them. Others follow in order of name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agents {
    /// Those whose deliberation calls are counted, in order.
    pub deliberating: &'static [&'static str],
    /// Those whose invocations are counted, in order.
    pub asked: &'static [&'static str],
    /// The agent as which a single agent counts, whose role is `default`.
    pub alone: Option<&'static str>,
}

impl Agents {
    /// Deliberation calls of one agent, with those of a single agent where it counts as this one.
    #[must_use]
    pub fn deliberations(&self, contrast: &Contrast, agent: &str) -> u32 {
        let alone = if self.alone == Some(agent) { contrast.deliberations_of(SINGLE) } else { 0 };
        contrast.deliberations_of(agent) + alone
    }
}

/// A number of every episode whose mean over a cell a work needs.
#[derive(Clone, Copy)]
pub struct Measure {
    /// Machine name, unique among the measures of all works.
    pub key: &'static str,
    /// The number of an episode; `None` where it has none.
    pub of: fn(&Contrast) -> Option<f64>,
}

impl fmt::Debug for Measure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Measure").field("key", &self.key).finish_non_exhaustive()
    }
}
