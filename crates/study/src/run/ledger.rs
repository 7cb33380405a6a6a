//! The ledger: an append-only list of rows, each a line of length, checksum, link and JSON. The link hashes the row
//! together with the link before it, so that a row taken out, put in twice or moved shows (SH-05).
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
    /// Rows of the index were committed.
    Indexed(Indexed),
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

/// How many rows of this file's process the index holds: what must be found there later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// Milliseconds since 1970.
    pub at: u64,
    /// Failed attempts noted so far.
    pub failed: u64,
    /// Episodes finished so far.
    pub finished: u64,
}

/// Bytes before the JSON: length, checksum and link in hexadecimal.
const HEAD: usize = 35;

/// The link that the first row of a file follows.
pub const FIRST: u64 = 0;

fn link(before: u64, json: &[u8]) -> u64 {
    let digest = Digest::of_parts(&[b"gimbal/ledger/v2", &before.to_be_bytes(), json]);
    digest.0.iter().take(8).fold(0, |link, byte| link << 8 | u64::from(*byte))
}

/// A row as it stands in the file after the row whose link is `before`, and its own link.
#[must_use]
pub fn line(before: u64, row: &impl Serialize) -> (Vec<u8>, u64) {
    let mut line = vec![b' '; HEAD];
    // Rows hold strings and numbers only: they always serialise.
    line.extend_from_slice(&gimbal_core::canonical::bytes_of(row));
    let json = &line[HEAD..];
    let link = link(before, json);
    let head = format!("{:08x} {:08x} {link:016x} ", json.len(), crc32fast::hash(json));
    line[..HEAD].copy_from_slice(head.as_bytes());
    line.push(b'\n');
    (line, link)
}

/// The link that a line claims, and whether it follows from the one before; none if there is no whole head.
fn linked(before: u64, line: &[u8]) -> Option<(u64, bool)> {
    let claimed = std::str::from_utf8(line.get(18..34)?).ok()?;
    let claimed = u64::from_str_radix(claimed, 16).ok()?;
    Some((claimed, claimed == link(before, line.get(HEAD..)?)))
}

/// Reads a line without its end; none if it is torn or damaged.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Row> {
    let (head, json) = line.split_at_checked(HEAD)?;
    let apart = [8, 17, 34].iter().all(|place| head[*place] == b' ');
    let head = std::str::from_utf8(head).ok().filter(|_| apart)?;
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
    /// Numbers, from 1, of whole lines that do not follow from the line before: rows are missing, doubled or moved.
    pub broken: Vec<u64>,
}

impl LedgerState {
    /// What is wrong with the file called `name`, if anything is: which lines, and what that means.
    #[must_use]
    pub fn complaint(&self, name: &str) -> Option<String> {
        let mut said = Vec::new();
        if !self.damaged.is_empty() {
            said.push(format!("{} damaged row(s) (line {})", self.damaged.len(), numbers(&self.damaged)));
        }
        if !self.broken.is_empty() {
            let lines = numbers(&self.broken);
            said.push(format!("the chain is broken (line {lines}): rows before were taken out, doubled or moved"));
        }
        (!said.is_empty()).then(|| {
            format!(
                "{name}: {}; all other rows are kept and counted, but what is not there cannot be counted, and no run \
                 brings it back",
                said.join("; and "),
            )
        })
    }
}

/// The first few of many numbers.
fn numbers(all: &[u64]) -> String {
    const SHOWN: usize = 8;
    let lines: Vec<String> = all.iter().take(SHOWN).map(u64::to_string).collect();
    lines.join(", ") + if all.len() > SHOWN { ", ..." } else { "" }
}

/// Reads a ledger file row by row; a torn last line is noted and left out.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path, mut each: impl FnMut(Row)) -> Result<LedgerState, RunError> {
    let failed = |error: std::io::Error| RunError::io(path, "the ledger cannot be read", &error);
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let mut state = LedgerState::default();
    // None after a line whose own link cannot be read.
    let mut before = Some(FIRST);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(failed)? == 0 {
            break;
        }
        // A kill leaves a line without its end, which is the last one.
        let Some(line) = bytes.strip_suffix(b"\n") else {
            state.torn = true;
            break;
        };
        let found = linked(before.unwrap_or_default(), line);
        match parse(line) {
            Some(row) => {
                if before.is_some() && !found.is_some_and(|(_, follows)| follows) {
                    state.broken.push(number);
                }
                state.rows += 1;
                each(row);
            }
            None => state.damaged.push(number),
        }
        before = found.map(|(claimed, _)| claimed);
    }
    Ok(state)
}

/// A ledger file under construction.
#[derive(Debug)]
pub struct LedgerFile {
    file: File,
    /// Rows that go out with the next one that must not wait.
    waiting: Vec<u8>,
    link: u64,
    attempts: u64,
}

impl LedgerFile {
    /// Begins a file.
    #[must_use]
    pub const fn new(file: File) -> Self {
        Self { file, waiting: Vec::new(), link: FIRST, attempts: 0 }
    }

    /// The next attempt's number.
    pub fn number(&mut self) -> u64 {
        self.attempts += 1;
        self.attempts - 1
    }

    /// Adds a row that may wait for the next one.
    pub fn later(&mut self, row: &impl Serialize) {
        let (line, link) = line(self.link, row);
        self.link = link;
        self.waiting.extend_from_slice(&line);
    }

    /// Hands a row to the operating system, with those that wait.
    ///
    /// # Errors
    /// When it takes it not.
    pub fn now(&mut self, row: &impl Serialize) -> std::io::Result<()> {
        self.later(row);
        self.flush()
    }

    /// Hands over what waits.
    ///
    /// # Errors
    /// When the operating system takes it not.
    pub fn flush(&mut self) -> std::io::Result<()> {
        // What a full disk took of a row must not be written a second time.
        while !self.waiting.is_empty() {
            match self.file.write(&self.waiting) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(taken) => drop(self.waiting.drain(..taken)),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
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
        let mut lines = Vec::new();
        (0..3).fold(FIRST, |before, number| {
            let (line, link) = line(before, &row(number));
            lines.push(line);
            link
        });
        let whole = lines.concat();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut rows = Vec::new();
            let state = super::read(&path, |row| rows.push(row)).unwrap();
            assert_eq!(rows.len() as u64, state.rows);
            (rows.len(), state.torn, state.damaged, state.broken)
        };
        assert_eq!(read(&whole), (3, false, vec![], vec![]));
        for cut in 1..lines[2].len() {
            assert_eq!(read(&whole[..whole.len() - cut]), (2, true, vec![], vec![]));
        }
        // Any flipped bit of any line shows, the last one's too; only that of the last line end looks like a kill's work.
        for place in 0..whole.len() - 1 {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            let (_, torn, damaged, broken) = read(&damaged);
            assert!(!torn && (!damaged.is_empty() || !broken.is_empty()), "byte {place}");
        }
        let chosen = |order: &[usize]| order.iter().flat_map(|line| lines[*line].clone()).collect::<Vec<u8>>();
        assert_eq!(read(&chosen(&[0, 2])), (2, false, vec![], vec![2]), "taken out");
        assert_eq!(read(&chosen(&[1, 2])), (2, false, vec![], vec![1]), "taken out at the beginning");
        assert_eq!(read(&chosen(&[0, 1, 1, 2])), (4, false, vec![], vec![3]), "doubled");
        assert_eq!(read(&chosen(&[1, 0, 2])).3, [1, 2, 3], "moved");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn what_is_written_is_read(number in any::<u64>()) {
            let (line, _) = line(number, &row(number));
            prop_assert_eq!(parse(line.strip_suffix(b"\n").unwrap()), Some(row(number)));
        }
    }
}
