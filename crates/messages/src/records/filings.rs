//! What the last observation of an episode of questions about filings says beyond its text: verdicts, figures, and where the episode got stuck.
//!
//! It is one line of JSON behind the text of the last observation, which no agent acts on any more, so that stored runs can be read without
//! the environment. The environment writes it, and the tables of a work read it.

use gimbal_core::RecordError;
use serde::{Deserialize, Serialize};

use crate::record::read_as;

/// The record of an episode. The order of the fields is that of the stored keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// Gold documents and figures.
    pub audit: Audit,
    /// What a failed episode lacked first; `None` for one that succeeded.
    pub bottleneck: Option<Bottleneck>,
    /// The answer; `None` if the calls ran out before.
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

/// What happened to the gold documents of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Accession numbers of the gold documents.
    pub gold: Vec<String>,
    /// How many a search showed; one that was opened without a search counts.
    pub matched: usize,
    /// How many were opened.
    pub opened: usize,
    /// How many were put before the reader.
    pub read: usize,
    /// Figures that the rubric asks for.
    pub figures: usize,
    /// How many of them the answer states.
    pub stated: usize,
}

impl Audit {
    /// Share of gold documents that were read: the recall of retrieval. `None` without gold documents.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        (!self.gold.is_empty()).then(|| self.read as f64 / self.gold.len() as f64)
    }

    /// What a failed episode lacks first.
    #[must_use]
    pub const fn bottleneck(&self) -> Bottleneck {
        let gold = self.gold.len();
        if self.matched < gold {
            Bottleneck::NotMatched
        } else if self.opened < gold {
            Bottleneck::NotOpened
        } else if self.read < gold {
            Bottleneck::NotRead
        } else if self.stated < self.figures {
            Bottleneck::FigureAbsent
        } else {
            Bottleneck::RubricFailed
        }
    }
}

/// The first thing that a failed episode lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bottleneck {
    /// Some gold document was in no result of a search.
    NotMatched,
    /// All were found, and some was never opened.
    NotOpened,
    /// All were opened, and some was never put before the reader.
    NotRead,
    /// All were read, and a figure of the rubric is not in the answer.
    FigureAbsent,
    /// The figures are there, and the rubric fails all the same.
    RubricFailed,
}

impl Bottleneck {
    /// The name in data and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotMatched => "not_matched",
            Self::NotOpened => "not_opened",
            Self::NotRead => "not_read",
            Self::FigureAbsent => "figure_absent",
            Self::RubricFailed => "rubric_failed",
        }
    }
}

/// A source of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Address.
    pub url: String,
    /// What it is.
    pub name: String,
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
    /// Whether the model passes it; `None` if it was not asked, or answered neither yes nor no.
    pub model: Option<bool>,
}

/// How an answer is held against a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// The answer must state the fact.
    Correctness,
    /// The answer must not contradict the reference answer.
    Contradiction,
}

impl Operator {
    /// The name in rubrics and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correctness => "correctness",
            Self::Contradiction => "contradiction",
        }
    }
}

/// What errors call it.
const NAME: &str = "episode record";
/// Begins the line of the record.
const MARK: &str = "\nepisode record: ";

/// A text in two: the tool's own text, and the JSON of the record behind it. The record is the last line; words in the middle of a document
/// that look like its beginning are part of the document.
fn parts(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once(MARK).filter(|(_, record)| !record.contains('\n'))
}

impl EpisodeRecord {
    /// Items without a verdict of a model: those on which it gave none that could be used, and all of them where the
    /// options name no model judge.
    #[must_use]
    pub fn unjudged(&self) -> usize {
        self.verdicts.iter().filter(|judged| judged.model.is_none()).count()
    }

    /// A text with the record behind it.
    #[must_use]
    pub fn behind(&self, text: &str) -> String {
        // A record holds strings, numbers and lists, which always have a JSON form.
        format!("{text}{MARK}{}", serde_json::to_string(self).unwrap_or_default())
    }

    /// The tool's own text of an observation, without the record behind it.
    #[must_use]
    pub fn before(text: &str) -> &str {
        parts(text).map_or(text, |(before, _)| before)
    }

    /// The record in the text of a last observation; `None` if its last line does not begin as one.
    ///
    /// # Errors
    /// When there is one and it does not have this form: the key, what was found and what was expected.
    pub fn read(text: &str) -> Result<Option<Self>, RecordError> {
        parts(text).map(|(_, record)| read_as(NAME, record)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::{Audit, Bottleneck, EpisodeRecord, Figures, Judged, Operator, Source};

    fn record() -> EpisodeRecord {
        EpisodeRecord {
            audit: Audit { gold: vec!["a".to_owned()], matched: 1, opened: 1, read: 0, figures: 2, stated: 1 },
            bottleneck: Some(Bottleneck::NotRead),
            answer: Some("5%\nand more".to_owned()),
            sources: vec![Source { url: "u".to_owned(), name: "n".to_owned() }],
            figures: Figures { all: 1, stored: 1, supported: 1 },
            passed: false,
            verdicts: vec![Judged {
                operator: Operator::Correctness,
                criteria: "c".to_owned(),
                offline: false,
                why: "w".to_owned(),
                model: None,
            }],
        }
    }

    /// Stored runs hold these bytes.
    #[test]
    fn the_line_is_written_as_it_always_was_and_read_back() {
        let text = record().behind("Thank you.");
        assert_eq!(
            text,
            concat!(
                "Thank you.\nepisode record: {\"audit\":{\"gold\":[\"a\"],\"matched\":1,\"opened\":1,\"read\":0,\"figures\":2,",
                "\"stated\":1},\"bottleneck\":\"not_read\",\"answer\":\"5%\\nand more\",\"sources\":[{\"url\":\"u\",\"name\":\"n\"}],",
                "\"figures\":{\"all\":1,\"stored\":1,\"supported\":1},\"passed\":false,\"verdicts\":[{\"operator\":\"correctness\",",
                "\"criteria\":\"c\",\"offline\":false,\"why\":\"w\",\"model\":null}]}"
            )
        );
        assert_eq!((EpisodeRecord::read(&text), EpisodeRecord::before(&text)), (Ok(Some(record())), "Thank you."));
    }

    #[test]
    fn a_record_that_does_not_read_names_its_key_and_a_text_without_one_has_none() {
        let torn = EpisodeRecord::read("x\nepisode record: {torn").unwrap_err();
        assert!(torn.why.starts_with("key must be a string") && torn.kind == "episode record", "{torn}");
        let text = record().behind("x");
        let wrong = EpisodeRecord::read(&text.replace("\"all\":1", "\"all\":-1")).unwrap_err();
        assert_eq!(wrong.key, "figures.all");
        let missing = EpisodeRecord::read(&text.replace("\"supported\":1", "\"kept\":1")).unwrap_err();
        assert!(missing.key == "figures" && missing.why.contains("missing field `supported`"), "{missing}");
        let page = "a page\nepisode record: of 1999\nand more";
        for none in ["x", page] {
            assert_eq!((EpisodeRecord::read(none), EpisodeRecord::before(none)), (Ok(None), none));
        }
    }
}
