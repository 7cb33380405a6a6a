//! The raw records behind a fact.

use std::path::PathBuf;

use gimbal_telemetry::{RawError, RawFound, RawSearch};

use crate::support::{ACCEPTED, failures, read, reading, write};

/// The records that a search gives, and the files that are not a source.
fn search(search: &RawSearch<'_>, files: &[PathBuf], piped: &str) -> Result<(Vec<String>, Vec<String>), RawError> {
    let (mut records, mut others) = (Vec::new(), Vec::new());
    let met = search.records(files, piped.as_bytes(), &mut |found| match found {
        RawFound::NotASource { place, .. } => others.push(place.to_owned()),
        RawFound::Record { record, .. } => records.push(String::from_utf8(record.bytes.clone()).unwrap()),
    })?;
    assert_eq!(met, records.len());
    Ok((records, others))
}

#[test]
fn the_record_behind_a_fact_is_found_by_the_hash_of_its_source() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "logs/a.log", ACCEPTED);
    let other = write(place.path(), "logs/b.log", &failures(2));
    let packet = read(reading(std::slice::from_ref(&log)), "").unwrap().0.packet;
    let asked = RawSearch { packet: &packet, fact: &packet.facts()[0], most: 10 };
    let expected = vec![ACCEPTED.trim_end().to_owned()];
    let (records, others) = search(&asked, &[place.path().join("logs")], "").unwrap();
    assert_eq!(records, expected);
    assert_eq!(others, [other.display().to_string()]);
    // Standard input is read for its hash, and again for the record.
    let (records, others) = search(&asked, &[PathBuf::from("-")], ACCEPTED).unwrap();
    assert_eq!((records, others.len()), (expected, 0));
    let (records, _) = search(&asked, &[other], "").unwrap();
    assert!(records.is_empty());
    let error = asked.elsewhere().to_string();
    assert!(error.contains("is from none of these files; give the syslog with sha256 "), "{error}");
    let dash = PathBuf::from("-");
    assert!(matches!(search(&asked, &[dash.clone(), dash], ""), Err(RawError::Telemetry(_))));
}

#[test]
fn a_fact_that_counts_gives_at_most_as_many_records_as_are_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(9));
    let packet = read(reading(std::slice::from_ref(&log)), "").unwrap().0.packet;
    let counted = packet.facts().iter().find(|fact| fact.aggregate.is_some()).unwrap();
    for most in [1, 4, 20] {
        let asked = RawSearch { packet: &packet, fact: counted, most };
        let (records, _) = search(&asked, std::slice::from_ref(&log), "").unwrap();
        assert_eq!(records.len(), most.min(9));
    }
}
