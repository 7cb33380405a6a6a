//! Returns of the baseline policies, and the comparison with statistics of the original.

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::draws::{Draws, Fast, Python};
use crate::dynamics::Raised;
use crate::generator::Numbers;
use crate::policy::{Policy, PolicyKind};
use crate::sim::{Scenario, ScenarioError, Simulator};

/// What to play.
#[derive(Clone, Debug)]
pub struct ReturnsOptions {
    /// Mode, network, red.
    pub scenario: Scenario,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// Episodes; the environment is built anew for each, as in the original's statistics.
    pub episodes: u64,
    /// The generator.
    pub draws: Numbers,
    /// The seed of the first episode; the others count up.
    pub seed: u64,
}

/// The distribution of returns; its keys are those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// The mean number of steps; a step that is lost before blue's turn counts.
    pub length_mean: f64,
    /// The standard deviation of the number of steps; none of fewer than two.
    pub length_sd: Option<f64>,
    /// The share of episodes that reached the last step.
    pub reached_max_steps: f64,
    /// Episodes that ended in an exception of the original; their returns are as far as they came.
    pub exceptions: u64,
}

/// Why returns cannot be had.
#[derive(Debug, Error)]
pub enum ReturnsError {
    /// The scenario cannot be played.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The network cannot be drawn for.
    #[error("the environment cannot be built: {0}")]
    Build(#[from] Raised),
}

/// Plays episodes; memory does not grow with their number.
///
/// # Errors
/// When the scenario cannot be played.
pub fn returns(options: &ReturnsOptions) -> Result<ReturnsReport, ReturnsError> {
    match options.draws {
        Numbers::Fast => play(options, Fast::new(0)),
        Numbers::Mersenne => play(options, Python::new(0)),
    }
}

/// The return of each episode in thousandths, in the order of the seeds: the sum of rewards that are rounded step by step,
/// as the environment gives them out. A step in which the original raises an exception ends its episode with 0.
///
/// # Errors
/// When the scenario cannot be played.
pub fn each(options: &ReturnsOptions) -> Result<Vec<i64>, ReturnsError> {
    match options.draws {
        Numbers::Fast => each_with(options, Fast::new(0)),
        Numbers::Mersenne => each_with(options, Python::new(0)),
    }
}

fn each_with<D: Draws>(options: &ReturnsOptions, draws: D) -> Result<Vec<i64>, ReturnsError> {
    let mut simulator = Simulator::new(&options.scenario, draws)?;
    let mut policy = Policy::new(options.policy);
    let mut returns = Vec::with_capacity(usize::try_from(options.episodes).unwrap_or_default().min(MOST_RESERVED));
    for episode in 0..options.episodes {
        let seed = options.seed.wrapping_add(episode);
        simulator.rebuild(seed)?;
        policy.reset(seed);
        let mut total = Milli::ZERO;
        while !simulator.done() {
            let action = policy.act(&simulator);
            let Ok(reward) = simulator.step(action) else { break };
            total += Milli::from_f64(reward);
        }
        returns.push(total.0);
    }
    Ok(returns)
}

/// Returns for which space is set aside at once.
const MOST_RESERVED: usize = 1 << 20;

/// A running mean and spread (Welford).
#[derive(Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn take(&mut self, value: f64) {
        self.count += 1.0;
        let away = value - self.mean;
        self.mean += away / self.count;
        self.squares += away * (value - self.mean);
    }

    fn sd(&self) -> Option<f64> {
        (self.count > 1.0).then(|| (self.squares / (self.count - 1.0)).sqrt())
    }
}

fn play<D: Draws>(options: &ReturnsOptions, draws: D) -> Result<ReturnsReport, ReturnsError> {
    let mut simulator = Simulator::new(&options.scenario, draws)?;
    let mut policy = Policy::new(options.policy);
    let (mut totals, mut lengths) = (Spread::default(), Spread::default());
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut reached, mut exceptions) = (0_u64, 0_u64);
    for episode in 0..options.episodes {
        let seed = options.seed.wrapping_add(episode);
        simulator.rebuild(seed)?;
        policy.reset(seed);
        let mut steps = 0_u64;
        while !simulator.done() {
            steps += 1;
            let action = policy.act(&simulator);
            if simulator.step(action).is_err() {
                exceptions += 1;
                break;
            }
        }
        reached += u64::from(simulator.done() && !simulator.lost());
        let total = simulator.return_value();
        totals.take(total);
        lengths.take(steps as f64);
        min = min.min(total);
        max = max.max(total);
    }
    if options.episodes == 0 {
        return Ok(ReturnsReport::default());
    }
    let count = options.episodes as f64;
    let sd = totals.sd();
    Ok(ReturnsReport {
        mean: totals.mean,
        sd,
        episodes: options.episodes,
        se: sd.map(|sd| sd / count.sqrt()),
        min,
        max,
        length_mean: lengths.mean,
        length_sd: lengths.sd(),
        reached_max_steps: reached as f64 / count,
        exceptions,
    })
}

/// Statistics of the original simulator.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedReturns {
    /// One entry for each mode, network, red and policy.
    pub cells: Vec<RecordedCell>,
}

/// Recorded returns of one policy.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedCell {
    /// The mode.
    pub mode: String,
    /// The stored network.
    pub network: String,
    /// Red's agent.
    pub red: String,
    /// Blue's policy.
    pub blue: String,
    /// The mean return.
    pub mean: f64,
    /// Its standard error.
    pub se: f64,
    /// Episodes.
    pub n: u64,
    /// The mean number of steps.
    pub length_mean: f64,
    /// The standard deviation of the number of steps.
    pub length_sd: f64,
}
