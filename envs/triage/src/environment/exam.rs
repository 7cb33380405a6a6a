//! Judging stored verdicts again, and following which facts an episode showed, from what journals keep.

use std::collections::BTreeSet;

use gimbal_core::questions::AtPlay;
use gimbal_core::{Ask, EnvError, Exam, Follower, Questions, RecordError, TaskId, ToolCall};
use gimbal_evidence::Marking;
use serde_json::Value;

use super::case::Case;
use super::catalogue::Triage;
use super::settings::Settings;
use crate::tools::CONCLUDE;
use crate::tracker::ids_of_lines;

impl Questions for Triage {
    fn exam(&self, task: &TaskId, options: &Value) -> Result<Box<dyn Exam>, EnvError> {
        Ok(Box::new(Paper(Case::load(task, &Settings::read(options)?)?)))
    }

    fn answer_of<'a>(&self, call: &'a ToolCall) -> Option<&'a str> {
        (call.tool == CONCLUDE).then(|| call.string("verdict")).flatten()
    }

    fn follower(&self) -> Box<dyn Follower> {
        Box::new(Seen::default())
    }
}

/// The one item: the verdict.
struct Paper(Case);

impl Exam for Paper {
    fn items(&self) -> Vec<String> {
        vec!["the verdict is the one that the packet supports".to_owned()]
    }

    fn offline(&self, answer: &str) -> Vec<bool> {
        let bare = answer.trim().replace([' ', '-'], "_");
        vec![self.0.expected().is_some_and(|expected| bare.eq_ignore_ascii_case(expected.name()))]
    }

    fn ask(&self, _item: usize, _answer: &str) -> Option<Ask> {
        // A verdict is compared: there is nothing to ask a model.
        None
    }

    fn read(&self, _reply: &str) -> Option<bool> {
        None
    }

    fn unanswered(&self, _evidence: &BTreeSet<String>) -> Option<String> {
        Some(self.0.marking(None)?.behind(""))
    }

    fn at_play(&self, last: &str) -> Result<Option<AtPlay>, RecordError> {
        let right = Marking::read(last).map(|marking| marking.is_right());
        Ok(right.map(|right| AtPlay { passed: right, items: vec![Some(right)] }))
    }
}

/// The facts that an episode showed.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Follower for Seen {
    fn follow(&mut self, call: &ToolCall, seen: &str) {
        if call.tool != CONCLUDE {
            self.0.extend(ids_of_lines(Marking::before(seen)));
        }
    }

    fn evidence(&self) -> BTreeSet<String> {
        self.0.clone()
    }
}
