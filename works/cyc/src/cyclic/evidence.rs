//! Where an answer from documents failed: the bottleneck on the way from the query to the rubric (CYC-094, CYC-095).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an environment of questions and documents says of a finished episode, in the data of its last observation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What the judges said.
    #[serde(default)]
    pub judged: Judged,
    /// How far the agent got towards the document that holds the answer.
    #[serde(default)]
    pub bottleneck: Reached,
    /// Figures of the answer.
    #[serde(default)]
    pub figures: Figures,
    /// How many documents hold the answer, and what happened to them.
    #[serde(default)]
    pub gold: Gold,
    /// Where a failed episode got stuck, as the environment says itself.
    #[serde(default)]
    pub told: Option<Bottleneck>,
    /// Whether nobody knows which documents hold the answer, as of the public questions: nothing is said of the way then.
    #[serde(default)]
    pub unlocated: bool,
}

/// Documents that hold an answer; all 0 where no such document is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gold {
    /// How many there are.
    #[serde(default)]
    pub all: u32,
    /// Those that a query found.
    #[serde(default)]
    pub matched: u32,
    /// Those that were opened.
    #[serde(default)]
    pub opened: u32,
    /// Those that were retrieved from the store.
    #[serde(default)]
    pub read: u32,
}

/// Begins the line on which an environment of questions tells, behind its last observation, how the episode went.
const RECORD: &str = "\nepisode record: ";

impl Evidence {
    /// What the text of a last observation says; `None` where it holds no record.
    #[must_use]
    pub fn in_last(text: &str) -> Option<Self> {
        let record: Value = serde_json::from_str(text.get(text.rfind(RECORD)? + RECORD.len()..)?).ok()?;
        let audit = &record["audit"];
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        let gold = audit["gold"].as_array().map_or(0, Vec::len) as u64;
        let reached = |key: &str| gold > 0 && count(&audit[key]) >= gold;
        let items = record["verdicts"].as_array().into_iter().flatten().map(|verdict| RubricItem {
            operator: verdict["operator"].as_str().unwrap_or_default().to_owned(),
            criteria: verdict["criteria"].as_str().unwrap_or_default().to_owned(),
            offline: verdict["offline"].as_bool(),
            model: verdict["model"].as_bool(),
        });
        let told = match record["bottleneck"].as_str() {
            Some("not_matched") => Some(Bottleneck::NotMatched),
            Some("not_opened") => Some(Bottleneck::NotOpened),
            Some("not_read") => Some(Bottleneck::NotRetrieved),
            Some("figure_absent") => Some(Bottleneck::NotStated),
            Some("rubric_failed") => Some(Bottleneck::RubricFailed),
            _ => None,
        };
        let small = |value: &Value| u32::try_from(count(value)).unwrap_or(u32::MAX);
        Some(Self {
            judged: Judged { items: items.collect(), passed: record["passed"].as_bool().unwrap_or(false) },
            bottleneck: Reached {
                matched: reached("matched"),
                opened: reached("opened"),
                retrieved: reached("read"),
                // A rubric without figures asks for none: that all of them are stated says nothing.
                stated: count(&audit["figures"]) > 0 && count(&audit["stated"]) >= count(&audit["figures"]),
            },
            figures: Figures {
                stated: small(&record["figures"]["all"]),
                supported: small(&record["figures"]["supported"]),
                stored: small(&record["figures"]["stored"]),
            },
            gold: Gold {
                all: u32::try_from(gold).unwrap_or(u32::MAX),
                matched: small(&audit["matched"]),
                opened: small(&audit["opened"]),
                read: small(&audit["read"]),
            },
            told,
            unlocated: gold == 0,
        })
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
    /// One verdict an item of the rubric.
    #[serde(default)]
    pub items: Vec<RubricItem>,
    /// Whether the answer passes.
    #[serde(default)]
    pub passed: bool,
}

/// One item of a rubric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricItem {
    /// What kind of item it is.
    #[serde(default)]
    pub operator: String,
    /// What is asked.
    #[serde(default)]
    pub criteria: String,
    /// Verdict of the judge that is plain code.
    #[serde(default)]
    pub offline: Option<bool>,
    /// Verdict of a model.
    #[serde(default)]
    pub model: Option<bool>,
}

/// Stations on the way to the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// A query found the document.
    #[serde(default)]
    pub matched: bool,
    /// It was opened.
    #[serde(default)]
    pub opened: bool,
    /// It was retrieved from the store.
    #[serde(default)]
    pub retrieved: bool,
    /// The answer states the figure that was asked for.
    #[serde(default)]
    pub stated: bool,
}

/// Figures of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Figures that it states.
    #[serde(default)]
    pub stated: u32,
    /// Those that are in a stored document, or follow from such.
    #[serde(default)]
    pub supported: u32,
    /// Those that are in a stored document.
    #[serde(default)]
    pub stored: u32,
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
    use super::*;

    /// The shape that an environment writes, read as it is, and unknown fields passed over.
    // covers: CYC-095
    #[test]
    fn the_bottleneck_is_the_first_station_that_was_not_passed() {
        let text = r#"{"judged":{"items":[{"operator":"correctness","criteria":"4.1 bn","offline":true,"model":null}],
            "passed":false,"by":"offline"},"bottleneck":{"matched":true,"opened":true,"retrieved":false,"stated":false},
            "figures":{"stated":3,"supported":1}}"#;
        let evidence: Evidence = serde_json::from_str(text).unwrap();
        assert_eq!(evidence.bottleneck(), Some(Bottleneck::NotRetrieved));
        let with = |matched, opened, retrieved, stated, passed| {
            Evidence {
                judged: Judged { passed, items: Vec::new() },
                bottleneck: Reached { matched, opened, retrieved, stated },
                figures: Figures::default(),
                ..Evidence::default()
            }
            .bottleneck()
        };
        assert_eq!(with(false, false, false, false, false), Some(Bottleneck::NotMatched));
        assert_eq!(with(true, false, false, false, false), Some(Bottleneck::NotOpened));
        assert_eq!(with(false, true, true, false, false), Some(Bottleneck::NotStated));
        assert_eq!(with(true, true, true, true, false), Some(Bottleneck::RubricFailed));
        assert_eq!(with(false, false, false, false, true), None);
        let empty: Evidence = serde_json::from_str("{}").unwrap();
        assert_eq!(empty.bottleneck(), Some(Bottleneck::NotMatched));
    }
}

#[cfg(test)]
mod record_tests {
    use super::{Bottleneck, Evidence};

    fn record(gold: &str, figures: u32, bottleneck: &str) -> Evidence {
        let text = format!(
            "x\nepisode record: {{\"audit\":{{\"gold\":[{gold}],\"matched\":0,\"opened\":0,\"read\":0,\"figures\":{figures},\"stated\":0}},\
             \"bottleneck\":\"{bottleneck}\",\"figures\":{{}},\"passed\":false,\"verdicts\":[]}}"
        );
        Evidence::in_last(&text).unwrap()
    }

    /// What the environment says itself counts; without figures that all are stated says nothing; without documents nobody knows.
    // covers: CYC-095
    #[test]
    fn a_failure_is_put_where_the_record_puts_it() {
        let without_figures = record("\"a\"", 0, "not_matched");
        assert!(!without_figures.bottleneck.stated);
        assert_eq!(without_figures.bottleneck(), Some(Bottleneck::NotMatched));
        assert_eq!(record("\"a\"", 2, "not_opened").bottleneck(), Some(Bottleneck::NotOpened));
        let public = record("", 2, "rubric_failed");
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
        let evidence = Evidence::in_last(text).unwrap();
        assert!(evidence.bottleneck.matched && evidence.bottleneck.opened && !evidence.bottleneck.retrieved);
        assert!(!evidence.bottleneck.stated && !evidence.judged.passed);
        assert_eq!((evidence.figures.stated, evidence.figures.supported, evidence.figures.stored), (4, 3, 2));
        assert_eq!((evidence.gold.all, evidence.gold.opened, evidence.gold.read), (2, 2, 1));
        assert_eq!((evidence.judged.items[0].offline, evidence.judged.items[0].model), (Some(false), None));
        assert_eq!(evidence.bottleneck(), Some(Bottleneck::NotRetrieved));
        assert_eq!(Evidence::in_last("Thank you."), None);
        assert_eq!(Evidence::in_last("\nepisode record: {torn"), None);
    }
}
