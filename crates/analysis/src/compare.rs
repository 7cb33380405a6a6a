//! Paired differences between two cells that played the same seeds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clusters::{self, Grouping, PairKey, Place, pair_key};
use crate::describe::Summary;
use crate::hypothesis::{sign_flip, sign_test};
use crate::options::Options;
use crate::proportion::Proportion;
use crate::row::EpisodeRow;

/// Returns are compared after rounding to this many thousandths (BOG-169: equal to 0.1 is a tie).
const TIE_UNIT: i128 = 100;

/// Outcome per matched seed (BOG-169).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WinTieLoss {
    /// First returned more.
    pub wins: u64,
    /// Equal after rounding to 0.1.
    pub ties: u64,
    /// First returned less.
    pub losses: u64,
}

impl WinTieLoss {
    /// All matched seeds.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.wins + self.ties + self.losses
    }

    /// Share of pairs won (BOG-169); `None` where none was matched.
    #[must_use]
    pub fn win_rate(&self) -> Option<f64> {
        (self.total() > 0).then(|| self.wins as f64 / self.total() as f64)
    }
}

/// First minus second over matched seeds, duplicates averaged first (BOG-168).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The differences in numbers; `difference.n` is the number of matched seeds.
    pub difference: Summary,
    /// Seeds that only one of the two played; they take no part.
    pub unmatched: usize,
    /// Whether the t interval of the mean difference excludes zero; `None` without an interval.
    pub excludes_zero: Option<bool>,
    /// Wins, ties and losses of the first.
    pub outcome: WinTieLoss,
    /// Two-sided p of the paired t test, robust against clusters where they matter; `None` without spread.
    pub p_t: Option<f64>,
    /// Two-sided exact p of the sign test on wins and losses.
    pub p_sign: f64,
    /// Two-sided p of the sign-flip permutation test, clusters flipped as one; exact for up to 16 of them.
    pub p_flip: Option<f64>,
}

/// A comparison of one cell against its baseline, by position in the study.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Index of the cell.
    pub cell: usize,
    /// Index of the cell that it is compared against.
    pub against: usize,
    /// The paired difference; `None` when no environment was met by both.
    pub paired: Option<PairedDifference>,
    /// Change of the mean return in percent of the baseline's (BOG-171).
    pub marginal_percent: Option<f64>,
    /// Holm-adjusted p over all comparisons of the analysis: of the t test, or of the sign test where differences do
    /// not vary.
    pub p_holm: Option<f64>,
}

/// What two sides returned in one seed.
pub(crate) struct Pair<'a> {
    /// The environment and its instance.
    pub(crate) place: Place<'a>,
    first: Pooled,
    second: Pooled,
}

impl Pair<'_> {
    /// First minus second, in units. Over a common denominator in integers, so that equal means differ by exactly zero.
    pub(crate) fn difference(&self) -> f64 {
        let (a, b) = (self.first, self.second);
        (a.sum * b.count - b.sum * a.count) as f64 / (1000 * a.count * b.count) as f64
    }

    /// Returns of both in thousandths, where each side has exactly one episode.
    pub(crate) fn single(&self) -> Option<(i128, i128)> {
        (self.first.count == 1 && self.second.count == 1).then_some((self.first.sum, self.second.sum))
    }
}

/// Sum of returns in thousandths and number of episodes of one seed.
#[derive(Clone, Copy, Default)]
struct Pooled {
    sum: i128,
    count: i128,
    instance: u32,
}

impl Pooled {
    /// Mean return in tenths, halves away from zero.
    fn tenths(self) -> i128 {
        let unit = TIE_UNIT * self.count;
        self.sum.signum() * ((2 * self.sum.abs() + unit) / (2 * unit))
    }
}

fn pool<'a>(rows: &[&'a EpisodeRow]) -> BTreeMap<PairKey<'a>, Pooled> {
    let mut pooled_by_key: BTreeMap<PairKey<'a>, Pooled> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.counts()) {
        let pooled = pooled_by_key.entry(pair_key(row)).or_default();
        pooled.sum += i128::from(row.return_thousandths);
        pooled.count += 1;
        pooled.instance = row.instance;
    }
    pooled_by_key
}

/// Pairs in the order of their seeds, and how many pooled_by_key only one side met.
pub(crate) fn matched<'a>(first: &[&'a EpisodeRow], second: &[&'a EpisodeRow]) -> (Vec<Pair<'a>>, usize) {
    let (first, second) = (pool(first), pool(second));
    let both: Vec<_> = first
        .iter()
        .filter_map(|(environment, a)| {
            second.get(environment).map(|b| Pair { place: (*environment, a.instance), first: *a, second: *b })
        })
        .collect();
    let unmatched = first.len() + second.len() - 2 * both.len();
    (both, unmatched)
}

/// First minus second per matched seed. `None` when they share no environment. Infrastructure episodes take no part.
#[must_use]
pub fn paired_difference(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    confidence: f64,
    seed: u64,
) -> Option<PairedDifference> {
    paired_with(first, second, &Options { confidence, seed, ..Options::default() })
}

/// The same with all options of an analysis.
pub(crate) fn paired_with(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    options: &Options,
) -> Option<PairedDifference> {
    let (pairs, unmatched) = matched(first, second);
    let differences: Vec<f64> = pairs.iter().map(Pair::difference).collect();
    let grouping = grouping(&pairs);
    let mut difference = Summary::of(&differences, options.confidence)?;
    let singles: Option<i128> = pairs.iter().map(|pair| pair.single().map(|(a, b)| a - b)).sum();
    if let Some(exact) = singles {
        difference = difference.with_mean(exact as f64 / (1000 * pairs.len()) as f64);
    }
    difference = grouping.summary(difference, &differences, options.confidence);
    let groups = grouping.sums(differences.iter().map(|value| (*value, 1.0)));
    // Where clusters matter their sums change sign as one.
    let sums: Vec<f64> = groups.iter().map(|(sum, _)| *sum).collect();
    let units = if grouping.matters { &sums } else { &differences };
    let outcome = outcome(&pairs);
    Some(PairedDifference {
        difference,
        unmatched,
        excludes_zero: difference.interval().map(|interval| interval.excludes_zero()),
        outcome,
        p_t: clusters::p_value(&groups, difference.mean),
        p_sign: sign_test(outcome.wins, outcome.losses),
        p_flip: (options.flips > 0).then(|| sign_flip(units, options.flips, options.seed)).flatten(),
    })
}

/// The clusters of matched seeds.
pub(crate) fn grouping(pairs: &[Pair<'_>]) -> Grouping {
    Grouping::of(&pairs.iter().map(|pair| pair.place).collect::<Vec<_>>())
}

/// Share of matched seeds that the first won (BOG-169), with an interval that is robust against clusters; `None` where
/// no environment was matched.
#[must_use]
pub fn win_share(first: &[&EpisodeRow], second: &[&EpisodeRow], confidence: f64) -> Option<Proportion> {
    let (pairs, _) = matched(first, second);
    let won: Vec<bool> = pairs.iter().map(|pair| pair.first.tenths() > pair.second.tenths()).collect();
    Proportion::of(&won, &grouping(&pairs), confidence)
}

/// Wins, ties and losses of the first per matched seed (BOG-169).
#[must_use]
pub fn win_tie_loss(first: &[&EpisodeRow], second: &[&EpisodeRow]) -> WinTieLoss {
    outcome(&matched(first, second).0)
}

fn outcome(pairs: &[Pair<'_>]) -> WinTieLoss {
    let mut counts = WinTieLoss::default();
    for pair in pairs {
        match pair.first.tenths().cmp(&pair.second.tenths()) {
            std::cmp::Ordering::Greater => counts.wins += 1,
            std::cmp::Ordering::Equal => counts.ties += 1,
            std::cmp::Ordering::Less => counts.losses += 1,
        }
    }
    counts
}

/// Return difference and kilotokens of the first per environment, when every episode of both sides has exactly one partner;
/// an interval of a ratio of unmatched or averaged parts would not be about the ratio that is printed.
pub(crate) fn one_to_one<'a>(
    first: &[&'a EpisodeRow],
    second: &[&'a EpisodeRow],
) -> Option<Vec<(Place<'a>, (f64, f64))>> {
    let partners: BTreeMap<PairKey<'_>, _> = second.iter().map(|row| (pair_key(row), *row)).collect();
    let mine: BTreeMap<PairKey<'_>, _> = first.iter().map(|row| (pair_key(row), *row)).collect();
    if partners.len() != second.len() || mine.len() != first.len() || first.len() != second.len() {
        return None;
    }
    mine.iter()
        .map(|(environment, row)| {
            let gained = row.return_thousandths - partners.get(environment)?.return_thousandths;
            Some(((*environment, row.instance), (gained as f64 / 1000.0, row.agent_tokens().total() as f64 / 1000.0)))
        })
        .collect()
}
