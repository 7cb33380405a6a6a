//! The ledger: an append-only list of rows, each a line of length, checksum, link and JSON. The link hashes the row
//! together with the link before it, so that a row taken out, put in twice or moved shows (SH-05).
//!
//! The first line of a file is a head and not a row: it names the run and the number of the file, and how the file before it ended
//! ([`Opened`]). The chain begins with run and number. [`super::ledgers`] holds the files against one another.
//!
//! A row is in the hands of the operating system before its request leaves or its answer is read; the disk is asked to
//! hold it within a tenth of a second.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gimbal_core::{Digest, Usage};
use serde::{Deserialize, Serialize};

use super::error::RunError;
use crate::stage::ComponentTime;

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub enum Row {
    /// A request is about to leave.
    Sent(Sent),
    /// An attempt ended.
    Received(Received),
    /// A call as the agent or the environment made it, whatever attempts it took.
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
    /// What the provider reported with the answer.
    #[serde(default, skip_serializing_if = "no_facts")]
    pub provider: gimbal_core::chat::ProviderFacts,
    /// Tokens, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

fn no_facts(facts: &gimbal_core::chat::ProviderFacts) -> bool {
    *facts == gimbal_core::chat::ProviderFacts::default()
}

/// A call as the agent or the environment made it.
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
    /// Whether the environment asked. The stored name is older than this one.
    #[serde(rename = "world", default, skip_serializing_if = "std::ops::Not::not")]
    pub environment: bool,
}

/// An attempt at an episode ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempted {
    /// Milliseconds since 1970.
    pub at: u64,
    /// What the architecture's own work took, by component; missing where it keeps no accounts (CTHA-096).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ComponentTime>,
    /// More about a failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Key of the episode.
    pub episode: Digest,
    /// What the episode was to reach, by its brief; empty where all episodes of the environment have one goal. It is here and in no
    /// event, so that the digests of runs do not depend on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub objective: String,
    /// How it stopped.
    pub stop: gimbal_core::Stop,
    /// Wall time of the attempt in microseconds; missing in ledgers of before there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_us: Option<u64>,
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

/// The first line of a file: which file it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "row", rename = "opened")]
pub struct Opened {
    /// The file before this one, as it was when this one was opened. None for the first file of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<PreviousLedger>,
    /// Number of the file.
    pub file: u32,
    /// Identity of the run: random, the same in all files of a run.
    pub run: String,
}

/// How a file ended when the next one was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousLedger {
    /// Length in bytes, a torn end included.
    pub bytes: u64,
    /// Its number.
    pub file: u32,
    /// Link of its last line; 0 where it has none.
    #[serde(with = "hexadecimal")]
    pub link: u64,
}

/// A point of a file that is on the disk: the index holds the last one of each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes up to there.
    pub bytes: u64,
    /// Link of the line that ends there.
    pub link: u64,
}

/// Links as text: JSON numbers are not whole beyond 2^53.
mod hexadecimal {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(link: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{link:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

/// Bytes before the JSON: length, checksum and link in hexadecimal.
const HEAD: usize = 35;

/// The link that the first line of a file follows.
#[must_use]
pub fn first_link(run: &str, file: u32) -> u64 {
    short(&Digest::of_parts(&[b"gimbal/ledger/v3/file", run.as_bytes(), &file.to_be_bytes()]))
}

fn link(before: u64, json: &[u8]) -> u64 {
    short(&Digest::of_parts(&[b"gimbal/ledger/v3", &before.to_be_bytes(), json]))
}

fn short(digest: &Digest) -> u64 {
    digest.0.iter().take(8).fold(0, |link, byte| link << 8 | u64::from(*byte))
}

/// A row as it is in the file after the row whose link is `before`, and its own link.
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

/// The link that a line claims, and whether it follows from the one before; `None` if the head is missing or cut off.
fn linked(before: u64, line: &[u8]) -> Option<(u64, bool)> {
    let claimed = std::str::from_utf8(line.get(18..34)?).ok()?;
    let claimed = u64::from_str_radix(claimed, 16).ok()?;
    Some((claimed, claimed == link(before, line.get(HEAD..)?)))
}

/// Reads a line without its end; `None` if it is torn or damaged.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Row> {
    serde_json::from_slice(sound(line)?).ok()
}

/// Reads the first line of a file without its end; `None` if it is torn, damaged or a row.
#[must_use]
pub fn parse_opened(line: &[u8]) -> Option<Opened> {
    serde_json::from_slice(sound(line)?).ok()
}

/// The JSON of a line that matches its length and checksum.
fn sound(line: &[u8]) -> Option<&[u8]> {
    let (head, json) = line.split_at_checked(HEAD)?;
    let apart = [8, 17, 34].iter().all(|place| head[*place] == b' ');
    let head = std::str::from_utf8(head).ok().filter(|_| apart)?;
    let length = usize::from_str_radix(head.get(..8)?, 16).ok()?;
    let checksum = u32::from_str_radix(head.get(9..17)?, 16).ok()?;
    (json.len() == length && crc32fast::hash(json) == checksum).then_some(json)
}

/// What reading a ledger file found beside its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerState {
    /// Its first line, read; `None` where that is damaged or missing, as in an empty file.
    pub opened: Option<Opened>,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Link that the last whole line claims; 0 where there is none.
    pub link: u64,
    /// Rows read, without the first line.
    pub rows: u64,
    /// Whether the last line is torn, as a kill leaves it. Tolerated.
    pub torn: bool,
    /// Numbers, from 1, of damaged lines before the last one. Never the work of a kill.
    pub damaged: Vec<u64>,
    /// Numbers, from 1, of whole lines that do not follow from the line before: rows are missing, doubled or moved.
    pub broken: Vec<u64>,
}

/// A ledger file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRead {
    /// Its number, by its name.
    pub number: u32,
    /// Its path.
    pub path: PathBuf,
    /// What reading it found.
    pub state: LedgerState,
}

impl LedgerState {
    /// What is wrong with the file called `name`, if anything is: which lines, and what that means.
    #[must_use]
    pub fn complaint(&self, name: &str) -> Option<String> {
        let mut said = Vec::new();
        if self.opened.is_none() && self.rows > 0 && !self.damaged.contains(&1) {
            said.push("its first line, which says of which run and number it is, was taken out".to_owned());
        }
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
    let mut before = None;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(failed)?;
        if length == 0 {
            break;
        }
        state.bytes += length as u64;
        // A kill leaves a line without its end, which is the last one.
        let Some(line) = bytes.strip_suffix(b"\n") else {
            state.torn = true;
            break;
        };
        if number == 1 {
            state.opened = parse_opened(line);
            before = state.opened.as_ref().map(|opened| first_link(&opened.run, opened.file));
        }
        let found = linked(before.unwrap_or_default(), line);
        match parse(line) {
            _ if number == 1 && state.opened.is_some() => {
                if !found.is_some_and(|(_, follows)| follows) {
                    state.broken.push(number);
                }
            }
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
        state.link = before.unwrap_or(state.link);
    }
    Ok(state)
}

/// Whether a file holds more than its first line.
///
/// # Errors
/// When it cannot be read.
pub fn has_rows(path: &Path) -> std::io::Result<bool> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let opened = line.strip_suffix(b"\n").is_some_and(|line| parse_opened(line).is_some());
    Ok(if opened { !reader.fill_buf()?.is_empty() } else { !line.is_empty() })
}

/// The link of the line that ends at byte `end`; `None` where no line ends there.
///
/// # Errors
/// When the file cannot be read.
pub fn link_at(path: &Path, end: u64) -> std::io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    if end == 0 || file.metadata()?.len() < end {
        return Ok(None);
    }
    let mut window = 4096;
    loop {
        let from = end.saturating_sub(window);
        let mut bytes = vec![0; (end - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        let Some(lines) = bytes.strip_suffix(b"\n") else { return Ok(None) };
        match lines.iter().rposition(|byte| *byte == b'\n') {
            Some(start) => return Ok(linked(0, &lines[start + 1..]).map(|(claimed, _)| claimed)),
            None if from == 0 => return Ok(linked(0, lines).map(|(claimed, _)| claimed)),
            None => window *= 4,
        }
    }
}

/// A ledger file under construction.
#[derive(Debug)]
pub struct LedgerFile {
    file: File,
    /// Rows that go out with the next one that must not wait.
    waiting: Vec<u8>,
    link: u64,
    /// Bytes that the operating system has.
    bytes: u64,
    attempts: u64,
}

impl LedgerFile {
    /// Begins a file with its first line, which is on the disk when this returns.
    ///
    /// # Errors
    /// When the operating system takes it not.
    pub fn begin(file: File, opened: &Opened) -> std::io::Result<Self> {
        let link = first_link(&opened.run, opened.file);
        let mut ledger = Self { file, waiting: Vec::new(), link, bytes: 0, attempts: 0 };
        ledger.now(opened)?;
        ledger.file.sync_data()?;
        Ok(ledger)
    }

    /// How far the operating system has the file.
    ///
    /// # Errors
    /// When it does not take what waits.
    pub fn mark(&mut self) -> std::io::Result<Mark> {
        self.flush()?;
        Ok(Mark { bytes: self.bytes, link: self.link })
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
                Ok(taken) => {
                    self.waiting.drain(..taken);
                    self.bytes += taken as u64;
                }
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

    fn attempted(number: u64) -> Attempted {
        Attempted {
            at: number,
            components: vec![ComponentTime { component: "arbiter".to_owned(), nanoseconds: number, times: 1 }],
            detail: "é\n".to_owned(),
            episode: Digest::of(&number.to_be_bytes()),
            objective: String::new(),
            stop: gimbal_core::Stop::Horizon,
            took_us: Some(number),
            try_number: number,
        }
    }

    fn row(number: u64) -> Row {
        Row::Attempted(attempted(number))
    }

    // covers: SH-05
    #[test]
    fn a_torn_last_line_is_told_from_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let opened = Opened { before: None, file: 1, run: "r".to_owned() };
        let (first, link) = line(first_link("r", 1), &opened);
        let mut lines = vec![first];
        (0..3).fold(link, |before, number| {
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
        for cut in 1..lines[3].len() {
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
        assert_eq!(read(&chosen(&[0, 1, 3])), (2, false, vec![], vec![3]), "taken out");
        assert_eq!(read(&chosen(&[0, 2, 3])), (2, false, vec![], vec![2]), "taken out at the beginning");
        assert_eq!(read(&chosen(&[0, 1, 2, 2, 3])), (4, false, vec![], vec![4]), "doubled");
        assert_eq!(read(&chosen(&[0, 2, 1, 3])).3, [2, 3, 4], "moved");
        read(&chosen(&[1, 2, 3]));
        let state = super::read(&path, |_| {}).unwrap();
        assert!(state.complaint("it").unwrap().contains("its first line"), "beheaded");
    }

    #[test]
    fn links_are_found_by_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let opened = Opened { before: None, file: 1, run: "r".to_owned() };
        let mut ledger = LedgerFile::begin(File::create(&path).unwrap(), &opened).unwrap();
        assert!(!has_rows(&path).unwrap());
        let mut marks = vec![ledger.mark().unwrap()];
        let long = Attempted { detail: "x".repeat(20_000), ..attempted(1) };
        for row in [row(0), Row::Attempted(long), row(2)] {
            ledger.later(&row);
            marks.push(ledger.mark().unwrap());
        }
        assert!(has_rows(&path).unwrap());
        for mark in marks {
            assert_eq!(link_at(&path, mark.bytes).unwrap(), Some(mark.link));
            assert_eq!(link_at(&path, mark.bytes - 1).unwrap(), None);
        }
        assert_eq!((link_at(&path, 0).unwrap(), link_at(&path, u64::MAX).unwrap()), (None, None));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = (parse(&bytes), parse_opened(&bytes));
        }

        #[test]
        fn what_is_written_is_read(number in any::<u64>()) {
            let (line, _) = line(number, &row(number));
            prop_assert_eq!(parse(line.strip_suffix(b"\n").unwrap()), Some(row(number)));
        }
    }
}
