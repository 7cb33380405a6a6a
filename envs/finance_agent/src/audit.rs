//! Where an episode got stuck: which gold documents its queries matched, which it opened and read, and what became of
//! the figures (issue: bottleneck attribution).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::Gold;
use crate::number::{Figure, figures};
use crate::rubric::{Item, Operator};
use crate::tools::{EDGAR_SEARCH, PARSE_PAGE, RETRIEVE, WEB_SEARCH, template};

/// What an episode did with documents, by their addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// Addresses that a search showed.
    pub shown: BTreeSet<String>,
    /// Accession numbers that a search showed.
    pub accessions: BTreeSet<String>,
    /// Addresses whose text was stored.
    pub opened: BTreeSet<String>,
    /// Addresses whose text was put before the reader.
    pub read: BTreeSet<String>,
    /// Addresses by the keys that now hold their texts.
    keys: BTreeMap<String, String>,
}

impl Trail {
    /// Takes in the rows of a search.
    pub fn show(&mut self, rows: &[Value]) {
        let texts = |name: &'static str| {
            rows.iter().filter_map(move |row| row.get(name).and_then(Value::as_str)).map(str::to_owned)
        };
        self.shown.extend(texts("filingUrl").chain(texts("link")).chain(texts("url")));
        self.accessions.extend(texts("accessionNo"));
    }

    /// A text was stored.
    pub(crate) fn open(&mut self, key: &str, url: &str) {
        self.opened.insert(url.to_owned());
        self.keys.insert(key.to_owned(), url.to_owned());
    }

    /// What was found, stored and read, by name.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let named = |(what, set): (&'static str, &BTreeSet<String>)| -> Vec<String> {
            set.iter().map(|url| format!("{what} {url}")).collect()
        };
        [("found", &self.shown), ("stored", &self.opened), ("read", &self.read)].into_iter().flat_map(named).collect()
    }

    /// The trail of such names; which keys hold what is not among them.
    #[must_use]
    pub fn of_names(names: &BTreeSet<String>) -> Self {
        let mut trail = Self::default();
        for (what, url) in names.iter().filter_map(|name| name.split_once(' ')) {
            let set = match what {
                "found" => &mut trail.shown,
                "stored" => &mut trail.opened,
                "read" => &mut trail.read,
                _ => continue,
            };
            set.insert(url.to_owned());
        }
        trail
    }

    /// Follows an episode by its calls and the texts that they led to, without an episode's record behind them: what an environment knows of an
    /// episode at play, except for the ends of redirects. Two trails of an episode tell what a revisit changed.
    pub fn follow(&mut self, call: &ToolCall, text: &str) {
        match call.tool.as_str() {
            EDGAR_SEARCH | WEB_SEARCH => {
                if let Ok(Value::Array(rows)) = serde_json::from_str(text) {
                    self.show(&rows);
                }
            }
            PARSE_PAGE => {
                let stored = text.starts_with("SUCCESS: ") || text.starts_with("WARNING: ");
                if let (Some(url), Some(key), true) = (call.string("url"), call.string("key"), stored) {
                    self.open(key, url);
                }
            }
            RETRIEVE => {
                let keys = template::keys(call.string("prompt").unwrap_or_default());
                let all: Option<Vec<String>> = keys.iter().map(|key| self.keys.get(key).cloned()).collect();
                let failed = ["ERROR: ", "\"ERROR: ", "'ERROR: "].iter().any(|start| text.starts_with(start));
                self.read.extend(all.filter(|_| !failed).unwrap_or_default());
            }
            _ => {}
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

/// What became of the gold documents of a question.
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
    /// Holds a trail and an answer against a question. Without gold documents (the public questions name none) the
    /// counts of documents stay 0.
    #[must_use]
    pub fn of(gold: &[Gold], rubric: &[Item], trail: &Trail, answer: Option<&str>) -> Self {
        let count = |holds: &dyn Fn(&Gold) -> bool| gold.iter().filter(|gold| holds(gold)).count();
        let opened = |gold: &Gold| trail.opened.contains(&gold.url);
        let given = figures(answer.unwrap_or_default());
        let wanted: Vec<Figure> = rubric
            .iter()
            .filter(|item| item.operator == Operator::Correctness)
            .flat_map(|item| figures(&item.criteria))
            .collect();
        let stated = wanted.iter().filter(|wanted| given.iter().any(|given| wanted.stated_by(given))).count();
        Self {
            gold: gold.iter().map(|gold| gold.accession.clone()).collect(),
            matched: count(&|gold| trail.shown.contains(&gold.url) || opened(gold)),
            opened: count(&opened),
            read: count(&|gold| trail.read.contains(&gold.url)),
            figures: wanted.len(),
            stated,
        }
    }

    /// Share of gold documents that were read: the recall of retrieval. None without gold documents.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thing_that_lacks_is_named() {
        let gold = |name: &str| Gold {
            accession: name.to_owned(),
            cik: 1,
            company: String::new(),
            filed: String::new(),
            form: "10-K".to_owned(),
            kind: "10-K".to_owned(),
            url: format!("https://x.example/{name}"),
        };
        let (gold, rubric) =
            ([gold("a"), gold("b")], [Item { operator: Operator::Correctness, criteria: "5.25%".to_owned() }]);
        let mut trail = Trail::default();
        let said = |trail: &Trail, answer: Option<&str>| Audit::of(&gold, &rubric, trail, answer).bottleneck();
        assert_eq!(said(&trail, None), Bottleneck::NotMatched);
        let row =
            |name: &str| serde_json::json!({ "filingUrl": format!("https://x.example/{name}"), "accessionNo": name });
        trail.show(&[row("a")]);
        assert_eq!(said(&trail, None), Bottleneck::NotMatched);
        trail.show(&[row("b")]);
        assert_eq!(said(&trail, Some("5.25%")), Bottleneck::NotOpened);
        trail.opened.extend(gold.iter().map(|gold| gold.url.clone()));
        assert_eq!(said(&trail, None), Bottleneck::NotRead);
        trail.read.extend(gold.iter().map(|gold| gold.url.clone()));
        assert_eq!(said(&trail, Some("4%")), Bottleneck::FigureAbsent);
        assert_eq!(said(&trail, Some("5.25%")), Bottleneck::RubricFailed);
        let audit = Audit::of(&gold, &rubric, &trail, Some("5.25%"));
        assert_eq!((audit.recall(), audit.stated, audit.matched), (Some(1.0), 1, 2));
        assert_eq!(Audit::of(&[], &rubric, &trail, None).recall(), None);
    }
}
