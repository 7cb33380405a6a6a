//! What can be done with an environment alone: play, replay, bench, returns. The same verbs and keys for each.

mod cage2;
mod yawning_titan;

pub use cage2::Cage2;
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
    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure>;

    /// The policies of which `gimbal coverage` compares the second with the first, where none are named.
    fn contrast(&self) -> [&'static str; 2];

    /// Returns in thousandths of so many episodes of a built-in policy, on the default options, by consecutive seeds. Two
    /// policies meet the same seeds.
    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure>;
}
