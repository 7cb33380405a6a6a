//! What the end of an episode of triage says for tables: the verdict, what was expected, and the facts that count.

use gimbal_core::{Digest, Milli, last_line};
use serde::{Deserialize, Serialize};

use crate::FactId;
use crate::judge::Verdict;

/// The marking of one episode: the last line of its last observation, which no agent acts on any more. Nothing of it is in an earlier
/// text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marking {
    /// The scenario.
    pub scenario: String,
    /// Hash of the scenario: of its labels and its raw sources.
    pub corpus: Digest,
    /// Version of its labels (ARES-R5).
    pub label_version: u32,
    /// Its tier, such as `AMBIGUOUS` (ARES-070).
    pub tier: String,
    /// Its difficulty, from 1 to 4: another field than the tier (ARES-R11).
    pub difficulty: u8,
    /// What it is about, such as `credential_access`.
    pub category: String,
    /// Kinds of its telemetry.
    pub telemetry: Vec<String>,
    /// What really happened: apart from the verdict that the facts support.
    pub operator_truth: String,
    /// The verdict that the facts of the scenario support.
    pub expected: Verdict,
    /// The verdict that the facts of this packet support: another one where the selection left out what decides.
    pub supported: Verdict,
    /// The verdict that was given; missing where the episode ended without one.
    pub given: Option<Verdict>,
    /// The confidence that was given, from 0 to 1.
    pub confidence: Option<Milli>,
    /// The facts that were cited, each once.
    pub cited: Vec<FactId>,
    /// The facts that decide, as far as the packet has them.
    pub decisive: Vec<FactId>,
    /// The facts that explain others, as far as the packet has them.
    pub explaining: Vec<FactId>,
}

impl Marking {
    /// Whether the given verdict is the expected one.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.given == Some(self.expected)
    }

    /// A text with the marking as its last line; the line alone for an empty text.
    #[must_use]
    pub fn behind(&self, text: &str) -> String {
        last_line::behind(text, self)
    }

    /// The marking in the text of a last observation; `None` where there is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        last_line::read(text)
    }

    /// The text of a last observation without the marking.
    #[must_use]
    pub fn before(text: &str) -> &str {
        if Self::read(text).is_none() {
            return text;
        }
        text.trim_end().rsplit_once('\n').map_or("", |(before, _)| before)
    }
}
