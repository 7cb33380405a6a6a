//! Reads Windows event logs (`.evtx`), chunk by chunk.
//!
//! Chunks are read here and handed to the library one by one, in the order of the file: so a pipe is enough, what is damaged can be
//! named with its bytes, and a chunk that ends early is still read as far as it goes. Records that the log no longer counts, in the
//! unused space of its chunks, are never read.

mod whole;

use std::fmt::Write as _;
use std::io::{self, Read};
use std::sync::Arc;

use evtx::err::EvtxError;
use evtx::{EvtxChunkData, ParserSettings};
use memchr::memmem;

use super::super::{ExtractError, Format, IssueKind, ReadOptions, Sink, Stats};
use super::Reader;
use whole::Whole;

/// Size of a chunk, in bytes.
const CHUNK: usize = 65_536;
/// Size of the file's header, in bytes.
const FILE_HEADER: usize = 4096;
/// What a file and a chunk begin with.
const FILE_MAGIC: &[u8] = b"ElfFile\0";
const CHUNK_MAGIC: &[u8] = b"ElfChnk\0";
/// Where the records of a chunk begin.
const CHUNK_HEADER: usize = 512;
/// What a record begins with, and the size of its header and of the copy of its size behind it.
const RECORD_MAGIC: &[u8] = b"\x2a\x2a\0\0";
const RECORD_HEADER: usize = 24;
const SIZE_COPY: usize = 4;

/// Reads a Windows event log. Each record of the log gives one fact, with the place `record R at byte B`, where `R` is the number that
/// the record has in the log and `B` is where it starts in the source; its raw data are its bytes there. A record whose two sizes differ, one that
/// cannot be rendered and a chunk without its mark or with a wrong checksum give facts of the class `damaged`. Time is
/// `TimeCreated`, not the header's (ARES-011). Chunks and records that the log counts and that are not there give damaged facts too.
///
/// # Errors
/// When the input cannot be read, is not an event log, or (if `options` say strict) has a damaged part.
pub fn read_evtx(mut input: impl Read, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let mut reader = Reader::new(options, sink);
    let mut chunk = Vec::with_capacity(CHUNK);
    fill(&mut input, &mut chunk, FILE_HEADER)?;
    if chunk.is_empty() {
        return Ok(reader.run.finish());
    }
    let mut start = 0;
    let mut whole = Whole::default();
    if chunk.starts_with(FILE_MAGIC) {
        start = FILE_HEADER as u64;
        whole = Whole::of_header(&chunk);
        if chunk.len() < FILE_HEADER {
            reader.run.damage("file header", IssueKind::Truncated, "the file ends in its header", &chunk)?;
        }
        chunk.clear();
    } else if !chunk.starts_with(CHUNK_MAGIC) {
        let what = "it starts with neither `ElfFile` nor `ElfChnk`; export the log with `wevtutil epl`".to_owned();
        return Err(ExtractError::Format { format: Format::Evtx, what });
    }
    let settings = Arc::new(ParserSettings::default().indent(false));
    loop {
        fill(&mut input, &mut chunk, CHUNK)?;
        if chunk.is_empty() {
            if let Some(what) = whole.missing() {
                reader.run.damage(format!("end of file at byte {start}"), IssueKind::Truncated, what, &[])?;
            }
            return Ok(reader.run.finish());
        }
        let problem = whole.chunk(&chunk);
        if let Some(what) = problem {
            reader.run.damage(format!("chunk at byte {start}"), IssueKind::Truncated, what, &[])?;
        }
        // A log is grown ahead of its records: chunks of zeros were not used yet.
        if chunk.iter().any(|byte| *byte != 0) {
            chunk = read_chunk(chunk, start, &settings, &mut reader)?;
        }
        chunk.clear();
        start += CHUNK as u64;
    }
}

/// Reads until there are `size` bytes, or the input ends.
fn fill(input: &mut impl Read, into: &mut Vec<u8>, size: usize) -> io::Result<()> {
    let missing = size.saturating_sub(into.len());
    input.by_ref().take(missing as u64).read_to_end(into).map(drop)
}

/// Reads the chunk that starts at a byte of the source, and gives its buffer back.
fn read_chunk(
    mut bytes: Vec<u8>,
    base: u64,
    settings: &Arc<ParserSettings>,
    reader: &mut Reader<'_>,
) -> Result<Vec<u8>, ExtractError> {
    let place = || format!("chunk at byte {base}");
    if bytes.len() < CHUNK {
        let what = format!("a chunk of {} bytes; expected 65536", bytes.len());
        reader.run.damage(place(), IssueKind::Truncated, what, &bytes)?;
        bytes.resize(CHUNK, 0);
    }
    if !bytes.starts_with(CHUNK_MAGIC) {
        reader.run.damage(place(), IssueKind::Malformed, "a chunk that does not start with `ElfChnk`", &bytes)?;
        return Ok(bytes);
    }
    let mut chunk = match EvtxChunkData::new(bytes, false) {
        Ok(chunk) => chunk,
        Err(error) => {
            reader.run.damage(place(), IssueKind::Malformed, reasons(&error), &[])?;
            return Ok(Vec::with_capacity(CHUNK));
        }
    };
    if !chunk.validate_header_checksum() {
        let what = "the checksum of the chunk's header differs; its records are read";
        reader.run.damage(place(), IssueKind::Malformed, what, &chunk.data)?;
    }
    let problem = match chunk.parse(Arc::clone(settings)) {
        Ok(mut chunk) => {
            read_records(&mut chunk, base, reader)?;
            None
        }
        Err(error) => Some(reasons(&error)),
    };
    if let Some(what) = problem {
        reader.run.damage(place(), IssueKind::Malformed, what, &chunk.data)?;
    }
    Ok(chunk.data)
}

fn read_records(chunk: &mut evtx::EvtxChunk<'_>, base: u64, reader: &mut Reader<'_>) -> Result<(), ExtractError> {
    let data = chunk.data;
    // Where the next record starts, if the one before it was read.
    let mut next = Some(CHUNK_HEADER);
    // Where a record whose sizes differ ends by its header. What cannot be read there belongs to the same damage.
    let mut broken_end = None;
    for record in chunk.iter() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let start = start_of(&error, data, next);
                if start.is_some() && start == broken_end.take() {
                    continue;
                }
                let raw = start.map_or(&[][..], |start| frame(data, start).unwrap_or_else(|| header(data, start)));
                next = start.filter(|start| frame(data, *start).is_some()).map(|start| start + raw.len());
                let place = || broken_place(base, &error, start);
                reader.run.damage(place(), IssueKind::Malformed, reasons(&error), raw)?;
                continue;
            }
        };
        let id = record.event_record_id;
        let start = usize::try_from(record.binxml_offset).unwrap_or(usize::MAX).saturating_sub(RECORD_HEADER);
        let place = || format!("record {id} at byte {}", base + start as u64);
        let Some(raw) = frame(data, start) else {
            next = None;
            broken_end = usize::try_from(record.binxml_size).ok().map(|size| start + RECORD_HEADER + size + SIZE_COPY);
            let what = "the two sizes of the record differ";
            reader.run.damage(place(), IssueKind::Malformed, what, header(data, start))?;
            continue;
        };
        next = Some(start + raw.len());
        match record.into_xml_bytes() {
            Ok(rendered) => match std::str::from_utf8(&rendered.data) {
                Ok(text) => reader.event(text, raw, &place)?,
                Err(_) => {
                    reader.run.damage(place(), IssueKind::Encoding, "the record holds text that is not Unicode", raw)?
                }
            },
            Err(error) => reader.run.damage(place(), IssueKind::Malformed, reasons(&error), raw)?,
        }
    }
    Ok(())
}

/// The bytes of the record at an offset of its chunk; `None` where its two sizes differ.
fn frame(data: &[u8], start: usize) -> Option<&[u8]> {
    let rest = data.get(start..)?;
    let size = rest.get(4..8)?;
    let length = usize::try_from(u32::from_le_bytes(size.try_into().ok()?)).ok()?;
    let record = rest.get(..length)?;
    let copy = record.get(length.checked_sub(SIZE_COPY)?..)?;
    (rest.starts_with(RECORD_MAGIC) && length >= RECORD_HEADER + SIZE_COPY && copy == size).then_some(record)
}

/// As many bytes as the header of a record has.
fn header(data: &[u8], start: usize) -> &[u8] {
    let rest = data.get(start..).unwrap_or_default();
    rest.get(..RECORD_HEADER).unwrap_or(rest)
}

/// Where in its chunk the record of an error starts. The library says it of records that it cannot find the end of; of those that it
/// cannot render it says the number, which is looked for at `expected` first.
fn start_of(error: &EvtxError, data: &[u8], expected: Option<usize>) -> Option<usize> {
    match error {
        EvtxError::FailedToReadRecordAt { offset, .. } => usize::try_from(*offset).ok(),
        EvtxError::FailedToParseRecord { record_id, .. } => {
            let is_here = |start: &usize| {
                let number = data.get(start + 8..start + 16);
                number == Some(&record_id.to_le_bytes()) && frame(data, *start).is_some()
            };
            expected.filter(is_here).or_else(|| memmem::find_iter(data, RECORD_MAGIC).find(is_here))
        }
        _ => expected,
    }
}

fn broken_place(base: u64, error: &EvtxError, start: Option<usize>) -> String {
    let byte = start.map_or_else(|| format!("chunk at byte {base}"), |start| format!("byte {}", base + start as u64));
    match error {
        EvtxError::FailedToParseRecord { record_id, .. } => format!("record {record_id} at {byte}"),
        _ => byte,
    }
}

/// An error with its causes, in at most 500 characters.
fn reasons(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        // Writing to a text cannot fail.
        let _ = write!(text, ": {next}");
        cause = next.source();
    }
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(500).collect()
}
