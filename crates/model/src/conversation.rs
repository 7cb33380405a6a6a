//! A conversation between a person and a model, outside of any episode.

use std::sync::Arc;

use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Digest, Message, ModelError, Sampling, Speaker, Wire,
};

/// What was said so far. A conversation has no ledger, because it is not an episode.
pub struct Conversation {
    model: Arc<dyn ChatModel>,
    messages: Vec<Arc<Message>>,
    max_output_tokens: u32,
}

/// What a model did with what a person said.
#[derive(Debug)]
pub enum ChatReply {
    /// It answered.
    Answered(Completion),
    /// It refused, was cut, or answered in a bad shape: the conversation goes on. A partial text is in the error.
    Failed(ModelError),
}

/// A ledger that writes nothing.
struct Unmetered;

impl Wire for Unmetered {
    fn sent(&self, _: &ChatRequest, _: bool) -> Result<u64, ModelError> {
        Ok(0)
    }

    fn received(&self, _: u64, _: &Result<Completion, ModelError>) -> Result<(), ModelError> {
        Ok(())
    }
}

impl Conversation {
    /// A conversation that begins with what the system says, if anything.
    #[must_use]
    pub fn new(model: Arc<dyn ChatModel>, system: Option<&str>, max_output_tokens: u32) -> Self {
        let messages = system.map(|text| Arc::new(Message::new(Speaker::System, text))).into_iter().collect();
        Self { model, messages, max_output_tokens }
    }

    /// What was said so far, in order.
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Says something, and returns what the model answers.
    ///
    /// # Errors
    /// When the model cannot be reached: outage, key, disk. What was said is then in the conversation without an answer.
    pub async fn say(&mut self, text: &str) -> Result<ChatReply, ModelError> {
        self.messages.push(Arc::new(Message::new(Speaker::User, text)));
        let request = ChatRequest {
            messages: self.messages.clone(),
            sampling: Sampling { max_output_tokens: self.max_output_tokens, ..Sampling::default() },
            ..ChatRequest::default()
        };
        let context = CallContext { wire: &Unmetered, episode: Digest::default(), call: 0, seed: 0, hint: None };
        match self.model.complete(&request, &context).await {
            Ok(completion) => {
                self.messages.push(Arc::new(Message::new(Speaker::Assistant, Arc::clone(&completion.text))));
                Ok(ChatReply::Answered(completion))
            }
            Err(error) if !error.kind.is_infrastructure() => {
                // What was heard stays in the conversation; a question without any answer is taken back, since templates
                // want the speakers in turn.
                match &error.partial {
                    Some(partial) => {
                        self.messages.push(Arc::new(Message::new(Speaker::Assistant, Arc::clone(partial))))
                    }
                    None => drop(self.messages.pop()),
                }
                Ok(ChatReply::Failed(error))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;
    use gimbal_core::chat::ProviderFacts;
    use gimbal_core::{Finish, ModelErrorKind, Usage};

    use super::*;
    use crate::testing::now;

    /// A model that answers with these, in order.
    struct Answers(Mutex<Vec<Result<Completion, ModelError>>>);

    #[async_trait]
    impl ChatModel for Answers {
        async fn complete(&self, _: &ChatRequest, _: &CallContext<'_>) -> Result<Completion, ModelError> {
            self.0.lock().unwrap().remove(0)
        }
    }

    fn spoken(conversation: &Conversation) -> Vec<(Speaker, String)> {
        conversation.messages().iter().map(|message| (message.speaker, message.text.to_string())).collect()
    }

    fn answering(answers: Vec<Result<Completion, ModelError>>) -> Conversation {
        Conversation::new(Arc::new(Answers(Mutex::new(answers))), Some("Be brief."), 8)
    }

    #[test]
    fn what_was_heard_stays_and_a_question_without_an_answer_is_taken_back() {
        let cut = ModelError { partial: Some("On".into()), ..ModelError::new(ModelErrorKind::Truncated, "cut") };
        let refused = ModelError::new(ModelErrorKind::Refusal, "no");
        let whole = Completion {
            text: "Two.".into(),
            calls: Vec::new(),
            finish: Finish::Stop,
            usage: Usage::default(),
            reasoning: None,
            missed: Vec::new(),
            latency_us: 0,
            provider: ProviderFacts::default(),
        };
        let mut talk = answering(vec![Err(cut), Err(refused), Ok(whole)]);
        assert!(matches!(now(talk.say("One?")), Ok(ChatReply::Failed(_))));
        assert!(matches!(now(talk.say("Why?")), Ok(ChatReply::Failed(_))));
        assert!(matches!(now(talk.say("Two?")), Ok(ChatReply::Answered(_))));
        let expected = [
            (Speaker::System, "Be brief."),
            (Speaker::User, "One?"),
            (Speaker::Assistant, "On"),
            (Speaker::User, "Two?"),
            (Speaker::Assistant, "Two."),
        ];
        assert_eq!(spoken(&talk), expected.map(|(speaker, text)| (speaker, text.to_owned())));
    }

    #[test]
    fn an_outage_is_not_an_answer() {
        let mut talk = answering(vec![Err(ModelError::new(ModelErrorKind::Unavailable, "gone"))]);
        assert!(now(talk.say("One?")).is_err());
    }
}
