//! The deterministic belief state.

use crate::{Observation, Rejection, ToolCall, ToolSpec};

/// The query about the figures of an answer.
pub const EVIDENCE: &str = "evidence";
/// The query for passages of stored texts.
pub const PASSAGES: &str = "passages";
/// The query whether a stored text contains the words of a quotation.
pub const QUOTATION: &str = "quotation";

/// One step as the agent lived it.
#[derive(Clone, Copy, Debug)]
pub struct Stepped<'a> {
    /// Number of the step that was taken, from 1.
    pub step: u32,
    /// What the agent did.
    pub call: &'a ToolCall,
    /// What it saw then.
    pub observation: &'a Observation,
    /// Why it did so, in its own words (BOG-106).
    pub justification: Option<&'a str>,
}

/// A deterministic belief state, built from the agent's own observations and calls only (BOG-080).
///
/// The same sequence gives byte-identical blocks (BOG-090). It never chooses an action (BOG-089).
///
/// Queries have generic names, so that a caller need not know the environment. An environment whose answers depend on stored
/// texts answers three more (CYC-095), by which answers are compared with what was found:
///
/// | query | reply |
/// |---|---|
/// | [`EVIDENCE`] `{answer}` | `figures`: list of `{figure, support}`, support being `stored`, `derived` or `missing` |
/// | [`PASSAGES`] `{about}` | `documents`: list of `{key, characters}`; `passages`: list of `{key, text}` that fit best |
/// | [`QUOTATION`] `{key, text}` | `found`: whether the text under that key holds these words; `figures`: figures in them |
pub trait Tracker: Send {
    /// Takes in the first observation of an episode.
    fn begin(&mut self, first: &Observation);

    /// Takes in a step.
    fn update(&mut self, step: Stepped<'_>);

    /// Names of the blocks it renders, e.g. `observation`, `history`, `status`.
    fn blocks(&self) -> &[&'static str];

    /// The block called `name` as it is now; `None` if there is no such block.
    fn block(&self, name: &str) -> Option<String>;

    /// The read-only queries it answers, under their generic names (`subject_state`, `subject_baseline`).
    fn queries(&self) -> &[ToolSpec];

    /// Answers a query with JSON text.
    ///
    /// # Errors
    /// A rejection when there is no such query or subject.
    fn query(&self, call: &ToolCall) -> Result<String, Rejection>;
}
