//! Kinds of decision (Tab. 10).

use serde::{Deserialize, Serialize};

use crate::Layer;

/// A kind of decision. The first sixteen are the permitted ones of Tab. 10, four for each layer; the last three hand a decision on or leave it,
/// and are open to every layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Calls a tool.
    ToolInvocation,
    /// Chooses arguments.
    ParameterSelection,
    /// Tries a failed call again.
    ErrorRetry,
    /// Answers an observation at once.
    ImmediateResponse,
    /// Orders the next steps.
    StepOrdering,
    /// Makes a sequence of steps better.
    LocalOptimisation,
    /// Changes the working memory.
    WorkingMemoryUpdate,
    /// Splits a subtask.
    SubtaskSplit,
    /// Makes or changes a plan.
    PlanRevision,
    /// Splits a goal.
    GoalDecomposition,
    /// Gives resources to subgoals.
    ResourceAllocation,
    /// Sets a deadline.
    DeadlineSetting,
    /// Sets policies.
    PolicyUpdate,
    /// Sets thresholds.
    ThresholdTuning,
    /// Changes constraints.
    ConstraintModification,
    /// Learns from one session for the next.
    MetaLearning,
    /// Hands a decision to a slower layer.
    Escalation,
    /// Hands a decision to a faster layer.
    Delegation,
    /// Decides nothing.
    Idle,
}

impl Category {
    /// All kinds, in the order of Tab. 10.
    pub const ALL: [Self; 19] = [
        Self::ToolInvocation,
        Self::ParameterSelection,
        Self::ErrorRetry,
        Self::ImmediateResponse,
        Self::StepOrdering,
        Self::LocalOptimisation,
        Self::WorkingMemoryUpdate,
        Self::SubtaskSplit,
        Self::PlanRevision,
        Self::GoalDecomposition,
        Self::ResourceAllocation,
        Self::DeadlineSetting,
        Self::PolicyUpdate,
        Self::ThresholdTuning,
        Self::ConstraintModification,
        Self::MetaLearning,
        Self::Escalation,
        Self::Delegation,
        Self::Idle,
    ];

    /// The layer whose decision it is by Tab. 10; `None` for what every layer may do.
    #[must_use]
    pub const fn home(self) -> Option<Layer> {
        match self {
            Self::ToolInvocation | Self::ParameterSelection | Self::ErrorRetry | Self::ImmediateResponse => {
                Some(Layer::Reflex)
            }
            Self::StepOrdering | Self::LocalOptimisation | Self::WorkingMemoryUpdate | Self::SubtaskSplit => {
                Some(Layer::Tactical)
            }
            Self::PlanRevision | Self::GoalDecomposition | Self::ResourceAllocation | Self::DeadlineSetting => {
                Some(Layer::Strategic)
            }
            Self::PolicyUpdate | Self::ThresholdTuning | Self::ConstraintModification | Self::MetaLearning => {
                Some(Layer::Institutional)
            }
            Self::Escalation | Self::Delegation | Self::Idle => None,
        }
    }

    /// What a layer's call for a step usually is: Reflex calls a tool; Tactical orders the next of its sequence; a slower layer that
    /// names a call calls a tool, which is beyond its scope.
    #[must_use]
    pub const fn of_call(layer: Layer) -> Self {
        match layer {
            Layer::Tactical => Self::StepOrdering,
            Layer::Reflex | Layer::Strategic | Layer::Institutional | Layer::Meta => Self::ToolInvocation,
        }
    }

    /// What a layer's directive usually is: of Reflex and Tactical an order of steps, of Strategic a plan, of the slower ones a policy.
    #[must_use]
    pub const fn of_directive(layer: Layer) -> Self {
        match layer {
            Layer::Reflex | Layer::Tactical => Self::StepOrdering,
            Layer::Strategic => Self::PlanRevision,
            Layer::Institutional | Layer::Meta => Self::PolicyUpdate,
        }
    }

    /// The name that files, events and tables use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolInvocation => "tool_invocation",
            Self::ParameterSelection => "parameter_selection",
            Self::ErrorRetry => "error_retry",
            Self::ImmediateResponse => "immediate_response",
            Self::StepOrdering => "step_ordering",
            Self::LocalOptimisation => "local_optimisation",
            Self::WorkingMemoryUpdate => "working_memory_update",
            Self::SubtaskSplit => "subtask_split",
            Self::PlanRevision => "plan_revision",
            Self::GoalDecomposition => "goal_decomposition",
            Self::ResourceAllocation => "resource_allocation",
            Self::DeadlineSetting => "deadline_setting",
            Self::PolicyUpdate => "policy_update",
            Self::ThresholdTuning => "threshold_tuning",
            Self::ConstraintModification => "constraint_modification",
            Self::MetaLearning => "meta_learning",
            Self::Escalation => "escalation",
            Self::Delegation => "delegation",
            Self::Idle => "idle",
        }
    }

    /// Steps between two kinds on the graph of categories: 0 for the same, 1 within one layer, one more for each layer between
    /// (CTHA-062). What every layer may do is as far from anything as the slowest layer is from the fastest.
    #[must_use]
    pub fn steps_to(self, other: Self) -> usize {
        if self == other {
            return 0;
        }
        match (self.home(), other.home()) {
            (Some(one), Some(other)) => 1 + one.index().abs_diff(other.index()),
            _ => Layer::ALL.len(),
        }
    }
}
