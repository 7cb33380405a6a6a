//! Where an answer from documents failed: the bottleneck on the way from the query to the rubric (CYC-094, CYC-095).

use gimbal_core::RecordError;
use gimbal_messages::records::filings::{self, EpisodeRecord};
use serde::{Deserialize, Serialize};

/// What tables keep of the record that an environment of questions and documents writes behind a last observation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What the judges said.
    pub judged: Judged,
    /// How far the agent got towards the document that holds the answer.
    pub bottleneck: Reached,
    /// Figures of the answer.
    pub figures: Figures,
    /// How many documents hold the answer, and what happened to them.
    pub gold: Gold,
    /// Where a failed episode got stuck, as the environment says itself.
    pub told: Option<Bottleneck>,
    /// Whether nobody knows which documents hold the answer, as of the public questions: nothing is said of the way then.
    pub unlocated: bool,
}

/// Documents that hold an answer; all 0 where no such document is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gold {
    /// How many there are.
    pub all: u32,
    /// Those that a query found.
    pub matched: u32,
    /// Those that were opened.
    pub opened: u32,
    /// Those that were retrieved from the store.
    pub read: u32,
}

impl Evidence {
    /// What the text of a last observation says; `None` where it holds no record.
    ///
    /// # Errors
    /// When it holds a record that cannot be read: the key, what was found and what was expected.
    pub fn in_last(text: &str) -> Result<Option<Self>, RecordError> {
        Ok(EpisodeRecord::read(text)?.map(|record| Self::of(&record)))
    }

    /// What a record says.
    #[must_use]
    pub fn of(record: &EpisodeRecord) -> Self {
        let (audit, figures) = (&record.audit, record.figures);
        let gold = audit.gold.len();
        let reached = |documents: usize| gold > 0 && documents >= gold;
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let items = record.verdicts.iter();
        Self {
            judged: Judged {
                items: items.map(|verdict| RubricItem { offline: verdict.offline, model: verdict.model }).collect(),
                passed: record.passed,
            },
            bottleneck: Reached {
                matched: reached(audit.matched),
                opened: reached(audit.opened),
                retrieved: reached(audit.read),
                // A rubric without figures asks for none: that all of them are stated says nothing.
                stated: audit.figures > 0 && audit.stated >= audit.figures,
            },
            figures: Figures {
                stated: small(figures.all),
                supported: small(figures.supported),
                stored: small(figures.stored),
            },
            gold: Gold {
                all: small(gold),
                matched: small(audit.matched),
                opened: small(audit.opened),
                read: small(audit.read),
            },
            told: record.bottleneck.map(Bottleneck::from),
            unlocated: gold == 0,
        }
    }

    /// Of a failed episode about which nothing can be found out any more.
    #[must_use]
    pub fn unknown() -> Self {
        Self { unlocated: true, ..Self::default() }
    }
}

/// Verdicts on an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The verdicts on each item of the rubric.
    pub items: Vec<RubricItem>,
    /// Whether the answer passes.
    pub passed: bool,
}

/// The verdicts on one item of a rubric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricItem {
    /// Verdict of the judge that is plain code.
    pub offline: bool,
    /// Verdict of a model; `None` if it gave none.
    pub model: Option<bool>,
}

/// Stations on the way to the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// A query found the document.
    pub matched: bool,
    /// It was opened.
    pub opened: bool,
    /// It was retrieved from the store.
    pub retrieved: bool,
    /// The answer states the figure that was asked for.
    pub stated: bool,
}

/// Figures of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Figures that it states.
    pub stated: u32,
    /// Those that are in a stored document, or follow from such.
    pub supported: u32,
    /// Those that are in a stored document.
    pub stored: u32,
}

impl From<filings::Bottleneck> for Bottleneck {
    fn from(told: filings::Bottleneck) -> Self {
        match told {
            filings::Bottleneck::NotMatched => Self::NotMatched,
            filings::Bottleneck::NotOpened => Self::NotOpened,
            filings::Bottleneck::NotRead => Self::NotRetrieved,
            filings::Bottleneck::FigureAbsent => Self::NotStated,
            filings::Bottleneck::RubricFailed => Self::RubricFailed,
        }
    }
}

/// The first station that a failed episode did not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bottleneck {
    /// No query found the document.
    NotMatched,
    /// It was found and not opened.
    NotOpened,
    /// It was opened and not retrieved.
    NotRetrieved,
    /// It was retrieved, and the figure is not in the answer.
    NotStated,
    /// The figure is there, and the rubric failed.
    RubricFailed,
    /// Nobody knows which documents hold the answer.
    Unknown,
}

impl Bottleneck {
    /// All, in the order of the way.
    pub const ALL: [Self; 6] =
        [Self::NotMatched, Self::NotOpened, Self::NotRetrieved, Self::NotStated, Self::RubricFailed, Self::Unknown];

    /// What it is called in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::NotMatched => "query never found it",
            Self::NotOpened => "found, not opened",
            Self::NotRetrieved => "opened, not retrieved",
            Self::NotStated => "retrieved, figure not stated",
            Self::RubricFailed => "stated, rubric failed",
            Self::Unknown => "unknown",
        }
    }
}

impl Evidence {
    /// Where it failed; `None` for an answer that passes.
    ///
    /// A later station that was reached counts as proof of the earlier ones: an address that was known without a search
    /// can be opened. What the environment says itself goes before; where the documents are not known, neither is the
    /// station.
    #[must_use]
    pub fn bottleneck(&self) -> Option<Bottleneck> {
        let Reached { matched, opened, retrieved, stated } = self.bottleneck;
        if self.judged.passed {
            None
        } else if self.unlocated {
            Some(Bottleneck::Unknown)
        } else if self.told.is_some() {
            self.told
        } else if stated {
            Some(Bottleneck::RubricFailed)
        } else if retrieved {
            Some(Bottleneck::NotStated)
        } else if opened {
            Some(Bottleneck::NotRetrieved)
        } else if matched {
            Some(Bottleneck::NotOpened)
        } else {
            Some(Bottleneck::NotMatched)
        }
    }
}

#[cfg(test)]
mod tests {
    use gimbal_messages::records::filings::{self, Audit, EpisodeRecord};

    use super::{Bottleneck, Evidence, Judged, Reached};

    /// Of an answer that got this far, where the environment does not say itself where it got stuck.
    fn reached(bottleneck: Reached, passed: bool) -> Option<Bottleneck> {
        Evidence { judged: Judged { passed, items: Vec::new() }, bottleneck, ..Evidence::default() }.bottleneck()
    }

    // covers: CYC-095
    #[test]
    fn the_bottleneck_is_the_first_station_that_was_not_passed() {
        let at = |matched, opened, retrieved, stated| Reached { matched, opened, retrieved, stated };
        assert_eq!(reached(at(false, false, false, false), false), Some(Bottleneck::NotMatched));
        assert_eq!(reached(at(true, false, false, false), false), Some(Bottleneck::NotOpened));
        assert_eq!(reached(at(true, true, false, false), false), Some(Bottleneck::NotRetrieved));
        assert_eq!(reached(at(false, true, true, false), false), Some(Bottleneck::NotStated));
        assert_eq!(reached(at(false, false, false, true), false), Some(Bottleneck::RubricFailed));
        assert_eq!(reached(at(false, false, false, false), true), None);
    }

    fn record(gold: &[&str], figures: usize, bottleneck: filings::Bottleneck) -> Evidence {
        let record = EpisodeRecord {
            audit: Audit {
                gold: gold.iter().map(|gold| (*gold).to_owned()).collect(),
                matched: 0,
                opened: 0,
                read: 0,
                figures,
                stated: 0,
            },
            bottleneck: Some(bottleneck),
            answer: None,
            sources: Vec::new(),
            figures: filings::Figures::default(),
            passed: false,
            verdicts: Vec::new(),
        };
        Evidence::in_last(&record.behind("x")).unwrap().unwrap()
    }

    /// What the environment says itself counts; without figures that all are stated says nothing; without documents nobody knows.
    // covers: CYC-095
    #[test]
    fn a_failure_is_put_where_the_record_puts_it() {
        let without_figures = record(&["a"], 0, filings::Bottleneck::NotMatched);
        assert!(!without_figures.bottleneck.stated);
        assert_eq!(without_figures.bottleneck(), Some(Bottleneck::NotMatched));
        assert_eq!(record(&["a"], 2, filings::Bottleneck::NotOpened).bottleneck(), Some(Bottleneck::NotOpened));
        let public = record(&[], 2, filings::Bottleneck::RubricFailed);
        assert!(public.unlocated);
        assert_eq!(public.bottleneck(), Some(Bottleneck::Unknown));
        assert_eq!(Evidence::unknown().bottleneck(), Some(Bottleneck::Unknown));
    }

    // covers: CYC-095
    #[test]
    fn the_record_behind_a_last_observation_is_read() {
        let text = concat!(
            "Thank you.\nepisode record: {\"audit\":{\"gold\":[\"a\",\"b\"],\"matched\":2,\"opened\":2,\"read\":1,",
            "\"figures\":3,\"stated\":2},\"bottleneck\":\"not_read\",\"answer\":\"x\",\"sources\":[],\"figures\":{\"all\":4,",
            "\"stored\":2,\"supported\":3},\"passed\":false,\"verdicts\":[{\"operator\":\"correctness\",\"criteria\":\"c\",",
            "\"offline\":false,\"why\":\"w\",\"model\":null}]}"
        );
        let evidence = Evidence::in_last(text).unwrap().unwrap();
        assert!(evidence.bottleneck.matched && evidence.bottleneck.opened && !evidence.bottleneck.retrieved);
        assert!(!evidence.bottleneck.stated && !evidence.judged.passed);
        assert_eq!((evidence.figures.stated, evidence.figures.supported, evidence.figures.stored), (4, 3, 2));
        assert_eq!((evidence.gold.all, evidence.gold.opened, evidence.gold.read), (2, 2, 1));
        assert_eq!((evidence.judged.items[0].offline, evidence.judged.items[0].model), (false, None));
        assert_eq!(evidence.bottleneck(), Some(Bottleneck::NotRetrieved));
        assert_eq!(Evidence::in_last("Thank you."), Ok(None));
        let wrong = |from: &str, to: &str| Evidence::in_last(&text.replace(from, to)).unwrap_err();
        assert_eq!(wrong("\"all\":4", "\"all\":null").key, "figures.all");
        assert_eq!(wrong("\"not_read\"", "\"unread\"").key, "bottleneck");
        assert_eq!(wrong("\"offline\":false,", "").key, "verdicts[0]");
        assert!(Evidence::in_last("\nepisode record: {torn").is_err());
    }
}
