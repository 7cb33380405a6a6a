//! Sources in their order, read into a packet.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use gimbal_core::yaml::YamlError;
use gimbal_evidence::extract::{
    ExtractError, Extraction, Format, Pseudonyms, ReadOptions, SourceError, Watcher, is_document, sha256_of,
};
use gimbal_evidence::triage::Skipped;
use gimbal_evidence::{Packet, Selection};

use crate::folder::{entries_below, would_replace};
use crate::notice::{Notice, damaged};
use crate::{Shifts, TelemetryError};

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// What is read, and how.
#[derive(Debug, Default)]
pub struct Reading {
    /// Files, folders, or `-` for standard input.
    pub files: Vec<PathBuf>,
    /// The format of all of them; `None` if each is detected.
    pub format: Option<Format>,
    /// How records are read.
    pub options: ReadOptions,
    /// Which records are facts.
    pub selection: Selection,
    /// The file with what a person states.
    pub context: Option<PathBuf>,
    /// Names that facts must not show.
    pub pseudonyms: Pseudonyms,
    /// Seconds that are added to times.
    pub shifts: Shifts,
}

/// What was read, before it is frozen: hits of rules can still be added.
#[derive(Debug)]
pub struct Sources {
    /// The facts so far.
    pub extraction: Extraction,
    skipped: Vec<Skipped>,
    no_telemetry: Vec<Skipped>,
}

/// A packet with what was named for it and not read.
#[derive(Debug)]
pub struct Extracted {
    /// The packet.
    pub packet: Packet,
    /// Inputs that were not read, beside copies of what was.
    pub skipped: Vec<Skipped>,
    /// Files of a folder that hold no telemetry.
    pub no_telemetry: Vec<Skipped>,
}

/// A file that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Whether a folder was named and not the file.
    pub in_folder: bool,
}

/// Why a file of a folder is not read: a folder holds other files too.
#[derive(Debug)]
struct PassedOver {
    error: SourceError,
}

impl PassedOver {
    fn why(&self) -> String {
        match &self.error {
            // The hint on the format would name one format for all files of the folder.
            SourceError::UnknownFormat(unknown) => unknown.why.to_owned(),
            error => error.to_string(),
        }
    }
}

impl Reading {
    /// Reads all sources. `watcher` sees the records that the selection takes; `notices` gets what a person should know.
    ///
    /// # Errors
    /// When a source that was named cannot be read, or none was.
    pub fn read<W: Watcher>(
        self,
        mut standard_input: impl Read + Send,
        mut watcher: Option<&mut W>,
        notices: &mut dyn FnMut(Notice),
    ) -> Result<Sources, TelemetryError> {
        let Self { files: named, format, options, selection, context, pseudonyms, mut shifts } = self;
        is_named_once(&named)?;
        let mut extraction = Extraction::new(selection, options).with_pseudonyms(pseudonyms);
        let mut read = 0_usize;
        let (files, mut skipped) = found(&named, &mut shifts, notices)?;
        let mut no_telemetry = Vec::new();
        for file in files {
            let shift = shifts.take(&file.path);
            let passed = read_source(&file, (format, shift), &mut extraction, watcher.as_deref_mut(), notices)?;
            let Some(passed) = passed else {
                read += 1;
                continue;
            };
            let place = file.path.display().to_string();
            if matches!(passed.error, SourceError::UnknownFormat(_)) && is_documentation(&file.path)? {
                let why = "documentation by its name, and none of its lines could be a record".to_owned();
                notices(Notice::NoTelemetry { place: place.clone(), why: why.clone() });
                no_telemetry.push(Skipped { name: place, why });
            } else {
                let why = passed.why();
                notices(Notice::Skipped { place: place.clone(), why: why.clone() });
                skipped.push(Skipped { name: place, why });
            }
        }
        // A pipe can be read once only, so its hash is known too late for an order.
        for path in named.iter().filter(|path| path.as_os_str() == STANDARD_INPUT) {
            let watcher = watcher.as_deref_mut().map(|watcher| watcher as &mut dyn Watcher);
            let stats = extraction
                .read_watched(&mut standard_input, format, shifts.take(path), watcher)
                .map_err(|error| TelemetryError::Source { place: STANDARD_INPUT.to_owned(), error })?;
            damaged(STANDARD_INPUT, &stats, notices);
            read += 1;
        }
        shifts.all_taken()?;
        if read == 0 {
            return Err(TelemetryError::Nothing(match skipped.len() + no_telemetry.len() {
                0 => "there is no file",
                _ => "none of the files is in a known format; the reasons are above",
            }));
        }
        if !skipped.is_empty() {
            notices(Notice::AllSkipped(skipped.len()));
        }
        if let Some(path) = &context {
            read_context(path, &mut extraction)?;
        }
        Ok(Sources { extraction, skipped, no_telemetry })
    }

    /// Whether a file that is written to this place would replace one that is read: raw telemetry that is replaced by its packet is lost.
    /// `further` are files that are read beside the sources.
    #[must_use]
    pub fn would_replace<'p>(files: &'p [PathBuf], further: impl IntoIterator<Item = &'p PathBuf>, out: &Path) -> bool {
        files.iter().chain(further).any(|path| would_replace(path, out))
    }
}

impl Sources {
    /// Freezes the packet.
    ///
    /// # Errors
    /// When a fact breaks a rule of packets.
    pub fn freeze(self, notices: &mut dyn FnMut(Notice)) -> Result<Extracted, SourceError> {
        let packet = self.extraction.finish()?;
        if packet.facts().is_empty() {
            let records = packet.header().sources.iter().map(|source| source.records.0).sum();
            notices(Notice::EmptyPacket { records });
        }
        if let Some(records) = packet.header().undated {
            notices(Notice::Undated { records: records.0 });
        }
        Ok(Extracted { packet, skipped: self.skipped, no_telemetry: self.no_telemetry })
    }
}

/// Reads one file whose format is detected. `false` if it is passed over, as a file of a folder in no known format is.
///
/// # Errors
/// When it cannot be read.
pub fn read_file<W: Watcher>(
    file: &SourceFile,
    extraction: &mut Extraction,
    watcher: Option<&mut W>,
    notices: &mut dyn FnMut(Notice),
) -> Result<bool, TelemetryError> {
    let passed = read_source(file, (None, 0), extraction, watcher, notices)?;
    if let Some(passed) = &passed {
        notices(Notice::Skipped { place: file.path.display().to_string(), why: passed.why() });
    }
    Ok(passed.is_none())
}

/// Reads a file, with a format if it is known and the seconds that are added to its times. `None` if it was read.
fn read_source<W: Watcher>(
    file: &SourceFile,
    (format, shift): (Option<Format>, i32),
    extraction: &mut Extraction,
    watcher: Option<&mut W>,
    notices: &mut dyn FnMut(Notice),
) -> Result<Option<PassedOver>, TelemetryError> {
    let place = file.path.display().to_string();
    let opened = File::open(&file.path).map_err(|error| TelemetryError::unopened(&file.path, error))?;
    let watcher = watcher.map(|watcher| watcher as &mut dyn Watcher);
    match extraction.read_watched(opened, format, shift, watcher) {
        Ok(stats) => {
            damaged(&place, &stats, notices);
            Ok(None)
        }
        Err(error @ (SourceError::UnknownFormat(_) | SourceError::Empty)) if file.in_folder => {
            Ok(Some(PassedOver { error }))
        }
        Err(error) => Err(TelemetryError::Source { place, error }),
    }
}

fn read_context(path: &Path, extraction: &mut Extraction) -> Result<(), TelemetryError> {
    let place = path.display().to_string();
    let opened =
        File::open(path).map_err(|error| TelemetryError::Context(format!("{place}: cannot be opened: {error}")))?;
    extraction.read(opened, Some(Format::Context), 0).map(|_| ()).map_err(|error| {
        TelemetryError::Context(match error {
            // The extractor does not know the file.
            SourceError::Extract(ExtractError::Context(error)) => YamlError { place, ..error }.to_string(),
            error => format!("{place}: {error}"),
        })
    })
}

/// Fails when standard input is named twice.
pub(crate) fn is_named_once(files: &[PathBuf]) -> Result<(), TelemetryError> {
    if files.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
        return Err(TelemetryError::StandardInputTwice);
    }
    Ok(())
}

/// The files, each content once. Several are in the order of their SHA-256, so that the packet depends neither on their names nor on the order in
/// which they were named.
fn found(
    files: &[PathBuf],
    shifts: &mut Shifts,
    notices: &mut dyn FnMut(Notice),
) -> Result<(Vec<SourceFile>, Vec<Skipped>), TelemetryError> {
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for path in files.iter().filter(|path| path.as_os_str() != STANDARD_INPUT) {
        let in_folder = path.is_dir();
        let below = entries_below(path)?;
        all.extend(below.files.into_iter().map(|path| SourceFile { path, in_folder }));
        for (path, why) in below.others {
            let name = path.display().to_string();
            notices(Notice::Skipped { place: name.clone(), why: why.to_owned() });
            skipped.push(Skipped { name, why: why.to_owned() });
        }
    }
    // A single source needs no look at others.
    if all.len() < 2 && files.len() < 2 {
        return Ok((all, skipped));
    }
    let mut by_hash: BTreeMap<Digest, SourceFile> = BTreeMap::new();
    for file in all {
        let opened = File::open(&file.path).map_err(|error| TelemetryError::unopened(&file.path, error))?;
        let sha256 = sha256_of(opened).map_err(|error| TelemetryError::unreadable(&file.path, error))?;
        // The records of a copy would count twice.
        match by_hash.entry(sha256) {
            Entry::Occupied(_) => {
                let why = "a file with the same bytes was read before".to_owned();
                notices(Notice::Skipped { place: file.path.display().to_string(), why });
                shifts.take(&file.path);
            }
            Entry::Vacant(free) => {
                free.insert(file);
            }
        }
    }
    Ok((by_hash.into_values().collect(), skipped))
}

/// Whether a file of a folder is documentation beside the telemetry.
fn is_documentation(path: &Path) -> Result<bool, TelemetryError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let opened = File::open(path).map_err(|error| TelemetryError::unopened(path, error))?;
    is_document(&name, opened).map_err(|error| TelemetryError::unreadable(path, error))
}
