//! What is held to be true of one item.

use gimbal_env_kit::Applied;

use super::words;
use crate::count::Count;

/// Status of an item (BOG-082).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// None is carried, as at first.
    Baseline,
    /// Some is carried.
    Changed,
    /// None is carried, and a command for it failed: whether and how it can be had is open.
    Unknown,
}

impl Status {
    /// The status as a block writes it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Baseline => words::BASELINE,
            Self::Changed => words::CHANGED,
            Self::Unknown => words::UNKNOWN,
        }
    }
}

/// The belief about one item.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    pub name: String,
    pub carried: Count,
    /// It was asked for and could not be found.
    pub not_found: bool,
    /// The last command to make it failed.
    pub not_made: bool,
    /// The step that it was last named in.
    pub named: u32,
    /// What was done with it (BOG-083).
    pub applied: Applied,
    /// Shown commands that make it, and those that take it.
    pub made_by: Vec<String>,
    pub taken_by: Vec<String>,
}

impl Item {
    pub fn status(&self) -> Status {
        match self.carried.is_zero() {
            false => Status::Changed,
            true if self.not_found || self.not_made => Status::Unknown,
            true => Status::Baseline,
        }
    }

    /// Why its status is what it is, where the amount does not say so.
    pub fn notice(&self) -> Option<&'static str> {
        match (self.not_found, self.not_made) {
            (true, _) => Some(words::NOT_FOUND),
            (false, true) => Some(words::NOT_MADE),
            (false, false) if self.carried.is_zero() && self.applied.is_empty() => Some(words::NO_EVIDENCE),
            (false, false) => None,
        }
    }
}
