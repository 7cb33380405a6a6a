//! The value of a way to resolve a conflict: what is earned in copies of the environment.

use gimbal_core::{Branch, BranchError, Milli, Rejection, ToolCall, Transition};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::choices::{Candidate, Held};
use crate::authority::edits;
use crate::pattern::shown;

/// How ways are played out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollout<'a> {
    /// The built-in policy that plays on after the call.
    pub policy: &'a str,
    /// Futures that each way meets, numbered from 0: the same for all ways. One is exact in an environment without chance.
    pub futures: u64,
    /// The present step: that of the call.
    pub step: u32,
    /// Steps that are played, the call's own included.
    pub steps: u32,
    /// What takes the place of a call of the policy that a directive does not let through.
    pub replacement: Replacement,
    /// Most legal calls that are compared with such a call.
    pub legal: usize,
    /// The call that does nothing. It is always open.
    pub idle: &'a ToolCall,
}

/// What takes the place of a call that a directive does not let through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The nearest legal call that the directives let through, by the distance of Eq. 20; the idle call where there is none.
    #[default]
    Nearest,
    /// The idle call.
    Idle,
}

/// A way that cannot be valued.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RolloutError {
    /// There is nothing to play.
    #[error("a rollout needs at least one future and one step; there are {futures} and {steps}")]
    Nothing {
        /// Futures.
        futures: u64,
        /// Steps.
        steps: u32,
    },
    /// A branch brought nothing.
    #[error("future {future}, step {step}: {error}")]
    Branch {
        /// The future.
        future: u64,
        /// The step.
        step: u32,
        /// Why.
        error: BranchError,
    },
    /// The environment refused its own idle call.
    #[error("future {future}, step {step}: the environment refused its idle call: {rejection}")]
    Idle {
        /// The future.
        future: u64,
        /// The step.
        step: u32,
        /// Why.
        rejection: Rejection,
    },
}

/// The return from a way's call on, in each future. A call that the environment refuses is replaced by the idle call.
///
/// # Errors
/// When there is nothing to play, the environment cannot be forked, has no such policy or refuses its idle call, or the calls in branches are
/// used up.
pub async fn value(
    present: &mut dyn Branch,
    candidate: &Candidate,
    rollout: &Rollout<'_>,
) -> Result<Vec<Milli>, RolloutError> {
    if rollout.futures == 0 || rollout.steps == 0 {
        return Err(RolloutError::Nothing { futures: rollout.futures, steps: rollout.steps });
    }
    let mut returns = Vec::new();
    for future in 0..rollout.futures {
        let place = |step, error| RolloutError::Branch { future, step, error };
        let mut branch = present.fork(future).map_err(|error| place(rollout.step, error))?;
        let (mut earned, mut call) = (0_i64, candidate.call.clone());
        for played in 0..rollout.steps {
            let step = rollout.step.saturating_add(played);
            if played > 0 {
                let wanted = branch.policy(rollout.policy).map_err(|error| place(step, error))?;
                call = projected(wanted, &*branch, &candidate.holds, step, rollout);
            }
            let taken = act(&mut *branch, &call, rollout.idle, future, step).await?;
            earned = earned.saturating_add(taken.reward.0);
            if taken.done.is_some() {
                break;
            }
        }
        returns.push(Milli(earned));
    }
    Ok(returns)
}

/// Makes a call, or the idle call where it is refused.
async fn act(
    branch: &mut dyn Branch,
    call: &ToolCall,
    idle: &ToolCall,
    future: u64,
    step: u32,
) -> Result<Transition, RolloutError> {
    let place = |error| RolloutError::Branch { future, step, error };
    match branch.act(call).await {
        Ok(taken) => Ok(taken),
        Err(BranchError::Rejected(rejection)) if call == idle => Err(RolloutError::Idle { future, step, rejection }),
        Err(BranchError::Rejected(_)) => match branch.act(idle).await {
            Ok(taken) => Ok(taken),
            Err(BranchError::Rejected(rejection)) => Err(RolloutError::Idle { future, step, rejection }),
            Err(error) => Err(place(error)),
        },
        Err(error) => Err(place(error)),
    }
}

/// A call of the policy, or what takes its place.
fn projected(wanted: ToolCall, branch: &dyn Branch, holds: &[Held], step: u32, rollout: &Rollout<'_>) -> ToolCall {
    let allows = |call: &ToolCall| call == rollout.idle || holds.iter().all(|held| held.allows(call, step));
    if allows(&wanted) {
        return wanted;
    }
    match rollout.replacement {
        Replacement::Idle => rollout.idle.clone(),
        Replacement::Nearest => {
            let open = branch.legal(rollout.legal);
            let open: Vec<&ToolCall> = open.iter().filter(|call| **call != *rollout.idle && allows(call)).collect();
            nearest(&wanted, &open).unwrap_or(rollout.idle).clone()
        }
    }
}

/// The nearest of several calls, as [`crate::authority::Authority::project`] measures it: all are calls, so that words decide; of those alike
/// the first in the order of their words.
#[must_use]
pub fn nearest<'a>(wanted: &ToolCall, among: &[&'a ToolCall]) -> Option<&'a ToolCall> {
    let wanted = shown(wanted);
    let mut least: Option<(usize, String, &ToolCall)> = None;
    for call in among {
        let (words, most) = (shown(call), least.as_ref().map_or(usize::MAX, |(edits, ..)| *edits));
        let Some(edits) = edits(&wanted, &words, most) else { continue };
        if least.as_ref().is_none_or(|(known, text, _)| (edits, &words) < (*known, text)) {
            least = Some((edits, words, call));
        }
    }
    least.map(|(.., call)| call)
}
