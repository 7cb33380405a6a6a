//! Readers: fixed players by rule that are given a request as a language model is given it, and nothing else.
//!
//! A reader parses the prompt's own text. It has no hint, no place in the episode and no file: [`Page`] holds the messages,
//! tools and grammar of one request, and a reader keeps nothing between requests. What a prompt does not say, a reader cannot
//! know; what it looked for and did not find it returns as [`Missed`]. The players themselves live in another crate and come in
//! through [`Readers`].

use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::chat::Missed;
use gimbal_core::{
    CallContext, ChatModel, ChatRequest, Completion, Finish, Grammar, Message, ModelError, RequestedCall, ToolSpec,
    nearest,
};
use serde_json::Value;

use crate::answer;
use crate::error::SetupError;

/// All that a reader is given: what a provider would be sent.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The conversation so far.
    pub messages: &'a [Arc<Message>],
    /// Tools that may be called natively.
    pub tools: &'a [ToolSpec],
    /// The shape that the answer must have, if one is demanded.
    pub grammar: Option<&'a Arc<Grammar>>,
}

impl<'a> Page<'a> {
    /// The page of a request: everything of it that a model reads.
    #[must_use]
    pub fn of(request: &'a ChatRequest) -> Self {
        Self { messages: &request.messages, tools: &request.tools, grammar: request.grammar.as_ref() }
    }
}

/// What a reader answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Native tool calls: name and arguments.
    pub calls: Vec<(String, Value)>,
    /// What the prompt lacked.
    pub missed: Vec<Missed>,
}

/// A fixed player by rule. The same page gives the same reply, always.
pub trait Reader: Send + Sync {
    /// Raised when the reader's behaviour changes: it is part of the key of every episode that it plays.
    fn version(&self) -> u32;

    /// Answers a request.
    fn reply(&self, page: &Page<'_>) -> Reply;
}

/// The readers that there are, by name.
pub trait Readers: Send + Sync {
    /// The reader called `name`.
    fn named(&self, name: &str) -> Option<Arc<dyn Reader>>;

    /// All names with a line on each.
    fn list(&self) -> Vec<(&'static str, &'static str)>;
}

/// No readers at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoReaders;

impl Readers for NoReaders {
    fn named(&self, _: &str) -> Option<Arc<dyn Reader>> {
        None
    }

    fn list(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }
}

/// Finds a reader.
///
/// # Errors
/// [`SetupError::Reader`] with the known names.
pub(crate) fn find(name: &str, readers: &dyn Readers) -> Result<Arc<dyn Reader>, SetupError> {
    readers.named(name).ok_or_else(|| {
        let known: Vec<&str> = readers.list().into_iter().map(|(known, _)| known).collect();
        let hint = nearest::hint_among(name, &known);
        SetupError::Reader(format!("model `reader/{name}`: there is no reader `{name}`{hint}"))
    })
}

/// A reader as a model.
pub(crate) struct ReaderModel(pub Arc<dyn Reader>);

#[async_trait]
impl ChatModel for ReaderModel {
    async fn complete(&self, request: &ChatRequest, context: &CallContext<'_>) -> Result<Completion, ModelError> {
        let Reply { text, calls, missed } = self.0.reply(&Page::of(request));
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        let numbered = calls.into_iter().enumerate().map(|(number, (tool, arguments))| RequestedCall {
            id: format!("call-{}-{number}", context.call),
            tool,
            arguments,
        });
        Ok(Completion { missed, ..answer::plain(request, &text, numbered.collect(), finish) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::chat::{InformationKind, Missed};
    use gimbal_core::{CallContext, ChatRequest, Hint, Message, Speaker};
    use serde_json::json;

    use super::{NoReaders, Page, Reader, ReaderModel, Reply, find};
    use crate::testing::{NoWire, ask, context};

    /// Says how much it was shown, and calls a tool where one is offered.
    struct Counts;

    impl Reader for Counts {
        fn version(&self) -> u32 {
            1
        }

        fn reply(&self, page: &Page<'_>) -> Reply {
            let calls = page.tools.iter().map(|tool| (tool.name.clone(), json!({}))).collect();
            let missed = vec![Missed { lack: InformationKind::Goal, words: "a task between <task> tags".to_owned() }];
            Reply { text: page.messages.len().to_string(), calls, missed }
        }
    }

    // covers: SH-01
    #[test]
    fn a_reader_sees_the_request_and_nothing_of_the_episode() {
        let model = ReaderModel(Arc::new(Counts));
        let request = ChatRequest {
            messages: vec![Arc::new(Message::new(Speaker::User, "?"))],
            tools: [gimbal_core::ToolSpec::of_strings("look", "Looks.", &[])].into(),
            ..ChatRequest::default()
        };
        let first = ask(&model, &request, &context(&NoWire, 1, 4)).unwrap();
        assert_eq!((&*first.text, &*first.calls[0].id, first.missed.len()), ("1", "call-4-0", 1));
        // Neither a hint nor seed or place of the call changes its answer.
        let hint = Hint { answer: "Remove User1".to_owned(), alternatives: Vec::new() };
        let elsewhere = CallContext { hint: Some(&hint), ..context(&NoWire, 2, 4) };
        let second = ask(&model, &request, &elsewhere).unwrap();
        assert_eq!(first, second);
    }

    #[test]
    fn a_reader_that_does_not_exist_is_told() {
        let error = find("careful", &NoReaders).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("`reader/careful`") && text.contains("(known: none)")));
    }
}
