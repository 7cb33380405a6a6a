//! Sources in their order, what is passed over, and what is refused.

use std::path::{Path, PathBuf};

use gimbal_evidence::Selection;
use gimbal_telemetry::{Reading, Shifts, files_below, read_pseudonyms};

use crate::support::{ACCEPTED, Counting, failures, read, reading, write};

#[test]
fn a_packet_depends_neither_on_names_nor_on_the_order_of_files() {
    let place = tempfile::tempdir().unwrap();
    let one = write(place.path(), "a.log", &failures(3));
    let other = write(place.path(), "b.log", ACCEPTED);
    let (first, said) = read(reading(&[one.clone(), other.clone()]), "").unwrap();
    assert!(said.is_empty(), "{said:?}");
    let (second, _) = read(reading(&[other, one]), "").unwrap();
    assert_eq!(first.packet.head(), second.packet.head());
    let renamed = tempfile::tempdir().unwrap();
    write(renamed.path(), "z/first.log", ACCEPTED);
    write(renamed.path(), "second.log", &failures(3));
    let (third, _) = read(reading(&[renamed.path().to_path_buf()]), "").unwrap();
    assert_eq!(first.packet.head(), third.packet.head());
}

#[test]
fn a_folder_is_read_without_its_documentation_copies_and_other_files() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(3));
    write(place.path(), "below/copy.log", &failures(3));
    write(place.path(), "README.md", "# What this is\n\nLogs of one host.\n");
    write(place.path(), "notes.bin", "\0\u{1}\u{2}\u{3}");
    let (found, said) = read(reading(&[place.path().to_path_buf()]), "").unwrap();
    assert_eq!(found.packet.header().sources.len(), 1);
    let (alone, _) = read(reading(&[log]), "").unwrap();
    assert_eq!(found.packet.head(), alone.packet.head());
    assert_eq!((found.skipped.len(), found.no_telemetry.len()), (1, 1), "{said:?}");
    assert!(found.skipped[0].name.ends_with("notes.bin"), "{:?}", found.skipped);
    let has = |what: &str| said.iter().any(|line| line.contains(what));
    assert!(has("skipped: a file with the same bytes was read before"), "{said:?}");
    assert!(has("README.md: no telemetry: documentation by its name"), "{said:?}");
    assert!(has("1 file was skipped; its records are not in the packet"), "{said:?}");
}

#[test]
fn a_file_that_is_named_is_never_passed_over() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(3));
    let other = write(place.path(), "notes.bin", "\0\u{1}\u{2}\u{3}");
    let error = read(reading(&[log, other]), "").unwrap_err();
    assert!(error.to_string().contains("notes.bin: "), "{error}");
    assert!(error.member().is_none() && !error.is_external());
}

#[test]
fn nothing_is_not_a_packet() {
    let place = tempfile::tempdir().unwrap();
    let error = read(reading(&[place.path().to_path_buf()]), "").unwrap_err();
    assert_eq!(error.to_string(), "nothing was read: there is no file");
    write(place.path(), "notes.bin", "\0\u{1}\u{2}\u{3}");
    let error = read(reading(&[place.path().to_path_buf()]), "").unwrap_err();
    assert!(error.to_string().contains("none of the files is in a known format"), "{error}");
    let missing = place.path().join("missing.log");
    let error = read(reading(&[missing]), "").unwrap_err();
    assert!(error.to_string().contains("missing.log: cannot be read: "), "{error}");
}

#[test]
fn standard_input_gives_the_packet_of_its_file_and_is_read_once() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(3));
    let dash = PathBuf::from("-");
    let (piped, _) = read(reading(std::slice::from_ref(&dash)), &failures(3)).unwrap();
    let (filed, _) = read(reading(&[log]), "").unwrap();
    assert_eq!(piped.packet.head(), filed.packet.head());
    let error = read(reading(&[dash.clone(), dash]), &failures(3)).unwrap_err();
    assert_eq!(error.to_string(), "-: standard input can be read once; name it once");
}

#[test]
fn a_watcher_sees_the_records_of_every_source() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(3));
    let mut seen = Counting::default();
    let files = [log, PathBuf::from("-")];
    reading(&files).read(ACCEPTED.as_bytes(), Some(&mut seen), &mut |_| {}).unwrap();
    assert_eq!(seen.0, 4);
}

#[test]
fn times_are_shifted_for_a_file_that_is_read_and_for_no_other() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", ACCEPTED);
    let shifted =
        |text: String| Reading { shifts: Shifts::of(&[text]).unwrap(), ..reading(std::slice::from_ref(&log)) };
    let (found, _) = read(shifted(format!("{}=-600", log.display())), "").unwrap();
    let time = found.packet.facts()[0].time.as_ref().unwrap().utc.to_string();
    assert!(time.starts_with("2026-03-28T08:51:10"), "{time}");
    let error = read(shifted("other.log=-600".to_owned()), "").unwrap_err();
    assert_eq!(error.member(), Some("shift"));
    assert!(error.to_string().starts_with("`other.log` is none of the files that were read"), "{error}");
    for wrong in ["a.log", "a.log=", "a.log=soon"] {
        let error = Shifts::of(&[wrong.to_owned()]).unwrap_err();
        assert!(error.to_string().contains("expected FILE=SECONDS"), "{error}");
    }
}

#[test]
fn names_are_replaced_by_a_map_and_a_wrong_map_is_named() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", ACCEPTED);
    let map = write(place.path(), "names.yaml", "gate: host-one\n");
    let (found, _) = read(Reading { pseudonyms: read_pseudonyms(&map).unwrap(), ..reading(&[log]) }, "").unwrap();
    let bytes = String::from_utf8(found.packet.to_bytes()).unwrap();
    assert!(bytes.contains("host:host-one") && !bytes.contains("host:gate"), "{bytes}");
    let wrong = write(place.path(), "wrong.yaml", "- gate\n");
    for path in [wrong, place.path().join("missing.yaml")] {
        let error = read_pseudonyms(&path).unwrap_err();
        assert_eq!(error.member(), Some("pseudonyms"), "{error}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
}

#[test]
fn statements_of_a_person_are_a_source_and_a_fault_in_them_names_their_file() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", ACCEPTED);
    let wrong = write(place.path(), "context.yaml", "no_such_key: 1\n");
    for path in [wrong, place.path().join("missing.yaml")] {
        let error =
            read(Reading { context: Some(path.clone()), ..reading(std::slice::from_ref(&log)) }, "").unwrap_err();
        assert_eq!(error.member(), Some("context"), "{error}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    }
}

#[test]
fn a_packet_without_a_fact_is_said() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", &failures(3));
    let selection = Selection { since: Some("2027-01-01T00:00:00Z".parse().unwrap()), ..Selection::default() };
    let (found, said) = read(Reading { selection, ..reading(&[log]) }, "").unwrap();
    assert!(found.packet.facts().is_empty());
    assert!(said.iter().any(|line| line.starts_with("the packet is empty: 3 records were read")), "{said:?}");
}

#[test]
fn what_is_read_would_be_replaced_by_itself_and_by_what_is_in_its_folder() {
    let place = tempfile::tempdir().unwrap();
    let log = write(place.path(), "logs/a.log", ACCEPTED);
    let folder = place.path().join("logs");
    let would = |files: &[PathBuf], further: &[PathBuf], out: &Path| Reading::would_replace(files, further, out);
    assert!(would(std::slice::from_ref(&log), &[], &log));
    assert!(would(std::slice::from_ref(&folder), &[], &log));
    assert!(would(&[], std::slice::from_ref(&log), &folder.join("../logs/a.log")));
    assert!(!would(std::slice::from_ref(&folder), &[], &folder.join("new.json")));
    assert!(!would(&[log], &[], &place.path().join("b.log")));
}

#[cfg(unix)]
#[test]
fn links_of_a_folder_are_not_followed_and_are_named() {
    let place = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let log = write(place.path(), "a.log", ACCEPTED);
    let target = write(elsewhere.path(), "b.log", &failures(3));
    std::os::unix::fs::symlink(&target, place.path().join("link.log")).unwrap();
    assert_eq!(files_below(place.path()).unwrap(), [log]);
    let (found, said) = read(reading(&[place.path().to_path_buf()]), "").unwrap();
    assert_eq!(found.skipped.len(), 1);
    assert!(said[0].contains("link.log: skipped: links in a folder are not followed"), "{said:?}");
}
