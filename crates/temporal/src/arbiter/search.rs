//! Exhaustive search over small conflicts: which properties Algorithm 1 has, by counting (CTHA-075, CTHA-076, CTHA-R01, CTHA-R02, CTHA-151).
//!
//! A case is a number of parties, a set of pairs in conflict, and a priority for each party. Every case up to a size is tried.

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::algorithm::{Mode, Rank, Score, Tie, mask};

/// Most parties that are searched.
pub const PARTIES: usize = 4;

/// Priorities that are tried where nothing else is asked for: 0.05 apart, so that neighbours are tied at a margin of 0.05 and at one of 0.08.
pub const GRID: [Milli; 6] = [Milli(750), Milli(800), Milli(850), Milli(900), Milli(950), Milli(1000)];

/// What is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// How parties are masked.
    pub mode: Mode,
    /// Which of two tied parties is kept.
    pub tie: Tie,
    /// The margin.
    pub epsilon: Milli,
    /// Whether the slowest party has the rank of a policy; else its priority alone counts.
    pub rules: bool,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Priority of each party, the fastest layer first.
    pub priorities: Vec<Milli>,
    /// Pairs in conflict.
    pub conflicts: Vec<(usize, usize)>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Cases that were tried.
    pub cases: u64,
    /// Cases in which everybody is masked: nothing is left to compose, and the idle call takes the place of a decision.
    pub all_masked: u64,
    /// The first of them.
    pub first_all_masked: Option<Case>,
    /// Cases in which two that are kept are in conflict.
    pub residual: u64,
    /// Cases in which someone is masked who is in conflict with nobody that is kept.
    pub needless: u64,
    /// Cases in which the slowest party is masked: where it is a policy, a faster layer overrides it.
    pub slowest_masked: u64,
    /// Cases in which the order of the pairs changes who is masked.
    pub by_order: u64,
    /// Cases in which masking again, among those that are kept, masks someone.
    pub unsettled: u64,
}

/// Tries all cases of 1 to `most` parties ([`PARTIES`] at most) with priorities from `grid`.
#[must_use]
pub fn search(setting: Setting, grid: &[Milli], most: usize) -> Findings {
    let mut findings = Findings::default();
    for parties in 1..=most.min(PARTIES) {
        let pairs: Vec<(usize, usize)> =
            (0..parties).flat_map(|one| (one + 1..parties).map(move |other| (one, other))).collect();
        for graph in 0..1_u32 << pairs.len() {
            let chosen = pairs.iter().enumerate().filter(|(place, _)| graph & (1 << place) != 0);
            let conflicts: Vec<(usize, usize)> = chosen.map(|(_, pair)| *pair).collect();
            each_choice(grid, parties, |priorities| examine(setting, priorities, &conflicts, &mut findings));
        }
    }
    findings
}

fn examine(setting: Setting, priorities: &[Milli], conflicts: &[(usize, usize)], findings: &mut Findings) {
    let last = priorities.len() - 1;
    let rank = |place: usize| if setting.rules && place == last { Rank::Policy } else { Rank::Ordinary };
    let scores: Vec<Score> = priorities
        .iter()
        .enumerate()
        .map(|(place, priority)| Score { rank: rank(place), priority: *priority })
        .collect();
    let masks = |conflicts: &[(usize, usize)]| -> Vec<bool> {
        let masked = mask(&scores, conflicts, setting.epsilon, setting.mode, setting.tie);
        masked.iter().map(Option::is_some).collect()
    };
    let masked = masks(conflicts);
    findings.cases += 1;
    if masked.iter().all(|masked| *masked) {
        findings.all_masked += 1;
        let case = || Case { priorities: priorities.to_vec(), conflicts: conflicts.to_vec() };
        findings.first_all_masked.get_or_insert_with(case);
    }
    let left: Vec<(usize, usize)> =
        conflicts.iter().filter(|(one, other)| !masked[*one] && !masked[*other]).copied().collect();
    findings.residual += u64::from(!left.is_empty());
    let excluded = |place: usize| {
        conflicts.iter().any(|(one, other)| (*one == place && !masked[*other]) || (*other == place && !masked[*one]))
    };
    findings.needless += u64::from((0..=last).any(|place| masked[place] && !excluded(place)));
    findings.slowest_masked += u64::from(masked[last]);
    let backwards: Vec<(usize, usize)> = conflicts.iter().rev().copied().collect();
    findings.by_order += u64::from(masks(&backwards) != masked);
    findings.unsettled += u64::from(masks(&left).iter().zip(&masked).any(|(again, before)| *again && !before));
}

/// Calls with every choice of so many numbers.
fn each_choice(grid: &[Milli], count: usize, mut then: impl FnMut(&[Milli])) {
    if grid.is_empty() {
        return;
    }
    let mut places = vec![0; count];
    let mut chosen: Vec<Milli> = vec![grid[0]; count];
    loop {
        then(&chosen);
        let Some(next) = places.iter().position(|place| place + 1 < grid.len()) else { return };
        places[..next].fill(0);
        chosen[..next].fill(grid[0]);
        places[next] += 1;
        chosen[next] = grid[places[next]];
    }
}
