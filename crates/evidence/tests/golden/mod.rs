//! Golden packets: the same bytes give the same packet, whatever built the program and wherever it runs.
//!
//! `heads.csv` beside this file holds the heads as facts. Whichever build profile runs these tests must give them:
//! `cargo test --release -p gimbal-evidence --features extract --test all golden::`. Language, zone and number of threads of the
//! process are changed in the tests of the command line.

mod made;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use gimbal_core::Digest;
use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::{Class, Packet, Selection};

use crate::support::labelled;

const TABLE: &str = include_str!("heads.csv");

/// A row of the table: a source, and the packet that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    origin: String,
    name: String,
    format: String,
    source_sha256: String,
    facts: String,
    head: String,
    root: String,
    packet_sha256: String,
}

impl Row {
    /// What the program gives for these bytes.
    fn found(origin: &str, name: &str, bytes: &[u8], told: Option<Format>) -> Self {
        let packet = packet(bytes, told);
        let text = packet.to_bytes();
        assert_eq!(Packet::read(&text).unwrap(), packet, "{name}");
        Self {
            origin: origin.to_owned(),
            name: name.to_owned(),
            format: packet.header().sources[0].format.clone(),
            source_sha256: Digest::of(bytes).to_string(),
            facts: packet.facts().len().to_string(),
            head: packet.head().to_string(),
            root: packet.root().to_string(),
            packet_sha256: Digest::of(&text).to_string(),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, name, format, source_sha256, facts, head, root, packet_sha256 } = self;
        write!(f, "{origin},{name},{format},{source_sha256},{facts},{head},{root},{packet_sha256}")
    }
}

/// The rows of the table that have this origin.
fn rows(origin: &str) -> Vec<Row> {
    let mut table = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(TABLE.as_bytes());
    let rows = table.records().map(|row| {
        let row = row.unwrap();
        let at = |column: usize| row[column].to_owned();
        Row {
            origin: at(0),
            name: at(1),
            format: at(2),
            source_sha256: at(3),
            facts: at(4),
            head: at(5),
            root: at(6),
            packet_sha256: at(7),
        }
    });
    rows.filter(|row| row.origin == origin).collect()
}

/// Fails with the rows that the table should have where it has others.
fn compare(expected: &[Row], found: &[Row]) {
    let new: Vec<String> = found.iter().filter(|row| !expected.contains(row)).map(|row| format!("{row}\n")).collect();
    let known: Vec<&str> = expected.iter().map(|row| row.name.as_str()).collect();
    let names: Vec<&str> = found.iter().map(|row| row.name.as_str()).collect();
    assert!(
        new.is_empty(),
        "{} of {} packets have other bytes than heads.csv says. Where that is meant, these are their rows:\n{}",
        new.len(),
        found.len(),
        new.concat()
    );
    assert_eq!(known, names, "heads.csv has other sources");
}

fn packet(bytes: &[u8], told: Option<Format>) -> Packet {
    let options = ReadOptions { year: Some(2024), ..ReadOptions::default() };
    let mut extraction = Extraction::new(Selection::default(), options);
    extraction.read(bytes, told, 0).unwrap();
    extraction.finish().unwrap()
}

// covers: ARES-006, ARES-010
#[test]
fn packets_of_made_sources_have_these_heads() {
    let found: Vec<Row> =
        made::sources().iter().map(|made| Row::found("made", made.name, &made.bytes, made.told)).collect();
    compare(&rows("made"), &found);
    for made in made::sources() {
        let damaged = packet(&made.bytes, made.told).facts().iter().any(|fact| fact.class == Class::Damaged);
        assert!(!damaged, "{} has damaged records", made.name);
    }
}

// covers: ARES-006, ARES-010
#[test]
fn packets_of_real_files_have_these_heads() {
    let Some(folder) = labelled() else { return };
    let mut labels = csv::Reader::from_path(folder.join("labels.csv")).unwrap();
    let files: Vec<String> = labels.records().map(|row| row.unwrap()[0].to_owned()).collect();
    let bytes = |file: &str| std::fs::read(Path::new(&folder).join(file)).unwrap();
    let found: Vec<Row> = files.iter().map(|file| Row::found("real", file, &bytes(file), None)).collect();
    compare(&rows("real"), &found);
}

#[test]
fn the_table_has_every_format_and_names_each_source_once() {
    let (made, real) = (rows("made"), rows("real"));
    assert!(real.len() >= 190, "{} real files", real.len());
    for format in Format::ALL {
        let has = |rows: &[Row]| rows.iter().any(|row| row.format == format.name());
        // Nothing here writes an event log in its binary form: those of the table are real files.
        assert!(has(if format == Format::Evtx { &real } else { &made }), "{format}");
    }
    let names: BTreeSet<&str> = made.iter().chain(&real).map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), made.len() + real.len());
}

#[test]
fn packets_that_are_made_at_once_are_those_that_are_made_alone() {
    let sources = made::sources();
    let alone: Vec<Vec<u8>> = sources.iter().map(|made| packet(&made.bytes, made.told).to_bytes()).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16)
            .map(|worker| {
                let sources = &sources;
                scope.spawn(move || {
                    let made = &sources[worker % sources.len()];
                    (worker, packet(&made.bytes, made.told).to_bytes())
                })
            })
            .collect();
        for worker in workers {
            let (worker, bytes) = worker.join().unwrap();
            assert!(bytes == alone[worker % alone.len()], "{worker}");
        }
    });
}
