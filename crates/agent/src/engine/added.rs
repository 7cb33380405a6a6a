//! What is said behind the latest message to an agent: that a turn is its last, and how many actions are left.

use std::sync::Arc;

use gimbal_core::{EpisodeStopped, Message, Speaker};

use super::conversation::Conversation;

impl Conversation<'_> {
    /// Says that no tool may be used any more, to an agent that has used one and has a single turn left. Who acts many times is
    /// not bound so: its tools give control back.
    pub(super) fn last_turn(&mut self, turn: u32) -> Result<(), EpisodeStopped> {
        let used = turn > 1 && !self.answer_due && self.session.settings().acting.is_none();
        if used && self.messages.last().is_some_and(|last| last.speaker != Speaker::Assistant) {
            let sourced = &self.session.agent.persona.texts.engine.last_turn;
            let notice = self.fill(sourced, &[("tool", "".into()), ("tools", "".into()), ("message", "".into())])?;
            self.add(&notice);
            self.answer_due = true;
        }
        Ok(())
    }

    /// Says behind the result of an action how many of the `most` actions of the agent are left. It stays there: the prompt of the
    /// next call then begins with this one, which caches can use.
    pub(super) fn count(&mut self, left: u32, most: u32) -> Result<(), EpisodeStopped> {
        if let Some(acting) = &self.session.agent.persona.texts.engine.acting {
            let text = self.fill(&acting.actions_left, &[("left", left.into()), ("most", most.into())])?;
            self.add(text.trim_end());
        }
        Ok(())
    }

    /// Adds a text to the latest message, which is not the agent's own.
    fn add(&mut self, text: &str) {
        let Some(last) = self.messages.last_mut().filter(|last| last.speaker != Speaker::Assistant) else { return };
        let text = format!("{}\n\n{text}", last.text.trim_end());
        *last = Arc::new(match &last.answers {
            Some(id) => Message::answering(id.clone(), text),
            None => Message::new(last.speaker, text),
        });
        // It was counted without the addition.
        self.counted = None;
    }
}
