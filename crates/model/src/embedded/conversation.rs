//! A conversation with an engine, for a person at a terminal.

use std::sync::Arc;

use gimbal_core::{Grammar, Message, Sampling, Speaker};

use super::engine::Engine;
use super::error::EmbeddedError;
use super::generation::{GenerateRequest, Generation, Prompt};

/// A conversation with its messages so far.
#[derive(Debug, Clone)]
pub struct Conversation {
    engine: Arc<Engine>,
    messages: Vec<Arc<Message>>,
    sampling: Sampling,
    turns: u64,
}

impl Conversation {
    /// An empty conversation, with a system message if one is given.
    #[must_use]
    pub fn new(engine: Arc<Engine>, system: Option<&str>, sampling: Sampling) -> Self {
        let messages = system.map(|text| Arc::new(Message::new(Speaker::System, text))).into_iter().collect();
        Self { engine, messages, sampling, turns: 0 }
    }

    /// Says `text` and waits for the answer, which must fit `grammar` if one is given. After an error the conversation is
    /// as before.
    ///
    /// # Errors
    /// See [`EmbeddedError`].
    pub async fn say(&mut self, text: &str, grammar: Option<Grammar>) -> Result<Generation, EmbeddedError> {
        let mut messages = self.messages.clone();
        messages.push(Arc::new(Message::new(Speaker::User, text)));
        let request = GenerateRequest {
            prompt: Prompt::Chat { messages: messages.clone(), tools: Arc::from([]) },
            grammar: grammar.map(Arc::new),
            sampling: self.sampling.clone(),
            seed: self.turns,
            stop: Vec::new(),
            to_the_bound: false,
        };
        let answer = self.engine.generate(request).await?;
        messages.push(Arc::new(Message::new(Speaker::Assistant, answer.text.as_str())));
        self.messages = messages;
        self.turns += 1;
        Ok(answer)
    }

    /// The messages so far.
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }
}
