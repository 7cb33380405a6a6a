//! What is said behind the latest message to an agent: that a turn is its last, and how many actions are left.

use std::sync::Arc;

use gimbal_core::{EpisodeStopped, Message, Speaker};

use super::Conversation;

impl Conversation<'_> {
    /// Says that no tool may be used any more, to an agent that has used one and has a single turn left. Who acts many times is
    /// not bound so: its tools give control back.
    pub(super) fn last_turn(&mut self, turn: u32) -> Result<(), EpisodeStopped> {
        let used = turn > 1 && !self.answer_due && self.session.settings().acting.is_none();
        if used && self.messages.last().is_some_and(|last| last.speaker != Speaker::Assistant) {
            let sourced = &self.session.agent.persona.texts.engine.last_turn;
            let notice = self.fill(sourced, &[("tool", "".into()), ("tools", "".into()), ("message", "".into())])?;
            self.add(&notice, None);
            self.answer_due = true;
        }
        Ok(())
    }

    /// Says behind the result of an action how many of the `most` actions of the agent are left, also where calls that were not used are
    /// answered behind it. It stays there: the prompt of the next call then begins with this one, which caches can use.
    pub(in crate::engine) fn count(&mut self, left: u32, most: u32) -> Result<(), EpisodeStopped> {
        if let Some(acting) = &self.session.agent.persona.texts.engine.acting {
            let text = self.fill(&acting.actions_left, &[("left", left.into()), ("most", most.into())])?;
            let call = self.answered.clone();
            self.add(text.trim_end(), call.as_deref());
        }
        Ok(())
    }

    /// Adds a text to the result of a native call, or to the latest message where none is named. It must not be the agent's own.
    fn add(&mut self, text: &str, call: Option<&str>) {
        let place = match call {
            Some(call) => self.messages.iter().rposition(|message| message.answers.as_deref() == Some(call)),
            None => self.messages.len().checked_sub(1),
        };
        let Some(added) = place.and_then(|place| self.messages.get_mut(place)) else { return };
        if added.speaker == Speaker::Assistant {
            return;
        }
        let text = format!("{}\n\n{text}", added.text.trim_end());
        *added = Arc::new(match &added.answers {
            Some(id) => Message::answering(id.clone(), text),
            None => Message::new(added.speaker, text),
        });
        // It was counted without the addition.
        self.counted = None;
    }
}
