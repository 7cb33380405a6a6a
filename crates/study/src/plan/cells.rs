//! The plan: cells, sessions, keys and seeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::profile::ActionFacts;
use gimbal_analysis::{CellInfo, Thresholds};
use gimbal_core::{Architecture, Catalogue, ChatModel, Digest, Limits, RoleSettings, TaskId, canonical, seed};
use serde_json::{Value, json};

use super::file::{Count, StudyFile};
use crate::faults::Faults;
use crate::run::EpisodeId;
use crate::stage::Role;

/// An environment as the cells of a study share it.
pub struct EnvironmentPart {
    /// The family.
    pub family: Arc<dyn Catalogue>,
    /// Options with every default written out.
    pub options: Value,
    /// What tables call it.
    pub label: String,
    /// Tasks, in order.
    pub tasks: Vec<TaskId>,
    /// What decides the environment except for task and run, as canonical JSON (see [`Catalogue::environment`]): options that only
    /// change how the environment is shown are left out, so that cells that differ in them are paired.
    pub environment: String,
    /// The split of its tasks, where the study plays the same environment on several: each is a part of its own.
    pub split: Option<String>,
}

impl EnvironmentPart {
    /// The part as keys and seeds use it.
    #[must_use]
    pub fn new(family: Arc<dyn Catalogue>, options: Value, label: String, tasks: Vec<TaskId>) -> Self {
        let environment = canonical::text(&json!({ "name": family.name(), "options": family.environment(&options) }));
        Self { family, options, label, tasks, environment, split: None }
    }

    /// What keys hold of it.
    #[must_use]
    pub fn identity(&self) -> Value {
        let mut identity =
            json!({ "behaviour": self.family.behaviour(), "name": self.family.name(), "options": self.options });
        // Absent where a study has one split of it, so that cells of earlier runs are the same cells.
        if let Some(split) = &self.split {
            identity["split"] = split.as_str().into();
        }
        identity
    }

    /// What the brief says of outcomes and of actions, for readers of the run; `None` where it cannot be opened.
    pub async fn brief_facts(&self) -> Option<(Thresholds, ActionFacts)> {
        let mut environment = self.family.open(&self.options).ok()?;
        environment.reset(self.tasks.first()?, 0).await.ok()?;
        let brief = environment.brief();
        Some((Thresholds::of(brief), ActionFacts::of(brief)))
    }
}

/// A cell: environment x architecture x roles x faults.
#[derive(Clone)]
pub struct Cell {
    /// Place in the study, from 0.
    pub place: usize,
    /// Id, label and what tables need.
    pub info: CellInfo,
    /// Hash of everything that decides its episodes, but for task, seed and trial.
    pub key: Digest,
    /// Environment.
    pub environment: Arc<EnvironmentPart>,
    /// Registry name of the architecture.
    pub base: String,
    /// Architecture.
    pub architecture: Arc<dyn Architecture>,
    /// Settings of roles; empty where no model is asked.
    pub roles: BTreeMap<String, RoleSettings>,
    /// What of the models goes into the key, by role.
    pub identities: Value,
    /// Injected faults.
    pub faults: Faults,
    /// How often every task is run.
    pub count: Count,
}

impl Cell {
    /// What decides the cell's episodes, as one value.
    #[must_use]
    pub fn identity(&self) -> Value {
        json!({
            "architecture": { "base": self.base, "settings": self.architecture.resolved() },
            "artefacts": [],
            "environment": self.environment.identity(),
            "faults": self.faults.identity(),
            "roles": self.identities,
        })
    }

    /// What decides how players that look at requests only play the cell: not the names of models, nor the tasks and runs.
    pub(crate) fn manner(&self) -> Value {
        let of = |(role, settings): (&String, &RoleSettings)| {
            (role.clone(), json!([settings.decoding, settings.sampling.max_output_tokens]))
        };
        let roles: serde_json::Map<String, Value> = self.roles.iter().map(of).collect();
        json!([self.environment.identity(), self.base, self.architecture.resolved(), roles])
    }

    /// The roles of the cell, all played by one model.
    pub(crate) fn played_by(&self, model: &Arc<dyn ChatModel>) -> Arc<BTreeMap<String, Role>> {
        let role = |(role, settings): (&String, &RoleSettings)| {
            (role.clone(), Role { settings: Arc::new(settings.clone()), model: Arc::clone(model) })
        };
        Arc::new(self.roles.iter().map(role).collect())
    }

    /// Hash of [`Cell::identity`].
    #[must_use]
    pub fn hash(identity: &Value) -> Digest {
        Digest::of_parts(&[b"gimbal/cell/v1", canonical::text(identity).as_bytes()])
    }
}

/// A session: an ordered list of trials that share memory. The unit of scheduling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Place of its cell in the plan.
    pub cell: usize,
    /// Task.
    pub task: TaskId,
    /// Run, from 0.
    pub run: u32,
    /// Its trials, in order.
    pub trials: Vec<EpisodeId>,
}

/// A plan in which everything is valid.
#[derive(Clone)]
pub struct Plan {
    /// The study as written.
    pub study: StudyFile,
    /// Cells in the order of the study.
    pub cells: Vec<Cell>,
    /// Cells that the command line left out, so that a run folder can be compared with the whole study.
    pub left_out: Vec<Cell>,
    /// Runs of every task, for cells without an entry of their own.
    pub runs: u32,
    /// At most this many sessions of each cell.
    pub limit: Option<u64>,
    /// Limits of an episode.
    pub limits: Limits,
    /// Facts of every model that the plan names.
    pub models: BTreeMap<String, gimbal_model::ModelFacts>,
    /// Files of the user's own that took the place of built-in ones, where the program says so.
    pub overrides: Vec<String>,
    /// What to know before the run, but no reason to refuse it.
    pub warnings: Vec<String>,
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

/// The key of an episode: from everything that decides it.
#[must_use]
pub fn episode_key(cell: &Digest, task: &TaskId, seed: u64, trial: u32) -> Digest {
    let (seed, trial) = (seed.to_be_bytes(), trial.to_be_bytes());
    Digest::of_parts(&[b"gimbal/episode/v1", &cell.0, task.0.as_bytes(), &seed, &trial])
}

impl Plan {
    /// The sessions of all cells, run by run, so that every cell advances at the same pace. Made one by one: memory does
    /// not grow with the number of episodes.
    pub fn sessions(&self) -> impl Iterator<Item = Session> + Send + '_ {
        let most = self.cells.iter().map(|cell| cell.environment.tasks.len()).max().unwrap_or(0);
        let runs = self.cells.iter().map(|cell| cell.count.runs).max().unwrap_or(0);
        (0..runs).flat_map(move |run| {
            (0..most).flat_map(move |place| {
                self.cells.iter().enumerate().filter_map(move |(cell, _)| self.session(cell, place, run))
            })
        })
    }

    fn session(&self, number: usize, place: usize, run: u32) -> Option<Session> {
        let cell = &self.cells[number];
        if run >= cell.count.runs {
            return None;
        }
        let tasks = &cell.environment.tasks;
        let task = tasks.get(place)?;
        let before = u64::from(run) * tasks.len() as u64 + place as u64;
        if self.limit.is_some_and(|limit| before >= limit) {
            return None;
        }
        let trials = (0..self.study.episodes.trials).map(|trial| self.episode(cell, task, run, trial)).collect();
        Some(Session { cell: number, task: task.clone(), run, trials })
    }

    /// Key and seed of an episode.
    #[must_use]
    pub fn episode(&self, cell: &Cell, task: &TaskId, run: u32, trial: u32) -> EpisodeId {
        let seed = session_seed(self.study.episodes.seed, &cell.environment.environment, task, run);
        let key = episode_key(&cell.key, task, seed, trial);
        EpisodeId { key, cell: cell.info.id.clone(), task: task.0.clone(), run, trial, seed }
    }

    /// Episodes of one cell.
    #[must_use]
    pub fn episodes_of(&self, cell: &Cell) -> u64 {
        let sessions = u64::from(cell.count.runs).saturating_mul(cell.environment.tasks.len() as u64);
        self.limit.map_or(sessions, |limit| sessions.min(limit)).saturating_mul(u64::from(self.study.episodes.trials))
    }

    /// Episodes of all cells.
    #[must_use]
    pub fn episodes(&self) -> u64 {
        self.cells.iter().map(|cell| self.episodes_of(cell)).sum()
    }
}
