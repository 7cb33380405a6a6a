//! Cyclic control measured: from episodes as walks over a task graph to rates, visits, transitions, repair and failure
//! modes, and the choice of a controller (CYC-052, 053, 060-069, 090-099).
//!
//! The way through: one [`Trajectory`] an episode → [`Fold`], which keeps numbers and a few whole episodes to draw →
//! [`Cycles`], the cells of a run with their [`Measures`] → tables and figures. Nothing here knows an environment.

mod advice_report;
pub mod advise;
mod board;
mod builder;
pub mod check;
mod condition;
pub mod detect;
pub mod evidence;
mod fold;
mod gates;
mod measures;
mod noise;
pub mod plans;
mod repair;
pub mod shots;
mod tokens;
mod trajectory;
mod walks;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use gimbal_messages::records::control::SegmentStop;

pub use advice_report::AdviceReport;
pub use board::{Board, Entry};
pub use condition::{Condition, Control, Setup};
pub use fold::{CellCycles, Cycles, Fold, GraphSize, PlayedAt, Record, Sample, SampleKind, Transition, Use};
pub use gates::GateSums;
pub use measures::{
    EvidenceSums, FigureSums, Group, Measures, Moments, Part, RepairSums, RevisitSums, Routing, SignalSums,
    TransitionCount, measure,
};
pub use noise::{CONFIDENCE, INTERVALS, NoiseCurve, NoisePoint, noise_curves};
pub use repair::{Repair, RepairCost, RepairMeans, repairs};
pub use tokens::{Exploration, TokenComparison, WonTokens, exploration, shared_wins};
pub use trajectory::{Act, Effect, Gate, Graph, GraphEdge, GraphNode, Planned, Routed, Segment, Spend, Trajectory};
pub use walks::{CYCLES, CyclesFold, ResultFold, TrajectoryFold, WalkCell, walk_of};

/// SRR: success under faults over success without (CYC-063, eq. 8); `None` where nothing was won without.
#[must_use]
pub fn retention(faulted: f64, nominal: f64) -> Option<f64> {
    (nominal > 0.0).then(|| faulted / nominal)
}

/// Relative difference in percent: the size of the change over the rate without faults (CYC-064).
#[must_use]
pub fn relative_difference(faulted: f64, nominal: f64) -> Option<f64> {
    (nominal > 0.0).then(|| 100.0 * (faulted - nominal).abs() / nominal)
}

/// STR: success rate in percent over tool calls of successful episodes (CYC-060).
#[must_use]
pub fn success_to_calls(success_percent: f64, calls: f64) -> Option<f64> {
    (calls > 0.0).then(|| success_percent / calls)
}

/// Visits of an episode (CYC-061, CYC-065).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// Segments that a routing decision followed (ATS).
    pub total: u32,
    /// Different nodes among them (AUS).
    pub unique: u32,
    /// The rest (ASR).
    pub revisits: u32,
    /// Decisions to stay.
    pub self_loops: u32,
    /// Decisions to go to another node.
    pub moves: u32,
    /// Revisits that brought no state of the environment that was not seen before.
    pub idle_revisits: u32,
}

/// Counts the visits of an episode.
#[must_use]
pub fn visits(trajectory: &Trajectory) -> Visits {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut counts = Visits::default();
    for (segment, routed) in trajectory.visits() {
        counts.total += 1;
        if seen.insert(&segment.node) {
            counts.unique += 1;
        } else {
            counts.revisits += 1;
            let progress = segment.acts.iter().any(|act| act.effect == Effect::New);
            counts.idle_revisits += u32::from(!progress);
        }
        if routed.to == segment.node {
            counts.self_loops += 1;
        } else {
            counts.moves += 1;
        }
    }
    counts
}
