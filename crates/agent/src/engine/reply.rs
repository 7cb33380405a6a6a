//! What an agent is asked to answer with, and what it gave.

use gimbal_core::{Hint, ModelErrorKind};
use gimbal_messages::Form;

/// What an adviser gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// A text, still to be read as the message that it should be.
    Text(String),
    /// Nothing: its model refused, was cut short or missed the shape (BOG-047).
    None(ModelErrorKind),
}

/// What a message must be, where that depends on its request.
#[derive(Clone, Debug)]
pub struct ReplySpec {
    /// The form of the message.
    pub form: Form,
    /// What an expert would write, and what others might, in the spacing of the form: for the noisy expert.
    pub expert: Option<Hint>,
}
