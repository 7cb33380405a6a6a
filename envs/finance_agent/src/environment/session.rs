//! What an episode holds: store, trail, what was found, and the texts that its calls lead to.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::Digest;
use gimbal_messages::records::filings::{EpisodeRecord, Figures, Judged, Source};
use serde_json::{Value, json};

use super::task::Asked;
use crate::audit::{Trail, audit};
use crate::spans::{Evidence, Numbers, evidence};
use crate::store::Store;

/// A document or page that a search showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub url: String,
    /// Form and type of a filing, or the title of a page.
    pub what: String,
    pub kind: &'static str,
}

/// An episode.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub store: Store,
    pub trail: Trail,
    /// In the order in which they were first shown.
    pub found: Vec<Found>,
    pub calls: u32,
    /// What the reader said last.
    pub reply: Option<Arc<str>>,
    pub over: bool,
    /// The final answer was given; the last call of an episode is over without it.
    pub answered: bool,
}

/// The kind of source of a row of a search.
fn kind_of(row: &Value) -> &'static str {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let form = text("formType");
    if form.is_empty() {
        return "web page";
    }
    let kind = text("type");
    match kind {
        _ if kind.starts_with("EX-") => "exhibit",
        _ if form.starts_with("10-K") => "10-K",
        _ if form.starts_with("10-Q") => "10-Q",
        _ => "8-K",
    }
}

impl Session {
    /// Takes in the rows of a search.
    pub fn show(&mut self, rows: &[Value]) {
        self.trail.show(rows);
        for row in rows {
            let text = |name: &str| row.get(name).and_then(Value::as_str);
            let Some(url) = text("filingUrl").or_else(|| text("link")).or_else(|| text("url")) else { continue };
            if self.found.iter().any(|found| found.url == url) {
                continue;
            }
            let kind = kind_of(row);
            let what = match (text("companyNameLong"), text("title")) {
                (Some(company), _) => {
                    let (form, of, day) = (text("formType"), text("type"), text("filedAt"));
                    format!(
                        "{} {} of {company}, {}",
                        form.unwrap_or_default(),
                        of.unwrap_or_default(),
                        day.unwrap_or_default()
                    )
                }
                (None, title) => title.unwrap_or_default().to_owned(),
            };
            self.found.push(Found { url: url.to_owned(), what, kind });
        }
    }

    /// Hash of what the agent can tell apart: what it has found, stored and read.
    pub fn situation(&self) -> Digest {
        let list = |set: &mut dyn Iterator<Item = &String>| set.cloned().collect::<Vec<String>>().join("\n");
        let shown = list(&mut self.trail.shown.iter());
        let read = list(&mut self.trail.read.iter());
        Digest::of_parts(&[shown.as_bytes(), read.as_bytes(), &self.store.digest().0, &[u8::from(self.answered)]])
    }

    /// Hash of the true state: what was found, stored and read, and what the reader brought last. A call that brings
    /// none of it leaves the state as it was; how many calls were made is the episode's.
    pub fn state(&self, task: &str) -> Digest {
        let found: Vec<&str> = self.found.iter().map(|found| found.url.as_str()).collect();
        let keys = self.store.keys("\n");
        let reply = self.reply.as_deref().unwrap_or_default();
        let parts: [&[u8]; 5] = [
            task.as_bytes(),
            &self.situation().0,
            &Digest::of(found.join("\n").as_bytes()).0,
            keys.as_bytes(),
            reply.as_bytes(),
        ];
        Digest::of_parts(&parts)
    }

    /// What the figures of an answer are based on.
    pub fn evidence(&self, answer: &str) -> Evidence {
        let documents = self.store.documents();
        let numbers: Vec<Numbers> = documents.iter().map(|document| Numbers::of(&document.text)).collect();
        let read = documents.iter().zip(&numbers);
        evidence(answer, read.map(|(document, numbers)| (document.key.as_str(), &*document.text, numbers)))
    }

    /// What the last observation tells.
    pub fn record(
        &self,
        asked: &Asked,
        given: Option<(&str, &[Source])>,
        verdicts: Vec<Judged>,
        passed: bool,
    ) -> EpisodeRecord {
        let answer = given.map(|(answer, _)| answer);
        let evidence = answer.map(|answer| self.evidence(answer)).unwrap_or_default();
        let audit = audit(&asked.gold, &asked.rubric, &self.trail, answer);
        EpisodeRecord {
            bottleneck: (!passed).then(|| audit.bottleneck()),
            audit,
            answer: answer.map(str::to_owned),
            sources: given.map(|(_, sources)| sources.to_vec()).unwrap_or_default(),
            figures: Figures {
                all: evidence.figures.len(),
                stored: evidence.stored(),
                supported: evidence.supported(),
            },
            passed,
            verdicts,
        }
    }
}

/// The rows of a search as data for the tracker.
pub(super) fn rows_data(tool: &str, rows: &[Value]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            let url = [text("filingUrl"), text("link"), text("url")]
                .into_iter()
                .find(|url| !url.is_empty())
                .unwrap_or_default();
            let named: BTreeMap<&str, &str> = [
                ("company", text("companyNameLong")),
                ("filed", text("filedAt")),
                ("form", text("formType")),
                ("kind", kind_of(row)),
                ("title", text("title")),
                ("type", text("type")),
                ("url", url),
            ]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect();
            json!(named)
        })
        .collect();
    json!({ "tool": tool, "results": rows })
}
