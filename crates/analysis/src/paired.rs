//! Everything that can be said of a difference between two cells that met the same worlds: intervals that respect how
//! episodes hang together, and tests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cells::Options;
use crate::compare::{PairedDifference, World, matched, paired_with};
use crate::describe::Interval;
use crate::hypothesis::{mcnemar, paired_t};
use crate::resample::Bootstrap;
use crate::row::EpisodeRow;
use crate::special::t_quantile;

/// A paired difference with what its clusters and its extremes say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedTest {
    /// Mean, plain t interval, win record, sign test, sign flips.
    pub basic: PairedDifference,
    /// Groups of pairs that may hang together: those of a task where several were played, else those of a run.
    pub clusters: usize,
    /// Cluster-robust t interval with one degree of freedom less than clusters; the plain t interval where every pair is
    /// a cluster of its own. `None` for one cluster.
    pub clustered: Option<Interval>,
    /// Two-sided p of the cluster-robust t test.
    pub p_clustered: Option<f64>,
    /// BCa bootstrap interval over clusters; `None` below the fewest units that the options ask for.
    pub bootstrap: Option<Interval>,
    /// Catastrophic episodes of either side; `None` without a threshold.
    pub catastrophic: Option<Discordance>,
}

/// How two sides differ in a yes/no outcome of the same worlds (McNemar).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discordance {
    /// Worlds with one episode on either side.
    pub pairs: u64,
    /// Worlds with several episodes on a side: an average has no yes or no, so that they take no part.
    pub left_out: u64,
    /// Catastrophic under the first alone.
    pub only_first: u64,
    /// Catastrophic under the second alone.
    pub only_second: u64,
    /// Two-sided exact p of McNemar's test.
    pub p: f64,
}

impl Discordance {
    /// Rate of the first minus rate of the second; `None` without pairs.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        (self.pairs > 0).then(|| (self.only_first as f64 - self.only_second as f64) / self.pairs as f64)
    }
}

/// First minus second with everything that is known of it; `None` when they share no world. `catastrophic_below` is in
/// thousandths of a return.
#[must_use]
pub fn paired_test(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    catastrophic_below: Option<i64>,
    options: &Options,
) -> Option<PairedTest> {
    let basic = paired_with(first, second, options)?;
    let (pairs, _) = matched(first, second);
    let differences: Vec<(World<'_>, f64)> = pairs.iter().map(|pair| (pair.world, pair.difference())).collect();
    let clusters = clusters(&differences);
    let error = clustered_error(&clusters);
    let (count, mean) = (clusters.len(), basic.difference.mean);
    let half = error.and_then(|error| Some(error * t_quantile(0.5 + options.confidence / 2.0, (count - 1) as f64)?));
    Some(PairedTest {
        basic,
        clusters: count,
        clustered: half.map(|half| Interval { low: mean - half, high: mean + half }),
        // The test wants a sample SD, which the error of a mean over `count` units stands for.
        p_clustered: error.and_then(|error| paired_t(mean, error * (count as f64).sqrt(), count)),
        bootstrap: bootstrap(&clusters, options),
        catastrophic: catastrophic_below.map(|limit| discordance(first, second, limit)),
    })
}

/// Sum and number of the differences of one cluster.
type Cluster = (f64, f64);

/// Sum and number of the differences of every cluster.
fn clusters(differences: &[(World<'_>, f64)]) -> Vec<Cluster> {
    cluster_sums(&differences.iter().map(|(world, difference)| (*world, (*difference, 1.0))).collect::<Vec<_>>())
}

/// Sums two numbers over each cluster of worlds, in a fixed order: by task where several tasks were played, since runs of
/// one task share its world; else every run stands for itself, with its trials, which share memory.
pub(crate) fn cluster_sums(values: &[(World<'_>, (f64, f64))]) -> Vec<(f64, f64)> {
    let by_task = values.windows(2).any(|pair| (pair[0].0.0, pair[0].0.1) != (pair[1].0.0, pair[1].0.1));
    let mut groups: BTreeMap<(&str, &str, u32), (f64, f64)> = BTreeMap::new();
    for ((environment, task, run, _), (first, second)) in values {
        let group = groups.entry((environment, task, if by_task { 0 } else { *run })).or_default();
        *group = (group.0 + first, group.1 + second);
    }
    groups.into_values().collect()
}

/// Standard error of the mean over all pairs, robust against what pairs of one cluster share, with the factor G/(G-1) for
/// few clusters; that of a plain mean where every cluster holds one pair. `None` for one cluster.
fn clustered_error(clusters: &[Cluster]) -> Option<f64> {
    let groups = clusters.len() as f64;
    let (sum, count) = clusters.iter().fold((0.0, 0.0), |(sum, count), cluster| (sum + cluster.0, count + cluster.1));
    let mean = sum / count;
    let squares: f64 = clusters.iter().map(|(sum, count)| (sum - count * mean).powi(2)).sum();
    (clusters.len() > 1).then(|| (groups / (groups - 1.0) * squares).sqrt() / count)
}

fn bootstrap(clusters: &[Cluster], options: &Options) -> Option<Interval> {
    if clusters.len() < options.bootstrap_minimum {
        return None;
    }
    let bootstrap = Bootstrap { resamples: options.resamples, seed: options.seed, confidence: options.confidence };
    bootstrap.ratio(clusters).map(|result| result.bca)
}

/// Catastrophic rate of the first minus that of the second over worlds with one episode a side: estimate, cluster-robust
/// interval, and p of McNemar's test. `None` without such worlds.
pub(crate) fn catastrophic_test(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    limit: i64,
    options: &Options,
) -> Option<(f64, Option<Interval>, Option<f64>)> {
    let found = discordance(first, second, limit);
    let estimate = found.difference()?;
    let (pairs, _) = matched(first, second);
    let below = |value: i128| f64::from(u8::from(value < i128::from(limit)));
    let differences: Vec<(World<'_>, f64)> =
        pairs.iter().filter_map(|pair| pair.single().map(|(a, b)| (pair.world, below(a) - below(b)))).collect();
    let clusters = clusters(&differences);
    let half = clustered_error(&clusters)
        .and_then(|error| Some(error * t_quantile(0.5 + options.confidence / 2.0, (clusters.len() - 1) as f64)?));
    // Where no world tells the two apart there is no spread to make an interval of: that is not certainty.
    let interval = half.filter(|half| *half > 0.0).map(|half| Interval { low: estimate - half, high: estimate + half });
    Some((estimate, interval, Some(found.p)))
}

fn discordance(first: &[&EpisodeRow], second: &[&EpisodeRow], limit: i64) -> Discordance {
    let (pairs, _) = matched(first, second);
    let (mut alone, mut only) = (0, (0, 0));
    for pair in &pairs {
        let Some((a, b)) = pair.single() else { continue };
        alone += 1;
        match (a < i128::from(limit), b < i128::from(limit)) {
            (true, false) => only.0 += 1,
            (false, true) => only.1 += 1,
            _ => {}
        }
    }
    Discordance {
        pairs: alone,
        left_out: pairs.len() as u64 - alone,
        only_first: only.0,
        only_second: only.1,
        p: mcnemar(only.0, only.1),
    }
}
