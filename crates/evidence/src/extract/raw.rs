//! The raw records behind a fact: a source is read again, and what was hashed is given.

use std::io::{self, Read};

use gimbal_core::Digest;

use super::pseudonym::Renamed;
use super::select::takes;
use super::source::{Hashed, by_format};
use super::{ExtractError, Format, Observed, Pseudonyms, ReadOptions};
use crate::packet::{Header, Source};
use crate::{Entity, EntityKind, Fact};

/// A raw record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// Its place in the source, such as `line 12`.
    pub at: String,
    /// Its bytes, as hashes are taken over them.
    pub bytes: Vec<u8>,
    /// SHA-256 of these bytes.
    pub sha256: Digest,
}

/// Reads a source of a packet again, and gives the record that a fact is of; of a fact that counts others the first `most` records that it
/// counts in this source. The bytes should be those of `source`: compare their hash first. `None` if the source has none of them.
///
/// # Errors
/// When the header names a format that this program does not read, or the source cannot be read.
pub fn raw_records(
    input: impl Read + Send,
    header: &Header,
    source: &Source,
    fact: &Fact,
    most: usize,
) -> Result<Vec<RawRecord>, ExtractError> {
    let format = Format::ALL.into_iter().find(|format| format.name() == source.format);
    let format = format.ok_or_else(|| {
        ExtractError::Needs(format!(
            "the source is in the format `{}`, which this program does not read",
            source.format
        ))
    })?;
    let names = Pseudonyms::new(header.pseudonyms.clone()).map_err(|error| ExtractError::Needs(error.to_string()))?;
    let options = ReadOptions { strict: false, year: source.year, zone_minutes: source.zone_minutes };
    let mut found: Vec<RawRecord> = Vec::new();
    let mut keep = |observed: &Observed<'_>| {
        let here = match &fact.locator {
            Some(locator) => locator.source == source.id && observed.details.place() == locator.at,
            None => {
                found.len() < most
                    && is_member(fact, observed)
                    && takes(&header.selection, source.id, source.shift_seconds, observed)
            }
        };
        if here {
            let (at, bytes) = (observed.details.place(), observed.raw.to_vec());
            found.push(RawRecord { at, sha256: Digest::of(&bytes), bytes });
        }
    };
    let mut input = input;
    by_format(format, &mut input, &options, &mut Renamed { names: &names, sink: &mut keep })?;
    // A place can hold several records, such as a damaged one and what was saved of it.
    if let Some(hash) = fact.raw_sha256
        && found.iter().any(|record| record.sha256 == hash)
    {
        found.retain(|record| record.sha256 == hash);
    }
    found.truncate(most);
    Ok(found)
}

/// SHA-256 of all bytes of an input: by it a file is found among the sources of a packet.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(input: impl Read) -> io::Result<Digest> {
    let mut input = Hashed::new(input);
    io::copy(&mut input, &mut io::sink())?;
    Ok(input.sha256())
}

/// Whether a record belongs to the group that a fact counts.
fn is_member(fact: &Fact, observed: &Observed<'_>) -> bool {
    let same = |entity: &Option<Entity>, found: Option<(EntityKind, &str)>| {
        entity.as_ref().map(|entity| (entity.kind(), entity.name())) == found
    };
    fact.class == observed.class
        && fact.action == observed.action
        && same(&fact.actor, observed.actor)
        && same(&fact.object, observed.object)
}
