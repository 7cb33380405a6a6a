//! The expert: a policy that sees the environment and gives a correct action.
//!
//! It serves the noisy expert, built-in policies and the measuring of environments. Nothing of it is in what models see: it is
//! not in a request, a prompt or a hash.

use crate::ToolCall;

/// What an environment offers that knows what an expert would do.
pub trait Expert {
    /// The call that an expert would make now, from what the agent may know or from a walkthrough; `None` where there is
    /// nothing to do.
    fn next_call(&self) -> Option<ToolCall>;
}

/// What an expert in a role would answer. Never sent to a provider and never hashed: only the noisy expert reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hint {
    /// The correct answer, already in the form that the role must write.
    pub answer: String,
    /// Other answers of the same form that are legal and not correct.
    pub alternatives: Vec<String>,
}
