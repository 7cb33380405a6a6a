//! From raw sources to a frozen packet: each source is read once, hashed as it is read, and selected from.

use std::io::{self, BufReader, Cursor, Read};

use gimbal_core::Digest;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::detect::{UnknownFormat, unknown};
use super::pseudonym::Renamed;
use super::select::takes;
use super::utf16::{Encoded, Text};
use super::{
    ExtractError, Format, Observed, Pseudonyms, ReadOptions, Selector, Sink, SourceSink, Stats, read_argus,
    read_auditd, read_context, read_evtx, read_flow_capture, read_flow_datagram, read_nfdump, read_syslog,
    read_syslog_json, read_windows_csv, read_xml, read_zeek, read_zeek_json,
};
use crate::packet::{Draft, DraftError, NewFact, Packet, Selection, Source};
use crate::{Counter, SourceId, Utc};

/// Bytes that the format of a source is told by.
const HEAD: usize = 4096;
/// Longest block of zeros at the beginning of a source that is looked behind, in bytes.
const MOST_ZEROS: usize = 1 << 20;

/// Reads sources, one after the other, and makes one packet of them.
#[derive(Debug)]
pub struct Extraction {
    options: ReadOptions,
    selection: Selection,
    selector: Selector,
    sources: Vec<Source>,
    pseudonyms: Pseudonyms,
    added: Vec<NewFact>,
}

/// Sees the records that a selection takes, beside the selection itself: for rules of others, whose hits are facts of their own.
pub trait Watcher {
    /// A record of a source. `time` is the one that facts of the packet have; names are replaced in everything but the record's own fields
    /// and its raw bytes.
    fn watch(&mut self, source: SourceId, time: Option<Utc>, observed: &Observed<'_>);
}

/// Why a packet was not made.
#[derive(Debug, Error)]
pub enum SourceError {
    /// A source cannot be read.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// Its first bytes tell no format.
    #[error("{0}")]
    UnknownFormat(UnknownFormat),
    /// The same bytes were read before: their records would count twice.
    #[error("it has the bytes of source {0}, which was read before; give each source once")]
    Twice(SourceId),
    /// It has no bytes.
    #[error("it is empty: there is nothing to observe")]
    Empty,
    /// A fact cannot be in a packet.
    #[error("a fact cannot be in a packet: {0}")]
    Draft(#[from] DraftError),
}

impl Extraction {
    /// An extraction that has read nothing.
    #[must_use]
    pub fn new(selection: Selection, options: ReadOptions) -> Self {
        let selector = Selector::new(selection.clone());
        Self { options, selector, selection, sources: Vec::new(), pseudonyms: Pseudonyms::default(), added: Vec::new() }
    }

    /// Replaces names in all facts of sources that are read from now on. The packet records the map; the raw data are hashed unchanged.
    #[must_use]
    pub fn with_pseudonyms(mut self, pseudonyms: Pseudonyms) -> Self {
        self.pseudonyms = pseudonyms;
        self
    }

    /// Reads a source to its end. `shift_seconds` is added to every time. The same bytes give the same facts, whether they come from a
    /// file or a pipe.
    ///
    /// # Errors
    /// When the format is unknown, or the source cannot be read; its facts are then in no packet that is made.
    pub fn read(
        &mut self,
        input: impl Read + Send,
        format: Option<Format>,
        shift_seconds: i32,
    ) -> Result<Stats, SourceError> {
        self.read_watched(input, format, shift_seconds, None)
    }

    /// Reads a source as [`read`](Self::read) does, and shows each record that the selection takes to a watcher too.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn read_watched(
        &mut self,
        input: impl Read + Send,
        format: Option<Format>,
        shift_seconds: i32,
        watcher: Option<&mut dyn Watcher>,
    ) -> Result<Stats, SourceError> {
        let mut input = Hashed::new(input);
        let mut head = Vec::with_capacity(HEAD);
        // Zeros tell no format; what is behind a block of them does.
        while head.iter().all(|byte| *byte == 0) && head.len() < MOST_ZEROS {
            if input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(ExtractError::from)? == 0 {
                break;
            }
        }
        if head.is_empty() {
            return Err(SourceError::Empty);
        }
        let format =
            format.or_else(|| Format::detect(&head)).ok_or_else(|| SourceError::UnknownFormat(unknown(&head)))?;
        let id = self.next_source();
        let mut sink = Watched {
            sink: self.selector.source(id, shift_seconds),
            selection: &self.selection,
            id,
            shift_seconds,
            watcher,
        };
        let mut whole = Cursor::new(head).chain(&mut input);
        let stats = if self.pseudonyms.is_empty() {
            by_format(format, &mut whole, &self.options, &mut sink)?
        } else {
            let mut renamed = Renamed { names: &self.pseudonyms, sink: &mut sink };
            by_format(format, &mut whole, &self.options, &mut renamed)?
        };
        // What an extractor leaves behind belongs to the hash too.
        io::copy(&mut whole, &mut io::sink()).map_err(ExtractError::from)?;
        let times_need_help =
            matches!(format, Format::Syslog | Format::SyslogJson | Format::WindowsJson | Format::WindowsCsv);
        let (bytes, sha256) = (Counter(input.bytes), input.sha256());
        if let Some(twin) = self.sources.iter().find(|source| source.sha256 == sha256) {
            return Err(SourceError::Twice(twin.id));
        }
        self.sources.push(Source {
            bytes,
            damaged: Counter(stats.damaged),
            format: format.name().to_owned(),
            id,
            kind: format.kind(),
            extractor: format!("gimbal-{}/{}", format.name(), version(format)),
            records: Counter(stats.parsed),
            sha256,
            shift_seconds,
            year: self.options.year.filter(|_| times_need_help),
            zone_minutes: self.options.zone_minutes.filter(|_| times_need_help),
        });
        Ok(stats)
    }

    /// The id that the next source gets.
    #[must_use]
    pub fn next_source(&self) -> SourceId {
        SourceId::at(u32::try_from(self.sources.len()).unwrap_or(u32::MAX - 1))
    }

    /// Adds facts that were not selected, such as hits of rules, with the source that they are based on; it gets the next id. They take no
    /// place of a selected fact.
    pub fn add(&mut self, source: Source, facts: Vec<NewFact>) {
        let id = self.next_source();
        self.sources.push(Source { id, ..source });
        self.added.extend(facts);
    }

    /// Freezes what was selected.
    ///
    /// # Errors
    /// When a fact breaks a rule of packets.
    pub fn finish(self) -> Result<Packet, SourceError> {
        let selected = self.selector.finish();
        let mut draft = Draft::new(self.sources, self.selection)
            .with_pseudonyms(self.pseudonyms.names().to_vec())
            .leaving_out(selected.left_out)
            .taking_undated(selected.undated);
        for fact in selected.facts.into_iter().chain(self.added) {
            draft.add(fact)?;
        }
        Ok(draft.freeze())
    }
}

/// The sink of a source, with whoever watches.
struct Watched<'s, 'w> {
    sink: SourceSink<'s>,
    selection: &'s Selection,
    id: SourceId,
    shift_seconds: i32,
    watcher: Option<&'w mut dyn Watcher>,
}

impl Sink for Watched<'_, '_> {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.sink.observe(observed);
        if let Some(watcher) = &mut self.watcher
            && takes(self.selection, self.id, self.shift_seconds, observed)
        {
            let time = observed.time.map(|time| time.shifted(i64::from(self.shift_seconds)).unwrap_or(time));
            watcher.watch(self.id, time, observed);
        }
    }
}

/// Version of an extractor: raised when it gives other facts.
const fn version(format: Format) -> u32 {
    match format {
        Format::SyslogJson => 4,
        Format::Syslog | Format::Evtx | Format::WindowsXml | Format::WindowsJson | Format::Nfdump => 3,
        Format::Context => 1,
        _ => 2,
    }
}

/// The text of a source of any kind.
type Buffered<'i> = Text<BufReader<&'i mut dyn Read>>;

/// Reads a source in a format. Text may be in UTF-16 with a mark of the order of bytes; hashes are taken over the bytes of the source all the same.
pub(super) fn by_format<'i>(
    format: Format,
    input: &'i mut (impl Read + Send),
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    let read: fn(Buffered<'i>, &ReadOptions, &mut dyn Sink) -> Result<Stats, ExtractError> = match format {
        Format::Evtx => return read_evtx(input, options, sink),
        Format::FlowCapture => return read_flow_capture(input, options, sink),
        Format::FlowDatagram => return read_flow_datagram(input, options, sink),
        // It counts the bytes of its source itself.
        Format::WindowsXml => return read_xml(buffered(input), options, sink),
        Format::Context => read_context,
        Format::Syslog => read_syslog,
        // Agents forward both in one file: the format says what the first line is.
        Format::SyslogJson | Format::WindowsJson => read_syslog_json,
        Format::WindowsCsv => read_windows_csv,
        Format::Auditd => read_auditd,
        Format::Zeek => read_zeek,
        Format::ZeekJson => read_zeek_json,
        Format::Argus => read_argus,
        Format::Nfdump => read_nfdump,
    };
    let (text, encoding) = Text::open(buffered(input))?;
    read(text, options, &mut Encoded { encoding, sink })
}

/// Text, in pieces of which few cut a line in two: such a line is copied before it is read.
fn buffered(input: &mut dyn Read) -> BufReader<&mut dyn Read> {
    BufReader::with_capacity(64 * 1024, input)
}

/// Input whose bytes are hashed and counted as they are read.
pub(super) struct Hashed<R> {
    input: R,
    hasher: Sha256,
    bytes: u64,
}

impl<R> Hashed<R> {
    pub fn new(input: R) -> Self {
        Self { input, hasher: Sha256::new(), bytes: 0 }
    }

    /// The hash of what was read.
    pub fn sha256(self) -> Digest {
        Digest(self.hasher.finalize().into())
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}
