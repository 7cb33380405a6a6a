//! A conflict with the value of every way to resolve it.

use std::collections::BTreeMap;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::choices::Choices;
use super::features::Features;
use super::interval::{Paired, paired, rounded};

/// The name of the rule that takes each full set equally often.
const RANDOM: &str = "random";

/// A conflict with its label. It names no tool, subject or environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labelled {
    /// What is known of each party.
    pub parties: Vec<Features>,
    /// Pairs of parties that exclude one another, by place.
    pub conflicts: Vec<(usize, usize)>,
    /// The ways to resolve it.
    pub ways: Vec<CandidateValue>,
    /// The way that is best in the mean; of those alike the first.
    pub best: usize,
    /// Best against second best; `None` where there is one way only.
    pub margin: Option<Paired>,
    /// Whether the interval of the margin covers 0. Such a conflict has no right answer.
    pub tied: bool,
    /// Best of the first half of the futures and best of the second: what noise of labels allows. `None` with fewer than two futures.
    pub halves: Option<(usize, usize)>,
    /// What each rule takes, by its name.
    pub by_rule: BTreeMap<String, usize>,
    /// What each rule loses against the best in the mean. `random` takes each way that keeps as many as it can equally often.
    pub regret: BTreeMap<String, Milli>,
    /// Whether some ways were left out, because there were too many.
    pub cut: bool,
}

/// A way and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateValue {
    /// Places of the parties that are in effect.
    pub kept: Vec<usize>,
    /// The sets of parties in conflict that lead to it (see [`Candidate::sets`](super::Candidate::sets)); empty in older journals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<Vec<usize>>,
    /// Whether nobody more could be kept.
    pub is_full: bool,
    /// Mean return.
    pub mean: Milli,
    /// The return in each future.
    pub returns: Vec<Milli>,
}

impl Labelled {
    /// The label of a conflict by the returns of its ways: a list for each candidate, all of one length. `None` where lists are missing, empty
    /// or of different lengths.
    #[must_use]
    pub fn of(choices: &Choices, parties: Vec<Features>, returns: Vec<Vec<Milli>>) -> Option<Self> {
        let futures = returns.first().map(Vec::len).filter(|futures| *futures > 0)?;
        if returns.len() != choices.candidates.len() || returns.iter().any(|all| all.len() != futures) {
            return None;
        }
        let sums: Vec<i128> = returns.iter().map(|all| total(all)).collect();
        let best = best_of(&sums)?;
        // The best of the others: the candidates are none twice, so that it is another way.
        let others = || (0..sums.len()).filter(|place| *place != best);
        let second = others().max_by_key(|place| (sums[*place], usize::MAX - place));
        let margin = second.and_then(|second| paired(&returns[best], &returns[second]));
        let count = i128::try_from(futures).ok()?;
        let regret = |place: usize| rounded(sums[best] - sums[place], count);
        let mut regrets: BTreeMap<String, Milli> =
            choices.by_rule.iter().map(|(name, place)| (name.clone(), regret(*place))).collect();
        let full: Vec<i128> =
            choices.candidates.iter().zip(&sums).filter(|(way, _)| way.is_full).map(|(_, sum)| *sum).collect();
        if let Some(ways) = i128::try_from(full.len()).ok().filter(|ways| *ways > 0) {
            let lost = sums[best] * ways - full.iter().sum::<i128>();
            regrets.insert(RANDOM.to_owned(), rounded(lost, ways * count));
        }
        let half = |from: usize, to: usize| {
            let sums: Vec<i128> = returns.iter().map(|all| total(&all[from..to])).collect();
            best_of(&sums)
        };
        let halves = if futures < 2 { None } else { half(0, futures / 2).zip(half(futures / 2, futures)) };
        let ways = choices.candidates.iter().zip(returns).zip(&sums).map(|((way, returns), sum)| CandidateValue {
            kept: way.kept.clone(),
            sets: way.sets.clone(),
            is_full: way.is_full,
            mean: rounded(*sum, count),
            returns,
        });
        Some(Self {
            parties,
            conflicts: choices.conflicts.iter().map(|conflict| (conflict.one, conflict.other)).collect(),
            ways: ways.collect(),
            best,
            tied: margin.is_some_and(|margin| margin.covers_zero),
            margin,
            halves,
            by_rule: choices.by_rule.clone(),
            regret: regrets,
            cut: choices.cut,
        })
    }

    /// Distance from the best way to the worst, in the mean.
    #[must_use]
    pub fn spread(&self) -> Milli {
        let means = || self.ways.iter().map(|way| way.mean.0);
        Milli(means().max().unwrap_or(0).saturating_sub(means().min().unwrap_or(0)))
    }

    /// Whether each party is in effect in the best way, in the order of the parties: the target of a learned arbiter.
    #[must_use]
    pub fn target(&self) -> Vec<bool> {
        let kept = self.ways.get(self.best).map(|way| way.kept.as_slice()).unwrap_or_default();
        (0..self.parties.len()).map(|place| kept.contains(&place)).collect()
    }
}

fn total(returns: &[Milli]) -> i128 {
    returns.iter().map(|one| i128::from(one.0)).sum()
}

/// The first of the greatest.
fn best_of(sums: &[i128]) -> Option<usize> {
    (0..sums.len()).max_by_key(|place| (sums[*place], usize::MAX - place))
}
