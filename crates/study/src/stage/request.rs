//! Requests as changes of the ones that they extend.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::text::INLINE_BYTES;
use gimbal_core::{Message, TextRef};

use super::recorder::{RecordError, Recorder, SimilarText};
use super::texts::Known;

/// Conversations that are remembered for one role of one lane: an agent and its helpers may take turns.
const REMEMBERED: usize = 3;

/// The latest conversations of a lane, by role.
#[derive(Debug, Default)]
pub struct Conversations(BTreeMap<String, RoleConversations>);

#[derive(Debug, Default)]
struct RoleConversations {
    calls: u64,
    latest: Vec<Conversation>,
}

#[derive(Debug)]
struct Conversation {
    call: u64,
    messages: Vec<SentMessage>,
}

#[derive(Debug)]
struct SentMessage {
    message: Arc<Message>,
    /// The stored text, where the message is long.
    stored: Option<Known>,
}

/// What of a request is new.
#[derive(Debug)]
pub struct Extension {
    /// The call that is extended.
    pub extends: Option<u64>,
    /// How many of its messages stay.
    pub kept: u64,
    /// The messages after them: speaker and text.
    pub messages: Vec<(&'static str, TextRef)>,
}

impl Conversations {
    /// The number of the next call of a role, counting it.
    pub fn count(&mut self, role: &str) -> u64 {
        let spoken = self.spoken(role);
        spoken.calls += 1;
        spoken.calls - 1
    }

    /// Finds the longest shared beginning, keeps what is new, and remembers the request as call number `call`.
    pub fn extend(
        &mut self,
        recorder: &dyn Recorder,
        role: &str,
        messages: &[Arc<Message>],
        call: u64,
        blocks: &BTreeMap<String, Known>,
    ) -> Result<Extension, RecordError> {
        let spoken = self.spoken(role);
        // The latest wins among equals.
        let best = spoken
            .latest
            .iter()
            .enumerate()
            .map(|(place, conversation)| (shared(&conversation.messages, messages), place))
            .max()
            .filter(|(kept, _)| *kept > 0);
        // Only the extended one goes: an agent that is made anew at every step never comes back to it, and with a
        // thousand episodes in flight memory counts.
        let extended = best.map(|(_, place)| spoken.latest.remove(place));
        let kept = best.map_or(0, |(kept, _)| kept);
        let previous = extended.as_ref().or(spoken.latest.last());
        let mut fresh = Vec::with_capacity(messages.len() - kept);
        let mut used = Vec::with_capacity(messages.len() - kept);
        for (index, message) in messages.iter().enumerate().skip(kept) {
            let text = message.stored_text();
            let before = previous.and_then(|previous| previous.messages.get(index));
            let before = before.and_then(|said| said.stored.as_ref()).and_then(Known::near);
            let near: Vec<SimilarText<'_>> =
                before.into_iter().chain(blocks.values().filter_map(Known::near)).collect();
            let (reference, digest) = if text.len() > INLINE_BYTES {
                let digest = message.stored_digest();
                recorder.text(digest, &text, &near)?;
                (TextRef::stored(digest), Some(digest))
            } else {
                (TextRef::inline(&text), None)
            };
            let stored = digest.map(|_| Known { text, reference: reference.clone(), digest });
            used.push((message.speaker.name(), reference));
            fresh.push(SentMessage { message: Arc::clone(message), stored });
        }
        let extends = extended.as_ref().map(|conversation| conversation.call);
        let mut said = extended.map(|conversation| conversation.messages).unwrap_or_default();
        said.truncate(kept);
        said.append(&mut fresh);
        if spoken.latest.len() == REMEMBERED {
            spoken.latest.remove(0);
        }
        spoken.latest.push(Conversation { call, messages: said });
        Ok(Extension { extends, kept: kept as u64, messages: used })
    }

    fn spoken(&mut self, role: &str) -> &mut RoleConversations {
        self.0.entry(role.to_owned()).or_default()
    }
}

fn shared(said: &[SentMessage], messages: &[Arc<Message>]) -> usize {
    said.iter()
        .zip(messages)
        .take_while(|(said, message)| Arc::ptr_eq(&said.message, message) || said.message == **message)
        .count()
}
