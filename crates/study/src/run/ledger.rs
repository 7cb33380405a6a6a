//! The ledger: an append-only list of rows, each a line of length, checksum and JSON.
//!
//! A row is in the hands of the operating system before its request leaves or its answer is read; the disk is asked to
//! hold it within a tenth of a second.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use gimbal_core::{Digest, Usage};
use serde::{Deserialize, Serialize};

use super::error::RunError;

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub enum Row {
    /// A request is about to leave.
    Sent(Sent),
    /// An attempt ended.
    Received(Received),
    /// A call as the agent or the world made it, whatever attempts it took.
    Called(Called),
    /// An attempt at an episode ended, as an outcome or not.
    Attempted(Attempted),
}

/// A request is about to leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Number of the attempt, unique in its ledger file.
    pub attempt: u64,
    /// Milliseconds since 1970.
    pub at: u64,
    /// Whether the answer comes from our own cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Number of the call within its role and lane.
    pub call: u64,
    /// Key of the episode.
    pub episode: Digest,
    /// Lane.
    pub lane: u32,
    /// Model.
    pub model: String,
    /// Role.
    pub role: String,
    /// Attempt at the episode, unique in its ledger file.
    #[serde(rename = "try")]
    pub try_number: u64,
}

/// An attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Number of the attempt.
    pub attempt: u64,
    /// Milliseconds since 1970.
    pub at: u64,
    /// Wall time in microseconds.
    pub latency_us: u64,
    /// `completed`, or the kind of failure.
    pub outcome: String,
    /// What the provider said beside the answer.
    #[serde(default, skip_serializing_if = "no_facts")]
    pub provider: gimbal_core::chat::ProviderFacts,
    /// Tokens, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

fn no_facts(facts: &gimbal_core::chat::ProviderFacts) -> bool {
    *facts == gimbal_core::chat::ProviderFacts::default()
}

/// A call as the agent or the world made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// Number of the call within its role and lane.
    pub call: u64,
    /// Lane.
    pub lane: u32,
    /// Wall time in microseconds, all attempts together.
    pub latency_us: u64,
    /// Model.
    pub model: String,
    /// `completed`, or the kind of failure.
    pub outcome: String,
    /// Role.
    pub role: String,
    /// Attempt at the episode.
    #[serde(rename = "try")]
    pub try_number: u64,
    /// Tokens as called.
    pub usage: Usage,
    /// Whether the world asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub world: bool,
}

/// An attempt at an episode ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempted {
    /// Milliseconds since 1970.
    pub at: u64,
    /// More about a failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Key of the episode.
    pub episode: Digest,
    /// How it stopped.
    pub stop: gimbal_core::Stop,
    /// Attempt at the episode.
    #[serde(rename = "try")]
    pub try_number: u64,
}

/// A row as it stands in the file.
#[must_use]
pub fn line(row: &impl Serialize) -> Vec<u8> {
    let mut line = vec![b' '; 18];
    // Rows hold strings and numbers only: they always serialise.
    line.extend_from_slice(&gimbal_core::canonical::bytes_of(row));
    let head = format!("{:08x} {:08x} ", line.len() - 18, crc32fast::hash(&line[18..]));
    line[..18].copy_from_slice(head.as_bytes());
    line.push(b'\n');
    line
}

/// Reads a line without its end; none if it is torn or damaged.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Row> {
    let (head, json) = line.split_at_checked(18)?;
    let head = std::str::from_utf8(head).ok()?;
    let length = usize::from_str_radix(head.get(..8)?, 16).ok()?;
    let checksum = u32::from_str_radix(head.get(9..17)?, 16).ok()?;
    let sound = json.len() == length && crc32fast::hash(json) == checksum;
    sound.then(|| serde_json::from_slice(json).ok()).flatten()
}

/// What reading a ledger file found beside its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerState {
    /// Rows read.
    pub rows: u64,
    /// Whether the last line is torn, as a kill leaves it. Tolerated.
    pub torn: bool,
    /// Numbers, from 1, of damaged lines before the last one. Never the work of a kill.
    pub damaged: Vec<u64>,
}

impl LedgerState {
    /// What is wrong with the file called `name`, if anything is: which lines, and what that means.
    #[must_use]
    pub fn complaint(&self, name: &str) -> Option<String> {
        const SHOWN: usize = 8;
        let lines: Vec<String> = self.damaged.iter().take(SHOWN).map(u64::to_string).collect();
        let more = if self.damaged.len() > SHOWN { ", ..." } else { "" };
        (!lines.is_empty()).then(|| {
            format!(
                "{name}: {} damaged row(s) before the last (line {}{more}); all others are kept and counted, but what \
                 these cost is not known, and no run brings it back",
                self.damaged.len(),
                lines.join(", "),
            )
        })
    }
}

/// Reads a ledger file row by row; a torn last line is noted and left out.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path, mut each: impl FnMut(Row)) -> Result<LedgerState, RunError> {
    let failed = |error: std::io::Error| RunError::io(path, "the ledger cannot be read", &error);
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let mut state = LedgerState::default();
    let mut bad = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
            break;
        }
        match bytes.strip_suffix(b"\n").and_then(parse) {
            Some(row) => {
                state.damaged.append(&mut bad);
                state.rows += 1;
                each(row);
            }
            // A torn line is the last one, with or without its end.
            None => bad.push(number),
        }
    }
    state.torn = bad.pop().is_some();
    state.damaged.append(&mut bad);
    Ok(state)
}

/// A ledger file under construction.
#[derive(Debug)]
pub struct LedgerFile {
    file: File,
    /// Rows that go out with the next one that must not wait.
    waiting: Vec<u8>,
    attempts: u64,
}

impl LedgerFile {
    /// Begins a file.
    #[must_use]
    pub const fn new(file: File) -> Self {
        Self { file, waiting: Vec::new(), attempts: 0 }
    }

    /// The next attempt's number.
    pub fn number(&mut self) -> u64 {
        self.attempts += 1;
        self.attempts - 1
    }

    /// Adds a row that may wait for the next one.
    pub fn later(&mut self, row: &impl Serialize) {
        self.waiting.extend_from_slice(&line(row));
    }

    /// Hands a row to the operating system, with those that wait.
    ///
    /// # Errors
    /// When it takes it not.
    pub fn now(&mut self, row: &impl Serialize) -> std::io::Result<()> {
        self.waiting.extend_from_slice(&line(row));
        self.flush()
    }

    /// Hands over what waits.
    ///
    /// # Errors
    /// When the operating system takes it not.
    pub fn flush(&mut self) -> std::io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&self.waiting);
        if written.is_ok() {
            self.waiting.clear();
        }
        written
    }

    /// Another handle, for making the file durable without holding it.
    ///
    /// # Errors
    /// When the operating system has no more handles.
    pub fn handle(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(number: u64) -> Row {
        Row::Attempted(Attempted {
            at: number,
            detail: "é\n".to_owned(),
            episode: Digest::of(&number.to_be_bytes()),
            stop: gimbal_core::Stop::Horizon,
            try_number: number,
        })
    }

    // covers: SH-05
    #[test]
    fn a_torn_last_line_is_told_from_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let whole: Vec<u8> = (0..3).flat_map(|number| line(&row(number))).collect();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut rows = Vec::new();
            let state = super::read(&path, |row| rows.push(row)).unwrap();
            assert_eq!(rows.len() as u64, state.rows);
            (rows.len(), state.torn, state.damaged)
        };
        assert_eq!(read(&whole), (3, false, vec![]));
        for cut in 1..line(&row(2)).len() {
            assert_eq!(read(&whole[..whole.len() - cut]), (2, true, vec![]));
        }
        let mut damaged = whole.clone();
        damaged[30] ^= 1;
        assert_eq!(read(&damaged), (2, false, vec![1]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn what_is_written_is_read(number in any::<u64>()) {
            let line = line(&row(number));
            prop_assert_eq!(parse(line.strip_suffix(b"\n").unwrap()), Some(row(number)));
        }
    }
}
