//! The only door: everything that an architecture sees, every model call, every action and every record goes through it.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{
    Artefact, Branch, BranchError, Brief, Completion, Embedder, EpisodeStopped, Grammar, Hint, Memory, Message, Milli,
    ModelError, Observation, Rejection, Rng, Sampling, Scorer, ToolCall, ToolSpec, Transition,
};

/// A sequence of work. Work on the main lane may act on the environment; other lanes may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LaneId(pub u32);

impl LaneId {
    /// The strand in which the environment moves.
    pub const MAIN: Self = Self(0);
}

/// Whether a mask keeps completions in shape. It changes invalid-action rates, so tables show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// The model writes what it wants.
    #[default]
    Free,
    /// The grammar of the request masks the model's choice.
    Constrained,
    /// The model's server makes it call a tool where the request demands a call, and enforces nothing of tool and arguments. A plan
    /// decides on it, from what is known of the server: no study writes it.
    Forced,
    /// Constrained where the model's server enforces all grammars that the role's answers take, else free. A plan makes
    /// another one of it: no episode is played like this.
    ConstrainedOrFree,
}

/// A role of an episode and the model that plays it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleSettings {
    /// Name of the model, e.g. `local/smollm2-135m`.
    pub model: String,
    /// Whether grammars are enforced.
    #[serde(default)]
    pub decoding: Decoding,
    /// Decoding settings.
    #[serde(default)]
    pub sampling: Sampling,
}

/// How many tokens a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCount {
    /// Tokens.
    pub tokens: u64,
    /// Whether the model's own tokenizer counted them; else their number is an estimate by length.
    pub exact: bool,
}

impl TokenCount {
    /// Bytes of UTF-8 in one estimated token.
    pub const BYTES: u64 = 4;

    /// An estimate by length, rounded up.
    #[must_use]
    pub const fn estimated(text: &str) -> Self {
        Self { tokens: (text.len() as u64).div_ceil(Self::BYTES), exact: false }
    }
}

/// What an architecture sees of the present.
#[derive(Clone, Debug)]
pub struct View {
    /// Number of the step that comes next, from 1.
    pub step: u32,
    /// The environment's description of itself.
    pub brief: Arc<Brief>,
    /// What the agent saw last.
    pub observation: Arc<Observation>,
}

/// A rendered context block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Name: `observation`, `history`, `status`, ...
    pub name: String,
    /// Text.
    pub text: Arc<str>,
}

/// A model call of an architecture; the stage adds sampling and enforces the role's decoding.
#[derive(Clone, Debug, Default)]
pub struct AskRequest {
    /// The conversation.
    pub messages: Vec<Arc<Message>>,
    /// Tools for native calls.
    pub tools: Arc<[ToolSpec]>,
    /// The shape of the answer; used where the role decodes under constraint, or `mask` asks for it.
    pub grammar: Option<Arc<Grammar>>,
    /// Whether the grammar is enforced for this call, also where the role decodes freely (CTHA-045). Where the model cannot be held to it
    /// ([`Stage::can_mask`]), the call is a free one. The journal's event of the call names the grammar that was enforced.
    pub mask: bool,
    /// Texts at which the answer ends.
    pub stop: Vec<String>,
    /// Upper bound of the output for this call; the role's own bound if none.
    pub max_output_tokens: Option<u32>,
    /// Temperature of this call in thousandths; the role's own if none (CTHA-006).
    pub temperature: Option<Milli>,
    /// What an expert would answer, for the noisy expert alone. It is sent along with the request, not in it.
    pub hint: Option<Hint>,
}

/// Why a question to a model brought no completion.
#[derive(Debug, Error)]
pub enum AskError {
    /// The model refused, was cut short or missed the shape: the agent's to handle. Already counted.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The episode is over.
    #[error(transparent)]
    EpisodeStopped(#[from] EpisodeStopped),
}

/// Accounts for the time of an architecture's own work, component by component. It gives no time away: what an episode does cannot depend on it.
pub trait Stopwatch: Send {
    /// Counts the time since the watch was started, or since its last lap, as that of a component.
    fn lap(&mut self, component: &'static str);
}

/// A watch where nobody keeps accounts of time.
struct Stopped;

impl Stopwatch for Stopped {
    fn lap(&mut self, _component: &'static str) {}
}

/// What became of a call to the environment.
#[derive(Clone, Debug)]
pub enum Acted {
    /// One step further.
    Stepped(Arc<Transition>),
    /// Refused; nothing changed, one tool call is used up.
    Rejected(Rejection),
}

/// The door. Whatever goes through it is metered, budgeted, faulted and journaled, and none can forget.
#[async_trait]
pub trait Stage: Send + Sync {
    /// The environment's description of itself.
    fn brief(&self) -> Arc<Brief>;

    /// The environment's tools, fixed for the episode.
    fn tools(&self) -> Arc<[ToolSpec]>;

    /// The tracker's read-only queries, under their generic names.
    fn queries(&self) -> Arc<[ToolSpec]>;

    /// The settings of a role; falls back to `default`.
    fn role(&self, role: &str) -> Option<Arc<RoleSettings>>;

    /// The tokens of a text for the model of a role: exact where the model's own tokenizer is at hand, else estimated by length.
    fn tokens(&self, role: &str, text: &str) -> TokenCount {
        let _ = role;
        TokenCount::estimated(text)
    }

    /// The present.
    async fn view(&self) -> View;

    /// The sum of all rewards so far, that of the step which ended the episode too; `None` where nobody counts. An architecture that looks back
    /// on a trial may go by it (CTHA-131).
    fn episode_return(&self) -> Option<Milli> {
        None
    }

    /// The call that an expert would make now, where the environment knows one and a model of this episode reads hints.
    async fn expert(&self) -> Option<ToolCall> {
        None
    }

    /// What may be filled in for a parameter now.
    async fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<String>>;

    /// The legal calls now, in the environment's order, as far as literals are known; at most `cap`. As long as they
    /// stay the same they are the same list, for all episodes of a cell.
    async fn legal(&self, cap: usize) -> Arc<[ToolCall]>;

    /// Reads an action text.
    async fn parse(&self, text: &str) -> Result<ToolCall, Rejection>;

    /// Writes an action text.
    async fn render(&self, call: &ToolCall) -> String;

    /// Renders context blocks and journals them.
    ///
    /// # Errors
    /// When a block does not exist (the plan checks this before the run).
    async fn context(&self, lane: LaneId, names: &[String]) -> Result<Vec<Block>, EpisodeStopped>;

    /// Asks the model of a role.
    ///
    /// # Errors
    /// See [`AskError`].
    async fn ask(&self, lane: LaneId, role: &str, request: AskRequest) -> Result<Completion, AskError>;

    /// Whether the model of a role can be held to this grammar for a single call ([`AskRequest::mask`]). It takes the grammar and not its kind,
    /// since a server may take some expressions or schemas and not others.
    fn can_mask(&self, role: &str, grammar: &Arc<Grammar>) -> bool {
        let _ = (role, grammar);
        false
    }

    /// A copy of the present with a future named by `future`, for architectures whose [`Needs`](crate::Needs) name a simulator. Branches of one
    /// future meet the same chances.
    ///
    /// # Errors
    /// When the environment cannot be forked, or the episode is over.
    async fn branch(&self, future: u64) -> Result<Box<dyn Branch>, BranchError> {
        let _ = future;
        Err(BranchError::Unsupported)
    }

    /// The learned scorer whose weights are the artefact `name`.
    fn scorer(&self, name: &str) -> Option<Arc<dyn Scorer>> {
        let _ = name;
        None
    }

    /// What makes vectors of texts, by name; `hashed` needs no weights.
    fn embedder(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        let _ = name;
        None
    }

    /// Acts on the environment; on the main lane only. The justification goes to the tracker (BOG-106).
    ///
    /// # Errors
    /// When the episode is over, by this very step or before it.
    async fn act(&self, lane: LaneId, call: &ToolCall, justification: Option<&str>) -> Result<Acted, EpisodeStopped>;

    /// Notes an answer that could not be read as a call: one tool call is used up, nothing reaches the environment.
    ///
    /// # Errors
    /// When the budget of tool calls is used up.
    async fn reject(&self, lane: LaneId, rejection: &Rejection, text: &str) -> Result<(), EpisodeStopped>;

    /// Notes that the scaffolding acts in the agent's place, and why (BOG-034).
    async fn fallback(&self, lane: LaneId, call: &ToolCall, reason: &str);

    /// Puts a read-only question to the tracker.
    ///
    /// # Errors
    /// A rejection when there is no such query or subject.
    async fn query(&self, lane: LaneId, call: &ToolCall) -> Result<String, Rejection>;

    /// Passes a message between agents; returns it as it arrives (a fault may alter or lose it).
    async fn send(&self, lane: LaneId, from: &str, to: &str, contract: &str, message: Value) -> Option<Value>;

    /// Passes a decision of where control goes next: `wanted`, one of `options`. Returns where it does go (a fault may
    /// divert it, CYC-084).
    async fn route(&self, lane: LaneId, wanted: &str, options: &[String]) -> String {
        let _ = (lane, options);
        wanted.to_owned()
    }

    /// Notes something of the architecture's own, under a registered kind.
    async fn note(&self, lane: LaneId, kind: &str, data: Value);

    /// Opens a lane for work that may run beside other lanes.
    fn lane(&self, name: &str) -> LaneId;

    /// Closes lanes; their events are appended in the order in which they were opened.
    async fn join(&self, lanes: &[LaneId]);

    /// Something built before the episode.
    fn artefact(&self, name: &str) -> Option<Arc<Artefact>>;

    /// What the trials of this session share.
    fn memory(&self) -> &dyn Memory;

    /// Number of this trial in its session, from 0.
    fn trial(&self) -> u32;

    /// A named stream of the episode's seed.
    fn rng(&self, stream: &str) -> Rng;

    /// Starts a watch over the architecture's own work. Its times are volatile: they go to the ledger when the attempt ends, and to no event.
    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Stopped)
    }

    /// The next call of a built-in policy of the environment.
    ///
    /// # Errors
    /// When there is no such policy (the plan checks this before the run).
    async fn policy(&self, name: &str) -> Result<ToolCall, EpisodeStopped>;
}
