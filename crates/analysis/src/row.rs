//! The rows that analysis reads: one record a cell, one record an episode.
//!
//! A reader of run folders makes these; nothing here knows how they were stored.

use gimbal_core::{Decoding, Stop, Usage};
use serde::{Deserialize, Serialize};

use crate::acted::EpisodeActs;
use crate::name::Name;
use crate::rate::Rate;
use crate::thresholds::Thresholds;

/// A study's rows: the cells as planned, in the study's order, and the episodes that were played.
///
/// Cells come apart from episodes so that a cell without a single episode still shows as a gap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// The cells in the order of the study; tables keep this order.
    pub cells: Vec<CellInfo>,
    /// The episodes, in any order.
    pub episodes: Vec<EpisodeRow>,
}

/// One cell of a study: environment x architecture x roles (x faults x artefacts), as labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellInfo {
    /// Stable id, unique in the study.
    pub id: String,
    /// Environment with the options that tell cells apart, such as `cage2 b_line 30`.
    pub environment: String,
    /// Architecture and persona as the reader knows them, such as `react: observation` or `obs+net`.
    pub configuration: String,
    /// Axis or group that the configuration belongs to (`context`, `deliberation`, ...); decides the mark in figures.
    #[serde(default)]
    pub axis: Option<String>,
    /// Models by role, in role order; empty for a policy without a model.
    #[serde(default)]
    pub models: Vec<RoleModel>,
    /// How completions were shaped. A mask changes invalid-action rates, so it is a column of every table.
    pub decoding: CellDecoding,
    /// What played: it decides what the cell is evidence of.
    pub kind: Kind,
    /// Why results of this cell are plumbing and not evidence (a model too weak to act), if so.
    #[serde(default)]
    pub plumbing: Option<String>,
    /// Episodes that the plan asks for.
    pub planned: u32,
    /// Thresholds from the environment's brief.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// Injected faults as the study calls them; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub faults: String,
    /// Whether its architecture tries calls in copies of the environment, and so sees what agents do not see: marked in every table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulator: bool,
    /// Whether its agents only write messages, and code makes every call: whether the model acted is then judged by [`EpisodeRow::messages`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts_by_messages: bool,
}

/// A role and the model that plays it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleModel {
    /// Role name, such as `default` or `judge`.
    pub role: String,
    /// Model name, such as `openai/gpt-4o-mini`.
    pub model: String,
}

/// How the completions of a cell are shaped, over all its roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellDecoding {
    /// No model speaks in this cell.
    None,
    /// The model writes what it likes.
    Free,
    /// A grammar masks the model's choices.
    Constrained,
    /// The model must call a tool where a call is demanded, and nothing of tool and arguments is enforced.
    Forced,
    /// Its roles differ in that.
    Mixed,
}

impl CellDecoding {
    /// Of a cell whose roles decode so.
    #[must_use]
    pub fn of(roles: impl IntoIterator<Item = Decoding>) -> Self {
        let (mut free, mut constrained, mut forced) = (false, false, false);
        for decoding in roles {
            free |= decoding == Decoding::Free;
            constrained |= decoding == Decoding::Constrained;
            forced |= decoding == Decoding::Forced;
        }
        match (free, constrained, forced) {
            (false, false, false) => Self::None,
            (true, false, false) => Self::Free,
            (false, true, false) => Self::Constrained,
            (false, false, true) => Self::Forced,
            _ => Self::Mixed,
        }
    }

    /// The word that tables show.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Free => "free",
            Self::Constrained => "constrained",
            Self::Forced => "forced",
            Self::Mixed => "mixed",
        }
    }
}

/// What plays in a cell. Only the last three say anything about language models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A policy without a model.
    Baseline,
    /// Rules that answer as a model would: for tests and dry runs.
    Scripted,
    /// An expert spoiled at a known rate: shows our scaffolding, never a model.
    NoisyExpert,
    /// A fixed player by rule that sees its requests and nothing else: depends on what is shown, and is not a model.
    Reader,
    /// A recording of a real model, played back.
    Replayed,
    /// A real model inside the program.
    Embedded,
    /// A real model behind a network.
    Remote,
}

impl Kind {
    /// The word that tables show.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Scripted => "scripted",
            Self::NoisyExpert => "scripted (noisy expert)",
            Self::Reader => "reader",
            Self::Replayed => "replayed",
            Self::Embedded => "embedded",
            Self::Remote => "remote",
        }
    }

    /// Whether a language model's own words decide the outcome.
    #[must_use]
    pub fn is_model(self) -> bool {
        matches!(self, Self::Replayed | Self::Embedded | Self::Remote)
    }
}

/// A sum of tokens over calls. One call reports a [`Usage`], which also says who counted; of a sum nobody can say that.
///
/// `cached_input` is a part of `input` and `reasoning` a part of `output`; a reader of provider usage that counts them apart must add them up first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUse {
    /// All prompt tokens, cached ones included.
    pub input: u64,
    /// Prompt tokens that the provider took from its cache.
    #[serde(default)]
    pub cached_input: u64,
    /// All completion tokens, reasoning included.
    pub output: u64,
    /// Completion tokens spent on hidden reasoning.
    #[serde(default)]
    pub reasoning: u64,
}

impl From<&Usage> for TokenUse {
    fn from(usage: &Usage) -> Self {
        let Usage { input, cached_input, output, reasoning, source: _ } = *usage;
        Self { input, cached_input, output, reasoning }
    }
}

impl TokenUse {
    /// Prompt plus completion (BOG-160).
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Field by field sum; saturates instead of overflowing.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// Tokens as called by one role in one episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleUsage {
    /// Role name.
    pub role: Name,
    /// Whether the environment asked (a judge, reader or user inside the environment) and not the agent. Such tokens are
    /// shown in a column of their own and never enter efficiency.
    #[serde(default)]
    pub environment: bool,
    /// Tokens as called: before caches and retries.
    pub called: TokenUse,
}

/// One finished episode (or one lost to infrastructure).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpisodeRow {
    /// Id of the cell ([`CellInfo::id`]).
    pub cell: Name,
    /// The environment part of the pairing key: what decides the environment apart from task and run.
    pub environment: Name,
    /// Task id.
    pub task: Name,
    /// Run number.
    pub run: u32,
    /// Trial within a session, from 0.
    #[serde(default)]
    pub trial: u32,
    /// Episode seed; shown, never used for pairing.
    pub seed: u64,
    /// Sum of rewards in thousandths.
    pub return_thousandths: i64,
    /// Accepted environment steps.
    pub steps: u32,
    /// Why it ended.
    pub stop: Stop,
    /// Lost to infrastructure, to a limit of study or cell, or called off ([`EpisodeRow::loss`]): shown apart and never an agent's outcome.
    #[serde(default)]
    pub infrastructure: bool,
    /// Tokens as called, by role. Their sum over agent roles is the episode's cost in tokens.
    #[serde(default)]
    pub usage: Vec<RoleUsage>,
    /// Calls whose tokens are not a provider's count, of all: estimates by length of text, or calls that reported none.
    #[serde(default)]
    pub tokens_estimated: crate::Rate,
    /// Tokens billed, all roles: after caches, retries included.
    #[serde(default)]
    pub billed: TokenUse,
    /// Model calls.
    #[serde(default)]
    pub model_calls: u32,
    /// Finished model calls of which the ledger has no row: their tokens and costs are in no number here.
    #[serde(default, skip_serializing_if = "crate::profile::is_zero")]
    pub unbilled_calls: u32,
    /// Tool calls, rejected ones and those of the fallback included.
    #[serde(default)]
    pub tool_calls: u32,
    /// Tool calls that the environment or the validator rejected.
    #[serde(default)]
    pub rejected_calls: u32,
    /// Attempts without a tool call: the model refused, was cut off, or answered in no readable shape.
    #[serde(default)]
    pub failed_attempts: u32,
    /// Steps taken by the safe fallback because no valid action came.
    #[serde(default)]
    pub fallbacks: u32,
    /// Messages with a form that agents were asked for and on which code acts: of a router, a planner, an adviser, a debater.
    #[serde(default)]
    pub messages: u32,
    /// Those of them of which nothing could be used: a default or a rule spoke in the agent's place.
    #[serde(default)]
    pub unusable_messages: u32,
    /// Tool calls by which an environment that runs on was let go to its end after its agents had left it. They are
    /// [`EpisodeRow::tool_calls`] and steps, and nobody's.
    #[serde(default)]
    pub left_calls: u32,
    /// Attempts that were sent and whose answer never arrived: their cost is unknown.
    #[serde(default)]
    pub unknown_attempts: u32,
    /// Calls that the model or its provider refused to answer. An agent's failures: they count, and are not model text.
    #[serde(default)]
    pub refusals: u32,
    /// Calls whose answer was cut at the output bound.
    #[serde(default)]
    pub truncations: u32,
    /// Calls whose answer had not the demanded shape.
    #[serde(default)]
    pub bad_shapes: u32,
    /// Requests that failed for reasons that are not the agent's (network, provider, rate limits), over all attempts at the episode:
    /// sent again, or the episode played again.
    #[serde(default)]
    pub outages: u32,
    /// Requests that the provider turned down for what they ask (schema, setting, model name, key, credit), over all
    /// attempts at the episode. No outage: the same request is turned down again.
    #[serde(default)]
    pub turned_down: u32,
    /// Why the episode was lost, in the words of its last failure; empty where it was not.
    #[serde(default)]
    pub lost_because: String,
    /// Latency of each model call in microseconds, any order.
    #[serde(default)]
    pub call_latency_us: Vec<u64>,
    /// Longest chain of calls that had to wait for one another, in microseconds.
    #[serde(default)]
    pub critical_path_us: Option<u64>,
    /// Cost in millionths of a dollar under the price table in force, where every price was known.
    #[serde(default)]
    pub cost_microdollars: Option<u64>,
    /// Instance of the run, from 0: runs of one instance are a cluster (BOG-142). 0 in studies without instances.
    #[serde(default)]
    pub instance: u32,
    /// What the ledger holds by role and model, in their order.
    #[serde(default)]
    pub ledger: Vec<RoleLedger>,
    /// Wall time of the attempt that counts, in microseconds, where the ledger has it. Volatile.
    #[serde(default)]
    pub took_us: Option<u64>,
    /// What the architecture's own work took, by component, where it keeps accounts (CTHA-096). Volatile.
    #[serde(default)]
    pub components: Vec<ComponentTime>,
}

/// Time of one component of an architecture's own work in an episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentTime {
    /// Name of the component.
    pub component: Name,
    /// Sum of its times.
    pub nanoseconds: u64,
    /// How often it was at work.
    pub times: u64,
}

/// What the ledger holds of one role and model in one episode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleLedger {
    /// Role name.
    pub role: Name,
    /// Model that played it.
    pub model: Name,
    /// Calls of the attempt at the episode that counts.
    #[serde(default)]
    pub calls: u64,
    /// Requests that left, over all attempts at the episode, repeated ones too.
    #[serde(default)]
    pub requests: u64,
    /// Tokens as called, in the attempt that counts.
    #[serde(default)]
    pub called: TokenUse,
    /// Tokens billed, over all attempts at the episode.
    #[serde(default)]
    pub billed: TokenUse,
    /// Money billed in millionths of a millionth of a dollar; `None` where a billed request had no price.
    #[serde(default)]
    pub cost_exact: Option<u64>,
    /// Latency of the calls of the attempt that counts, in microseconds. Volatile.
    #[serde(default)]
    pub called_us: u64,
}

/// Why an episode is not an outcome of the agent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Network, provider, disk or the environment's own service failed.
    Infrastructure,
    /// A limit of the study or of the cell was reached in its midst.
    Limit,
    /// The run was called off.
    CalledOff,
}

/// Whether a limit that a study sets each episode ends it so: nobody knows what the agent would have done after it.
pub(crate) fn is_cut_by(stop: Stop) -> bool {
    use Stop::{CostBudget, ModelCallBudget, TimeBudget, TokenBudget, ToolBudget};
    matches!(stop, ToolBudget | ModelCallBudget | TokenBudget | CostBudget | TimeBudget)
}

impl EpisodeRow {
    /// Whether a limit that the study sets each episode (calls, tokens, money, time) ended it. Its return is that of the
    /// steps it took and flatters or wrongs the agent, so that it enters no mean and no rate; it is counted apart.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        !self.infrastructure && is_cut_by(self.stop)
    }

    /// Whether it counts as an outcome of the agent: neither lost nor cut.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.infrastructure && !self.is_cut()
    }

    /// Why it was lost; `None` where it was not.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        self.infrastructure.then_some(match self.stop {
            Stop::StudyLimit | Stop::CellLimit => Loss::Limit,
            Stop::Cancelled => Loss::CalledOff,
            _ => Loss::Infrastructure,
        })
    }

    /// Return in units.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.return_thousandths as f64 / 1000.0
    }

    /// Whether any of its calls failed in any way, though the episode went on: its outcome may show the provider's trouble
    /// and not the agent's doing (BOG-047).
    #[must_use]
    pub fn is_flagged(&self) -> bool {
        [self.refusals, self.truncations, self.bad_shapes, self.outages, self.turned_down, self.unknown_attempts]
            .iter()
            .any(|count| *count > 0)
    }

    /// Attempts at an action that brought none (BOG-225): rejected calls and attempts without a call.
    #[must_use]
    pub fn invalid_attempts(&self) -> u64 {
        u64::from(self.rejected_calls) + u64::from(self.failed_attempts)
    }

    /// Attempts at an action by what plays. The fallback's own calls are the scaffolding's and no attempts: they would
    /// make a model that never acts look half right.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        let own = self.tool_calls.saturating_sub(self.fallbacks).max(self.rejected_calls);
        u64::from(own) + u64::from(self.failed_attempts)
    }

    /// What it says about whether its model acted. `agents_call` says that its agents make calls themselves
    /// (not [`CellInfo::acts_by_messages`]).
    #[must_use]
    pub fn acts(&self, agents_call: bool) -> EpisodeActs {
        let none = self.tool_calls <= self.left_calls && self.steps <= self.left_calls;
        EpisodeActs {
            fallback: Rate { count: self.fallbacks.into(), of: self.steps.into() },
            invalid: Rate { count: self.invalid_attempts(), of: self.attempts() },
            unusable: Rate { count: self.unusable_messages.into(), of: self.messages.into() },
            without_call: agents_call && self.model_calls > 0 && none,
        }
    }

    /// Tokens as called by the agent's roles: what RPTS and frontiers divide by (BOG-160).
    #[must_use]
    pub fn agent_tokens(&self) -> TokenUse {
        self.sum(false)
    }

    /// Tokens as called by roles that the environment asked for.
    #[must_use]
    pub fn environment_tokens(&self) -> TokenUse {
        self.sum(true)
    }

    fn sum(&self, environment: bool) -> TokenUse {
        self.usage
            .iter()
            .filter(|usage| usage.environment == environment)
            .fold(TokenUse::default(), |total, usage| total.plus(&usage.called))
    }
}
