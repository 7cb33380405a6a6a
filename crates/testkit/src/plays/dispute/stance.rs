//! The message that the two agents exchange.

use gimbal_agent::reading::object;
use gimbal_core::{Brief, Hint};
use gimbal_messages::{Allowed, Content, ExpertMessage, ExpertView, Form, Message, Tier, bounded, spaced};
use serde_json::{Value, json};

/// Longest text that is read, in characters.
const BOUND: usize = 200;

/// The message `stance`.
#[derive(Debug)]
pub struct Stance;

impl Message for Stance {
    fn name(&self) -> &'static str {
        "stance"
    }

    fn form(&self, _brief: &Brief, action: Option<&Form>) -> Form {
        let action = action.cloned().unwrap_or_else(|| Form::text(1, 80));
        Form::object(&[("action", action), ("objection", Form::text(0, 80))])
    }

    fn allowed(&self, _brief: &Brief) -> Allowed {
        Allowed::Actions
    }

    fn expert(&self) -> Option<&dyn ExpertMessage> {
        Some(self)
    }

    fn request(&self, _brief: &Brief, _target: &str) -> Value {
        json!({ "action": "(the action of the other agent)", "objection": "(its objection)" })
    }
}

impl ExpertMessage for Stance {
    fn say(&self, view: &ExpertView<'_>) -> Hint {
        let say = |action: &str, objection: &str| {
            spaced(&Proposal { action: action.to_owned(), objection: objection.to_owned(), unread: 0 }.message())
        };
        let others = view.actions.iter().filter(|action| *action != view.action);
        Hint {
            answer: say(view.action, ""),
            alternatives: others.map(|action| say(action, "It leads away from the goal.")).collect(),
        }
    }
}

/// What one of them proposes, and what it objects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The action, as its environment writes it; empty where none could be read.
    pub action: String,
    /// What speaks against the action of the other agent.
    pub objection: String,
    unread: usize,
}

impl Proposal {
    /// The proposal as a message.
    #[must_use]
    pub fn message(&self) -> Value {
        json!({ "action": self.action, "objection": self.objection })
    }
}

impl Content for Proposal {
    fn read(text: &str, _brief: &Brief) -> Option<(Self, Tier)> {
        let (members, tier) = object(text)?;
        let text = |key: &str| members.get(key).and_then(Value::as_str).map(|text| bounded(text.trim(), BOUND));
        let action = text("action").filter(|action| !action.is_empty())?;
        let objection = text("objection");
        let unread = usize::from(objection.is_none());
        Some((Self { action, objection: objection.unwrap_or_default(), unread }, tier))
    }

    fn default_of(_target: &str) -> Self {
        Self { action: String::new(), objection: String::new(), unread: 1 }
    }

    fn unread(&self) -> usize {
        self.unread
    }
}
