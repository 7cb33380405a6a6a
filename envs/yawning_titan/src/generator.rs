//! Which generator of numbers a run uses.

use serde::{Deserialize, Serialize};

/// The generator of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// The frozen fast one.
    #[default]
    Fast,
    /// Python's, with numpy's beside it, bit for bit; hash sets are gone through in node order.
    Mersenne,
}

impl Numbers {
    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Mersenne => "mersenne",
        }
    }

    /// The generator of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Fast, Self::Mersenne].into_iter().find(|numbers| numbers.name() == name)
    }
}
