//! The deterministic belief state.

use crate::{Observation, Rejection, ToolCall, ToolSpec};

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
pub trait Tracker: Send {
    /// Takes in the first observation of an episode.
    fn begin(&mut self, first: &Observation);

    /// Takes in a step.
    fn update(&mut self, step: Stepped<'_>);

    /// Names of the blocks it renders, e.g. `observation`, `history`, `status`.
    fn blocks(&self) -> &[&'static str];

    /// The block called `name` as it stands now; none if there is no such block.
    fn block(&self, name: &str) -> Option<String>;

    /// The read-only queries it answers, under their generic names (`subject_state`, `subject_baseline`).
    fn queries(&self) -> &[ToolSpec];

    /// Answers a query with JSON text.
    ///
    /// # Errors
    /// A rejection when there is no such query or subject.
    fn query(&self, call: &ToolCall) -> Result<String, Rejection>;
}
