//! Telemetry from files, folders and standard input, read into a packet.

use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use gimbal_evidence::extract::{Extraction, Format, ReadOptions, SourceError, Stats};
use gimbal_evidence::{Counter, Packet, Selection};

use crate::args::Sources;
use crate::exit::Failure;
use crate::stdio::message;

/// Reads all sources and freezes what was selected. What could not be read is told on standard error.
pub fn extract(asked: &Sources) -> Result<Packet, Failure> {
    let format = asked.format.as_deref().map(|name| named("--format", name)).transpose()?;
    let options = ReadOptions { strict: asked.strict, year: asked.year, zone_minutes: asked.zone };
    let mut extraction = Extraction::new(selection(asked)?, options);
    let mut read = 0_usize;
    for path in &asked.files {
        if path.as_os_str() == "-" {
            let stats = extraction.read(std::io::stdin(), format, 0).map_err(|error| failed("-", error))?;
            tell("-", &stats);
            read += 1;
            continue;
        }
        let found = files_below(path)?;
        let in_folder = path.is_dir();
        for file in found {
            let place = file.display().to_string();
            let opened =
                File::open(&file).map_err(|error| Failure::Usage(format!("{place}: cannot be opened: {error}")))?;
            match extraction.read(opened, format, 0) {
                Ok(stats) => {
                    tell(&place, &stats);
                    read += 1;
                }
                // A folder holds other files too.
                Err(SourceError::UnknownFormat | SourceError::Empty) if in_folder => {
                    message(&format!("{place}: skipped: no format that is known"));
                }
                Err(error) => return Err(failed(&place, error)),
            }
        }
    }
    if read == 0 {
        return Err(Failure::Usage("nothing was read: none of the files is in a known format".to_owned()));
    }
    if let Some(context) = &asked.context {
        let place = context.display().to_string();
        let opened = File::open(context)
            .map_err(|error| Failure::Usage(format!("--context: {place}: cannot be opened: {error}")))?;
        extraction.read(opened, Some(Format::Context), 0).map_err(|error| failed(&place, error))?;
    }
    extraction.finish().map_err(Failure::usage)
}

fn selection(asked: &Sources) -> Result<Selection, Failure> {
    Ok(Selection {
        aggregate_above: Counter(asked.aggregate_above),
        entity: parsed("--entity", asked.entity.as_ref())?,
        max_facts: Counter(asked.max_facts),
        since: parsed("--since", asked.since.as_ref())?,
        until: parsed("--until", asked.until.as_ref())?,
    })
}

/// What a flag says, where it is given; an error names the flag.
pub fn parsed<T: FromStr<Err: Display>>(flag: &str, text: Option<&String>) -> Result<Option<T>, Failure> {
    text.map(|text| text.parse().map_err(|error| Failure::Usage(format!("{flag}: {error}")))).transpose()
}

fn named(flag: &str, name: &str) -> Result<Format, Failure> {
    let known = Format::ALL.map(Format::name);
    Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
        let hint = gimbal_core::nearest::hint(name, known);
        Failure::Usage(format!("{flag}: there is no format `{name}`{hint} (known: {})", known.join(", ")))
    })
}

/// A file, or the files of a folder and the folders in it, in the order of the bytes of their paths.
fn files_below(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable =
        |path: &Path, error: std::io::Error| Failure::Usage(format!("{}: cannot be read: {error}", path.display()));
    let about = std::fs::metadata(path).map_err(|error| unreadable(path, error))?;
    if !about.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let (mut files, mut folders) = (Vec::new(), vec![path.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
            let entry = entry.map_err(|error| unreadable(&folder, error))?;
            // Links are not followed: a folder could hold itself.
            let kind = entry.file_type().map_err(|error| unreadable(&folder, error))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort_by(|one, other| one.as_os_str().as_encoded_bytes().cmp(other.as_os_str().as_encoded_bytes()));
    Ok(files)
}

/// What could not be read, with the first places.
fn tell(place: &str, stats: &Stats) {
    if stats.damaged > 0 {
        message(&format!(
            "{place}: {} of {} records could not be read; they are facts of the class `damaged`",
            stats.damaged, stats.seen
        ));
    }
    for issue in stats.issues.iter().take(3) {
        message(&format!("{place}: {}: {}", issue.at, issue.what));
    }
}

fn failed(place: &str, error: SourceError) -> Failure {
    let text = format!("{place}: {error}");
    match error {
        SourceError::Extract(gimbal_evidence::extract::ExtractError::Io(_)) => Failure::External(text),
        _ => Failure::Usage(text),
    }
}
