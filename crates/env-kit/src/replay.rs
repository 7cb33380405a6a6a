//! What replays of recordings report in the same way.

use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};

use gimbal_core::EnvError;
use serde::{Deserialize, Serialize};

use crate::workbench::{Output, plural};

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub file: String,
    /// Where and why, and what would be right.
    pub message: String,
}

impl Unreadable {
    /// The file and the error that its reader gave.
    #[must_use]
    pub fn new(file: &Path, error: &impl Display) -> Self {
        Self { file: file.display().to_string(), message: error.to_string() }
    }
}

/// Reads all recordings with `read`, in their order: one that cannot be read is named and keeps no other from being read.
pub fn read_all<E: Display>(files: &[PathBuf], mut read: impl FnMut(&Path) -> Result<(), E>) -> Vec<Unreadable> {
    files.iter().filter_map(|file| read(file).err().map(|error| Unreadable::new(file, &error))).collect()
}

/// Where the draws of a replay come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawSource {
    /// The recorded tape; each draw is also compared with the recorded seed, if there is one.
    #[default]
    Tape,
    /// The recorded seed alone, through the original's generators; the recorded tape is compared with it.
    Seed,
}

/// What a replay of recordings found. Each environment has counts and places of its own; `gimbal env NAME replay` prints
/// all of them in the same way.
pub trait Report: Serialize {
    /// What was played, each with its noun: `(3, "episode")`.
    fn counts(&self) -> Vec<(u64, &'static str)>;

    /// Fields that differ, or recordings where each counts once.
    fn mismatches(&self) -> u64;

    /// The first difference.
    fn first(&self) -> Option<Difference>;

    /// Fields of the format that the recordings lack, and that were not compared.
    fn unrecorded(&self) -> u64 {
        0
    }

    /// Lines about what is special of these recordings.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The checksums of what was played and of what is recorded, with the view that they are of.
    fn checksums(&self) -> Option<Checksums> {
        None
    }

    /// Files that could not be read, or not to their end.
    fn unreadable(&self) -> &[Unreadable];
}

/// The checksums of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksums {
    /// The view that was folded.
    pub view: &'static str,
    /// Of what was played.
    pub played: String,
    /// Of what is recorded, where the recordings hold it.
    pub recorded: Option<String>,
}

/// A difference between a recording and what was played, as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// File, episode and step.
    pub place: String,
    /// The field.
    pub field: String,
    /// What is recorded.
    pub expected: String,
    /// What was played.
    pub got: String,
}

impl Difference {
    /// A difference at a place in a field.
    #[must_use]
    pub fn new(place: String, field: &str, expected: &str, got: &str) -> Self {
        Self { place, field: field.to_owned(), expected: expected.to_owned(), got: got.to_owned() }
    }
}

/// The output of a replay. A difference fails the check; a file that cannot be read is the user's, and named in either case.
///
/// # Errors
/// When the report has no JSON form.
pub fn output(report: &impl Report) -> Result<Output, EnvError> {
    let mut text = String::new();
    let mut counts: Vec<String> = report.counts().into_iter().map(|(count, noun)| plural(count, noun)).collect();
    counts.push(plural(report.mismatches(), "mismatch"));
    let mut line = |words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{words}");
    };
    line(counts.join(", "));
    report.remarks().into_iter().for_each(&mut line);
    if report.unrecorded() > 0 {
        line(format!("{} are not in these recordings and were not compared", plural(report.unrecorded(), "field")));
    }
    if let Some(checksums) = report.checksums() {
        line(format!("checksum {} ({})", checksums.played, checksums.view));
        if let Some(recorded) = checksums.recorded {
            line(format!("recorded {recorded}"));
        }
    }
    if let Some(first) = report.first() {
        line(format!(
            "first: {}, {}\n  expected {}\n  got      {}",
            first.place, first.field, first.expected, first.got
        ));
    }
    let mut output = Output::of(text, report)?;
    output.unreadable.extend(report.unreadable().iter().map(|file| file.message.clone()));
    output.failed = (report.mismatches() > 0).then(|| "the recordings and the simulator differ".to_owned());
    Ok(output)
}

/// The longest piece of a value that is shown, in bytes.
const SHOWN: usize = 400;

/// Both texts; long ones are cut around the place where they differ first.
#[must_use]
pub fn around_difference(expected: &str, got: &str) -> (String, String) {
    let common = expected.bytes().zip(got.bytes()).take_while(|(one, two)| one == two).count();
    let cut = |text: &str| {
        if text.len() <= SHOWN {
            return text.to_owned();
        }
        let mut from = common.saturating_sub(SHOWN / 2).min(text.len());
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = (from + SHOWN).min(text.len());
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        let before = if from > 0 { "…" } else { "" };
        let after = if to < text.len() { "…" } else { "" };
        format!("{before}{}{after}", &text[from..to])
    };
    (cut(expected), cut(got))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_that_cannot_be_read_keeps_no_other_from_being_read() {
        let files = ["a", "b", "c"].map(PathBuf::from);
        let mut read = Vec::new();
        let unreadable = read_all(&files, |file| {
            read.push(file.to_owned());
            if file == Path::new("b") { Err("cut short") } else { Ok(()) }
        });
        assert_eq!(read, files);
        assert_eq!(unreadable, [Unreadable { file: "b".to_owned(), message: "cut short".to_owned() }]);
    }

    #[test]
    fn long_texts_are_cut_around_their_first_difference() {
        assert_eq!(around_difference("1", "2"), ("1".to_owned(), "2".to_owned()));
        let (one, other) = ("é".repeat(500) + "a", "é".repeat(500) + "b");
        let (one, other) = around_difference(&one, &other);
        assert!(one.starts_with('…') && one.ends_with('a') && one.len() < 500, "{one}");
        assert!(other.ends_with('b'), "{other}");
    }
}
