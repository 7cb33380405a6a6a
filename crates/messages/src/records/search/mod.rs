//! What a tree search over actions records, and what a reflector does (CTHA-131).

use gimbal_core::Milli;
use serde::{Deserialize, Serialize};

use super::records;

mod words;

records! {
    /// Kinds that a tree search and an agent with reflections write, beside those of the engine.
    Reflected = "reflected" => words::reflected,
    Expanded = "expanded" => words::expanded,
    Searched = "searched" => words::searched,
}

/// A reflector was asked about an attempt that did not reach the goal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reflected {
    /// `trial` for an earlier trial of the session, `leaf` for a path that failed in a branch.
    pub about: String,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// How the attempt ended, in words.
    pub ended: String,
    /// The reflection; missing where nothing usable was written, or a fault lost the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its tokens, and whether they are exact; 0 without a text.
    pub tokens: u64,
    /// See [`Reflected::tokens`].
    pub exact: bool,
    /// Reflections that are in later prompts.
    pub kept: u32,
}

/// A node of the tree was expanded: proposals were tried in branches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expanded {
    /// The real step.
    pub step: u32,
    /// Number of the expansion in this step, from 1.
    pub iteration: u32,
    /// The simulated actions from the present to the node; none for the present itself.
    pub path: Vec<String>,
    /// What became of each proposal, in order.
    pub tried: Vec<Tried>,
}

/// A proposal that was tried in a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The action as an action text.
    pub action: String,
    /// `simulated`; `not_simulated` where its call would ask a model or the calls in branches are used up; `refused`.
    pub outcome: String,
    /// Reward of the simulated step; missing where there was none, or where it would tell whether an answer is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<Milli>,
    /// Why the episode would end there; missing where it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// What the valuer, or the end of the episode, says of it, from 0 to 1; missing where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Milli>,
}

/// What the search of one real step came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The real step.
    pub step: u32,
    /// Expansions.
    pub iterations: u32,
    /// Nodes of the tree without the present.
    pub nodes: u32,
    /// Steps from the present to the deepest node.
    pub depth: u32,
    /// Answers of models that it took: proposals, values and reflections. A repair of one is not counted here.
    pub answers: u32,
    /// Why it ended: `iterations`, `answers`, `solved`, `exhausted`, `branch_calls`.
    pub stopped: String,
    /// The first actions, in the order in which they were proposed.
    pub first: Vec<FirstAction>,
    /// The action that is played; missing where the idle call is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
}

/// What the search says of a first action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAction {
    /// The action as an action text.
    pub action: String,
    /// Nodes at and below it.
    pub visits: u32,
    /// Mean value of the model over them.
    pub value: Milli,
    /// Mean simulated return from the present over them.
    pub simulated: Milli,
    /// Both together, from 0 to 1: what the search goes by.
    pub worth: Milli,
}
