//! How many steps a second one core plays, with a checksum that says that it really played them.
//!
//! The checksum runs over all episodes in order and takes in, at every step, blue's reward and the observation vector.
//! Every episode builds the environment anew, with all of its draws.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::checksum::Checksum;
use crate::draws::{Draws, Fast, Python};
use crate::generator::Numbers;
use crate::policy::{Policy, PolicyKind};
use crate::returns::ReturnsError;
use crate::sim::{Scenario, Simulator};

/// What is looked at after every step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observe {
    /// The reward only. The vector is made all the same.
    None,
    /// Reward and vector.
    #[default]
    Vector,
}

/// What to play.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Mode, network, red.
    pub scenario: Scenario,
    /// Blue's policy.
    pub policy: PolicyKind,
    /// What goes into the checksum.
    pub observe: Observe,
    /// How many steps.
    pub steps: u64,
    /// The generator.
    pub draws: Numbers,
    /// The seed of the first episode; the others count up.
    pub seed: u64,
}

impl Default for BenchOptions {
    fn default() -> Self {
        Self {
            scenario: Scenario::default(),
            policy: PolicyKind::Random,
            observe: Observe::Vector,
            steps: 3_000_000,
            draws: Numbers::Fast,
            seed: 1,
        }
    }
}

/// What a bench measured; its keys are those of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// Steps by seconds of wall time, buildings and resets included, on one core.
    pub steps_per_second: f64,
    /// Steps played.
    pub steps: u64,
    /// Episodes begun.
    pub episodes: u64,
    /// Seconds of wall time.
    pub seconds: f64,
    /// The sum of rewards.
    pub total_reward: f64,
    /// The checksum.
    pub checksum: String,
    /// Red's agent.
    pub red: String,
    /// The policy.
    pub policy: String,
    /// What was looked at.
    pub observe: Observe,
    /// The generator.
    pub draws: String,
    /// The seed of the first episode.
    pub seed: u64,
    /// The length of the vector.
    pub vector: usize,
}

/// Plays and measures.
///
/// # Errors
/// When the scenario cannot be played.
pub fn bench(options: &BenchOptions) -> Result<BenchReport, ReturnsError> {
    match options.draws {
        Numbers::Fast => play(options, Fast::new(0)),
        Numbers::Mersenne => play(options, Python::new(0)),
    }
}

fn play<D: Draws>(options: &BenchOptions, draws: D) -> Result<BenchReport, ReturnsError> {
    let mut simulator = Simulator::new(&options.scenario, draws)?;
    let mut policy = Policy::new(options.policy);
    let (mut steps, mut episodes, mut total) = (0, 0, 0.0);
    let mut checksum = Checksum::default();
    let start = Instant::now();
    while steps < options.steps {
        let seed = options.seed.wrapping_add(episodes);
        episodes += 1;
        simulator.rebuild(seed)?;
        policy.reset(seed);
        while !simulator.done() && steps < options.steps {
            let action = policy.act(&simulator);
            steps += 1;
            // Where the original raises an exception, the episode ends.
            let Ok(reward) = simulator.step(action) else { break };
            total += reward;
            match options.observe {
                Observe::None => checksum.reward(reward),
                Observe::Vector => checksum.step(reward, simulator.vector()),
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok(BenchReport {
        steps_per_second: steps as f64 / seconds.max(f64::MIN_POSITIVE),
        steps,
        episodes,
        seconds,
        total_reward: total,
        checksum: checksum.hex(),
        red: options.scenario.red.name().to_owned(),
        policy: options.policy.name().to_owned(),
        observe: options.observe,
        draws: options.draws.name().to_owned(),
        seed: options.seed,
        vector: simulator.vector().len(),
    })
}
