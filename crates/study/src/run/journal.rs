//! Segments of journals: frames of many episodes in one file.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::error::RunError;
use super::frame::{HEAD_BYTES, NONE, frame, head, matches};
use super::index::Place;

/// A segment under construction.
#[derive(Debug)]
pub struct Segment {
    file: File,
    place: u64,
}

impl Segment {
    /// Begins a segment.
    #[must_use]
    pub const fn new(file: File) -> Self {
        Self { file, place: 0 }
    }

    /// Appends a frame and returns its place.
    ///
    /// # Errors
    /// When the operating system does not take it.
    pub fn append(&mut self, attempt: u64, previous: u64, payload: &[u8]) -> std::io::Result<u64> {
        let bytes = frame(attempt, previous, payload);
        self.file.write_all(&bytes)?;
        let place = self.place;
        self.place += bytes.len() as u64;
        Ok(place)
    }

    /// Another handle, for making the file durable without holding it.
    ///
    /// # Errors
    /// When the operating system has no more handles.
    pub fn handle(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }
}

/// The events of an attempt, in order, each as it was hashed.
///
/// # Errors
/// When the file cannot be read or a frame is damaged.
pub fn read(path: &Path, place: Place) -> Result<Vec<Vec<u8>>, RunError> {
    let failed = |error: std::io::Error| RunError::io(path, "the journal cannot be read", &error);
    let damaged = |what: &str| RunError::Damaged {
        path: path.to_owned(),
        what: format!("the journal of attempt {} is damaged: {what}", place.attempt),
    };
    // What the disk will not give may be there the next time; only what is gone is damage.
    let gone = |error: std::io::Error, what: &str| match error.kind() {
        ErrorKind::NotFound | ErrorKind::UnexpectedEof => damaged(what),
        _ => failed(error),
    };
    let mut file = File::open(path).map_err(|error| gone(error, "its file is gone"))?;
    let mut frames = Vec::new();
    let mut next = place.last;
    while next != NONE {
        if next > i64::MAX as u64 {
            return Err(damaged("a frame is missing"));
        }
        let mut bytes = [0; HEAD_BYTES];
        file.seek(SeekFrom::Start(next)).map_err(failed)?;
        file.read_exact(&mut bytes).map_err(|error| gone(error, "a frame is missing"))?;
        let head = head(&bytes).ok_or_else(|| damaged("there is no frame where one should be"))?;
        let mut payload = vec![0; head.length as usize];
        file.read_exact(&mut payload).map_err(|error| gone(error, "a frame is torn"))?;
        // Frames point back only, so that no chain is a circle.
        let in_order = head.previous == NONE || head.previous < next;
        if !matches(&head, &payload) || head.attempt != place.attempt || !in_order {
            return Err(damaged("a frame does not match its checksum"));
        }
        frames.push(payload);
        next = head.previous;
    }
    frames.reverse();
    let whole = frames.concat();
    let lines = whole.strip_suffix(b"\n").ok_or_else(|| damaged("its last event is cut"))?;
    Ok(lines.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect())
}

/// The content of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentState {
    /// The last frame of each attempt, by number.
    pub attempts: std::collections::BTreeMap<u64, Place>,
    /// Frames read.
    pub frames: u64,
    /// Whether the end is torn, as a kill leaves it. Tolerated: the attempt is unfinished.
    pub torn: bool,
}

/// Walks over all frames of a segment, up to its end or to where it is torn.
///
/// # Errors
/// When the file cannot be read.
pub fn scan(path: &Path, segment: u32) -> Result<SegmentState, RunError> {
    let failed = |error: std::io::Error| RunError::io(path, "the journal cannot be read", &error);
    let mut file = std::io::BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let mut state = SegmentState::default();
    let mut at = 0_u64;
    loop {
        let mut bytes = [0; HEAD_BYTES];
        match fill(&mut file, &mut bytes).map_err(failed)? {
            0 => return Ok(state),
            HEAD_BYTES => {}
            _ => break,
        }
        let Some(head) = head(&bytes) else { break };
        let mut payload = vec![0; head.length as usize];
        if fill(&mut file, &mut payload).map_err(failed)? < payload.len() || !matches(&head, &payload) {
            break;
        }
        state.attempts.insert(head.attempt, Place { segment, attempt: head.attempt, last: at });
        state.frames += 1;
        at += (HEAD_BYTES + payload.len()) as u64;
    }
    state.torn = true;
    Ok(state)
}

fn fill(file: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
