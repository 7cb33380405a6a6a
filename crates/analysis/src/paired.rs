//! Everything that can be said of a difference between two cells that played the same seeds: intervals that respect how
//! episodes depend on one another, and tests.

use serde::{Deserialize, Serialize};

use crate::clusters::{Group, Grouping, Place, half_width, p_value};
use crate::compare::{Pair, PairedDifference, grouping, matched, paired_with};
use crate::describe::{Interval, t_half_width, told_half_width};
use crate::hypothesis::mcnemar;
use crate::options::Options;
use crate::resample::Bootstrap;
use crate::row::EpisodeRow;

/// A paired difference with what its clusters and its extremes say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedTest {
    /// Mean, plain t interval, win record, sign test, sign flips.
    pub basic: PairedDifference,
    /// Plain t interval, every pair for itself: what a reader would compute who knew of no clusters.
    pub plain: Option<Interval>,
    /// Groups of pairs that may depend on one another: those of a task and instance where several were played, else those of a run.
    pub clusters: usize,
    /// Cluster-robust t interval with one degree of freedom less than clusters, the one of `basic`; the plain t interval
    /// where every pair is a cluster of its own. `None` for one cluster.
    pub clustered: Option<Interval>,
    /// Two-sided p of the cluster-robust t test.
    pub p_clustered: Option<f64>,
    /// BCa bootstrap interval over clusters; `None` below the fewest units that the options ask for.
    pub bootstrap: Option<Interval>,
    /// Catastrophic episodes of either side; `None` without a threshold.
    pub catastrophic: Option<Discordance>,
}

/// How two sides differ in a yes/no outcome of the same seeds (McNemar).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discordance {
    /// Seeds with one episode on either side.
    pub pairs: u64,
    /// Seeds with several episodes on a side: an average has no yes or no, so that they take no part.
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

/// First minus second with everything that is known of it; `None` when they share no environment. `catastrophic_below` is in
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
    let differences: Vec<f64> = pairs.iter().map(Pair::difference).collect();
    let grouping = grouping(&pairs);
    let groups = grouping.sums(differences.iter().map(|difference| (*difference, 1.0)));
    let mean = basic.difference.mean;
    let plain = basic.difference.sd.and_then(|sd| t_half_width(sd, pairs.len(), options.confidence));
    let plain = plain.and_then(|half| told_half_width(half, mean));
    let around = |half: f64| Interval { low: mean - half, high: mean + half };
    Some(PairedTest {
        basic,
        plain: plain.map(around),
        clusters: grouping.count,
        clustered: half_width(&groups, options.confidence).map(around),
        p_clustered: p_value(&groups, mean),
        bootstrap: bootstrap(&groups, options),
        catastrophic: catastrophic_below.map(|limit| discordance(first, second, limit)),
    })
}

impl PairedTest {
    /// Two-sided p of no difference: of the cluster-robust t test, or of the sign test where differences do not vary.
    /// `None` for one pair.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        (self.basic.difference.n > 1).then(|| self.p_clustered.unwrap_or(self.basic.p_sign))
    }
}

/// Sums two numbers over each cluster of seeds, in a fixed order.
pub(crate) fn cluster_sums(values: &[(Place<'_>, Group)]) -> Vec<Group> {
    let places: Vec<Place<'_>> = values.iter().map(|(place, _)| *place).collect();
    Grouping::of(&places).sums(values.iter().map(|(_, value)| *value))
}

fn bootstrap(clusters: &[Group], options: &Options) -> Option<Interval> {
    if clusters.len() < options.bootstrap_minimum {
        return None;
    }
    let bootstrap = Bootstrap { resamples: options.resamples, seed: options.seed, confidence: options.confidence };
    bootstrap.ratio(clusters).map(|result| result.bca)
}

/// A difference of catastrophic rates, tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateTest {
    /// Rate of the first minus rate of the second.
    pub estimate: f64,
    /// Cluster-robust interval; `None` where the differences do not vary.
    pub interval: Option<Interval>,
    /// Two-sided exact p of McNemar's test.
    pub p: f64,
}

/// Catastrophic rate of the first minus that of the second over seeds with one episode a side. `None` without such seeds.
/// `limit` is in thousandths of a return.
#[must_use]
pub fn catastrophic_test(
    first: &[&EpisodeRow],
    second: &[&EpisodeRow],
    limit: i64,
    options: &Options,
) -> Option<RateTest> {
    let found = discordance(first, second, limit);
    let estimate = found.difference()?;
    let (pairs, _) = matched(first, second);
    let below = |value: i128| f64::from(u8::from(value < i128::from(limit)));
    let (places, differences): (Vec<Place<'_>>, Vec<f64>) =
        pairs.iter().filter_map(|pair| pair.single().map(|(a, b)| (pair.place, below(a) - below(b)))).unzip();
    let groups = Grouping::of(&places).sums(differences.iter().map(|difference| (*difference, 1.0)));
    // Where no environment tells the two apart there is no spread to make an interval of: that is not certainty.
    let interval =
        half_width(&groups, options.confidence).map(|half| Interval { low: estimate - half, high: estimate + half });
    Some(RateTest { estimate, interval, p: found.p })
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
