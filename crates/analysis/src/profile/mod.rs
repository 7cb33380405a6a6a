//! What happened in an episode, step by step: the trajectory that detectors and trace comparisons read (BOG-220..225).
//!
//! A reader of journals makes these. Names of tools, subjects and agents are data; what a tool is for (its class)
//! comes from the environment's brief as [`ActionFacts`].

mod actions;
mod agents;
mod builder;
mod contrast;
mod sums;
mod tokenizer;
mod traces;
mod versus;

use gimbal_core::Stop;
use serde::{Deserialize, Serialize};

pub use actions::{ActionClass, ActionFacts, PASSIVE, PROACTIVE, REACTIVE};
pub use agents::{Agents, Measure};
pub use builder::TraceFold;
pub use contrast::{Contrast, Divergence, divergence};
pub use sums::{Clustered, Sum};
pub use tokenizer::{CountTokens, Tokenizer};
pub use traces::{BlockSums, CellTrace, RoleSums, StepSums, Traces};
pub use versus::{Match, Matches, TRACE_NOTE};

/// The trajectory of one finished episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Id of the cell.
    pub cell: String,
    /// The environment part of the pairing key.
    pub environment: String,
    /// Task id.
    pub task: String,
    /// Run number.
    pub run: u32,
    /// Trial within a session, from 0.
    pub trial: u32,
    /// Instance of the run, from 0 (BOG-142).
    #[serde(default)]
    pub instance: u32,
    /// Sum of rewards in thousandths.
    pub return_thousandths: i64,
    /// Why it ended.
    pub stop: Stop,
    /// Steps in order, from 1. What was done after the last accepted action is in a last step without an action.
    pub steps: Vec<StepProfile>,
}

/// One step: everything between two moves of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProfile {
    /// Number, from 1.
    pub step: u32,
    /// The action that the environment accepted; `None` where the episode ended before there was one.
    pub action: Option<Action>,
    /// Reward in thousandths; 0 without an action.
    pub reward: i64,
    /// The first bits of the hash of the true state after the step: unequal states are told apart.
    pub state: u64,
    /// Model calls and tokens by role, in order of first call.
    pub calls: Vec<RoleCalls>,
    /// Deliberation calls by agent, in order of first call.
    pub deliberations: Vec<AgentCount>,
    /// Messages between agents by contract, in order of first message.
    pub messages: Vec<AgentCount>,
    /// Invocations of sub-agents with the messages of their own conversation.
    pub invocations: Vec<Invocation>,
    /// Queries to the tracker.
    pub queries: u32,
    /// The last ranking of actions that a sub-agent gave in this step, best first as given.
    pub suggestions: Vec<Suggestion>,
    /// Calls that the environment or the validator refused.
    pub rejected: u32,
    /// Model calls that gave no whole answer (refused, cut off, out of shape).
    pub failed: u32,
    /// How often the scaffolding acted in the agent's place.
    pub fallbacks: u32,
    /// Injected faults.
    pub faults: u32,
    /// Whether the action was none of those suggested in this step.
    pub off_menu: bool,
    /// Blocks of context that were rendered, in order.
    #[serde(skip)]
    pub blocks: Vec<BlockShown>,
    /// Messages between agents whose reading is recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages_read: u32,
    /// Those of them that could not be read, so that the default replaced them (BOG-070).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages_replaced: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A block of context as it was rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockShown {
    /// Name.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Length in tokens, where a tokenizer counts ([`TraceFold::counted_by`]).
    pub tokens: Option<u64>,
}

/// An action that the environment accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Tool.
    pub tool: String,
    /// What it was done to: the first textual argument in order of argument names, if any.
    pub subject: Option<String>,
    /// All arguments as canonical JSON.
    pub arguments: String,
}

/// Model calls of one role in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleCalls {
    /// Role.
    pub role: String,
    /// Calls.
    pub calls: u32,
    /// Prompt tokens as called.
    pub input: u64,
    /// Completion tokens as called.
    pub output: u64,
}

/// How often something happened, by agent or contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCount {
    /// Agent or contract.
    pub name: String,
    /// How often.
    pub count: u32,
}

/// One invocation of a sub-agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// Agent.
    pub agent: String,
    /// Messages of its own conversation: what it was asked, its replies and the results of its tools; system messages
    /// left out. A repair call counts with the messages that it adds.
    pub messages: u32,
}

/// One entry of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The action as written, such as `Restore hostname=User4`.
    pub action: String,
    /// Confidence in thousandths, if one was given.
    pub confidence: Option<i64>,
}

impl Profile {
    /// How a person names it: cell, task and run, and the trial where there are several.
    #[must_use]
    pub fn name(&self) -> String {
        crate::episode::name(&self.cell, &self.task, self.run, self.trial)
    }

    /// Whether a limit of the episode cut it ([`crate::EpisodeRow::is_cut`]).
    #[must_use]
    pub fn is_cut(&self) -> bool {
        crate::row::is_cut_by(self.stop)
    }

    /// Steps with an accepted action.
    pub fn acted(&self) -> impl Iterator<Item = (&StepProfile, &Action)> {
        self.steps.iter().filter_map(|step| Some((step, step.action.as_ref()?)))
    }

    /// Return in units.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.return_thousandths as f64 / 1000.0
    }
}

impl StepProfile {
    /// Deliberation calls of all agents.
    #[must_use]
    pub fn deliberated(&self) -> u32 {
        self.deliberations.iter().map(|entry| entry.count).sum()
    }

    /// Tokens as called by all roles.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.calls.iter().map(|entry| entry.input.saturating_add(entry.output)).fold(0, u64::saturating_add)
    }

    /// Model calls of all roles.
    #[must_use]
    pub fn model_calls(&self) -> u32 {
        self.calls.iter().map(|entry| entry.calls).sum()
    }
}

impl Action {
    /// Tool and subject, as a column shows them.
    #[must_use]
    pub fn shown(&self) -> String {
        self.subject.as_ref().map_or_else(|| self.tool.clone(), |subject| format!("{} {subject}", self.tool))
    }
}

impl Suggestion {
    /// The tool that it names: its first word.
    #[must_use]
    pub fn tool(&self) -> &str {
        let trimmed = self.action.trim_start();
        trimmed.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next().unwrap_or_default()
    }
}

/// Adds to the count of a name, keeping the order of first use.
pub fn count(counts: &mut Vec<AgentCount>, name: &str) {
    match counts.iter_mut().find(|entry| entry.name == name) {
        Some(entry) => entry.count += 1,
        None => counts.push(AgentCount { name: name.to_owned(), count: 1 }),
    }
}
