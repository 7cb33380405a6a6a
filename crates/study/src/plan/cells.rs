//! The plan and its cells.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use gimbal_analysis::profile::ActionFacts;
use gimbal_analysis::{CellInfo, Thresholds};
use gimbal_core::{Architecture, Catalogue, ChatModel, Digest, Limits, Milli, RoleSettings, TaskId, canonical};
use serde_json::{Value, json};

use super::artefacts::Artefacts;
use super::file::{Count, StudyFile, TrialChange, Trials};
use super::hashed::{Hashed, object};
use crate::faults::Faults;
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
    /// The canonical text of its identity, written when the first cell asks for it.
    text: OnceLock<String>,
}

impl EnvironmentPart {
    /// The part as keys and seeds use it.
    #[must_use]
    pub fn new(family: Arc<dyn Catalogue>, options: Value, label: String, tasks: Vec<TaskId>) -> Self {
        let environment = canonical::text(&json!({ "name": family.name(), "options": family.environment(&options) }));
        Self { family, options, label, tasks, environment, split: None, text: OnceLock::new() }
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

    /// [`EnvironmentPart::identity`] as canonical text. Cells share it, so that it is asked for when nothing of the part changes any more.
    pub(crate) fn identity_text(&self) -> &str {
        self.text.get_or_init(|| canonical::text(&self.identity()))
    }

    /// What the brief says of outcomes and of actions, for readers of the run; `None` where it cannot be opened.
    pub async fn brief_facts(&self) -> Option<(Thresholds, ActionFacts)> {
        let mut environment = self.family.open(&self.options).ok()?;
        environment.reset(self.tasks.first()?, 0).await.ok()?;
        let brief = environment.brief();
        Some((Thresholds::of(brief), ActionFacts::of(brief)))
    }

    /// Whether rewards are from 0 to 1, so that the mean over episodes is a rate; `false` where the environment cannot be opened or
    /// does not say.
    pub async fn is_rate(&self) -> bool {
        let range = async {
            let mut environment = self.family.open(&self.options).ok()?;
            environment.reset(self.tasks.first()?, 0).await.ok()?;
            environment.brief().reward_range
        };
        range.await.is_some_and(|(least, most)| least >= Milli::ZERO && most <= Milli(1000))
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
    /// What the architecture resolved, shared by its cells.
    pub settings: Arc<Hashed>,
    /// Settings of roles; empty where no model is asked.
    pub roles: BTreeMap<String, RoleSettings>,
    /// What of the models goes into the key, by role.
    pub identities: Value,
    /// Injected faults.
    pub faults: Faults,
    /// Things built before its episodes.
    pub artefacts: Artefacts,
    /// How often every task is run.
    pub count: Count,
    /// Trials of its sessions.
    pub trials: Trials,
}

impl Cell {
    /// What decides the cell's episodes, as one value.
    #[must_use]
    pub fn identity(&self) -> Value {
        let mut identity = json!({
            "architecture": { "base": self.base, "settings": self.settings.value },
            "artefacts": self.artefacts.identity(),
            "environment": self.environment.identity(),
            "faults": self.faults.identity(),
            "roles": self.identities,
        });
        if let Some(sessions) = self.sessions_identity() {
            identity["sessions"] = sessions;
        }
        identity
    }

    /// Tasks that go before a trial decide it. `None` otherwise, so that cells of earlier runs are the same cells.
    fn sessions_identity(&self) -> Option<Value> {
        if self.trials.over != TrialChange::Tasks {
            return None;
        }
        let mut tasks: Vec<&str> = self.environment.tasks.iter().map(|task| task.0.as_str()).collect();
        tasks.sort_unstable();
        let tasks = Digest::of(tasks.join("\n").as_bytes());
        Some(json!({ "over": self.trials.over.name(), "tasks": tasks }))
    }

    /// Hash of the cell's identity with these roles and faults, made of the parts that cells share. With its own it is
    /// [`Cell::hash`] of [`Cell::identity`].
    pub(super) fn hash_with(&self, roles: &Value, faults: &Faults) -> Digest {
        let base = canonical::text(&Value::from(self.base.as_str()));
        let architecture = object(&[("base", &base), ("settings", &self.settings.text)]);
        let [artefacts, faults, roles] = [&self.artefacts.identity(), &faults.identity(), roles].map(canonical::text);
        let sessions = self.sessions_identity().map(|sessions| canonical::text(&sessions));
        let mut members = vec![
            ("architecture", architecture.as_str()),
            ("artefacts", &artefacts),
            ("environment", self.environment.identity_text()),
            ("faults", &faults),
            ("roles", &roles),
        ];
        members.extend(sessions.as_deref().map(|sessions| ("sessions", sessions)));
        Self::hash_text(&object(&members))
    }

    /// What decides how players that look at requests only play the cell: not the names of models, nor the tasks and runs. As the
    /// canonical text of a list.
    pub(crate) fn manner(&self) -> String {
        let of = |(role, settings): (&String, &RoleSettings)| {
            (role.clone(), json!([settings.decoding, settings.sampling.max_output_tokens]))
        };
        let roles: serde_json::Map<String, Value> = self.roles.iter().map(of).collect();
        let beside = canonical::text(&json!([self.base, roles, self.artefacts.identity()]));
        format!("[{},{},{beside}]", self.environment.identity_text(), self.settings.text)
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
        Self::hash_text(&canonical::text(identity))
    }

    fn hash_text(identity: &str) -> Digest {
        Digest::of_parts(&[b"gimbal/cell/v1", identity.as_bytes()])
    }
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
