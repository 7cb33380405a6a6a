//! Why an episode stops.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why an episode stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The goal is reached.
    Solved,
    /// The number of steps is used up.
    Horizon,
    /// The environment was lost, or the goal is out of reach.
    Failed,
    /// A final answer was given.
    Answered,
    /// The environment reached a state in which its original breaks off with an error.
    Broken,
    /// The architecture gave up or had nothing left to do.
    #[default]
    Finished,
    /// Calls to the environment are used up.
    ToolBudget,
    /// Calls to models are used up.
    ModelCallBudget,
    /// Tokens are used up.
    TokenBudget,
    /// Money is used up.
    CostBudget,
    /// Wall time is used up.
    TimeBudget,
    /// Too many answers without the right form, where an architecture stops for that.
    FormatErrors,
    /// A provider, a disk or the environment's own service failed: not the agent's outcome.
    Infrastructure,
    /// A limit of the study was reached in the midst of the episode: it is played again once the limit is raised.
    StudyLimit,
    /// A limit of the episode's cell was reached in its midst: likewise.
    CellLimit,
    /// The run was cancelled.
    Cancelled,
}

impl Stop {
    /// The name that events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Horizon => "horizon",
            Self::Failed => "failed",
            Self::Answered => "answered",
            Self::Broken => "broken",
            Self::Finished => "finished",
            Self::ToolBudget => "tool_budget",
            Self::ModelCallBudget => "model_call_budget",
            Self::TokenBudget => "token_budget",
            Self::CostBudget => "cost_budget",
            Self::TimeBudget => "time_budget",
            Self::FormatErrors => "format_errors",
            Self::Infrastructure => "infrastructure",
            Self::StudyLimit => "study_limit",
            Self::CellLimit => "cell_limit",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a limit beyond the episode cut it off.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::StudyLimit | Self::CellLimit)
    }

    /// Whether the episode counts as an outcome of the agent.
    #[must_use]
    pub const fn is_outcome(self) -> bool {
        !matches!(self, Self::Infrastructure | Self::StudyLimit | Self::CellLimit | Self::Cancelled)
    }
}

/// Why an environment ends an episode: the stop reasons that it may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentStop {
    /// The goal is reached.
    Solved,
    /// The environment's own number of steps is used up.
    Horizon,
    /// The goal can no longer be reached, or the environment was lost.
    Failed,
    /// The agent gave a final answer, which is judged separately.
    Answered,
    /// The environment reached a state in which its original breaks off with an error: there is no next step.
    Broken,
}

impl From<EnvironmentStop> for Stop {
    fn from(ending: EnvironmentStop) -> Self {
        match ending {
            EnvironmentStop::Solved => Self::Solved,
            EnvironmentStop::Horizon => Self::Horizon,
            EnvironmentStop::Failed => Self::Failed,
            EnvironmentStop::Answered => Self::Answered,
            EnvironmentStop::Broken => Self::Broken,
        }
    }
}

/// The episode is over; unwinds an architecture with `?`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the episode stopped: {}{}", .stop.name(), .detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default())]
pub struct EpisodeStopped {
    /// Why.
    pub stop: Stop,
    /// More, for infrastructure failures.
    pub detail: Option<String>,
    /// Whether another attempt would end in the same way, so that the episode is not played again.
    pub lasting: bool,
}

impl EpisodeStopped {
    /// A stop without further words.
    #[must_use]
    pub const fn of(stop: Stop) -> Self {
        Self { stop, detail: None, lasting: false }
    }

    /// A stop with the reason for it.
    #[must_use]
    pub fn because(stop: Stop, detail: impl Into<String>) -> Self {
        Self { stop, detail: Some(detail.into()), lasting: false }
    }

    /// A failure of the environment around the episode.
    #[must_use]
    pub fn infrastructure(detail: impl Into<String>) -> Self {
        Self::because(Stop::Infrastructure, detail)
    }

    /// The same, of a failure that every attempt meets: a text that cannot be filled in.
    #[must_use]
    pub fn lasting(detail: impl Into<String>) -> Self {
        Self { lasting: true, ..Self::infrastructure(detail) }
    }
}
