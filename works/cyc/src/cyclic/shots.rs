//! Won episodes that planners are shown (n-shot, CYC-023): which, and what plain code says of each.

use std::collections::BTreeSet;

use serde_json::Value;
use thiserror::Error;

use super::{Graph, Segment, Trajectory};

/// The episodes that are summed up.
#[derive(Clone, Debug)]
pub struct Shots<'w> {
    /// Their environment.
    pub environment: String,
    /// In the order of the run, one a task.
    pub walks: Vec<&'w Trajectory>,
}

/// Why no episode can be shown to a planner.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoShots {
    /// None was won under a graph and without faults.
    #[error(
        "none of the {0} episodes of these cells was won under a graph and without faults: there is nothing to sum up"
    )]
    NoneWon(usize),
    /// None of those that were won is of a task for training.
    #[error(
        "{0} episodes were won under a graph and without faults, but none is of a task for training: what a planner is shown must not come from \
         tasks that are played later; run a study of a split for training, such as `episodes: {{ split: train }}` (`gimbal env NAME tasks --split \
         train` lists it)"
    )]
    NoneForTraining(usize),
    /// They are of several environments.
    #[error("these episodes are of several environments ({}): name a cell of one of them with --cell", .0.join(", "))]
    Several(Vec<String>),
}

/// The first `most` won episodes, one a task: of one environment, under a graph, of cells without faults (`is_faulty` tells by the
/// cell's id), and of tasks for training.
///
/// # Errors
/// When there is none, or they are of several environments.
pub fn shots<'w>(walks: &'w [Trajectory], is_faulty: impl Fn(&str) -> bool, most: usize) -> Result<Shots<'w>, NoShots> {
    let fit = |walk: &&Trajectory| walk.won && walk.graph().is_some() && !is_faulty(&walk.cell);
    let all: Vec<&Trajectory> = walks.iter().filter(fit).collect();
    if all.is_empty() {
        return Err(NoShots::NoneWon(walks.len()));
    }
    let count = all.len();
    let trained: Vec<&Trajectory> =
        all.into_iter().filter(|walk| walk.part.as_ref().is_some_and(|part| part.train)).collect();
    let mut families: BTreeSet<String> = trained.iter().map(|walk| family(walk)).collect();
    let Some(environment) = families.pop_first() else { return Err(NoShots::NoneForTraining(count)) };
    if !families.is_empty() {
        return Err(NoShots::Several(std::iter::once(environment).chain(families).collect()));
    }
    let mut seen = BTreeSet::new();
    let walks = trained.into_iter().filter(|walk| seen.insert((&walk.environment, &walk.task))).take(most).collect();
    Ok(Shots { environment, walks })
}

/// The name of an episode's environment.
fn family(walk: &Trajectory) -> String {
    let environment = serde_json::from_str::<Value>(&walk.environment).unwrap_or_default();
    environment["name"].as_str().unwrap_or(&walk.environment).to_owned()
}

impl Trajectory {
    /// What an episode did, by plain code: its goal, its subtasks in order, the kinds of call in each.
    #[must_use]
    pub fn summary(&self) -> String {
        let goal = self.goal.as_deref().unwrap_or(&self.task).trim();
        let stop = if goal.ends_with(['.', '?', '!']) { "" } else { "." };
        let stretches: Vec<String> = self.segments.iter().map(stretch).collect();
        let what = if stretches.is_empty() { "in one stretch".to_owned() } else { stretches.join(", then ") };
        format!("Task: {goal}{stop} Won with {} calls: {what}.", self.tool_calls)
    }

    /// The goal of a segment's subtask; empty if no graph of the episode has it.
    #[must_use]
    pub fn goal_of(&self, segment: &Segment) -> &str {
        let mut nodes = self.graphs.iter().rev().flat_map(|graph: &Graph| &graph.nodes);
        nodes.find(|node| node.name == segment.node).map_or("", |node| &node.goal)
    }
}

/// A segment with the kinds of its calls, in order of their first.
fn stretch(segment: &Segment) -> String {
    let mut kinds: Vec<(&str, u32)> = Vec::new();
    for act in &segment.acts {
        match kinds.iter_mut().find(|(tool, _)| *tool == act.tool) {
            Some((_, times)) => *times += 1,
            None => kinds.push((&act.tool, 1)),
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|(tool, times)| format!("{times} x {tool}")).collect();
    format!("{} ({})", segment.node, if kinds.is_empty() { "no call".to_owned() } else { kinds.join(", ") })
}

#[cfg(test)]
mod tests {
    use gimbal_analysis::work_folds::TaskPart;

    use super::*;
    use crate::cyclic::Act;

    fn walk(environment: &str, task: &str, is_train: bool) -> Trajectory {
        let act = |tool: &str| Act { tool: tool.to_owned(), ..Act::default() };
        let segments = vec![
            Segment { node: "FIND".to_owned(), acts: vec![act("go"), act("take"), act("go")], ..Segment::default() },
            Segment { node: "REST".to_owned(), ..Segment::default() },
        ];
        Trajectory {
            environment: format!("{{\"name\":\"{environment}\"}}"),
            task: task.to_owned(),
            cell: "cell".to_owned(),
            won: true,
            tool_calls: 3,
            goal: Some("Fetch it".to_owned()),
            graphs: vec![Graph::default()],
            segments,
            part: Some(TaskPart { train: is_train, ..TaskPart::default() }),
            ..Trajectory::default()
        }
    }

    // covers: CYC-023
    #[test]
    fn planners_are_shown_won_episodes_of_tasks_for_training_one_a_task() {
        let all = [walk("maze", "a", false), walk("maze", "b", true), walk("maze", "b", true), walk("maze", "c", true)];
        let chosen = shots(&all, |_| false, 8).unwrap();
        let tasks: Vec<&str> = chosen.walks.iter().map(|walk| walk.task.as_str()).collect();
        assert_eq!((chosen.environment.as_str(), tasks), ("maze", vec!["b", "c"]));
        assert_eq!(shots(&all, |_| false, 1).unwrap().walks.len(), 1);
        assert_eq!(shots(&all, |_| true, 8).unwrap_err(), NoShots::NoneWon(4));
        assert_eq!(shots(&all[..1], |_| false, 8).unwrap_err(), NoShots::NoneForTraining(1));
        let two = [walk("maze", "a", true), walk("house", "a", true)];
        assert_eq!(
            shots(&two, |_| false, 8).unwrap_err(),
            NoShots::Several(vec!["house".to_owned(), "maze".to_owned()])
        );
    }

    #[test]
    fn a_summary_has_the_goal_the_subtasks_and_the_kinds_of_call() {
        let summary = walk("maze", "a", true).summary();
        assert_eq!(summary, "Task: Fetch it. Won with 3 calls: FIND (2 x go, 1 x take), then REST (no call).");
    }
}
