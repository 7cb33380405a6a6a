//! One line of `requirements.yaml`.

use serde::{Deserialize, Serialize};

/// The state of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Built and proven by the tests that name it.
    Done,
    /// Built in part; the reason says which.
    Partly,
    /// Not built; the reason says why.
    LeftOut,
}

impl Status {
    /// Its name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Partly => "partly",
            Self::LeftOut => "left_out",
        }
    }
}

/// How a line was shown to hold. Only `Model` says anything about language models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Plain code, held by tests of its own.
    Code,
    /// Recordings of the original program replayed, or its published rules checked on its data.
    Original,
    /// Printed figures of the work recomputed from other printed figures: nothing was measured here.
    Recomputed,
    /// Played with scripts or noisy experts, which look past the prompt: the scaffolding holds, and nothing more is shown.
    Scripts,
    /// Played with readers, which see their requests and nothing else.
    Readers,
    /// Measured with a language model.
    Model,
}

impl Shown {
    /// Every way, the weakest evidence about models first.
    pub const ALL: [Self; 6] =
        [Self::Code, Self::Original, Self::Recomputed, Self::Scripts, Self::Readers, Self::Model];

    /// Its name in the file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Original => "original",
            Self::Recomputed => "recomputed",
            Self::Scripts => "scripts",
            Self::Readers => "readers",
            Self::Model => "model",
        }
    }

    /// The text of the page.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Code => "tested as code",
            Self::Original => "held against the original",
            Self::Recomputed => "recomputed from print",
            Self::Scripts => "shown by scripts",
            Self::Readers => "shown by readers",
            Self::Model => "measured with a model",
        }
    }
}

/// One numbered line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Number.
    pub id: String,
    /// What it asks for, in a few words.
    pub title: String,
    /// Its place in the file.
    pub status: Status,
    /// How it was shown; required for every line of a built work that has tests.
    #[serde(default)]
    pub shown: Vec<Shown>,
    /// Why not wholly, or how it is resolved.
    #[serde(default)]
    pub why: String,
    /// Tests that name it.
    #[serde(default)]
    pub tests: Vec<String>,
}
