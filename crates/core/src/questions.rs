//! Environments whose tasks are questions: their answers can be judged again, and what an episode found can be followed, from
//! what journals keep and without playing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Ask, EnvError, RecordError, TaskId, ToolCall};

/// What a family of environments offers whose episodes end with an answer that is judged.
pub trait Questions: Send + Sync {
    /// The examination of a task, by the options of a study as they were resolved.
    ///
    /// # Errors
    /// When there is no such task, or its data cannot be read.
    fn exam(&self, task: &TaskId, options: &Value) -> Result<Box<dyn Exam>, EnvError>;

    /// The answer that a call gives; `None` where it is another call.
    fn answer_of<'a>(&self, call: &'a ToolCall) -> Option<&'a str>;

    /// A follower at the beginning of an episode.
    fn follower(&self) -> Box<dyn Follower>;
}

/// The examination of one task.
pub trait Exam: Send + Sync {
    /// What an answer is held to, an item each.
    fn items(&self) -> Vec<String>;

    /// What plain code makes of each item.
    fn offline(&self, answer: &str) -> Vec<bool>;

    /// The question to a model about one item; `None` where there is no such item.
    fn ask(&self, item: usize, answer: &str) -> Option<Ask>;

    /// The model's verdict on it; `None` where it answered neither yes nor no.
    fn read(&self, reply: &str) -> Option<bool>;

    /// What the environment would have added to the last observation of an episode that ended without an answer and not by
    /// itself (a budget of the controller, a list of calls that ran out); `None` where it adds nothing.
    /// `evidence` is that of a [`Follower`] at the end.
    fn unanswered(&self, evidence: &BTreeSet<String>) -> Option<String> {
        let _ = evidence;
        None
    }

    /// The verdicts of the episode at play, from the text of its last observation; `None` where there is none.
    ///
    /// # Errors
    /// When there is a record of them that cannot be read: the key, what was found and what was expected.
    fn at_play(&self, last: &str) -> Result<Option<AtPlay>, RecordError>;
}

/// Verdicts of an episode at play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtPlay {
    /// Whether the judge that decided passed the answer.
    pub passed: bool,
    /// The verdict of the judge that decided on each item; `None` where it answered neither yes nor no.
    pub items: Vec<Option<bool>>,
}

/// Follows an episode by its calls and by what the agent saw.
pub trait Follower: Send {
    /// Adds an accepted call and the resulting text.
    fn follow(&mut self, call: &ToolCall, seen: &str);

    /// The evidence so far: names of what was found, stored and read.
    fn evidence(&self) -> BTreeSet<String>;
}
