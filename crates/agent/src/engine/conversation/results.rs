//! Results of actions in a conversation: of native calls by their ids, and of actions that were written.

use std::sync::Arc;

use gimbal_core::{EpisodeStopped, Message};

use super::Conversation;

impl Conversation<'_> {
    /// Shows the outcome of an action to the agent, which goes on.
    pub(in crate::engine) fn observed(&mut self, observation: &str) -> Result<(), EpisodeStopped> {
        if !self.answers(observation)? {
            self.say(&format!("Observation: {observation}"));
        }
        Ok(())
    }

    /// Answers the first native call that wants a result, and says of the others that they were not used; whether there was one.
    pub(super) fn answers(&mut self, text: &str) -> Result<bool, EpisodeStopped> {
        let mut open = std::mem::take(&mut self.open_calls).into_iter();
        self.answered = open.next();
        if let Some(id) = &self.answered {
            self.messages.push(Arc::new(Message::answering(id.clone(), text)));
        }
        self.leave_open(open)?;
        Ok(self.answered.is_some())
    }

    /// Answers the native calls that were not used.
    fn leave_open(&mut self, open: impl Iterator<Item = String>) -> Result<(), EpisodeStopped> {
        for id in open {
            let not_used = &self.session.agent.persona.texts.engine.not_used;
            let text = self.fill(not_used, &[("tool", "".into()), ("tools", "".into()), ("message", "".into())])?;
            self.messages.push(Arc::new(Message::answering(id, text)));
        }
        Ok(())
    }
}
