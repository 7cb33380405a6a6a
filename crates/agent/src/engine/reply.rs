//! What an agent is asked to answer with, and what it gave.

use std::sync::Arc;

use gimbal_core::{Grammar, Hint, ModelErrorKind, Stage};
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
    /// Whether a second request is held to the form by a mask, also where the role decodes freely (CTHA-045).
    pub mask: bool,
}

impl ReplySpec {
    /// The grammar that a second request to a role is held to: that of the form, where a mask is wanted and the role's model can be given
    /// one.
    #[must_use]
    pub fn mask(&self, stage: &dyn Stage, role: &str) -> Option<Arc<Grammar>> {
        if self.mask { self.enforceable(stage, role) } else { None }
    }

    /// The form as a grammar of a kind that the role's model can be held to: as an expression, which holds the spacing too, else as a
    /// schema; `None` where it can be held to neither.
    #[must_use]
    pub(super) fn enforceable(&self, stage: &dyn Stage, role: &str) -> Option<Arc<Grammar>> {
        let as_regex = Arc::new(Grammar::Regex(self.form.regex.clone()));
        if stage.can_mask(role, &as_regex) {
            return Some(as_regex);
        }
        let as_schema = Arc::new(Grammar::JsonSchema(self.form.schema.clone()));
        stage.can_mask(role, &as_schema).then_some(as_schema)
    }
}
