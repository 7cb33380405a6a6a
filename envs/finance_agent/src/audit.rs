//! Where an episode got stuck: which gold documents its queries matched, which it opened and read, and what happened to
//! the figures (issue: bottleneck attribution).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::ToolCall;
pub use gimbal_messages::records::filings::{Audit, Bottleneck};
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

/// Holds a trail and an answer against a question. Without gold documents (the public questions name none) the
/// counts of documents stay 0.
#[must_use]
pub fn audit(gold: &[Gold], rubric: &[Item], trail: &Trail, answer: Option<&str>) -> Audit {
    let count = |holds: &dyn Fn(&Gold) -> bool| gold.iter().filter(|gold| holds(gold)).count();
    let opened = |gold: &Gold| trail.opened.contains(&gold.url);
    let given = figures(answer.unwrap_or_default());
    let wanted: Vec<Figure> = rubric
        .iter()
        .filter(|item| item.operator == Operator::Correctness)
        .flat_map(|item| figures(&item.criteria))
        .collect();
    let stated = wanted.iter().filter(|wanted| given.iter().any(|given| wanted.stated_by(given))).count();
    Audit {
        gold: gold.iter().map(|gold| gold.accession.clone()).collect(),
        matched: count(&|gold| trail.shown.contains(&gold.url) || opened(gold)),
        opened: count(&opened),
        read: count(&|gold| trail.read.contains(&gold.url)),
        figures: wanted.len(),
        stated,
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
        let said = |trail: &Trail, answer: Option<&str>| audit(&gold, &rubric, trail, answer).bottleneck();
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
        let audited = audit(&gold, &rubric, &trail, Some("5.25%"));
        assert_eq!((audited.recall(), audited.stated, audited.matched), (Some(1.0), 1, 2));
        assert_eq!(audit(&[], &rubric, &trail, None).recall(), None);
    }
}
