//! The raw records behind a fact, found in files again.

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};

use gimbal_core::Digest;
use gimbal_evidence::extract::{ExtractError, RawRecord, raw_records, sha256_of};
use gimbal_evidence::{Fact, FactId, Packet, Source, SourceId};
use thiserror::Error;

use crate::TelemetryError;
use crate::folder::files_below;
use crate::reading::{STANDARD_INPUT, is_named_once};

/// A search for the raw records behind a fact of a packet.
#[derive(Clone, Copy, Debug)]
pub struct RawSearch<'p> {
    /// The packet.
    pub packet: &'p Packet,
    /// The fact.
    pub fact: &'p Fact,
    /// Most records that are given.
    pub most: usize,
}

/// What a search meets, in order.
#[derive(Clone, Copy, Debug)]
pub enum RawFound<'a> {
    /// A file that the packet was not made of.
    NotASource {
        /// The file.
        place: &'a str,
        /// SHA-256 of its bytes.
        sha256: Digest,
    },
    /// A record behind the fact.
    Record {
        /// The file.
        place: &'a str,
        /// The source of the packet that the file is.
        source: SourceId,
        /// The record.
        record: &'a RawRecord,
    },
}

/// Why records cannot be given.
#[derive(Debug, Error)]
pub enum RawError {
    /// A file or folder cannot be read.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// Standard input cannot be kept for a second reading.
    #[error("-: cannot be kept: {0}")]
    Unkept(io::Error),
    /// A source cannot be read by its format.
    #[error("{place}: {error}")]
    Source {
        /// The file.
        place: String,
        /// What is wrong.
        error: ExtractError,
    },
    /// The record is not the one that was hashed.
    #[error("{place}: {at} is not the record that was hashed: the fact has sha256 {sha256}")]
    Changed {
        /// The file.
        place: String,
        /// The place in it.
        at: String,
        /// The hash of the fact.
        sha256: Digest,
    },
    /// The fact is of none of the files.
    #[error("{fact} is from none of these files; give {}", .wanted.join(" or "))]
    Elsewhere {
        /// The fact.
        fact: FactId,
        /// The sources that it can be of, each by what a person can find it by.
        wanted: Vec<String>,
    },
}

impl<'p> RawSearch<'p> {
    /// The facts whose places lead to the records: the fact itself, or of one that counts the hits of a rule those that are hits of the same
    /// rule.
    #[must_use]
    pub fn located(&self) -> Vec<&'p Fact> {
        let fact = self.fact;
        if fact.locator.is_some() || !fact.class.is_opinion() {
            return vec![fact];
        }
        let is_hit =
            |other: &&Fact| other.locator.is_some() && other.class == fact.class && other.attributes == fact.attributes;
        self.packet.facts().iter().filter(is_hit).collect()
    }

    /// Looks through files and folders, and gives each record whose hash is that of the fact; stops where one differs. Returns how many
    /// records were met.
    ///
    /// # Errors
    /// When a file cannot be read, or a record is not the one that was hashed.
    pub fn records(
        &self,
        files: &[PathBuf],
        mut standard_input: impl Read,
        found: &mut dyn FnMut(RawFound<'_>),
    ) -> Result<usize, RawError> {
        let header = self.packet.header();
        let facts = self.located();
        is_named_once(files)?;
        // It is read twice: for its hash, and for the record.
        let mut piped = None;
        let mut below = Vec::new();
        for path in files {
            if path.as_os_str() == STANDARD_INPUT {
                let mut kept = tempfile::tempfile().map_err(RawError::Unkept)?;
                io::copy(&mut standard_input, &mut kept).map_err(|error| TelemetryError::unreadable(path, error))?;
                piped = Some(kept);
                below.push(path.clone());
            } else {
                below.extend(files_below(path)?);
            }
        }
        let mut met = 0;
        for file in &below {
            let place = file.display().to_string();
            let open = || open(file, piped.as_ref()).map_err(|error| TelemetryError::unreadable(file, error));
            let sha256 = sha256_of(open()?).map_err(|error| TelemetryError::unreadable(file, error))?;
            let Some(source) = header.sources.iter().find(|source| source.sha256 == sha256) else {
                found(RawFound::NotASource { place: &place, sha256 });
                continue;
            };
            let is_here = |fact: &&&Fact| fact.locator.as_ref().is_none_or(|locator| locator.source == source.id);
            for fact in facts.iter().filter(is_here).take(self.most.saturating_sub(met)) {
                let records = raw_records(open()?, header, source, fact, self.most)
                    .map_err(|error| RawError::Source { place: place.clone(), error })?;
                for record in &records {
                    met += 1;
                    found(RawFound::Record { place: &place, source: source.id, record });
                    if let Some(sha256) = fact.raw_sha256.filter(|hash| *hash != record.sha256) {
                        return Err(RawError::Changed { place, at: record.at.clone(), sha256 });
                    }
                }
            }
        }
        Ok(met)
    }

    /// That none of the files has a record behind the fact, with the sources that it can be of.
    #[must_use]
    pub fn elsewhere(&self) -> RawError {
        let is_wanted = |source: &&Source| self.fact.locator.as_ref().is_none_or(|locator| locator.source == source.id);
        let named = |source: &Source| format!("the {} with sha256 {}", source.format, source.sha256);
        let wanted = self.packet.header().sources.iter().filter(is_wanted).map(named).collect();
        RawError::Elsewhere { fact: self.fact.id, wanted }
    }
}

/// A file, or standard input as it was kept, from its start.
fn open(file: &Path, piped: Option<&File>) -> io::Result<File> {
    match piped {
        Some(kept) if file.as_os_str() == STANDARD_INPUT => {
            let mut again = kept.try_clone()?;
            again.rewind()?;
            Ok(again)
        }
        _ => File::open(file),
    }
}
