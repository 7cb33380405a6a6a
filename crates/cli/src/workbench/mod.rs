//! What can be done with an environment alone: play, replay, bench, returns. The same verbs and keys for each.

mod alfworld;
mod cage2;
mod textcraft;
mod yawning_titan;

pub use alfworld::Alfworld;
pub use cage2::Cage2;
pub use textcraft::TextCraft;
pub use yawning_titan::YawningTitan;

use crate::args::{EnvBench, EnvEvaluate, EnvPlay, EnvReplay, EnvReturns};
use crate::exit::Failure;

/// The verbs of `gimbal env NAME`.
pub trait Workbench {
    /// A person plays at the terminal.
    fn play(&self, options: &EnvPlay) -> Result<(), Failure>;

    /// Recordings are played again and compared field by field.
    fn replay(&self, options: &EnvReplay) -> Result<(), Failure>;

    /// Steps a second on one core.
    fn bench(&self, options: &EnvBench) -> Result<(), Failure>;

    /// Mean and SD of the returns of a built-in policy.
    fn returns(&self, options: &EnvReturns) -> Result<(), Failure>;

    /// The environment's own table for a policy.
    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure> {
        let _ = options;
        Err(Failure::Usage("this environment has no table of its own; `returns` tells how a policy fares".to_owned()))
    }

    /// Returns in thousandths of so many episodes of a built-in policy, on the default options, by consecutive seeds. Two
    /// policies meet the same seeds.
    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure> {
        let _ = (policy, episodes, seed);
        Err(Failure::Usage("this environment has no policies that are played without journals".to_owned()))
    }
}
