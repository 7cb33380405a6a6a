//! Which episodes depend on one another: runs of one task and instance share an environment (BOG-142), trials of one session a memory.
//!
//! An interval that takes them one at a time is too narrow. Everything that prints one goes through here.

use std::collections::{BTreeMap, BTreeSet};

use crate::describe::{FEWEST, Summary, told_half_width};
use crate::hypothesis::paired_t;
use crate::row::EpisodeRow;
use crate::special::t_quantile;

/// An environment that an episode met: environment part, task, run, trial.
pub(crate) type PairKey<'a> = (&'a str, &'a str, u32, u32);

/// The environment that an episode met.
pub(crate) fn pair_key(row: &EpisodeRow) -> PairKey<'_> {
    (&row.environment, &row.task, row.run, row.trial)
}

/// What pairs an episode with others, and the instance that it belongs to.
pub(crate) type Place<'a> = (PairKey<'a>, u32);

/// Where an episode was played: what decides which others it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EpisodePlace<'a> {
    /// The environment part of the pairing key.
    pub environment: &'a str,
    /// Task.
    pub task: &'a str,
    /// Run.
    pub run: u32,
    /// Trial.
    pub trial: u32,
    /// Instance of the run.
    pub instance: u32,
}

/// Sum and number of the values of one cluster, or two sums.
pub(crate) type Group = (f64, f64);

/// The environment and the instance of an episode.
pub(crate) fn place(row: &EpisodeRow) -> Place<'_> {
    (pair_key(row), row.instance)
}

/// Episodes or seeds in clusters, in a fixed order: by task and instance where there are several of these and one has
/// several runs; else every run is a cluster of its own, with its trials.
pub struct Grouping {
    /// Cluster of each place, in the order of the places.
    pub of: Vec<usize>,
    /// Clusters.
    pub count: usize,
    /// Whether there are several clusters, and one of them holds episodes that depend on one another.
    pub matters: bool,
}

impl Grouping {
    /// The clusters of these episodes.
    #[must_use]
    pub fn of_rows(rows: &[&EpisodeRow]) -> Self {
        Self::of(&rows.iter().map(|row| place(row)).collect::<Vec<Place<'_>>>())
    }

    /// The clusters of episodes that were played at these places.
    #[must_use]
    pub fn of_places(places: &[EpisodePlace<'_>]) -> Self {
        let places = places.iter().map(|at| ((at.environment, at.task, at.run, at.trial), at.instance));
        Self::of(&places.collect::<Vec<Place<'_>>>())
    }

    pub(crate) fn of<'a>(places: &[Place<'a>]) -> Self {
        if over_tasks(places) {
            let by_session =
                Self::by(places.iter().map(|((environment, _, run, trial), _)| ((*environment, *run), *trial)));
            if by_session.matters {
                return by_session;
            }
        }
        let by_instance = Self::by(
            places.iter().map(|((environment, task, run, _), instance)| ((*environment, *task, *instance), *run)),
        );
        if by_instance.matters {
            return by_instance;
        }
        Self::by(places.iter().map(|((environment, task, run, trial), _)| ((*environment, *task, *run), *trial)))
    }

    /// Groups by key; a group matters that holds several members.
    pub(crate) fn by<K: Ord>(keyed: impl Iterator<Item = (K, u32)>) -> Self {
        let keyed: Vec<(K, u32)> = keyed.collect();
        let mut members: BTreeMap<&K, BTreeSet<u32>> = BTreeMap::new();
        for (key, member) in &keyed {
            members.entry(key).or_default().insert(*member);
        }
        let matters = members.len() > 1 && members.values().any(|group| group.len() > 1);
        let index: BTreeMap<&K, usize> = members.keys().enumerate().map(|(place, key)| (*key, place)).collect();
        Self { of: keyed.iter().map(|(key, _)| index[key]).collect(), count: index.len(), matters }
    }

    /// Sums two numbers over each cluster.
    pub(crate) fn sums(&self, values: impl Iterator<Item = Group>) -> Vec<Group> {
        let mut groups = vec![(0.0, 0.0); self.count];
        for (group, value) in self.of.iter().zip(values) {
            groups[*group] = (groups[*group].0 + value.0, groups[*group].1 + value.1);
        }
        groups
    }

    /// The summary of these values, in the order of the places, with an interval that is robust against clusters.
    #[must_use]
    pub fn summary(&self, summary: Summary, values: &[f64], confidence: f64) -> Summary {
        if !self.matters {
            return summary;
        }
        let groups = self.sums(values.iter().map(|value| (*value, 1.0)));
        Summary { half_width: half_width(&groups, confidence), clusters: Some(self.count), ..summary }
    }
}

/// Whether sessions go over tasks: the episodes of each run are different tasks with different numbers of trials. Elsewhere every task
/// has a first trial.
pub(crate) fn over_tasks(places: &[Place<'_>]) -> bool {
    let mut sessions: BTreeMap<(&str, u32), BTreeSet<(&str, u32)>> = BTreeMap::new();
    for ((environment, task, run, trial), _) in places {
        sessions.entry((environment, *run)).or_default().insert((task, *trial));
    }
    let is_one = |session: &BTreeSet<(&str, u32)>| {
        let tasks: BTreeSet<&str> = session.iter().map(|(task, _)| *task).collect();
        let trials: BTreeSet<u32> = session.iter().map(|(_, trial)| *trial).collect();
        tasks.len() == session.len() && trials.len() == session.len()
    };
    sessions.values().any(|session| session.len() > 1) && sessions.values().all(is_one)
}

/// Standard error of the mean over all values, robust against what those of one cluster share, with the factor G/(G-1)
/// for few clusters; that of a plain mean where every cluster holds one value. `None` for one cluster.
pub(crate) fn robust_error(groups: &[Group]) -> Option<f64> {
    let clusters = groups.len() as f64;
    let (sum, count) = groups.iter().fold((0.0, 0.0), |(sum, count), group| (sum + group.0, count + group.1));
    let mean = sum / count;
    let squares: f64 = groups.iter().map(|(sum, count)| (sum - count * mean).powi(2)).sum();
    (groups.len() > 1 && count > 0.0).then(|| (clusters / (clusters - 1.0) * squares).sqrt() / count)
}

/// Half width of the t interval of the mean, with one degree of freedom less than clusters. `None` for fewer than
/// [`FEWEST`] values in all, and where clusters do not vary.
pub(crate) fn half_width(groups: &[Group], confidence: f64) -> Option<f64> {
    let (sum, count) = groups.iter().fold((0.0, 0.0), |(sum, count), group| (sum + group.0, count + group.1));
    if count < FEWEST as f64 {
        return None;
    }
    let half = robust_error(groups)? * t_quantile(0.5 + confidence / 2.0, (groups.len() - 1) as f64)?;
    told_half_width(half, sum / count)
}

/// Two-sided p of "the mean is 0", robust against clusters; `None` without spread.
pub(crate) fn p_value(groups: &[Group], mean: f64) -> Option<f64> {
    // The test wants a sample SD: the error of the mean times the root of the number of units.
    robust_error(groups).and_then(|error| paired_t(mean, error * (groups.len() as f64).sqrt(), groups.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(task: &'static str, run: u32, instance: u32) -> Place<'static> {
        (("w", task, run, 0), instance)
    }

    /// Runs of one task and instance are a cluster as soon as there are two of these; else every run is its own.
    // covers: BOG-142
    #[test]
    fn clusters_are_tasks_and_instances() {
        let one = Grouping::of(&[at("a", 0, 0), at("a", 1, 0), at("a", 2, 0)]);
        assert_eq!((one.count, one.matters), (3, false), "one task and instance: runs are alone");
        let instances = Grouping::of(&[at("a", 0, 0), at("a", 1, 0), at("a", 2, 1), at("a", 3, 1)]);
        assert_eq!((instances.count, instances.matters, instances.of.as_slice()), (2, true, [0, 0, 1, 1].as_slice()));
        let tasks = Grouping::of(&[at("a", 0, 0), at("b", 0, 0), at("a", 1, 0)]);
        assert_eq!((tasks.count, tasks.matters, tasks.of.as_slice()), (2, true, [0, 1, 0].as_slice()));
        let single = Grouping::of(&[at("a", 0, 0), at("b", 0, 0), at("c", 0, 0)]);
        assert_eq!((single.count, single.matters), (3, false), "one run a task: tasks are alone");
        let trials = Grouping::of(&[(("w", "a", 0, 0), 0), (("w", "a", 0, 1), 0), (("w", "a", 1, 0), 0)]);
        assert_eq!((trials.count, trials.matters), (2, true), "trials of a run share memory");
    }

    /// Where sessions go over tasks, the episodes of a run share a memory, whatever their tasks are.
    #[test]
    fn sessions_over_tasks_are_clusters() {
        let place = |task: &'static str, run: u32, trial: u32| (("w", task, run, trial), 0);
        let tasks = Grouping::of(&[place("b", 0, 0), place("a", 0, 1), place("a", 1, 0), place("b", 1, 1)]);
        assert_eq!((tasks.count, tasks.matters, tasks.of.as_slice()), (2, true, [0, 0, 1, 1].as_slice()));
        let cut = Grouping::of(&[place("b", 0, 0), place("a", 0, 1), place("a", 1, 0)]);
        assert_eq!((cut.count, cut.matters, cut.of.as_slice()), (2, true, [0, 0, 1].as_slice()));
        let one = Grouping::of(&[place("b", 0, 0), place("a", 0, 1)]);
        assert_eq!((one.count, one.matters), (2, false), "one session has no other to compare with");
        let same = Grouping::of(&[place("a", 0, 0), place("a", 0, 1), place("b", 0, 0), place("b", 0, 1)]);
        assert_eq!((same.count, same.of.as_slice()), (2, [0, 0, 1, 1].as_slice()), "each task is a session");
    }

    /// Worked by hand: groups (1, 3) and (5, 7) have means 2 and 6 about 4; error = sqrt(2 · (16 + 16)) / 4 = 2.
    #[test]
    fn the_error_of_two_clusters_by_hand() {
        let values = [1.0, 3.0, 5.0, 7.0];
        let grouping = Grouping::of(&[at("a", 0, 0), at("a", 1, 0), at("b", 0, 0), at("b", 1, 0)]);
        let plain = Summary::of(&values, 0.95).unwrap();
        let robust = grouping.summary(plain, &values, 0.95);
        assert!((robust.half_width.unwrap() - 2.0 * 12.706_204_736).abs() < 1e-6, "t(0.975, 1) times 2");
        assert_eq!((robust.clusters, robust.mean, robust.sd), (Some(2), 4.0, plain.sd));
        assert!((p_value(&[(4.0, 2.0), (12.0, 2.0)], 4.0).unwrap() - 0.295_167_235).abs() < 1e-6, "t = 2 with 1");
    }
}
