//! Messages of a conversation, and the native calls in them.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Digest;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The system prompt.
    System,
    /// The scaffolding, in the place of a user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

impl Speaker {
    /// The name that providers and events use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message of a conversation. Immutable, so that its hash is taken once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    /// Its author.
    pub speaker: Speaker,
    /// Its text.
    pub text: Arc<str>,
    /// Calls that an assistant message makes (native tools).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<RequestedCall>,
    /// The call that a tool message answers (native tools).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    #[serde(skip)]
    digest: OnceLock<Digest>,
    #[serde(skip)]
    stored: OnceLock<Digest>,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.speaker == other.speaker
            && self.text == other.text
            && self.calls == other.calls
            && self.answers == other.answers
    }
}

impl Message {
    /// A plain message.
    #[must_use]
    pub fn new(speaker: Speaker, text: impl Into<Arc<str>>) -> Self {
        Self {
            speaker,
            text: text.into(),
            calls: Vec::new(),
            answers: None,
            digest: OnceLock::new(),
            stored: OnceLock::new(),
        }
    }

    /// An assistant message that makes native tool calls.
    #[must_use]
    pub fn with_calls(text: impl Into<Arc<str>>, calls: Vec<RequestedCall>) -> Self {
        Self { calls, ..Self::new(Speaker::Assistant, text) }
    }

    /// The result of the native tool call with this id.
    #[must_use]
    pub fn answering(id: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self { answers: Some(id.into()), ..Self::new(Speaker::Tool, text) }
    }

    /// The content as one text, for the store: the text itself, or with native calls its JSON form.
    #[must_use]
    pub fn stored_text(&self) -> Arc<str> {
        if self.calls.is_empty() && self.answers.is_none() {
            return Arc::clone(&self.text);
        }
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|call| serde_json::json!({ "arguments": call.arguments, "id": call.id, "tool": call.tool }))
            .collect();
        let whole = serde_json::json!({ "answers": self.answers, "calls": calls, "text": &*self.text });
        crate::canonical::text(&whole).into()
    }

    /// Hash of [`Message::stored_text`]; taken once.
    #[must_use]
    pub fn stored_digest(&self) -> Digest {
        *self.stored.get_or_init(|| Digest::of(self.stored_text().as_bytes()))
    }

    /// Hash over speaker and content; taken once.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of_parts(&[self.speaker.name().as_bytes(), self.stored_text().as_bytes()]))
    }
}

/// A native tool call that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestedCall {
    /// The provider's id of the call.
    pub id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the model wrote them (an object unless the model erred).
    pub arguments: Value,
}
