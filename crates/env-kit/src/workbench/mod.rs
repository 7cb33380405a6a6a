//! What can be done with an environment alone: the verbs of `gimbal env NAME`.
//!
//! Listing, showing and playing go through the seams of core, so that every environment has them. An environment adds what
//! only it can do by [`Workbench`]: its recordings, its measure of speed, its own table.

mod episodes;
mod flags;
mod hand;
mod output;
mod returns;
mod setup;
mod show;
mod verbs;

use std::path::PathBuf;

use async_trait::async_trait;
use gimbal_core::{Catalogue, EnvError};
use serde_json::{Map, Value};

pub use episodes::{Episode, by_policy};
pub use flags::{Flag, flags};
pub use hand::{PlayError, by_hand};
pub use output::{Output, choice, choice_of, number, only_fast_draws, plural};
pub use returns::{Compared, Spread, WIDEST_Z, compared, distance, recorded_in};
pub use setup::{Given, Setup};
pub use show::{calls, show, tasks};
pub use verbs::{VERBS, Verb};

/// A family of environments with its own verbs. A verb that it lacks returns an error with the reason.
#[async_trait]
pub trait Workbench: Catalogue {
    /// The verbs that it writes below; the program offers no other of these.
    fn written(&self) -> &[Verb] {
        &[]
    }

    /// Options that take another value than in a study where none is given.
    fn alone(&self) -> Map<String, Value> {
        Map::new()
    }

    /// The splits that hold the data which `options` name, such as a folder of games; `None` where they name none.
    fn splits_of(&self, options: &Value) -> Option<&[&'static str]> {
        let _ = options;
        None
    }

    /// Names of the options that `replay` takes as flags.
    fn replay_options(&self) -> &[&'static str] {
        &[]
    }

    /// Names of the options that `serve` takes as flags.
    fn serve_options(&self) -> &[&'static str] {
        &[]
    }

    /// Names of the options that `evaluate` takes as flags; `split` among them where it takes one.
    fn evaluate_options(&self) -> &[&'static str] {
        &[]
    }

    /// The policies of which `gimbal coverage` compares the second with the first where none are named: the first and the
    /// last that are offered.
    fn contrast(&self) -> [String; 2] {
        let policies = self.offers().policies;
        [policies.first().cloned().unwrap_or_default(), policies.last().cloned().unwrap_or_default()]
    }

    /// Plays recordings again and compares every field.
    ///
    /// # Errors
    /// When an option does not fit this environment.
    fn replay(&self, request: &ReplayRequest) -> Result<Output, EnvError> {
        let _ = request;
        Err(self.absent(Verb::Replay))
    }

    /// Measures steps a second on one core.
    ///
    /// # Errors
    /// When an option does not fit this environment, or a file cannot be read or written.
    fn bench(&self, request: &BenchRequest) -> Result<Output, EnvError> {
        let _ = request;
        Err(self.absent(Verb::Bench))
    }

    /// Mean and SD of the returns of a built-in policy.
    ///
    /// # Errors
    /// When an option does not fit this environment, or a file cannot be read.
    async fn returns(&self, request: &ReturnsRequest) -> Result<Output, EnvError> {
        returns::returns(self, request).await
    }

    /// The environment's own table for a policy.
    ///
    /// # Errors
    /// When there is no such policy.
    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let _ = request;
        Err(self.absent(Verb::Evaluate))
    }

    /// Starts its services on this machine; they run until the output is dropped.
    ///
    /// # Errors
    /// When the port is taken, or an option does not fit.
    fn serve(&self, request: &ServeRequest) -> Result<Output, EnvError> {
        let _ = request;
        Err(self.absent(Verb::Serve))
    }

    /// Writes a generated task to a file.
    ///
    /// # Errors
    /// When the task is not a generated one, or the file cannot be written.
    fn save(&self, request: &SaveRequest) -> Result<Output, EnvError> {
        let _ = request;
        Err(self.absent(Verb::Save))
    }

    /// Returns, in thousandths, of `episodes` episodes of a built-in policy on the default options, by consecutive seeds. Two
    /// policies meet the same seeds.
    ///
    /// # Errors
    /// When there is no such policy, or an episode cannot be played.
    async fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, EnvError> {
        returns::sample(self, policy, episodes, seed).await
    }

    /// All its verbs, in the order of the help.
    fn verbs(&self) -> Vec<&'static str> {
        verbs::of(self.written())
    }

    /// The error of a verb that this environment does not have.
    fn absent(&self, verb: Verb) -> EnvError {
        EnvError::Usage(verbs::refusal(self.name(), verb, &self.verbs()))
    }
}

/// What `replay` plays.
#[derive(Clone, Debug, Default)]
pub struct ReplayRequest {
    /// Recordings; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Whether draws come from the recorded seed alone, and not from the recorded tape.
    pub from_seed: bool,
    /// Whether a checksum is asked for, and of which view; none of the views: the one that the files name.
    pub checksum: Option<Option<Observe>>,
    /// How the environment is set up, as far as [`Workbench::replay_options`] go.
    pub setup: Setup,
}

/// What `bench` measures.
#[derive(Clone, Debug, Default)]
pub struct BenchRequest {
    /// How the environment is set up.
    pub setup: Setup,
    /// The policy.
    pub policy: String,
    /// What is looked at after every step.
    pub observe: Option<Observe>,
    /// Steps in all.
    pub steps: u64,
    /// Seed of the first episode.
    pub seed: u64,
    /// The generator.
    pub draws: String,
    /// Recordings or action lists to play in place of a policy.
    pub actions: Vec<PathBuf>,
    /// Where action lists are written.
    pub save: Option<PathBuf>,
}

/// What is looked at after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observe {
    /// The reward alone.
    None,
    /// The observation vector.
    Vector,
    /// The raw observation as text.
    Raw,
}

/// What `returns` plays.
#[derive(Clone, Debug)]
pub struct ReturnsRequest {
    /// How the environment is set up.
    pub setup: Setup,
    /// The policy; none: the environment's own default.
    pub policy: Option<String>,
    /// Episodes, at least 1.
    pub episodes: u64,
    /// Seed of the first episode.
    pub seed: u64,
    /// The generator.
    pub draws: String,
    /// Recorded statistics to compare with.
    pub against: Option<PathBuf>,
}

/// What `evaluate` plays.
#[derive(Clone, Debug)]
pub struct EvaluateRequest {
    /// How the environment is set up, as far as [`Workbench::evaluate_options`] go.
    pub setup: Setup,
    /// The policy; none: the environment's own default.
    pub policy: Option<String>,
    /// Episodes in each cell, at least 1.
    pub episodes: u64,
    /// Seed of the first episode.
    pub seed: u64,
    /// The interval of a share. It comes from the caller, because environments hold no statistics of their own.
    pub interval: ShareInterval,
}

/// The 95% interval of the share `count / of`, from `(count, of)`; `None` if `of` is 0.
pub type ShareInterval = fn(u64, u64) -> Option<(f64, f64)>;

/// What `serve` serves.
#[derive(Clone, Debug)]
pub struct ServeRequest {
    /// The port; 0 lets the system choose.
    pub port: u16,
    /// How the environment is set up, as far as [`Workbench::serve_options`] go.
    pub setup: Setup,
    /// Where the questions are written, in place of serving.
    pub questions: Option<PathBuf>,
}

/// What `save` writes.
#[derive(Clone, Debug)]
pub struct SaveRequest {
    /// How the environment is set up.
    pub setup: Setup,
    /// The file.
    pub file: PathBuf,
    /// Seed of the task where none is named.
    pub seed: u64,
}
