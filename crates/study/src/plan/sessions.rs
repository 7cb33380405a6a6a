//! Sessions of a plan, and the keys and seeds of their episodes.

use gimbal_core::{Digest, TaskId, seed};

use super::cells::{Cell, Plan};
use super::file::TrialChange;
use crate::run::EpisodeId;

/// A session: an ordered list of trials that share memory. The unit of scheduling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Place of its cell in the plan.
    pub cell: usize,
    /// Run, from 0.
    pub run: u32,
    /// Its trials, in order.
    pub trials: Vec<EpisodeId>,
}

/// The seed of a session: from study seed, what decides the environment, task and run, and from nothing of the architecture or
/// the roles. Compared cells meet the same environments.
#[must_use]
pub fn session_seed(study_seed: u64, environment: &str, task: &TaskId, run: u32) -> u64 {
    seed::derive(&[
        b"gimbal/session/v1",
        &study_seed.to_be_bytes(),
        environment.as_bytes(),
        task.0.as_bytes(),
        &run.to_be_bytes(),
    ])
}

/// The seed of a trial of a session. Where a session goes over seeds, the first trial has the session's own and each later one has
/// another; where it goes over tasks, each trial has the seed that its task would have alone in this run.
#[must_use]
pub fn trial_seed(over: TrialChange, session: u64, trial: u32) -> u64 {
    match over {
        TrialChange::Seeds if trial > 0 => {
            seed::derive(&[b"gimbal/trial/v1", &session.to_be_bytes(), &trial.to_be_bytes()])
        }
        TrialChange::Same | TrialChange::Seeds | TrialChange::Tasks => session,
    }
}

/// The tasks of a session that goes over tasks, in its order: by the hash of each with study seed, environment and run. Which of two
/// tasks comes first depends on no other task, and is the same in all compared cells.
#[must_use]
pub fn task_order<'a>(study_seed: u64, environment: &str, tasks: &'a [TaskId], run: u32) -> Vec<&'a TaskId> {
    let place = |task: &TaskId| {
        let (study_seed, run) = (study_seed.to_be_bytes(), run.to_be_bytes());
        seed::derive(&[b"gimbal/order/v1", &study_seed, environment.as_bytes(), task.0.as_bytes(), &run])
    };
    let mut order: Vec<&TaskId> = tasks.iter().collect();
    order.sort_by_cached_key(|task| (place(task), &task.0));
    order
}

/// The key of an episode: from everything that decides it.
#[must_use]
pub fn episode_key(cell: &Digest, task: &TaskId, seed: u64, trial: u32) -> Digest {
    let (seed, trial) = (seed.to_be_bytes(), trial.to_be_bytes());
    Digest::of_parts(&[b"gimbal/episode/v1", &cell.0, task.0.as_bytes(), &seed, &trial])
}

impl Cell {
    /// Trials of each of its sessions.
    #[must_use]
    pub fn trials_of_session(&self) -> u32 {
        self.trials.of(self.environment.tasks.len())
    }

    /// Sessions of each run: one for each task, or one that goes over the tasks.
    fn sessions_of_run(&self) -> usize {
        match self.trials.over {
            TrialChange::Same | TrialChange::Seeds => self.environment.tasks.len(),
            TrialChange::Tasks => self.environment.tasks.len().min(1),
        }
    }

    /// Its sessions, without regard to a limit from the command line.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        u64::from(self.count.runs).saturating_mul(self.sessions_of_run() as u64)
    }

    /// Its episodes, without regard to a limit from the command line.
    #[must_use]
    pub fn episodes(&self) -> u64 {
        self.sessions().saturating_mul(u64::from(self.trials_of_session()))
    }
}

impl Plan {
    /// The sessions of all cells, run by run, so that every cell advances at the same pace. Made one by one: memory does
    /// not grow with the number of episodes.
    pub fn sessions(&self) -> impl Iterator<Item = Session> + Send + '_ {
        let most = self.cells.iter().map(Cell::sessions_of_run).max().unwrap_or(0);
        let runs = self.cells.iter().map(|cell| cell.count.runs).max().unwrap_or(0);
        (0..runs).flat_map(move |run| {
            (0..most).flat_map(move |place| {
                self.cells.iter().enumerate().filter_map(move |(cell, _)| self.session(cell, place, run))
            })
        })
    }

    fn session(&self, number: usize, place: usize, run: u32) -> Option<Session> {
        let cell = &self.cells[number];
        if run >= cell.count.runs || place >= cell.sessions_of_run() {
            return None;
        }
        let before = u64::from(run) * cell.sessions_of_run() as u64 + place as u64;
        if self.limit.is_some_and(|limit| before >= limit) {
            return None;
        }
        let trials = 0..cell.trials_of_session();
        let trials = match cell.trials.over {
            TrialChange::Same | TrialChange::Seeds => {
                let task = cell.environment.tasks.get(place)?;
                trials.map(|trial| self.episode(cell, task, run, trial)).collect()
            }
            TrialChange::Tasks => {
                let part = &cell.environment;
                let order = task_order(self.study.episodes.seed, &part.environment, &part.tasks, run);
                trials.zip(order).map(|(trial, task)| self.episode(cell, task, run, trial)).collect()
            }
        };
        Some(Session { cell: number, run, trials })
    }

    /// Key and seed of an episode.
    #[must_use]
    pub fn episode(&self, cell: &Cell, task: &TaskId, run: u32, trial: u32) -> EpisodeId {
        let session = session_seed(self.study.episodes.seed, &cell.environment.environment, task, run);
        let seed = trial_seed(cell.trials.over, session, trial);
        let key = episode_key(&cell.key, task, seed, trial);
        EpisodeId { key, cell: cell.info.id.clone(), task: task.0.clone(), run, trial, seed }
    }

    /// Sessions of one cell.
    #[must_use]
    pub fn sessions_of(&self, cell: &Cell) -> u64 {
        self.limit.map_or(cell.sessions(), |limit| cell.sessions().min(limit))
    }

    /// Episodes of one cell.
    #[must_use]
    pub fn episodes_of(&self, cell: &Cell) -> u64 {
        self.sessions_of(cell).saturating_mul(u64::from(cell.trials_of_session()))
    }

    /// Episodes of all cells.
    #[must_use]
    pub fn episodes(&self) -> u64 {
        self.cells.iter().map(|cell| self.episodes_of(cell)).sum()
    }
}
