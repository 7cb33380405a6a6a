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

/// What an environment counts in its recordings.
pub trait Counts: Default + Serialize {
    /// Whether recordings may lack fields of the format, which are then counted.
    const HAS_OPTIONAL_FIELDS: bool = true;
    /// The view that checksums are of, where it is always the same.
    const VIEW: &'static str = "";

    /// What was played, each with its noun: `(3, "episode")`.
    fn played(&self) -> Vec<(u64, &'static str)>;

    /// Lines about what is special of these recordings.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A place in a recording of an environment.
pub trait Place: Serialize {
    /// The place with its file, as a person reads it.
    fn shown(&self, file: &str) -> String;
}

/// A difference between a recording and what was played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mismatch<P> {
    /// The recording.
    pub file: String,
    /// Where in it.
    #[serde(flatten)]
    pub place: P,
    /// The field.
    pub field: String,
    /// What is recorded.
    pub expected: String,
    /// What was played.
    pub got: String,
}

/// What a replay of recordings found; its keys are those of `--json`. Each environment has counts and places of its own;
/// `gimbal env NAME replay` prints all of them in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayReport<C, P> {
    /// What was played.
    #[serde(flatten)]
    pub counts: C,
    /// Fields that differ, or recordings where each counts once.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch<P>>,
    /// Fields of the format that the recordings lack, hence fields that were not compared; `None` where they cannot lack any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<u64>,
    /// Files that could not be read, or not to their end; what was found before is in the other numbers.
    pub unreadable: Vec<Unreadable>,
    /// The checksums, where they were asked for.
    #[serde(flatten)]
    pub checksums: Option<Checksums>,
}

impl<C: Counts, P> Default for ReplayReport<C, P> {
    fn default() -> Self {
        Self {
            counts: C::default(),
            mismatches: 0,
            first: None,
            unrecorded: C::HAS_OPTIONAL_FIELDS.then_some(0),
            unreadable: Vec::new(),
            checksums: None,
        }
    }
}

impl<C, P> ReplayReport<C, P> {
    /// Whether everything that could be read agrees.
    #[must_use]
    pub const fn agrees(&self) -> bool {
        self.mismatches == 0
    }

    /// Counts a difference; the first one is kept.
    pub fn differs(&mut self, mismatch: impl FnOnce() -> Mismatch<P>) {
        self.mismatches += 1;
        self.first.get_or_insert_with(mismatch);
    }

    /// Counts fields that a recording lacks.
    pub fn lacks(&mut self, fields: usize) {
        *self.unrecorded.get_or_insert(0) += fields as u64;
    }
}

/// The checksums of what was played and of what is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checksums {
    /// The view that was folded, where recordings may be of several.
    #[serde(rename = "observe", skip_serializing_if = "Option::is_none")]
    pub view: Option<&'static str>,
    /// Of what was played.
    #[serde(rename = "checksum")]
    pub played: String,
    /// Of what is recorded, where the recordings hold it.
    #[serde(rename = "checksum_recorded", skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
}

/// The output of a replay. A difference fails the check; a file that cannot be read is the user's, and named in either case.
///
/// # Errors
/// When the report has no JSON form.
pub fn output<C: Counts, P: Place>(report: &ReplayReport<C, P>) -> Result<Output, EnvError> {
    let mut text = String::new();
    let mut counts: Vec<String> = report.counts.played().into_iter().map(|(count, noun)| plural(count, noun)).collect();
    counts.push(plural(report.mismatches, "mismatch"));
    let mut line = |words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{words}");
    };
    line(counts.join(", "));
    report.counts.remarks().into_iter().for_each(&mut line);
    if let Some(fields @ 1..) = report.unrecorded {
        line(format!("{} are not in these recordings and were not compared", plural(fields, "field")));
    }
    if let Some(checksums) = &report.checksums {
        line(format!("checksum {} ({})", checksums.played, checksums.view.unwrap_or(C::VIEW)));
        if let Some(recorded) = &checksums.recorded {
            line(format!("recorded {recorded}"));
        }
    }
    if let Some(Mismatch { file, place, field, expected, got }) = &report.first {
        line(format!("first: {}, {field}\n  expected {expected}\n  got      {got}", place.shown(file)));
    }
    let mut output = Output::of(text, report)?;
    output.unreadable.extend(report.unreadable.iter().map(|file| file.message.clone()));
    output.failed = (!report.agrees()).then(|| "the recordings and the simulator differ".to_owned());
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

    #[derive(Clone, Debug, Default, Serialize)]
    struct Rows {
        rows: u64,
    }

    impl Counts for Rows {
        const VIEW: &'static str = "vector";

        fn played(&self) -> Vec<(u64, &'static str)> {
            vec![(self.rows, "row")]
        }
    }

    #[derive(Clone, Debug, Default, Serialize)]
    struct Walks {
        walks: u64,
    }

    impl Counts for Walks {
        const HAS_OPTIONAL_FIELDS: bool = false;

        fn played(&self) -> Vec<(u64, &'static str)> {
            vec![(self.walks, "walk")]
        }
    }

    #[derive(Clone, Debug, Serialize)]
    struct AtLine {
        line: usize,
    }

    impl Place for AtLine {
        fn shown(&self, file: &str) -> String {
            format!("{file}:{}", self.line)
        }
    }

    fn mismatch(line: usize) -> Mismatch<AtLine> {
        let [file, field, expected, got] = ["a.jsonl", "obs", "1", "2"].map(str::to_owned);
        Mismatch { file, place: AtLine { line }, field, expected, got }
    }

    #[test]
    fn counts_places_and_checksums_are_members_of_one_object_in_order() {
        let mut report = ReplayReport { counts: Rows { rows: 2 }, ..ReplayReport::default() };
        report.differs(|| mismatch(3));
        report.differs(|| mismatch(4));
        report.lacks(5);
        report.checksums = Some(Checksums { view: None, played: "ab".to_owned(), recorded: None });
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"rows":2,"mismatches":2,"first":{"file":"a.jsonl","line":3,"field":"obs","expected":"1","got":"2"},"unrecorded":5,"unreadable":[],"checksum":"ab"}"#
        );
        let output = output(&report).unwrap();
        assert_eq!(
            output.text,
            "2 rows, 2 mismatches\n5 fields are not in these recordings and were not compared\nchecksum ab (vector)\n\
             first: a.jsonl:3, obs\n  expected 1\n  got      2\n"
        );
        assert!(output.failed.is_some());
    }

    #[test]
    fn a_report_without_optional_fields_and_checksums_has_neither_member() {
        let report = ReplayReport::<Walks, AtLine>::default();
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"walks":0,"mismatches":0,"first":null,"unreadable":[]}"#
        );
        let output = output(&report).unwrap();
        assert_eq!((output.text.as_str(), output.failed), ("0 walks, 0 mismatches\n", None));
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
