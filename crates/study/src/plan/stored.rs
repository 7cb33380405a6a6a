//! The study as resolved, as a run folder keeps it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gimbal_analysis::CellInfo;
use gimbal_analysis::profile::ActionFacts;
use gimbal_core::{Digest, TaskId, canonical};
use gimbal_model::Price;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::artefacts::StoredArtefact;
use super::cells::{Cell, EnvironmentPart, Plan};
use super::sessions::episode_key;
use crate::run::{EpisodeId, FORMAT, RunError, StudyLimits};

/// The study as resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Version of the stored form.
    pub format: u32,
    /// Version of the program that wrote this.
    pub program: String,
    /// Name of the study.
    pub study: String,
    /// A sentence on what the study asks.
    pub description: Option<String>,
    /// Hash of the study file's text.
    pub file_hash: Digest,
    /// What decides all episodes beside their cells: seed, tasks, trials, limits.
    pub frame: Value,
    /// Runs of every task, as far as they were ever asked for; of the cell with the most.
    pub runs: u32,
    /// Label of the cell that paired differences are taken against.
    pub baseline: Option<String>,
    /// Files of the user's own that took the place of built-in ones, in any call of the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
    /// Limits of the study.
    pub limits: StudyLimits,
    /// Limits of every cell.
    #[serde(default, skip_serializing_if = "is_unlimited")]
    pub cell_limits: StudyLimits,
    /// Cells in the order of the study.
    pub cells: Vec<StoredCell>,
    /// Cells of which something was played and which are no longer in the study; their names hold their keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<StoredCell>,
    /// Limits of an episode that were in force before the present ones, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_limits: Vec<EarlierLimits>,
    /// Which of the tasks belong to which part of their family's data, by the family's name. Runs that were kept before
    /// parts were kept have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, Vec<StoredPart>>,
    /// The price table in force, for the models that the study names. A model without one has no known price.
    pub prices: BTreeMap<String, Price>,
    /// The study file as written.
    pub text: String,
}

fn is_unlimited(limits: &StudyLimits) -> bool {
    *limits == StudyLimits::default()
}

/// A part of a family's tasks as a run has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPart {
    /// The set of data, such as `depth 2`.
    pub set: String,
    /// The part within it, such as `test 1`.
    pub name: String,
    /// Whether its tasks are for training.
    #[serde(default)]
    pub train: bool,
    /// Tasks of the whole part.
    pub size: u32,
    /// Those of them that the study plays.
    pub tasks: BTreeSet<String>,
}

/// Limits of an episode under which some episodes of a run were played, before they were changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierLimits {
    /// The last segment of journals that was written under them.
    pub until: u32,
    /// The limits.
    pub limits: Value,
}

/// The parts of the environments of these cells, by the environment's name: those of all its options together. A split whose
/// data are not there has no task that is played.
fn parts(cells: &[&Cell]) -> BTreeMap<String, Vec<StoredPart>> {
    let mut known: BTreeMap<String, Vec<StoredPart>> = BTreeMap::new();
    let mut seen: Vec<*const EnvironmentPart> = Vec::new();
    for cell in cells {
        if seen.contains(&Arc::as_ptr(&cell.environment)) {
            continue;
        }
        seen.push(Arc::as_ptr(&cell.environment));
        let EnvironmentPart { family, options, tasks: played, .. } = &*cell.environment;
        let played: BTreeSet<&TaskId> = played.iter().collect();
        for part in family.parts() {
            let Ok(all) = family.tasks(part.split, options) else { continue };
            let tasks = all.iter().filter(|task| played.contains(task)).map(|task| task.0.clone());
            let stored = StoredPart {
                set: part.set.to_owned(),
                name: part.name.to_owned(),
                train: part.train,
                size: u32::try_from(all.len()).unwrap_or(u32::MAX),
                tasks: tasks.collect(),
            };
            if stored.tasks.is_empty() {
                continue;
            }
            let of_family = known.entry(family.name().to_owned()).or_default();
            match of_family.iter_mut().find(|known| (&known.set, &known.name) == (&stored.set, &stored.name)) {
                Some(known) => known.tasks.extend(stored.tasks),
                None => of_family.push(stored),
            }
        }
    }
    known
}

/// A cell as resolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredCell {
    /// Hash of its identity; the root of its episodes' keys.
    pub key: Digest,
    /// What tables need.
    pub info: CellInfo,
    /// What decides its environment, except for task and run. The stored name is older than this one.
    #[serde(rename = "world")]
    pub environment: String,
    /// Roles that the environment asks, not the agent.
    pub asks: Vec<String>,
    /// Everything that decides its episodes.
    pub identity: Value,
    /// What its environment's brief says of actions: what detectors know of an environment.
    #[serde(default)]
    pub actions: ActionFacts,
    /// Runs of an instance; `None` where the study has no instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Things built before its episodes: names, files and digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<StoredArtefact>,
}

impl StoredCell {
    fn of(cell: &Cell) -> Self {
        Self {
            key: cell.key,
            info: cell.info.clone(),
            environment: cell.environment.environment.clone(),
            asks: cell.environment.family.offers().asks,
            identity: cell.identity(),
            actions: ActionFacts::default(),
            block: cell.count.block,
            artefacts: cell.artefacts.stored(),
        }
    }

    /// The instance that a run belongs to, from 0.
    #[must_use]
    pub fn instance(&self, run: u32) -> u32 {
        self.block.map_or(0, |block| run / block.max(1))
    }
}

impl Stored {
    /// What a run folder keeps of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let study = &plan.study;
        let mut cells: Vec<&Cell> = plan.cells.iter().chain(&plan.left_out).collect();
        cells.sort_by_key(|cell| cell.place);
        // There is one list for all, unless environments name their own.
        let own = study.environments.iter().any(|named| named.tasks.is_some());
        let heard = if own { cells.len() } else { 1 };
        let mut lists: Vec<&[TaskId]> = Vec::new();
        for cell in cells.iter().take(heard) {
            if !lists.contains(&cell.environment.tasks.as_slice()) {
                lists.push(&cell.environment.tasks);
            }
        }
        let tasks: Vec<&str> = lists.into_iter().flatten().map(|task| task.0.as_str()).collect();
        let prices = plan.models.iter().filter_map(|(name, facts)| Some((name.clone(), facts.price.clone()?)));
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            study: study.name.clone(),
            description: study.description.clone(),
            file_hash: Digest::of(study.text.as_bytes()),
            frame: json!({
                "limits": study.episode_limits, "seed": study.episodes.seed.to_string(),
                "tasks": Digest::of(tasks.join("\n").as_bytes()).short(), "trials": study.episodes.trials.frame(),
            }),
            runs: plan.cells.iter().chain(&plan.left_out).map(|cell| cell.count.runs).fold(plan.runs, u32::max),
            baseline: study.baseline.as_ref().map(|(label, _)| label.clone()),
            overrides: plan.overrides.clone(),
            limits: study.study_limits,
            cell_limits: study.cell_limits,
            parts: parts(&cells),
            cells: cells.into_iter().map(StoredCell::of).collect(),
            past: Vec::new(),
            earlier_limits: Vec::new(),
            prices: prices.collect(),
            text: study.text.clone(),
        }
    }

    /// The file's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let plain = serde_saphyr::to_string(self).unwrap_or_default();
        // JSON is YAML too: where the pretty form does not read back, it is kept.
        if Self::parse(&plain).as_ref() == Some(self) {
            return plain;
        }
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.rfind(crate::run::folder::SEAL).map_or(text, |seal| &text[..seal]);
        if text.starts_with('{') { serde_json::from_str(text).ok() } else { serde_saphyr::from_str(text).ok() }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When it is damaged or of another format.
    pub fn read(folder: &crate::run::RunFolder) -> Result<Self, RunError> {
        let (text, path) = (folder.study()?, folder.root().join(crate::run::STUDY));
        if let Some(stored) = Self::parse(&text).filter(|stored| stored.format == FORMAT) {
            return Ok(stored);
        }
        #[derive(Deserialize)]
        struct Versions {
            format: u32,
            program: String,
        }
        match serde_saphyr::from_str::<Versions>(&text) {
            Ok(found) if found.format != FORMAT => {
                Err(RunError::Format { path, found: found.format.to_string(), known: FORMAT, program: found.program })
            }
            _ => Err(RunError::StudyDamaged { path }),
        }
    }

    /// Whether a run of this study may go on as `now`. Cells may come, go, change and be renamed, and so may limits: nothing
    /// that was paid for is lost by that. Another seed, other tasks or other trials are another study.
    ///
    /// # Errors
    /// What has changed, and what to do.
    pub fn may_become(&self, now: &Self, root: &std::path::Path) -> Result<(), RunError> {
        let names = ["seed", "tasks", "trials"];
        let changed: Vec<String> = names
            .iter()
            .filter(|name| self.frame.get(**name) != now.frame.get(**name))
            .map(|name| format!("`{name}`"))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        Err(RunError::Changed(format!(
            "{}: the study has changed since this run began: {}; no finished episode would belong to it any more, and a run \
             folder has one seed, one set of tasks and one number of trials, by which the runs of its episodes are found and paired: give the \
             changed study another name, run it into another folder with --runs, or go on with the old one ({} in the run \
             folder holds its text)",
            root.display(),
            changed.join(", "),
            crate::run::STUDY,
        )))
    }

    /// What of the study has changed in `now` beside growth, in words; empty where nothing has. Cells that another version of
    /// the program played are not among it ([`Stored::other_versions`]).
    #[must_use]
    pub fn changes(&self, now: &Self) -> Vec<String> {
        let mut told = Vec::new();
        for cell in self.gone(now).filter(|cell| now.other_versions(cell).is_empty()) {
            let same = now.cells.iter().find(|other| other.info.id == cell.info.id);
            told.push(match same {
                Some(other) => format!(
                    "the cell `{}` is another one now ({})",
                    cell.info.id,
                    difference(&cell.identity, &other.identity)
                ),
                None => format!("the cell `{}` is no longer in it", cell.info.id),
            });
        }
        for (cell, other) in self.cells.iter().filter_map(|cell| {
            let other = now.cells.iter().find(|other| other.key == cell.key)?;
            (other.info.id != cell.info.id).then_some((cell, other))
        }) {
            told.push(format!("the cell `{}` is called `{}` now", cell.info.id, other.info.id));
        }
        if self.frame.get("limits") != now.frame.get("limits") {
            told.push("episodes that are not played yet have other `limits`".to_owned());
        }
        told
    }

    /// The cells of which `now` has none with their key.
    pub fn gone<'s>(&'s self, now: &'s Self) -> impl Iterator<Item = &'s StoredCell> {
        self.cells.iter().filter(move |cell| now.cells.iter().all(|other| other.key != cell.key))
    }

    /// The present name of the cell that an episode belongs to, and whether the cell is in the study; `None` where no cell
    /// that was ever in it gives the episode's key.
    #[must_use]
    pub fn cell_of(&self, id: &EpisodeId) -> Option<(String, bool)> {
        let task = TaskId(id.task.clone());
        let is_its = |cell: &&StoredCell| episode_key(&cell.key, &task, id.seed, id.trial) == id.key;
        let all = || self.cells.iter().map(|cell| (cell, true)).chain(self.past.iter().map(|cell| (cell, false)));
        // Nearly always it is the cell of that name.
        let named = all().filter(|(cell, _)| cell.info.id == id.cell).find(|(cell, _)| is_its(cell));
        let (cell, current) = named.or_else(|| all().find(|(cell, _)| is_its(cell)))?;
        Some((cell.info.id.clone(), current))
    }

    /// What this and a later call of the same study keep together; `until` is the last segment that was written.
    #[must_use]
    pub fn merged(&self, now: &Self, until: u32) -> Self {
        let mut merged = now.clone();
        merged.runs = merged.runs.max(self.runs);
        let gone = |cell: &&StoredCell| now.cells.iter().all(|other| other.key != cell.key);
        merged.past = self.past.iter().filter(gone).cloned().collect();
        for cell in self.cells.iter().filter(gone) {
            let mut cell = cell.clone();
            cell.info.id = format!("{} [{}]", cell.info.id, cell.key.short());
            merged.past.push(cell);
        }
        for file in &self.overrides {
            if !merged.overrides.contains(file) {
                merged.overrides.push(file.clone());
            }
        }
        merged.earlier_limits.clone_from(&self.earlier_limits);
        let before = self.frame.get("limits").cloned().unwrap_or_default();
        let told = self.earlier_limits.last().map_or(0, |earlier| earlier.until);
        if Some(&before) != now.frame.get("limits") && until > told {
            merged.earlier_limits.push(EarlierLimits { until, limits: before });
        }
        for cell in &mut merged.cells {
            let mut known = self.cells.iter().chain(&self.past);
            if let Some(before) = known.find(|before| before.key == cell.key) {
                cell.info.planned = cell.info.planned.max(before.info.planned);
                cell.info.thresholds = before.info.thresholds;
                if before.actions != ActionFacts::default() {
                    cell.actions = before.actions.clone();
                }
            }
        }
        for (name, parts) in &self.parts {
            merged.parts.entry(name.clone()).or_insert_with(|| parts.clone());
        }
        for (name, price) in &self.prices {
            merged.prices.entry(name.clone()).or_insert_with(|| price.clone());
        }
        merged
    }
}

/// The first thing in which two identities differ, as a path.
fn difference(before: &Value, now: &Value) -> String {
    if let (Value::Object(before), Value::Object(now)) = (before, now) {
        let keys: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        for key in keys {
            let (left, right) = (before.get(key).unwrap_or(&Value::Null), now.get(key).unwrap_or(&Value::Null));
            if canonical::text(left) != canonical::text(right) {
                let below = difference(left, right);
                return if below.is_empty() { key.clone() } else { format!("{key}.{below}") };
            }
        }
    }
    String::new()
}
