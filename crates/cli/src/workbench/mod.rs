//! What can be done with an environment alone: play, replay, bench, returns. The same verbs and keys for each.

mod alfworld;
mod cage2;
mod finance_agent;
mod textcraft;
mod yawning_titan;

pub use alfworld::Alfworld;
pub use cage2::Cage2;
pub use finance_agent::FinanceAgent;
pub use textcraft::TextCraft;
pub use yawning_titan::YawningTitan;

use crate::args::{EnvBench, EnvEvaluate, EnvPlay, EnvReplay, EnvReturns, EnvServe};
use crate::exit::Failure;

/// The verbs of `gimbal env NAME`. An environment that has nothing to say to a verb leaves it out.
pub trait Workbench {
    /// A person plays at the terminal.
    fn play(&self, options: &EnvPlay) -> Result<(), Failure>;

    /// Recordings are played again and compared field by field.
    fn replay(&self, options: &EnvReplay) -> Result<(), Failure> {
        let _ = options;
        Err(absent("replay", "it keeps no recordings"))
    }

    /// Steps a second on one core.
    fn bench(&self, options: &EnvBench) -> Result<(), Failure> {
        let _ = options;
        Err(absent("bench", "its steps wait for services"))
    }

    /// Mean and SD of the returns of a built-in policy.
    fn returns(&self, options: &EnvReturns) -> Result<(), Failure> {
        let _ = options;
        Err(absent("returns", "play its policies in a study, with `base: baseline`"))
    }

    /// The environment's own table for a policy.
    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure> {
        let _ = options;
        Err(absent("evaluate", "it has no table of its own"))
    }

    /// Its services on a port of this machine, until it is stopped.
    fn serve(&self, options: &EnvServe) -> Result<(), Failure> {
        let _ = options;
        Err(absent("serve", "it has no services"))
    }

    /// The policies of which `gimbal coverage` compares the second with the first, where none are named.
    fn contrast(&self) -> [&'static str; 2];

    /// Returns in thousandths of so many episodes of a built-in policy, on the default options, by consecutive seeds. Two
    /// policies meet the same seeds.
    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure> {
        let _ = (policy, episodes, seed);
        Err(Failure::Usage("coverage: episodes of this environment are not played without journals".to_owned()))
    }
}

fn absent(verb: &str, why: &str) -> Failure {
    Failure::Usage(format!("this environment has no verb `{verb}`: {why}"))
}
