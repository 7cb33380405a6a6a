//! What a temporal hierarchy records: who was asked and why, what was said, wanted, decided, bound and released (CTHA-070 to 119).
//!
//! Layers are named as in `gimbal-temporal`: `reflex`, `tactical`, `strategic`, `institutional`, `meta`.

use std::collections::BTreeMap;

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::records;

mod words;

/// The layers, the fastest first. They send messages under these names, whatever their roles are called.
pub const LAYERS: [&str; 5] = ["reflex", "tactical", "strategic", "institutional", "meta"];

records! {
    /// Kinds that a temporal hierarchy writes, beside those of the engine.
    LayerAsked = "layer_asked" => words::asked,
    LayerSent = "layer_sent" => words::read,
    LayerProposed = "layer_proposed" => words::proposed,
    LayerDecided = "layer_decided" => words::decided,
    LayerViolated = "layer_violated" => words::violated,
    LayerCommitted = "layer_committed" => words::committed,
    LayerReleased = "layer_released" => words::released,
    LayerMasked = "layer_masked" => words::masked,
    LayerMapped = "layer_mapped" => words::mapped,
    LayerTrimmed = "layer_trimmed" => words::trimmed,
    SubgoalReached = "subgoal_reached" => words::reached,
    StoreRefused = "store_refused" => words::store_refused,
}

/// A layer was asked in a step (Eq. 27).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerAsked {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// Why: `period`, or the name of a trigger such as `trial_begins`, `goal_completion`, `harm`, `refused_twice`, `seen_three_times`,
    /// `new_plan`, `escalation`, `denied`, `deadline`, `rollback`, `policy_expired`.
    pub why: String,
    /// Whether the state that it would have seen was the one of last time, so that its last message was used again and no model was asked (Eq. 29).
    pub cached: bool,
}

/// A message between layers, as it arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerSent {
    /// The step.
    pub step: u32,
    /// Sender.
    pub from: String,
    /// Receiver; `all` of a broadcast.
    pub to: String,
    /// `summary`, `plan`, `policy`, or `remark` for free text.
    pub kind: String,
    /// `as_written`, `by_rule`, `default`, `free` without contracts, `lost` where a fault took it away.
    pub outcome: String,
    /// What projection changed, by cause; missing where it changed nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changes: BTreeMap<String, u32>,
    /// Why the default replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Bytes of the message as it is kept.
    pub bytes: u64,
    /// Its text.
    pub text: String,
}

/// What a layer wants of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerProposed {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// `call` or `directive`.
    pub kind: String,
    /// The call as an action text, or the text of the directive.
    pub text: String,
    /// What kind of decision it is (Tab. 10).
    pub category: String,
    /// How soon it must happen.
    pub urgency: Milli,
    /// How sure the layer is.
    pub confidence: Milli,
}

/// Two parties that exclude one another (Eq. 23), the faster layer first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Clash {
    /// Layer of the first party.
    pub faster: String,
    /// Layer of the second party.
    pub slower: String,
    /// Why: `resource NAME`, `effect KEY`, `directive NAME`, `call`.
    pub causes: Vec<String>,
    /// Layer of the party that was kept; missing where neither or both were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerDecided {
    /// The step.
    pub step: u32,
    /// Who decided: the name of the arbiter, or `last` for the last action written.
    pub arbiter: String,
    /// Proposals and commitments that took part.
    pub parties: u32,
    /// Conflicts among them.
    pub conflicts: Vec<Clash>,
    /// Pairs that were compared.
    pub comparisons: u64,
    /// Whether there was no conflict, so that nothing was weighed (CTHA-082).
    pub early: bool,
    /// The call that is made, as an action text.
    pub call: String,
    /// The layer whose call it is; missing for the idle call in the place of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Conflicts of the call that is made with what another layer wants or holds, and does not give up by it: contradictions carried out.
    pub carried_out: Vec<Clash>,
    /// Layers that were asked in this step.
    pub active: Vec<String>,
}

/// A layer decided what is not for it to decide (CTHA-112).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerViolated {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// `authority` (Tab. 10), `policy` (a rule denies it), `escalated` (a rule or a limit wants a slower layer to look at it), `binding` (it
    /// binds the task and no plan names it), `untimely` (it is on another layer's time scale, Eq. 19).
    pub kind: String,
    /// What it wanted.
    pub text: String,
    /// Whether it was carried out.
    pub carried_out: bool,
    /// The slower layer whose matter it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// What became of it: `idle`, `escalation`, another action text, or empty.
    pub instead: String,
}

/// A layer got what it wanted, and holds to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerCommitted {
    /// The step.
    pub step: u32,
    /// Number in the table of commitments.
    pub number: u64,
    /// The layer.
    pub layer: String,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// The last step in which it holds; missing where it holds until it is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u32>,
}

/// A commitment ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerReleased {
    /// The step.
    pub step: u32,
    /// Its number.
    pub number: u64,
    /// Why: `expired`, `superseded`, `overruled`, `reached`, `rolled_back`.
    pub by: String,
}

/// A layer was asked under a mask that leaves out legal actions which policies deny (Eq. 21).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerMasked {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// Legal actions that were left out.
    pub left_out: u32,
    /// Actions that were left.
    pub left: u32,
}

/// What the maps made of a step. Layers are in their order, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerMapped {
    /// The step.
    pub step: u32,
    /// `free` or `projected`.
    pub maps: String,
    /// Shares of the tokens for context, in thousandths.
    pub shares: Vec<u32>,
    /// Scores that ask a layer.
    pub scores: Vec<Milli>,
    /// How far the map is from a doubly stochastic one.
    pub deviation: Milli,
}

/// A request from which entries were left out because they did not fit into the layer's share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerTrimmed {
    /// The step.
    pub step: u32,
    /// The layer.
    pub layer: String,
    /// Tokens that its share comes to.
    pub room: u64,
    /// Tokens of what it was to be told.
    pub before: u64,
    /// Tokens of what it was told. More than there is room for where what binds it alone takes more.
    pub after: u64,
    /// Entries that were left out.
    pub left_out: u32,
}

/// A subgoal of the plan is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubgoalReached {
    /// The step.
    pub step: u32,
    /// Its name in the plan.
    pub subgoal: String,
    /// `query` where a tracker's answer says so, `word` where Tactical does.
    pub by: String,
}

/// What earlier trials left in the session's memory could not be read, and an empty store replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreRefused {
    /// The step.
    pub step: u32,
    /// The store: its key in the memory.
    pub store: String,
    /// What is wrong, and where.
    pub why: String,
    /// Length of what was there as JSON, in bytes.
    pub bytes: u64,
    /// Its beginning. All of it is kept in the memory as text, under the store's key and `_unreadable`.
    pub held: String,
}
