//! What the last observation of an episode tells beyond its text: verdicts, figures, and where the episode got stuck.
//!
//! It is one line of JSON behind the text of the last observation, which no agent acts on any more, so that stored
//! runs can be read without the environment.

use serde::{Deserialize, Serialize};

use crate::audit::{Audit, Bottleneck};
use crate::judge::{Agreement, agreement};
use crate::rubric::Operator;
use crate::tools::Source;

/// The record of an episode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Gold documents and figures.
    pub audit: Audit,
    /// What a failed episode lacked first; none for one that succeeded.
    pub bottleneck: Option<Bottleneck>,
    /// The answer; none if the calls ran out before.
    pub answer: Option<String>,
    /// Its sources.
    pub sources: Vec<Source>,
    /// Figures of the answer.
    pub figures: Figures,
    /// Whether the judge that decides passes it.
    pub passed: bool,
    /// Each item of the rubric; empty without an answer.
    pub verdicts: Vec<Judged>,
}

/// Figures of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// How many there are.
    pub all: usize,
    /// How many are in stored documents.
    pub stored: usize,
    /// How many are there or follow from such.
    pub supported: usize,
}

/// An item of the rubric and its verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// How the item is applied.
    pub operator: Operator,
    /// The item.
    pub criteria: String,
    /// Whether the deterministic judge passes it.
    pub offline: bool,
    /// What decided that.
    pub why: String,
    /// Whether the model passes it; none if it was not asked, or said neither yes nor no.
    pub model: Option<bool>,
}

/// Begins the line of the record.
const MARK: &str = "\nepisode record: ";

impl Record {
    /// Items without a verdict of a model: those on which it gave none that could be used, and all of them where the
    /// options name no model judge.
    #[must_use]
    pub fn unjudged(&self) -> usize {
        self.verdicts.iter().filter(|judged| judged.model.is_none()).count()
    }

    /// Agreement of both judges on the items that both judged.
    #[must_use]
    pub fn agreement(&self) -> Agreement {
        agreement(self.verdicts.iter().filter_map(|judged| Some((judged.offline, judged.model?))))
    }

    /// A text with the record behind it.
    #[must_use]
    pub fn behind(&self, text: &str) -> String {
        format!("{text}{MARK}{}", serde_json::to_string(self).unwrap_or_default())
    }

    /// The tool's own text of an observation, without the record behind it.
    #[must_use]
    pub fn before(text: &str) -> &str {
        text.rfind(MARK).and_then(|at| text.get(..at)).unwrap_or(text)
    }

    /// The record in the text of a last observation; none if there is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let at = text.rfind(MARK)?;
        serde_json::from_str(text.get(at + MARK.len()..)?).ok()
    }
}
