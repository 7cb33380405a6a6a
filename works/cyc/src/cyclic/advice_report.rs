//! What `gimbal advise --json` says.

use serde::Serialize;

use super::advise::{Controller, Regime, WorkflowSignature};
use super::check::Stratum;

/// The measures of a family of tasks, the advice, and what a run found about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdviceReport {
    /// What the run found, one entry a kind of faults; `None` without a run.
    pub found: Option<Vec<Stratum>>,
    /// The family: an environment.
    pub environment: String,
    /// The split whose tasks were probed; `None` if the environment has none.
    pub split: Option<String>,
    /// Tasks that were probed.
    pub tasks: u64,
    /// Tasks that the environment's expert solved.
    pub solved: u64,
    /// What the measures are too few to say.
    pub warnings: Vec<String>,
    /// What the family is like.
    pub signature: WorkflowSignature,
    /// Share of disturbed plays that were won nevertheless; `None` if no play was disturbed.
    pub mendable: Option<f64>,
    /// Of those, the share in which something had to be gone back to; `None` if there are none.
    pub backtracking: Option<f64>,
    /// The nearest regime.
    pub regime: Regime,
    /// Controllers to deploy, the first one first.
    pub recommended: Vec<Controller>,
    /// The next nearest regime.
    pub next: Regime,
    /// How much farther off that one is, in the units of the measures.
    pub margin: f64,
    /// Why, one sentence a measure.
    pub reasons: Vec<String>,
}
