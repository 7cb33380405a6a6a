//! From a scenario's raw sources to its packet and its digest.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use gimbal_core::{Digest, canonical};
use gimbal_evidence::extract::{Extraction, Format, Pseudonyms, ReadOptions};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::{Counter, Packet, Selection};
use serde::Serialize;

use super::{CorpusError, generate};
use crate::scenario::{Category, Criterion, OperatorTruth, RawSource, Scenario, Tier};

/// How a packet is made of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketOptions {
    /// Most facts in the packet.
    pub max_facts: u64,
    /// All sources; else only the first one, to compare single with mixed telemetry.
    pub mixed: bool,
    /// Replace names that the scenario lists, such as those of laboratory hosts.
    pub pseudonyms: bool,
}

impl Default for PacketOptions {
    /// 200 facts of all sources, names replaced.
    fn default() -> Self {
        Self { max_facts: 200, mixed: true, pseudonyms: true }
    }
}

impl Scenario {
    /// The packet, made from the raw sources. `data` is the folder of telemetry for scenarios over files of it.
    ///
    /// # Errors
    /// When a file is missing or has another SHA-256 than the scenario says, or cannot be read.
    pub fn packet(&self, data: Option<&Path>, options: &PacketOptions) -> Result<Packet, CorpusError> {
        let selection = Selection { max_facts: Counter(options.max_facts), ..Selection::default() };
        let read = ReadOptions { strict: false, year: self.year, zone_minutes: None };
        let names = if options.pseudonyms { self.pseudonyms.clone() } else { Pseudonyms::default() };
        let mut extraction = Extraction::new(selection, read).with_pseudonyms(names);
        let sources = if options.mixed { self.sources.as_slice() } else { self.sources.get(..1).unwrap_or_default() };
        for (index, source) in sources.iter().enumerate() {
            let bytes = self.bytes(source, data)?;
            let (format, shift) = match source {
                RawSource::File { format, shift_seconds, .. } => (*format, *shift_seconds),
                RawSource::Generated(script) => (script.engine.format(), 0),
                RawSource::Context(_) => (Format::Context, 0),
            };
            extraction.read(bytes.as_ref(), Some(format), shift).map_err(|error| CorpusError::Source {
                id: self.id.clone(),
                number: index + 1,
                error,
            })?;
        }
        extraction.finish().map_err(|error| CorpusError::Source { id: self.id.clone(), number: sources.len(), error })
    }

    /// What the scenario is told apart by: its labels and the SHA-256 of its raw sources. Two scenarios with one digest give the same
    /// packets and the same marks.
    ///
    /// # Errors
    /// When a raw file beside the scenario cannot be read. Files of the folder of telemetry are not opened: the scenario says their hash.
    pub fn digest(&self) -> Result<Digest, CorpusError> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let mut parts = vec![b"gimbal/scenario/1".to_vec(), self.labels()];
        for sha256 in self.raw_sha256()? {
            parts.push(sha256.0.to_vec());
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(*self.digest.get_or_init(|| Digest::of_parts(&parts)))
    }

    /// The SHA-256 of each raw source.
    ///
    /// # Errors
    /// As [`Scenario::digest`].
    pub fn raw_sha256(&self) -> Result<Vec<Digest>, CorpusError> {
        let hash = |source: &RawSource| match source {
            RawSource::File { sha256, is_data: true, .. } => Ok(*sha256),
            source => self.bytes(source, None).map(|bytes| Digest::of(&bytes)),
        };
        self.sources.iter().map(hash).collect()
    }

    /// The labels as canonical JSON.
    fn labels(&self) -> Vec<u8> {
        canonical::bytes_of(&Labels {
            category: self.category,
            criterion: &self.criterion,
            difficulty: self.difficulty,
            expected: self.expected,
            id: &self.id,
            label_version: self.label_version,
            operator_truth: self.operator_truth,
            techniques: &self.techniques,
            tier: self.tier,
        })
    }

    /// The raw bytes of a source.
    fn bytes<'s>(&self, source: &'s RawSource, data: Option<&Path>) -> Result<Cow<'s, [u8]>, CorpusError> {
        match source {
            RawSource::Context(text) => Ok(Cow::Borrowed(text.as_bytes())),
            RawSource::Generated(script) => generate::render(script).map(Cow::Owned).map_err(|what| {
                let index = self.sources.iter().position(|known| std::ptr::eq(known, source));
                let line = index.and_then(|index| self.source_lines.get(index)).copied().unwrap_or(self.line);
                CorpusError::Scenario { place: self.place.clone(), line, id: self.id.clone(), what }
            }),
            RawSource::File { path, sha256, is_data, .. } => {
                let folder = match (is_data, data) {
                    (false, _) => self.folder.as_path(),
                    (true, Some(data)) => data,
                    (true, None) => return Err(CorpusError::NeedsData { id: self.id.clone() }),
                };
                self.file(folder.join(path), *sha256).map(Cow::Owned)
            }
        }
    }

    fn file(&self, path: PathBuf, expected: Digest) -> Result<Vec<u8>, CorpusError> {
        let bytes = fs::read(&path).map_err(|error| CorpusError::Io { path: path.clone(), error })?;
        let found = Digest::of(&bytes);
        if found == expected {
            return Ok(bytes);
        }
        Err(CorpusError::OtherFile { id: self.id.clone(), path, expected, found })
    }
}

/// What is hashed of a scenario beside its raw bytes. Members in the order of RFC 8785.
#[derive(Serialize)]
struct Labels<'a> {
    category: Category,
    criterion: &'a Criterion,
    difficulty: u8,
    expected: Verdict,
    id: &'a str,
    label_version: u32,
    operator_truth: OperatorTruth,
    techniques: &'a [String],
    tier: Tier,
}
