//! Intervals of statistics of several configurations at once, over the clusters of seeds that they played.

use gimbal_analysis::EpisodeRow;
use gimbal_analysis::Grouping;
use gimbal_analysis::Interval;
use gimbal_analysis::Options;
use gimbal_analysis::resample::Bootstrap;
use gimbal_analysis::t_quantile;

/// Sums over episodes: all that the statistics need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    count: f64,
    returns: f64,
    squares: f64,
    kilotokens: f64,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.returns += other.returns;
        self.squares += other.squares;
        self.kilotokens += other.kilotokens;
    }

    /// Mean return.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.returns / self.count)
    }

    /// Mean thousand tokens; none without any.
    pub(super) fn kilotokens(&self) -> Option<f64> {
        (self.count > 0.0 && self.kilotokens > 0.0).then(|| self.kilotokens / self.count)
    }

    /// Sample SD of the return; none without spread.
    pub(super) fn sd(&self) -> Option<f64> {
        let mean = self.mean()?;
        let variance = (self.squares - self.count * mean * mean) / (self.count - 1.0);
        (self.count > 1.0 && variance > 1e-9).then(|| variance.sqrt())
    }
}

/// Clusters of seeds with the sums of every side.
pub(super) struct Clusters(Vec<Vec<Sums>>);

impl Clusters {
    /// Sorts the episodes of the sides: by task and instance where several were played, else by run.
    pub(super) fn new(sides: &[&[&EpisodeRow]]) -> Self {
        let counted: Vec<(usize, &EpisodeRow)> = sides
            .iter()
            .enumerate()
            .flat_map(|(side, rows)| rows.iter().filter(|row| row.counts()).map(move |row| (side, *row)))
            .collect();
        let rows: Vec<&EpisodeRow> = counted.iter().map(|(_, row)| *row).collect();
        let grouping = Grouping::of_rows(&rows);
        let mut clusters = vec![vec![Sums::default(); sides.len()]; grouping.count];
        for ((side, row), cluster) in counted.into_iter().zip(&grouping.of) {
            let (value, kilotokens) = (row.value(), row.agent_tokens().total() as f64 / 1000.0);
            clusters[*cluster][side].add(&Sums { count: 1.0, returns: value, squares: value * value, kilotokens });
        }
        Self(clusters)
    }

    fn total(&self, drawn: impl Iterator<Item = usize>) -> Vec<Sums> {
        let mut total = vec![Sums::default(); self.0.first().map_or(0, Vec::len)];
        for index in drawn {
            for (sum, more) in total.iter_mut().zip(&self.0[index]) {
                sum.add(more);
            }
        }
        total
    }

    /// A statistic of the sides' sums and its interval: BCa bootstrap over clusters, or below the fewest units that the
    /// options ask for a t interval from leaving out one cluster at a time.
    pub(super) fn estimate(
        &self,
        options: &Options,
        statistic: impl Fn(&[Sums]) -> Option<f64>,
    ) -> Option<(f64, Option<Interval>)> {
        let n = self.0.len();
        let estimate = statistic(&self.total(0..n)).filter(|value| value.is_finite())?;
        if n >= options.bootstrap_minimum {
            let bootstrap =
                Bootstrap { resamples: options.resamples, seed: options.seed, confidence: options.confidence };
            let found = bootstrap.run(n, |drawn| statistic(&self.total(drawn.iter().copied())));
            return Some((estimate, found.map(|found| found.bca)));
        }
        Some((estimate, self.jackknife(estimate, options.confidence, statistic)))
    }

    fn jackknife(
        &self,
        estimate: f64,
        confidence: f64,
        statistic: impl Fn(&[Sums]) -> Option<f64>,
    ) -> Option<Interval> {
        let n = self.0.len();
        let without = |left_out| statistic(&self.total((0..n).filter(|index| *index != left_out)));
        let values: Vec<f64> = (0..n).map(without).collect::<Option<_>>()?;
        let count = n as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = ((count - 1.0) / count * squares).sqrt();
        let half = t_quantile(0.5 + confidence / 2.0, count - 1.0).filter(|_| n > 1)? * error;
        half.is_finite().then_some(Interval { low: estimate - half, high: estimate + half })
    }
}
