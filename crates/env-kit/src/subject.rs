//! What belief states hold of a subject in the same way: its status, and the record of what was done with it.

use std::borrow::Cow;

use crate::{json, words};

/// Status of a subject (BOG-082). What leads to each status is the environment's own rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As at first, with what was done on purpose.
    Baseline,
    /// Something was seen that the baseline does not hold.
    Changed,
    /// What is known does not decide it.
    Unknown,
    /// It was looked into at this step.
    Analysed(u32),
}

impl Status {
    /// The status as a block writes it.
    #[must_use]
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Baseline => words::BASELINE.into(),
            Self::Changed => words::CHANGED.into(),
            Self::Unknown => words::UNKNOWN.into(),
            Self::Analysed(step) => format!("{} {step}", words::ANALYSED).into(),
        }
    }
}

/// Everything that was done with a subject, in order, delimited by arrows (BOG-083).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied(String);

impl Applied {
    /// Adds an action.
    pub fn add(&mut self, action: &str) {
        if !self.0.is_empty() {
            self.0.push_str(words::ARROW);
        }
        self.0.push_str(action);
    }

    /// Whether nothing was done yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the two members that end an entry of a status block: whether the subject is in the latest observation,
    /// and what was done with it.
    pub fn write(&self, out: &mut String, is_current: bool) {
        json::member(out, words::TIME_OF_UPDATE, if is_current { words::CURRENT } else { words::PAST });
        json::member(out, words::APPLIED, if self.is_empty() { words::NONE } else { &self.0 });
    }
}
