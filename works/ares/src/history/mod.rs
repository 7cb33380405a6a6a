//! The memory stream of ARES over runs (ARES-090): verdicts in order of time, each linked to the one before it by the hash of its content.
//!
//! Runs are read elsewhere; here are the rows, the stream over them, and its check. A verdict that another run holds too, by the key of its episode
//! and the chain of its journal, is a duplicate and not in the stream.

mod filter;
mod of_run;
mod packet_episode;

use std::collections::BTreeMap;

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_core::chain::Chain;
use gimbal_core::{Digest, Milli, canonical};
use gimbal_evidence::Utc;
use gimbal_evidence::judge::Verdict;
use serde::{Deserialize, Serialize};

pub use filter::{Filter, FilterError};
pub use of_run::{Finished, OfRun};
pub use packet_episode::{Given, PacketEpisode};

/// A verdict of a run. Its members are in the order of RFC 8785, so that its plain serialisation is canonical.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The architecture: its configuration.
    pub architecture: String,
    /// Last value of the chain of the episode's journal.
    pub chain: Digest,
    /// How sure the verdict is.
    pub confidence: Milli,
    /// Hash of the scenario; missing where the packet has no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<Digest>,
    /// Key of the episode.
    pub key: Digest,
    /// Models that were asked; empty where none was.
    pub model: String,
    /// Head of the packet.
    pub packet: Digest,
    /// Name of the run folder.
    pub run: String,
    /// The scenario, or the id of the packet; with run and trial where they are not the first.
    pub task: String,
    /// When the episode ended.
    pub time: Utc,
    /// The verdict.
    pub verdict: Verdict,
}

/// A verdict as it was found, with what no stream holds of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The row.
    pub entry: Entry,
    /// Id of the packet, such as `P-3f9a12cd45ef`; `None` if nobody asked for it.
    pub packet_id: Option<String>,
    /// Whether its run folder has another name than the run gave it, as copies have. Of two folders with the same verdict the one with the
    /// run's own name takes the row.
    pub is_renamed: bool,
}

impl From<Entry> for Found {
    fn from(entry: Entry) -> Self {
        Self { entry, packet_id: None, is_renamed: false }
    }
}

/// An entry with its place in the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linked {
    /// The entry.
    pub entry: Entry,
    /// Value of the chain after it.
    pub link: Digest,
    /// Its number, from 1.
    pub number: u64,
}

/// A verdict that is in the stream already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// The verdict.
    pub entry: Entry,
    /// Number of the entry that it repeats.
    pub of: u64,
}

/// The stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// What was listed.
    pub filter: Filter,
    /// The rows.
    pub rows: Vec<Linked>,
    /// What was left out because it is in the stream already.
    pub duplicates: Vec<Duplicate>,
    /// Last value of the chain.
    pub head: Digest,
}

/// What `gimbal evidence verify --json` says of a kept stream that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifiedHistory {
    /// How many verdicts it has.
    pub history: usize,
    /// Last value of its chain.
    pub head: Digest,
    /// Always true.
    pub holds: bool,
}

impl From<&History> for VerifiedHistory {
    fn from(history: &History) -> Self {
        Self { history: history.rows.len(), head: history.head, holds: true }
    }
}

/// A line of a kept stream that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Broken {
    /// The line, from 1.
    pub line: usize,
    /// What was found, and what was expected.
    pub what: String,
}

/// A line of a kept stream.
#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    History { filter: Filter },
    Entry(Linked),
    Duplicate(Duplicate),
    Head { head: Digest, rows: u64 },
}

impl History {
    /// The stream over these verdicts, whatever order they come in.
    #[must_use]
    pub fn of<F: Into<Found>>(found: Vec<F>, filter: Filter) -> Self {
        let mut found: Vec<Found> = found.into_iter().map(Into::into).collect();
        found.retain(|found| filter.takes(found));
        found.sort_by(|Found { entry: one, is_renamed: is_copy, .. }, Found { entry: other, is_renamed, .. }| {
            (one.time, is_copy, &one.run, &one.task, one.key).cmp(&(
                other.time,
                is_renamed,
                &other.run,
                &other.task,
                other.key,
            ))
        });
        let mut chain = Chain::start("history", &canonical::bytes_of(&filter));
        let mut met: BTreeMap<(Digest, Digest), u64> = BTreeMap::new();
        let (mut rows, mut duplicates): (Vec<Linked>, Vec<Duplicate>) = (Vec::new(), Vec::new());
        for Found { entry, .. } in found {
            if let Some(of) = met.get(&(entry.key, entry.chain)) {
                duplicates.push(Duplicate { entry, of: *of });
                continue;
            }
            let number = rows.len() as u64 + 1;
            met.insert((entry.key, entry.chain), number);
            let link = chain.push(&canonical::bytes_of(&entry));
            rows.push(Linked { entry, link, number });
        }
        Self { filter, rows, duplicates, head: chain.value() }
    }

    /// One JSON object on each line: what was listed, the rows with their links, duplicates, and the head.
    #[must_use]
    pub fn json_lines(&self) -> Vec<String> {
        let mut lines = vec![text(&Line::History { filter: self.filter.clone() })];
        lines.extend(self.rows.iter().map(|row| text(&Line::Entry(row.clone()))));
        lines.extend(self.duplicates.iter().map(|duplicate| text(&Line::Duplicate(duplicate.clone()))));
        lines.push(text(&Line::Head { head: self.head, rows: self.rows.len() as u64 }));
        lines
    }

    /// Reads a kept stream and computes every link again.
    ///
    /// # Errors
    /// The first line that is not as it was written.
    pub fn verify(kept: &str) -> Result<Self, Broken> {
        let whole = kept.strip_suffix('\n').ok_or_else(|| {
            broken(kept.split('\n').count(), "the line does not end: its last byte, a line feed, is missing")
        })?;
        let mut lines = whole.split('\n').enumerate().map(|(index, text)| (index + 1, text));
        let filter = match lines.next().map(|(line, text)| read(line, text)).transpose()? {
            Some(Line::History { filter }) => filter,
            _ => return Err(broken(1, "expected the record `history`")),
        };
        let mut chain = Chain::start("history", &canonical::bytes_of(&filter));
        let (mut rows, mut duplicates): (Vec<Linked>, Vec<Duplicate>) = (Vec::new(), Vec::new());
        let mut head = None;
        for (line, text) in lines {
            if head.is_some() {
                return Err(broken(line, "the stream ended with its head, and there is more"));
            }
            match read(line, text)? {
                Line::History { .. } => return Err(broken(line, "a second record `history`")),
                Line::Entry(row) => {
                    let link = chain.push(&canonical::bytes_of(&row.entry));
                    if (row.number, row.link) != (rows.len() as u64 + 1, link) {
                        return Err(broken(line, &format!("expected number {} and link {link}", rows.len() + 1)));
                    }
                    rows.push(row);
                }
                Line::Duplicate(duplicate) => duplicates.push(duplicate),
                Line::Head { head: found, rows: count } => {
                    if (found, count) != (chain.value(), rows.len() as u64) {
                        let what = format!("expected {} rows and the head {}", rows.len(), chain.value());
                        return Err(broken(line, &what));
                    }
                    head = Some(found);
                }
            }
        }
        let head = head.ok_or_else(|| broken(whole.split('\n').count() + 1, "the stream ends without its head"))?;
        Ok(Self { filter, rows, duplicates, head })
    }

    /// The rows as a table.
    #[must_use]
    pub fn table(&self) -> Table {
        let label = |key, title, help| Column::new(key, title, "verdict", ColumnKind::Label, help);
        let column = |key, title, kind, help| Column::new(key, title, "verdict", kind, help);
        let columns = vec![
            column("number", "#", ColumnKind::Integer, "Place in the stream"),
            label("time", "Time", "When the episode ended, in UTC"),
            column("verdict", "Verdict", ColumnKind::Text, "The verdict"),
            column("confidence", "Confidence", ColumnKind::Number(3), "How sure it is"),
            column("task", "Task", ColumnKind::Text, "Scenario, or id of the packet"),
            column("packet", "Packet", ColumnKind::Text, "First digits of the packet's head"),
            column("corpus", "Corpus", ColumnKind::Text, "First digits of the scenario's hash"),
            column("architecture", "Architecture", ColumnKind::Text, "Configuration of the architecture"),
            column("model", "Model", ColumnKind::Text, "Models that were asked"),
            column("run", "Run", ColumnKind::Text, "The run folder"),
            column("link", "Link", ColumnKind::Text, "First digits of the chain after the row"),
        ];
        let short = |digest: &Digest| digest.to_string().chars().take(12).collect::<String>();
        let rows = self.rows.iter().map(|Linked { entry, link, number }| {
            vec![
                Cell::count(*number),
                Cell::text(entry.time.to_string()),
                Cell::text(entry.verdict.name()),
                Cell::number(Some(entry.confidence.to_f64())),
                Cell::text(entry.task.as_str()),
                Cell::text(short(&entry.packet)),
                Cell::text(entry.corpus.as_ref().map_or("-".to_owned(), short)),
                Cell::text(entry.architecture.as_str()),
                Cell::text(if entry.model.is_empty() { "-" } else { entry.model.as_str() }),
                Cell::text(entry.run.as_str()),
                Cell::text(short(link)),
            ]
        });
        let mut notes = vec![format!("Head of the stream over {} rows: {}.", self.rows.len(), self.head)];
        for Duplicate { entry, of } in &self.duplicates {
            notes.push(format!("Duplicate, not in the stream: {} of {} is row {of}.", entry.task, entry.run));
        }
        Table { key: "history", title: "Verdicts in order of time".to_owned(), columns, rows: rows.collect(), notes }
    }
}

fn text(line: &Line) -> String {
    // Lines hold texts, numbers and lists only: nothing in them can fail to become JSON.
    serde_json::to_string(line).unwrap_or_default()
}

fn broken(line: usize, what: &str) -> Broken {
    Broken { line, what: what.to_owned() }
}

/// A line in its one spelling.
fn read(line: usize, text: &str) -> Result<Line, Broken> {
    let read: Line = serde_json::from_str(text).map_err(|error| broken(line, &error.to_string()))?;
    let written = self::text(&read);
    let same = text.bytes().zip(written.bytes()).take_while(|(found, expected)| found == expected).count();
    if written == text { Ok(read) } else { Err(broken(line, &format!("byte {} is not as it was written", same + 1))) }
}
