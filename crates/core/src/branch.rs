//! Branches: copies of the present in which calls may be tried, for architectures that need a simulator.
//!
//! Who uses one sees what agents do not see, so tables mark it: observations are the true ones, without injected faults. What happens in a
//! branch is in no journal; the stage counts branches and their calls apart from the calls of the episode, bounds the calls, and writes both
//! into one record at the end.
//!
//! A branch is *over* when its episode ended in it, and *closed* when a call in it asked a model or a service of the environment failed.
//! Then each further call, policy and fork gives the error that says so; other branches and the episode go on.

use async_trait::async_trait;
use thiserror::Error;

use crate::{Digest, EpisodeStopped, Rejection, ToolCall, Transition};

/// A copy of the environment at some moment, with a future of its own. Futures are names: what they bring depends on the seed of the
/// episode, the step at which the stage made the first branch, and the name, so that branches of one future meet the same chances and none
/// meets those of the episode itself.
#[async_trait]
pub trait Branch: Send {
    /// Carries out a call in the branch.
    ///
    /// # Errors
    /// See [`BranchError`]. A rejection changes nothing. A call that asks a model closes the branch: what the environment did before it asked
    /// cannot be taken back.
    async fn act(&mut self, call: &ToolCall) -> Result<Transition, BranchError>;

    /// The legal calls now, in the environment's order, as far as literals are known; at most `cap`.
    fn legal(&self, cap: usize) -> Vec<ToolCall>;

    /// The next call of a built-in policy of the environment. The policy's draws belong to the future of the branch, so that branches of
    /// one future get the same ones.
    ///
    /// # Errors
    /// When there is no such policy, or the branch is over or closed.
    fn policy(&mut self, name: &str) -> Result<ToolCall, BranchError>;

    /// The call that an expert would make now, where the environment knows one and a model of the episode reads hints. Like
    /// [`Stage::expert`](crate::Stage::expert), it is for hints alone.
    fn expert(&self) -> Option<ToolCall> {
        None
    }

    /// Hash of the true state.
    fn state(&self) -> Digest;

    /// A copy of this branch, with a fresh future named by `future`. Environments without chance ignore it. Built-in policies begin anew in it.
    ///
    /// # Errors
    /// When this environment cannot be forked, or the branch is over or closed.
    fn fork(&self, future: u64) -> Result<Box<dyn Branch>, BranchError>;
}

/// Why a branch brought nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BranchError {
    /// The environment cannot be copied.
    #[error("this environment cannot be forked")]
    Unsupported,
    /// The call would ask a model, and no model is asked in a branch.
    #[error("the call asks the model of the role `{role}`, and no model is asked in a branch")]
    Asks {
        /// The role.
        role: String,
    },
    /// The episode's calls in branches are used up.
    #[error(
        "all {most} calls in branches of this episode are used up; raise `branch_calls` among the study's `limits`"
    )]
    Spent {
        /// How many there were.
        most: u64,
    },
    /// The environment has no built-in policy of this name.
    #[error("the environment has no built-in policy `{0}`")]
    NoPolicy(String),
    /// Refused; nothing changed.
    #[error("{0}")]
    Rejected(Rejection),
    /// The episode is over: the true one, or that of the branch. The stop reason says how.
    #[error(transparent)]
    EpisodeStopped(#[from] EpisodeStopped),
}
