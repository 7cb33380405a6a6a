//! Settings of `panel`.

use gimbal_agent::Overrides;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::shared::member::Member;

/// Most members.
pub(super) const MOST: usize = 16;

/// Settings of `panel`. What is left out is as the personas say.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Name of a setting in `personas/configurations.yaml` to start from; every other key overrides it.
    pub configuration: Option<String>,
    /// Which agreement gives the answer.
    pub rule: Rule,
    /// Number of members, 1 to 16; 3 where neither it nor `members` is given, and 1 with `rounds`.
    #[schemars(range(min = 1, max = 16))]
    pub size: Option<u32>,
    /// The members one by one, in the place of `size`: persona and role of each. A role that is left out is `panelist_1`, `panelist_2` and
    /// so on, by which a study may give each member a model of another family; else the study's `default`.
    pub members: Option<Vec<Member>>,
    /// Whether the environment is played by ballots, one of each of its subjects in every round; the members take the seats by turns.
    pub rounds: bool,
    /// Context blocks that every member sees; those of the persona where it is left out.
    pub context: Option<Vec<String>>,
    /// Overrides of all personas.
    #[serde(flatten)]
    pub agent: Overrides,
}

/// Which agreement gives the answer to the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The answer that every member gives.
    Unanimous,
    /// The answer that more than half of the members give.
    #[default]
    Majority,
    /// The answer of the first member.
    Single,
}

impl Rule {
    /// Its name in settings and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unanimous => "unanimous",
            Self::Majority => "majority",
            Self::Single => "single",
        }
    }
}
