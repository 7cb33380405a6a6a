//! Progress events of a run.

use serde::Serialize;

use crate::run::Rebuilt;

/// Something that happened in a run, for a terminal, a log or a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Progress {
    /// The index of the run was missing and was rebuilt from journals and ledger.
    IndexRebuilt(Rebuilt),
    /// Something is wrong with the files there, and the run goes on without loss.
    Warning {
        /// What, and what it means.
        text: String,
    },
    /// What to know of the run: a bound that holds, how a model was asked.
    Note {
        /// What.
        text: String,
    },
    /// The run began.
    Started {
        /// Name of the study.
        study: String,
        /// Run folder.
        folder: String,
        /// Cells.
        cells: usize,
        /// Episodes planned.
        planned: u64,
        /// Episodes that were finished before.
        already: u64,
        /// Episodes whose journals were lost, and which are played again.
        lost: u64,
        /// Sessions at once, at most.
        jobs: usize,
    },
    /// An episode is finished and durable.
    Finished {
        /// Cell.
        cell: String,
        /// Task.
        task: String,
        /// Run, from 0.
        run: u32,
        /// Trial, from 0.
        trial: u32,
        /// Return in thousandths.
        return_thousandths: i64,
        /// Steps.
        steps: u32,
        /// How it stopped.
        stop: &'static str,
        /// Tokens as called, input and output.
        tokens: u64,
    },
    /// An attempt failed for a reason that is not the agent's, and the episode is played again.
    Retrying {
        /// Cell.
        cell: String,
        /// Task.
        task: String,
        /// Run, from 0.
        run: u32,
        /// Attempts made.
        attempts: u32,
        /// Why.
        detail: String,
    },
    /// An episode could not be played in as many attempts as there are.
    Failed {
        /// Cell.
        cell: String,
        /// Task.
        task: String,
        /// Run, from 0.
        run: u32,
        /// Why.
        detail: String,
    },
    /// A model is asked no more in this run: no request to it can succeed. Its episodes stay to be played. Told once.
    Closed {
        /// Model.
        model: String,
        /// Why, and how to fix it.
        detail: String,
    },
    /// A cell reached its own limit: none of its episodes is begun any more in this run, the others go on. Told once.
    Full {
        /// Cell.
        cell: String,
        /// Which limit, and how to go on.
        detail: String,
    },
    /// The state of the run; about twice a second.
    Tick(RunStatus),
    /// The episodes in play that began first; with every tick, where there are any.
    Playing {
        /// The episodes.
        episodes: Vec<Playing>,
    },
    /// The run ended.
    Ended {
        /// `done`, `incomplete`, `limit` or `interrupted`.
        how: &'static str,
        /// The state of the run.
        run_status: RunStatus,
    },
}

/// An episode in play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Playing {
    /// Cell.
    pub cell: String,
    /// Task.
    pub task: String,
    /// Run, from 0.
    pub run: u32,
    /// Steps taken.
    pub step: u32,
    /// Steps that the environment allows; 0 where it has no horizon, or before the first step.
    pub horizon: u32,
    /// Reward of the last step in thousandths.
    pub reward_thousandths: i64,
    /// Sum of rewards so far in thousandths.
    pub total_thousandths: i64,
    /// Seconds since the attempt began.
    pub seconds: f64,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RunStatus {
    /// Episodes finished, earlier calls of the run included.
    pub done: u64,
    /// Episodes planned.
    pub planned: u64,
    /// Sessions under way.
    pub in_flight: u64,
    /// Attempts that failed for reasons that are not the agent's.
    pub errors: u64,
    /// Episodes a second since this call began.
    pub per_second: f64,
    /// Cost so far in millionths of a dollar, as billed; models without a price count nothing.
    pub cost_microdollars: u64,
    /// Tokens so far, as billed.
    pub tokens: u64,
    /// Requests so far of unknown cost: they left, and no complete answer came.
    pub unknown_requests: u64,
    /// Seconds since this call began.
    pub seconds: f64,
    /// Seconds left at the pace so far, once every model has played something; it never grows because one waits.
    pub seconds_left: Option<f64>,
}
