//! Runs and their episodes in the form of `--json` of `gimbal digest` and `gimbal trace`.

use gimbal_core::{Digest, Milli};
use serde::Serialize;

use super::trace::Readable;

/// The hash of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DigestOfRun {
    /// The hash over finished episodes.
    pub digest: Digest,
    /// Whether the run is being written, so that the hash is not its last one.
    pub in_progress: bool,
}

/// An episode of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpisodeRow {
    /// Its number in the whole list, from 0.
    pub number: usize,
    /// Cell, task and run, and the trial where there are several.
    pub name: String,
    /// Its key.
    pub key: Digest,
    /// How it stopped.
    pub stop: &'static str,
    /// Why it stopped so; `None` where there is no more to say.
    pub why: Option<String>,
    /// Its return, in points; `None` for attempts that have no outcome, as steps and tokens are.
    #[serde(rename = "return")]
    pub episode_return: Option<f64>,
    /// Steps.
    pub steps: Option<u32>,
    /// Tokens of all model calls.
    pub tokens: Option<u64>,
    /// Whether its cell is in the study.
    pub in_study: bool,
}

impl EpisodeRow {
    /// The episode that has `number` in the whole list.
    #[must_use]
    pub fn new(number: usize, episode: &Readable) -> Self {
        Self {
            number,
            name: episode.name(),
            key: episode.id.key,
            stop: episode.stop,
            why: (!episode.detail.is_empty()).then(|| episode.detail.clone()),
            episode_return: episode.episode_return.map(|Milli(thousandths)| thousandths as f64 / 1000.0),
            steps: episode.used.map(|(steps, _)| steps),
            tokens: episode.used.map(|(_, tokens)| tokens),
            in_study: episode.current,
        }
    }
}
