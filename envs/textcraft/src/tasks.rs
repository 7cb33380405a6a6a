//! Tasks by name, and the splits of the work (CYC-040, CYC-041).
//!
//! Each depth is a data set of its own: its tasks are numbered from 0, shuffled with Python's generator of seed 42, and
//! the first ones are for training. The work prints the sizes; no one rounding of three tenths gives all of them.

use gimbal_parity::{Mersenne, Seed};

use crate::scene::task_of;
use crate::tree::Tree;

/// The seed of the splits.
pub const SPLIT_SEED: u64 = 42;

/// Test tasks in a partition; the last one may hold fewer.
pub const PARTITION: usize = 45;

/// The data set of one depth, as the work sizes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// Depth of its goals.
    pub depth: u32,
    /// Tasks.
    pub count: usize,
    /// How many of them are for training.
    pub train: usize,
    /// Tool calls of an episode (CYC-050).
    pub max_calls: u32,
}

/// The three data sets.
pub const TIERS: [Tier; 3] = [
    Tier { depth: 2, count: 291, train: 88, max_calls: 30 },
    Tier { depth: 3, count: 117, train: 35, max_calls: 50 },
    Tier { depth: 4, count: 11, train: 0, max_calls: 100 },
];

/// Tool calls of an episode whose goal lies so deep; that of the deepest tier below it.
#[must_use]
pub fn max_calls(depth: u32) -> u32 {
    let tier = TIERS.iter().find(|tier| depth <= tier.depth).unwrap_or(&TIERS[TIERS.len() - 1]);
    tier.max_calls
}

/// Names of the splits. `train` and `test` are those of all depths one after another; `seeds` are all tasks by their
/// numbers, which play on other tables too; `mixed` are the test tasks of every depth by turns, the deepest first, so that any
/// first part of it is as deep as it can be.
pub const SPLITS: [&str; 22] = [
    "train",
    "test",
    "all",
    "depth-2",
    "depth-2-train",
    "depth-2-test",
    "depth-2-test-1",
    "depth-2-test-2",
    "depth-2-test-3",
    "depth-2-test-4",
    "depth-2-test-5",
    "depth-3",
    "depth-3-train",
    "depth-3-test",
    "depth-3-test-1",
    "depth-3-test-2",
    "depth-4",
    "depth-4-train",
    "depth-4-test",
    "depth-4-test-1",
    "seeds",
    "mixed",
];

/// The parts of the three data sets (CYC-041).
pub const PARTS: [gimbal_core::Part; 10] = [
    part_of("depth-2-train", "depth 2", "train", true),
    part_of("depth-2-test-1", "depth 2", "test 1", false),
    part_of("depth-2-test-2", "depth 2", "test 2", false),
    part_of("depth-2-test-3", "depth 2", "test 3", false),
    part_of("depth-2-test-4", "depth 2", "test 4", false),
    part_of("depth-2-test-5", "depth 2", "test 5", false),
    part_of("depth-3-train", "depth 3", "train", true),
    part_of("depth-3-test-1", "depth 3", "test 1", false),
    part_of("depth-3-test-2", "depth 3", "test 2", false),
    part_of("depth-4-test-1", "depth 4", "test 1", false),
];

const fn part_of(split: &'static str, set: &'static str, name: &'static str, train: bool) -> gimbal_core::Part {
    gimbal_core::Part { split, set, name, train }
}

/// Part of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All, in their own order.
    All,
    /// Those for training, shuffled.
    Train,
    /// The rest, shuffled.
    Test,
    /// A partition of the rest, from one.
    Partition(usize),
}

impl Tier {
    /// The places of a part within the tier.
    #[must_use]
    pub fn places(&self, part: Part) -> Vec<usize> {
        let mut shuffled: Vec<usize> = (0..self.count).collect();
        if part == Part::All {
            return shuffled;
        }
        Mersenne::new(SPLIT_SEED).shuffle_all(&mut shuffled);
        let (train, test) = shuffled.split_at(self.train.min(self.count));
        match part {
            Part::All | Part::Train => train.to_vec(),
            Part::Test => test.to_vec(),
            Part::Partition(number) => test.chunks(PARTITION).nth(number.wrapping_sub(1)).unwrap_or_default().to_vec(),
        }
    }
}

/// The tasks of a split of the built-in recipes, by their places among all tasks; none if there is no such split.
#[must_use]
pub fn split(tree: &Tree, name: &str) -> Option<Vec<usize>> {
    if !SPLITS.contains(&name) {
        return None;
    }
    let of_depth = |tier: &Tier, part| {
        let first = tree.tasks().iter().position(|task| task.depth == tier.depth).unwrap_or(usize::MAX);
        let places = tier.places(part).into_iter().filter_map(move |place| first.checked_add(place));
        let places = places.filter(|place| tree.tasks().get(*place).is_some_and(|task| task.depth == tier.depth));
        places.collect::<Vec<usize>>()
    };
    let of_all = |part| TIERS.iter().flat_map(|tier| of_depth(tier, part)).collect();
    match name {
        "all" | "seeds" => return Some((0..tree.tasks().len()).collect()),
        "train" => return Some(of_all(Part::Train)),
        "test" => return Some(of_all(Part::Test)),
        "mixed" => {
            let depths: Vec<Vec<usize>> = TIERS.iter().rev().map(|tier| of_depth(tier, Part::Test)).collect();
            let longest = depths.iter().map(Vec::len).max().unwrap_or(0);
            let turn = |turn: usize| depths.iter().filter_map(move |own| own.get(turn).copied());
            return Some((0..longest).flat_map(turn).collect());
        }
        _ => {}
    }
    let (depth, part) = name.strip_prefix("depth-")?.split_once('-').unwrap_or((name.strip_prefix("depth-")?, ""));
    let tier = TIERS.iter().find(|tier| tier.depth.to_string() == depth)?;
    let part = match part {
        "" => Part::All,
        "train" => Part::Train,
        "test" => Part::Test,
        other => Part::Partition(other.strip_prefix("test-")?.parse().ok()?),
    };
    Some(of_depth(tier, part))
}

/// A task as a person names it: the item to make (`cyan_banner`), or a seed of the original (`0`), with the seed that its
/// episode draws with in the original.
///
/// # Errors
/// The name of the nearest task, if one is near.
pub fn find(tree: &Tree, name: &str) -> Result<(usize, Seed), Option<String>> {
    if let Some(seed) = Seed::from_decimal(name).filter(|_| name.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok((task_of(tree, &seed, false), seed));
    }
    let names = tree.names();
    let goal = names.find(name);
    match tree.tasks().iter().position(|task| Some(task.goal) == goal) {
        Some(place) => Ok((place, Seed::from(place as u64))),
        None => {
            let near = gimbal_core::nearest::nearest(name, tree.tasks().iter().map(|task| names.id(task.goal)));
            Err(near.map(str::to_owned))
        }
    }
}
