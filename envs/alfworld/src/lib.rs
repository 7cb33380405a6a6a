//! draft
pub mod bench;
pub mod engine;
pub mod error;
pub mod grammar;
pub mod library;
pub mod pddl;
pub mod plan;
mod words;

pub use engine::{Game, Play, Stepped};
pub use error::{Fault, GameError};
pub use library::{Library, Wording};
