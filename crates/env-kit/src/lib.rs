//! What environments share, whatever they are: how a person or a model may write an action, the compressed log of a belief
//! state, and a writer of JSON whose order of keys is ours. Each environment keeps its own tools, subjects and statuses.

pub mod answer;
pub mod grammar;
mod history;
pub mod json;
pub mod words;

pub use history::{Event, History, JUSTIFICATION_LIMIT};
