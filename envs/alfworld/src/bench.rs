//! Steps a second on one core, and what it takes to load a game.

use std::sync::Arc;
use std::time::Instant;

use gimbal_parity::Fast;
use serde::Serialize;

use crate::engine::{Game, Play};

/// How to measure.
#[derive(Clone, Copy, Debug)]
pub struct BenchOptions {
    /// Steps in all.
    pub steps: u64,
    /// Steps between two resets; a game that is won goes on until then.
    pub every: u64,
    /// Seed of the commands.
    pub seed: u64,
}

/// What was measured. Commands, observations and lists depend on games and seed alone, and so does the checksum.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchReport {
    /// Steps in all.
    pub steps: u64,
    /// Resets.
    pub resets: u64,
    /// Resets after which the game was won at some point.
    pub won: u64,
    /// Wall time of steps and resets, in seconds.
    pub seconds: f64,
    /// Steps a second.
    pub steps_per_second: f64,
    /// Admissible commands, a step on average.
    pub admissible: f64,
    /// Of all observations, and of how long each list of commands was.
    pub checksum: String,
}

/// Plays random admissible commands, by their texts, in one game after another. After every step the observation is there
/// as text and the admissible commands as a sorted list of texts.
#[must_use]
pub fn bench(games: &[Arc<Game>], options: BenchOptions) -> BenchReport {
    let mut draws = Fast::new(options.seed);
    let (mut steps, mut resets, mut won, mut listed, mut sum) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    let mut command = String::with_capacity(128);
    let every = options.every.max(1);
    let start = Instant::now();
    for (at, game) in games.iter().enumerate() {
        // Each game its share of the steps.
        let until = options.steps * (at as u64 + 1) / games.len() as u64;
        let mut play = Play::new(Arc::clone(game));
        while steps < until {
            play.reset();
            resets += 1;
            let mut any = false;
            for _ in 0..every.min(until - steps) {
                let count = play.admissible().len();
                let at = draws.below(count as u32) as usize;
                command.clear();
                command.push_str(play.command(at).unwrap_or_default());
                let stepped = play.step(&command);
                any |= stepped.won;
                listed += count as u64;
                sum = fold(sum, play.observation(), play.admissible().len());
            }
            steps += every.min(until - steps);
            won += u64::from(any);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    BenchReport {
        steps,
        resets,
        won,
        seconds,
        steps_per_second: steps as f64 / seconds.max(f64::MIN_POSITIVE),
        admissible: listed as f64 / steps.max(1) as f64,
        checksum: format!("{sum:016x}"),
    }
}

fn fold(sum: u64, text: &str, lengths: usize) -> u64 {
    let mut sum = (sum ^ lengths as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    for word in words.iter().map(|word| u64::from_le_bytes(*word)).chain(rest.iter().map(|byte| u64::from(*byte))) {
        sum = (sum.rotate_left(17) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    sum
}
