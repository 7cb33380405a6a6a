//! An episode of a built-in policy.

use std::fmt;

use gimbal_core::{
    EnvError, Environment, EnvironmentStop, Milli, Rejection, Reply, Rng, TaskId, ToolCall, Transition, nearest,
};

/// How an episode went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Episode {
    /// Steps taken.
    pub steps: u32,
    /// Calls that the environment refused, of a built-in policy.
    pub rejected: u32,
    /// The sum of rewards.
    pub total: Milli,
    /// How the environment ended it; none: the steps were used up, or the player left.
    pub ending: Option<EnvironmentStop>,
}

impl Episode {
    pub(super) const BEGUN: Self = Self { steps: 0, rejected: 0, total: Milli(0), ending: None };

    pub(super) fn add(&mut self, step: &Transition) {
        self.steps += 1;
        self.total += step.reward;
        self.ending = step.done;
    }
}

impl fmt::Display for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.ending {
            None => "",
            Some(EnvironmentStop::Solved) => ", solved",
            Some(EnvironmentStop::Horizon) => ", at the last step",
            Some(EnvironmentStop::Failed) => ", failed",
            Some(EnvironmentStop::Answered) => ", answered",
            Some(EnvironmentStop::Broken) => ", the original breaks off here",
        };
        write!(f, "{}, return {}{how}", super::plural(u64::from(self.steps), "step"), self.total)?;
        if self.rejected > 0 {
            write!(f, ", {} refused", super::plural(u64::from(self.rejected), "call"))?;
        }
        Ok(())
    }
}

/// Plays an episode of a built-in policy; `seen` is shown every step. No model is asked: a tool that needs one
/// refuses its call, which is counted and uses up a step of the horizon.
///
/// # Errors
/// When there is no such policy or task, or a service fails.
pub async fn by_policy(
    environment: &mut dyn Environment,
    policy: &str,
    task: &TaskId,
    seed: u64,
    seen: &mut (dyn FnMut(u32, &str, &Transition) + Send),
) -> Result<Episode, EnvError> {
    environment.reset(task, seed).await?;
    let known = environment.policies();
    if !known.contains(&policy) {
        let hint = nearest::hint(policy, known.iter().copied());
        return Err(EnvError::Usage(format!("--policy: there is no `{policy}`{hint} (known: {})", known.join(", "))));
    }
    // The stream that a study gives the policy of an episode with this seed.
    let mut draws = Rng::stream(seed, &format!("policy/{policy}"));
    let horizon = environment.brief().horizon;
    let mut episode = Episode::BEGUN;
    while episode.steps + episode.rejected < horizon && episode.ending.is_none() {
        let Some(call) = environment.decide(policy, &mut draws) else { break };
        let step = step(environment, &call).await;
        if let Some(error) = environment.failure() {
            return Err(EnvError::Service(error.to_string()));
        }
        let Ok(step) = step else {
            episode.rejected += 1;
            continue;
        };
        episode.add(&step);
        seen(episode.steps, &environment.render(&call), &step);
    }
    Ok(episode)
}

async fn step(environment: &mut dyn Environment, call: &ToolCall) -> Result<Transition, Rejection> {
    let mut reply = environment.call(call).await?;
    loop {
        match reply {
            Reply::Step(step) => return Ok(step),
            Reply::Ask(ask) => reply = environment.unanswered(&ask.role, "no model plays here").await?,
        }
    }
}
