//! The seams of what agents say: messages that they answer with, and tools by which they ask others.

use std::fmt::Debug;

use gimbal_core::{Brief, ToolSpec};
use serde_json::Value;

use crate::expert::{ExpertInput, ExpertMessage};
use crate::{Form, Tier};

/// The target of a request that is about no single subject (BOG-102).
pub const ANY: &str = "any";

/// A message that an agent answers with, in the place of an action.
///
/// The engine sees only this. The value of a message has a type of its own, see [`Content`].
pub trait Message: Debug + Send + Sync {
    /// The name that personas and events use.
    fn name(&self) -> &'static str;

    /// The form of the message. `action` is what an action in it may be: one of the legal ones as their environment writes them, with any
    /// number and any text where their tools take any; `None` if the legal ones are not known. The form of a message that depends on its
    /// request comes with the request; then this one is not used.
    fn form(&self, brief: &Brief, action: Option<&Form>) -> Form {
        let _ = (brief, action);
        Form::object(&[])
    }

    /// What the message may name, for a request to write it again (BOG-070); empty where the request says so.
    fn allowed(&self, brief: &Brief) -> Allowed {
        let _ = brief;
        Allowed::Text(String::new())
    }

    /// What an expert says; `None` where the request must bring it.
    fn expert(&self) -> Option<&dyn ExpertMessage> {
        None
    }

    /// A request for the message, for prompts that are shown and not played.
    fn request(&self, brief: &Brief, target: &str) -> Value;
}

/// What a message may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// These words.
    Text(String),
    /// The actions that are legal now.
    Actions,
}

/// The value of a message, read in tiers from what a model wrote (BOG-070).
pub trait Content: Sized + Send {
    /// Reads what a model wrote, and how; `None` if it cannot be read at all.
    fn read(text: &str, brief: &Brief) -> Option<(Self, Tier)>;

    /// The value that replaces an answer about `target` that cannot be read. It says so.
    fn default_of(target: &str) -> Self;

    /// How many parts of it could not be read.
    fn unread(&self) -> usize;
}

/// A tool by which an agent asks another one, or gives control back.
pub trait Delegate: Debug + Send + Sync {
    /// Generic name of the tool.
    fn name(&self) -> &'static str;

    /// Its specification under the generic name.
    fn spec(&self, brief: &Brief) -> ToolSpec;

    /// What its input may be, under constrained decoding.
    fn form(&self, brief: &Brief) -> Option<Form>;

    /// What an expert asks by it; `None` where an expert does not use it.
    fn expert(&self) -> Option<&dyn ExpertInput> {
        None
    }
}
