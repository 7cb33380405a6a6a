//! The map of names that facts must not show.

use std::collections::BTreeMap;
use std::path::Path;

use gimbal_evidence::Pseudonym;
use gimbal_evidence::extract::Pseudonyms;

use crate::TelemetryError;

/// Reads a file with a map of names, each to what replaces it (YAML).
///
/// # Errors
/// When the file cannot be read, is not such a map, or its names cannot be replaced.
pub fn read_pseudonyms(path: &Path) -> Result<Pseudonyms, TelemetryError> {
    let place = path.display().to_string();
    let wrong = TelemetryError::Pseudonyms;
    let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("{place}: cannot be read: {error}")))?;
    let map: BTreeMap<String, String> = gimbal_core::yaml::read(&text, &place)
        .map_err(|error| wrong(format!("{error}; expected a map of names, each line `NAME: REPLACEMENT`")))?;
    let names = map.into_iter().map(|(name, replaced_by)| Pseudonym { name, replaced_by }).collect();
    Pseudonyms::new(names).map_err(|error| wrong(format!("{place}: {error}")))
}
