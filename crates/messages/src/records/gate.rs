//! What a gate before final answers records (CYC-095).

use serde::{Deserialize, Serialize};

use super::records;

records! {
    /// Kinds that a gate writes.
    Gated = "gated",
}

/// A gate looked at a final answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gated {
    /// Figures in the answer.
    pub figures: u32,
    /// Those that code found to be supported by a stored text.
    pub supported: u32,
    /// Others that a verifier showed to be supported by words of a stored text.
    pub verified: u32,
    /// Others that the verifier vouched for, whether or not its words are in a stored text.
    pub claimed: u32,
    /// Whether every figure is supported.
    pub passed: bool,
    /// Whether the answer was held back.
    pub held: bool,
    /// Answers of the episode that were held back so far, this one included.
    pub refusals: u32,
    /// Whether the evidence could not be read: the answer went through unchecked.
    pub unread: bool,
    /// Figures without support, shortened.
    pub unsupported: Vec<String>,
}
