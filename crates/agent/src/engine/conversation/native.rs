//! Native calls of a reply: which of them is the outcome, and what is answered to the others.

use std::sync::Arc;

use gimbal_core::{Completion, EpisodeStopped, Message, Rejection, RejectionKind, RequestedCall, ToolCall};
use gimbal_messages::records::engine::CallsIgnored;

use super::{Conversation, Outcome, non_empty};
use crate::protocol::ToolUse;

impl Conversation<'_> {
    /// Goes by the native calls of a reply, in order: queries are answered, the first action is the outcome. A message that asks
    /// for another action beside it, or gives control back, asks for more than one thing, and none is done.
    pub(super) async fn native_calls(&mut self, completion: &Completion) -> Result<Option<Outcome>, EpisodeStopped> {
        let calls = completion.calls.clone();
        self.messages.push(Arc::new(Message::with_calls(Arc::clone(&completion.text), calls.clone())));
        for (index, requested) in calls.iter().enumerate() {
            let mut used = ToolUse::of(requested);
            let reasoning = used.input.take_reasoning();
            if let Some(call) = self.action(&used).await {
                let thought = if reasoning.is_empty() { completion.text.trim().to_owned() } else { reasoning };
                let justification = non_empty(thought);
                let rest = &calls[index..];
                self.open_calls = rest.iter().map(|call| call.id.clone()).collect();
                if self.asks_for_more(&call, &rest[1..]).await {
                    return Ok(Some(several(rest)));
                }
                if rest.len() > 1 {
                    self.record(&CallsIgnored { count: rest.len() as u64 - 1 }).await;
                }
                return Ok(Some(Outcome::Call { call, justification }));
            }
            if let Some(summary) = self.finish(&used) {
                let rest = &calls[index..];
                if self.acts_in(&rest[1..]).await {
                    self.open_calls = rest.iter().map(|call| call.id.clone()).collect();
                    return Ok(Some(several(rest)));
                }
                return Ok(Some(Outcome::Finished(summary)));
            }
            let observation = self.observe(&used, &reasoning).await?;
            self.messages.push(Arc::new(Message::answering(requested.id.clone(), observation)));
        }
        Ok(None)
    }

    /// Whether calls after an action ask for another action, or give control back. The same action again says nothing more, and
    /// what only informs may wait.
    async fn asks_for_more(&self, call: &ToolCall, rest: &[RequestedCall]) -> bool {
        for requested in rest {
            let mut used = ToolUse::of(requested);
            used.input.take_reasoning();
            if self.finish(&used).is_some() || self.action(&used).await.is_some_and(|other| other != *call) {
                return true;
            }
        }
        false
    }

    /// Whether one of these calls is an action.
    async fn acts_in(&self, calls: &[RequestedCall]) -> bool {
        for requested in calls {
            let mut used = ToolUse::of(requested);
            used.input.take_reasoning();
            if self.action(&used).await.is_some() {
                return true;
            }
        }
        false
    }
}

/// How native calls are answered that ask for several things at once: none of them is done.
fn several(calls: &[RequestedCall]) -> Outcome {
    let message = "the message makes more than one call; make exactly one";
    let all: Vec<String> = calls.iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect();
    Outcome::Unclear { rejection: Rejection::new(RejectionKind::Unreadable, message), text: all.join("\n") }
}
