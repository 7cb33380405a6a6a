//! The sections `tasks` and `episodes` of a study: which episodes are played.

use gimbal_core::yaml::{At, Kind, Node};

use super::{Count, Episodes, Extended, Tasks};
use crate::plan::error::Problem;
use crate::plan::members::{Members, items, small, string, whole};

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
        let (tasks, extended, counted_at) = (Tasks::default(), Vec::new(), At::default());
        Self { tasks, runs: 1, instances: None, extended, trials: 1, seed: 0, counted_at }
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
        episodes.trials = small(node, file, "`trials`", 1)?;
        if episodes.trials > episodes.runs {
            episodes.counted_at = node.at;
        }
    }
    if let Some(node) = members.get("seed") {
        episodes.seed = whole(node, file, "`seed`", 0)?;
    }
    members.finish()?;
    Ok(episodes)
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
