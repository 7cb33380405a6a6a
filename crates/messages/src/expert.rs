//! What an expert says for a message or a delegate: for the noisy expert alone, and no part of what models see.

use gimbal_core::{Brief, Hint, ToolCall};

/// What an expert says for a message.
pub trait ExpertMessage {
    /// The expert's message, and other messages of the same form.
    fn say(&self, view: &ExpertView<'_>) -> Hint;
}

/// What an expert asks by a delegate.
pub trait ExpertInput {
    /// The input of an expert, who would make this call, to ask about `target`.
    fn input(&self, brief: &Brief, call: &ToolCall, target: &str) -> Input;
}

/// What an expert knows when an agent must answer.
#[derive(Clone, Copy, Debug)]
pub struct ExpertView<'a> {
    /// What the environment says of itself.
    pub brief: &'a Brief,
    /// The call that the expert would make.
    pub call: &'a ToolCall,
    /// The call as its environment writes it.
    pub action: &'a str,
    /// What the work is about: the subject that was asked about, or that of the call.
    pub target: Option<&'a str>,
    /// The legal calls.
    pub calls: &'a [ToolCall],
    /// The legal calls as their environment writes them.
    pub actions: &'a [String],
    /// The call that does nothing, as its environment writes it.
    pub idle: &'a str,
}

/// The input of a tool as an expert writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A text.
    Text(String),
    /// A JSON object, written in the spacing of forms.
    Object(String),
}
