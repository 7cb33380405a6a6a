//! How a game of agreement ended: what its environment writes behind the last observation, and what tables read.

use gimbal_core::last_line;
use serde::{Deserialize, Serialize};

/// What was reached. Whether a game ended by votes (liveness) and whether what it ended with is right (validity) are told apart: a game that
/// votes end is valid or invalid, one that runs out of rounds is neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Votes ended it, all honest agents stated one value, and an honest agent had it at its start.
    Valid,
    /// Votes ended it with anything else: honest agents state different values, or one that no honest agent had at its start.
    Invalid,
    /// Its rounds were used up.
    None,
}

impl Outcome {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Valid, Self::Invalid, Self::None];

    /// The outcome of a game.
    #[must_use]
    pub const fn of(stopped: bool, agreed: bool, from_start: bool) -> Self {
        match (stopped, agreed && from_start) {
            (false, _) => Self::None,
            (true, true) => Self::Valid,
            (true, false) => Self::Invalid,
        }
    }

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::None => "none",
        }
    }
}

/// How a game ended: the last line of the last observation, which no agent acts on any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Agents.
    pub agents: u32,
    /// Those of them that did not follow the rules.
    pub adversaries: u32,
    /// What these did: `silent`, `equivocating`, `drifting`, `stop_early`, `played`; `none` without any.
    pub strategy: String,
    /// Whether agents were told that there may be some.
    pub mentioned: bool,
    /// Rounds that were played.
    pub rounds: u32,
    /// Most rounds.
    pub most_rounds: u32,
    /// Whether votes ended it: liveness.
    pub stopped: bool,
    /// Whether all honest agents stated the same value in the last round.
    pub agreed: bool,
    /// Whether that value was the start of an honest agent.
    pub from_start: bool,
    /// The value; missing where honest agents state different ones.
    pub value: Option<u32>,
    /// What was reached.
    pub outcome: Outcome,
}

impl Ended {
    /// A text with the end as its last line.
    #[must_use]
    pub fn behind(&self, text: &str) -> String {
        last_line::behind(text, self)
    }

    /// The end in the text of a last observation; `None` where there is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        last_line::read(text)
    }
}
