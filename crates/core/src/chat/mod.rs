//! What is asked of a model, and what it answers.

mod completion;
mod error;
mod grammar;
mod message;
mod request;

pub use completion::{Completion, Finish, InformationKind, Missed, ProviderFacts, Usage, UsageSource};
pub use error::{ModelError, ModelErrorKind};
pub use grammar::{Grammar, GrammarKind};
pub use message::{Message, RequestedCall, Speaker};
pub use request::{ChatRequest, ProviderSettings, Sampling};
