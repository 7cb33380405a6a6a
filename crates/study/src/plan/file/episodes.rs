//! The sections `tasks` and `episodes` of a study: which episodes are played.

use gimbal_core::nearest;
use gimbal_core::yaml::{Kind, Location, Node};
use serde_json::{Value, json};

use super::{Count, Episodes, Extended, Tasks};
use crate::plan::error::Problem;
use crate::plan::members::{Members, items, small, string, whole};

/// The trials of a session: episodes one after another that share [`Stage::memory`](gimbal_core::Stage::memory) and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trials {
    /// How many; `None` for all tasks of the cell, where a session goes over tasks.
    pub number: Option<u32>,
    /// What changes from one trial to the next.
    pub over: TrialChange,
}

/// What changes from one trial of a session to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrialChange {
    /// Nothing: each trial has the same task and the same seed.
    #[default]
    Same,
    /// The seed: each trial has the same task and a seed of its own.
    Seeds,
    /// The task: the trials are tasks of the cell, in an order that the study's seed decides for each run.
    Tasks,
}

impl TrialChange {
    /// Its name in a study.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Seeds => "seeds",
            Self::Tasks => "tasks",
        }
    }
}

impl Trials {
    /// One trial with nothing before it.
    pub const ONE: Self = Self { number: Some(1), over: TrialChange::Same };

    /// Trials of a session of a cell with so many tasks.
    #[must_use]
    pub fn of(&self, tasks: usize) -> u32 {
        self.number.unwrap_or_else(|| u32::try_from(tasks).unwrap_or(u32::MAX))
    }

    /// As the frame of a run holds them: a number where each trial is the same episode.
    #[must_use]
    pub fn frame(&self) -> Value {
        match self.over {
            TrialChange::Same => json!(self.number),
            over => json!({ "number": self.number, "over": over.name() }),
        }
    }

    /// What changes from trial to trial, by the frame of a run.
    #[must_use]
    pub fn over_of(frame: &Value) -> TrialChange {
        let over = frame.get("trials").and_then(|trials| trials.get("over")?.as_str());
        [TrialChange::Seeds, TrialChange::Tasks]
            .into_iter()
            .find(|known| Some(known.name()) == over)
            .unwrap_or_default()
    }
}

impl Count {
    fn of(instances: u32, runs: u32) -> Self {
        Self { runs: instances.saturating_mul(runs), block: Some(runs) }
    }
}

impl Episodes {
    /// How often every task is run, where no entry says otherwise.
    #[must_use]
    pub fn count(&self) -> Count {
        match self.instances {
            Some(instances) => Count::of(instances, self.runs),
            None => Count { runs: self.runs, block: None },
        }
    }

    /// The same for the cells that an entry names.
    #[must_use]
    pub fn count_of(&self, entry: &Extended) -> Count {
        match (entry.instances, entry.runs) {
            (Some(instances), runs) => Count::of(instances, runs.unwrap_or(self.runs)),
            // More or fewer runs of the same kind: instances stay as long as they are.
            (None, runs) => Count { runs: runs.unwrap_or(self.runs), ..self.count() },
        }
    }
}

impl Default for Episodes {
    fn default() -> Self {
        let (tasks, extended, counted_at) = (Tasks::default(), Vec::new(), Location::default());
        Self { tasks, runs: 1, instances: None, extended, trials: Trials::ONE, seed: 0, counted_at }
    }
}

/// Tasks by name, or those of a split.
pub(super) fn tasks(node: &Node, file: &str) -> Result<Tasks, Problem> {
    let Kind::Map(_) = &node.kind else {
        let names = items(node).into_iter().map(|node| string(node, file, "a task")).collect::<Result<_, _>>()?;
        return Ok(Tasks { names, at: node.at, ..Tasks::default() });
    };
    let mut members = Members::of(node, file, "`tasks`")?;
    let split = members.get("split").map(|node| string(node, file, "`split`")).transpose()?;
    let limit = members.get("limit").map(|node| whole(node, file, "`limit`", 1)).transpose()?;
    members.finish()?;
    Ok(Tasks { split, names: Vec::new(), limit, at: node.place("split") })
}

/// The section `episodes`.
pub(super) fn episodes(node: &Node, file: &str) -> Result<Episodes, Problem> {
    let mut members = Members::of(node, file, "`episodes`")?;
    let everywhere = Tasks { at: node.at, ..Tasks::default() };
    let mut episodes = Episodes { tasks: everywhere, counted_at: node.at, ..Episodes::default() };
    if let Some(node) = members.get("tasks") {
        episodes.tasks = tasks(node, file)?;
    }
    if let Some(node) = members.get("runs") {
        episodes.runs = small(node, file, "`runs`", 1)?;
        episodes.counted_at = node.at;
    }
    if let Some(node) = members.get("instances") {
        episodes.instances = Some(small(node, file, "`instances`", 1)?);
        episodes.counted_at = node.at;
    }
    if let Some(node) = members.get("extended") {
        episodes.extended = items(node).into_iter().map(|node| extended(node, file)).collect::<Result<_, _>>()?;
    }
    if let Some(node) = members.get("trials") {
        episodes.trials = trials(node, file)?;
        if episodes.trials.number.is_none_or(|number| number > episodes.runs) {
            episodes.counted_at = node.at;
        }
    }
    if let Some(node) = members.get("seed") {
        episodes.seed = whole(node, file, "`seed`", 0)?;
    }
    members.finish()?;
    Ok(episodes)
}

/// `trials: N`, or `{ number: N, over: same | seeds | tasks }`.
fn trials(node: &Node, file: &str) -> Result<Trials, Problem> {
    let Kind::Map(_) = &node.kind else {
        return Ok(Trials { number: Some(small(node, file, "`trials`", 1)?), over: TrialChange::Same });
    };
    let mut members = Members::of(node, file, "`trials`")?;
    let number = members.get("number").map(|node| small(node, file, "`number`", 1)).transpose()?;
    let over = members.get("over").map(|node| Ok((string(node, file, "`over`")?, node.at))).transpose()?;
    members.finish()?;
    let known = [TrialChange::Same, TrialChange::Seeds, TrialChange::Tasks];
    let over = match over {
        None => TrialChange::Same,
        Some((name, at)) => known.into_iter().find(|over| over.name() == name).ok_or_else(|| {
            let hint = nearest::hint_among(&name, &known.map(TrialChange::name));
            Problem::at(file, at, format!("`over` says what changes from trial to trial, and is `{name}`{hint}"))
        })?,
    };
    if number.is_none() && over != TrialChange::Tasks {
        let what = "`trials` needs `number`; only with `over: tasks` it may be left out, for all tasks of a cell";
        return Err(Problem::at(file, node.at, what));
    }
    Ok(Trials { number, over })
}

fn extended(node: &Node, file: &str) -> Result<Extended, Problem> {
    let mut members = Members::of(node, file, "an entry of `extended`")?;
    let mut named = |key: &'static str| {
        let found = members.get(key);
        found.map(|node| Ok((string(node, file, &format!("`{key}`"))?, node.at))).transpose()
    };
    let (configuration, model) = (named("configuration")?, named("model")?);
    let mut number = |key: &'static str| {
        let found = members.get(key);
        found.map(|node| small(node, file, &format!("`{key}`"), 1)).transpose()
    };
    let (instances, runs) = (number("instances")?, number("runs")?);
    members.finish()?;
    if configuration.is_none() && model.is_none() {
        let what = "an entry of `extended` names cells: give `configuration`, `model` or both";
        return Err(Problem::at(file, node.at, what));
    }
    if instances.is_none() && runs.is_none() {
        let what = "an entry of `extended` sets a number: give `runs`, or `instances` and `runs`";
        return Err(Problem::at(file, node.at, what));
    }
    Ok(Extended { configuration, model, instances, runs, at: node.at })
}
