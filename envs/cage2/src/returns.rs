//! Returns of the baseline policies, and the challenge's own table.

use serde::Serialize;

use crate::bench::Generator;
use crate::draws::{Draws, Fast, Mersenne};
use crate::options::{Green, Options, REDS, Red};
use crate::policy::{Policy, PolicyKind};
use crate::sim::Simulator;

/// What to play.
#[derive(Clone, Copy, Debug)]
pub struct ReturnsOptions {
    /// Red, green, horizon.
    pub options: Options,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Episodes.
    pub episodes: u64,
    /// The generator.
    pub draws: Generator,
    /// The seed of the first episode; the others count up.
    pub seed: u64,
}

/// The distribution of returns; its keys are those of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct ReturnsReport {
    /// The mean return.
    pub mean: f64,
    /// The standard deviation of a return (over n - 1); none of fewer than two.
    pub sd: Option<f64>,
    /// Episodes played.
    pub episodes: u64,
    /// The standard error of the mean; none of fewer than two.
    pub se: Option<f64>,
    /// The worst return.
    pub min: f64,
    /// The best return.
    pub max: f64,
    /// Red's agent.
    pub red: Red,
    /// Green's agent.
    pub green: Green,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Steps of an episode.
    pub horizon: u32,
}

/// The challenge's table for one policy.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Horizons 30, 50, 100, and red's three agents for each.
    pub rows: Vec<ReturnsReport>,
    /// The sum of all means: the challenge's score.
    pub total: f64,
}

/// Plays episodes; memory does not grow with their number.
#[must_use]
pub fn returns(options: &ReturnsOptions) -> ReturnsReport {
    match options.draws {
        Generator::Fast => play(options, Fast::new(0)),
        Generator::Mersenne => play(options, Mersenne::new(0)),
    }
}

fn play<D: Draws>(options: &ReturnsOptions, draws: D) -> ReturnsReport {
    let mut simulator = Simulator::new(options.options, draws);
    let mut policy = Policy::new(options.policy);
    // Returns are whole tenths, so that the sums are exact.
    let (mut sum, mut squares) = (0_i128, 0_i128);
    let (mut min, mut max) = (i64::MAX, i64::MIN);
    for episode in 0..options.episodes {
        let seed = options.seed.wrapping_add(episode);
        simulator.reset(seed);
        policy.reset(seed);
        for _ in 0..options.options.horizon {
            simulator.step(policy.act(simulator.vector()));
        }
        let total = simulator.return_tenths();
        sum += i128::from(total);
        squares += i128::from(total) * i128::from(total);
        min = min.min(total);
        max = max.max(total);
    }
    let count = options.episodes as f64;
    let mean = if options.episodes == 0 { 0.0 } else { sum as f64 / count };
    let sd = (options.episodes > 1).then(|| {
        let spread = squares * i128::from(options.episodes) - sum * sum;
        (spread as f64 / count / (count - 1.0)).sqrt() / 10.0
    });
    let (min, max) = if options.episodes == 0 { (0, 0) } else { (min, max) };
    ReturnsReport {
        mean: mean / 10.0,
        sd,
        episodes: options.episodes,
        se: sd.map(|sd| sd / count.sqrt()),
        min: min as f64 / 10.0,
        max: max as f64 / 10.0,
        red: options.options.red,
        green: options.options.green,
        policy: options.policy,
        horizon: options.options.horizon,
    }
}

/// The return of each episode in thousandths, in the order of the seeds.
#[must_use]
pub fn each(options: &ReturnsOptions) -> Vec<i64> {
    match options.draws {
        Generator::Fast => each_with(options, Fast::new(0)),
        Generator::Mersenne => each_with(options, Mersenne::new(0)),
    }
}

fn each_with<D: Draws>(options: &ReturnsOptions, draws: D) -> Vec<i64> {
    let mut simulator = Simulator::new(options.options, draws);
    let mut policy = Policy::new(options.policy);
    let seeds = (0..options.episodes).map(|episode| options.seed.wrapping_add(episode));
    let returns = seeds.map(|seed| {
        simulator.reset(seed);
        policy.reset(seed);
        for _ in 0..options.options.horizon {
            simulator.step(policy.act(simulator.vector()));
        }
        100 * simulator.return_tenths()
    });
    returns.collect()
}

/// The horizons of the challenge.
pub const HORIZONS: [u32; 3] = [30, 50, 100];

/// The challenge's own evaluation: each red at each horizon.
#[must_use]
pub fn evaluate(policy: PolicyKind, green: Green, episodes: u64, draws: Generator, seed: u64) -> Evaluation {
    let mut rows = Vec::with_capacity(9);
    for horizon in HORIZONS {
        for red in REDS {
            let options = Options { red, green, horizon };
            rows.push(returns(&ReturnsOptions { options, policy, episodes, draws, seed }));
        }
    }
    let total = rows.iter().map(|row| row.mean).sum();
    Evaluation { policy, rows, total }
}

impl Evaluation {
    /// The table as text.
    #[must_use]
    pub fn render(&self) -> String {
        use std::fmt::Write as _;
        let mut out = format!("{:>7}  {:<8}  {:>10}  {:>9}  {:>8}\n", "horizon", "red", "mean", "sd", "episodes");
        for row in &self.rows {
            let sd = row.sd.map_or_else(|| "–".to_owned(), |sd| format!("{sd:.3}"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{:>7}  {:<8}  {:>10.3}  {:>9}  {:>8}",
                row.horizon,
                row.red.name(),
                row.mean,
                sd,
                row.episodes
            );
        }
        let _ = writeln!(out, "  total            {:>11.3}", self.total);
        out
    }
}
