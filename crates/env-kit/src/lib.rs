//! What environments share, whatever they are: how a person or a model may write an action, the tracker around a belief
//! state with its log and its queries, options of a study, catalogue entries, recordings that are played again, and the verbs
//! of `gimbal env`. Each environment keeps its own tools, subjects and rules.

pub mod answer;
pub mod brief;
pub mod calls;
pub mod catalogue;
pub mod grammar;
mod history;
pub mod json;
pub mod manifest;
pub mod named;
mod on_subjects;
pub mod options;
pub mod query;
pub mod replay;
pub mod states;
mod subject;
mod tracker;
pub mod words;
pub mod workbench;

pub use history::{Event, History, JUSTIFICATION_LIMIT};
pub use subject::{Applied, Status};
pub use tracker::{BLOCKS, Belief, BeliefTracker, Logged, StepKind};
