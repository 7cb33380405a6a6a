//! Recordings of our own: they agree, and a spoilt one is found out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use gimbal_parity::ReadError;
use gimbal_textcraft::recording::{KINDS, record};
use gimbal_textcraft::replay::{ReplayOptions, ReplayReport, replay_all, replay_from};
use serde_json::{Value, json};

fn recording() -> String {
    let mut bytes = Vec::new();
    let seeds = [0, 4, 94, 200, 418, 419 + 7, u64::MAX];
    record(&common::tree(), seeds.into_iter(), &KINDS, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn replayed(text: &str) -> Result<ReplayReport, ReadError> {
    replay_from(Path::new("own.jsonl"), Box::new(Cursor::new(text.as_bytes().to_vec())), &common::tree())
}

// covers: CYC-034
#[test]
fn own_recordings_agree() {
    let report = replayed(&recording()).unwrap();
    assert_eq!((report.counts.rows, report.counts.aliased, report.mismatches, report.unrecorded), (28, 7, 0, Some(0)));
    assert!(report.counts.steps > 300);
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.jsonl");
    std::fs::write(&good, recording()).unwrap();
    let files = vec![folder.path().join("nowhere.jsonl"), good];
    let report = replay_all(&ReplayOptions { files, tree: common::tree() });
    assert_eq!((report.counts.rows, report.mismatches, report.unreadable.len()), (28, 0, 1));
}

#[test]
fn the_order_of_lines_and_the_choice_of_ten_are_the_originals_own() {
    let text = recording();
    let mut row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let prompt = row["prompt"].as_str().unwrap().to_owned();
    let mut lines: Vec<&str> = prompt.lines().collect();
    let last = lines.len() - 2;
    lines[1..last].reverse();
    // Another of those that distractors are drawn from.
    let core: Vec<String> = serde_json::from_value(row["core"].clone()).unwrap();
    let pool: Vec<String> = serde_json::from_value(row["pool"].clone()).unwrap();
    let other = pool.iter().find(|text| !lines.contains(&text.as_str())).unwrap().clone();
    let at = lines[1..last].iter().position(|line| !core.iter().any(|text| text == line)).unwrap() + 1;
    lines[at] = &other;
    row["prompt"] = lines.join("\n").into();
    assert_eq!(replayed(&row.to_string()).unwrap().mismatches, 0);
}

#[test]
fn every_spoilt_field_is_found() {
    let text = recording();
    let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let spoilt = |change: &dyn Fn(&mut Value)| {
        let mut row = row.clone();
        change(&mut row);
        let report = replayed(&row.to_string()).unwrap();
        assert!(!report.agrees());
        let first = report.first.unwrap();
        assert_eq!((first.file.as_str(), first.place.line, first.place.seed.as_str()), ("own.jsonl", 1, "0"));
        (first.field, first.place.step)
    };
    let prompt = row["prompt"].as_str().unwrap().to_owned();
    let first_line = prompt.lines().nth(1).unwrap().to_owned();
    let core = row["core"][0].as_str().unwrap().to_owned();
    let pool = row["pool"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let distractor = pool.into_iter().find(|text| prompt.contains(&format!("{text}\n"))).unwrap().to_owned();
    assert_eq!(spoilt(&|row| row["depth"] = 3.into()), ("depth".to_owned(), None));
    assert_eq!(spoilt(&|row| row["goal"] = "red banner".into()).0, "goal");
    assert_eq!(spoilt(&|row| row["core"][0] = "craft".into()).0, "core");
    assert_eq!(spoilt(&|row| row["pool"] = json!([])).0, "pool");
    for (change, field) in [
        (prompt.replacen("commands", "Commands", 1), "prompt, first line"),
        (prompt.replacen("Goal: craft cyan", "Goal: craft red", 1), "prompt, last line"),
        (prompt.replacen(&first_line, &format!("{first_line}\n{first_line}"), 1), "prompt, a command twice"),
        (prompt.replacen(&format!("{core}\n"), "", 1), "prompt, a command below the goal"),
        (
            prompt.replacen(&format!("{distractor}\n"), "craft 1 moon using 1 cheese\n", 1),
            "prompt, a command of neither set",
        ),
        (prompt.replacen(&format!("{distractor}\n"), "", 1), "prompt, number of commands"),
    ] {
        assert_ne!(change, prompt, "{field}");
        assert_eq!(spoilt(&|row| row["prompt"] = change.as_str().into()), (field.to_owned(), None));
    }
    assert_eq!(spoilt(&|row| row["steps"][2]["obs"] = "Got 9 moons".into()), ("obs".to_owned(), Some(2)));
    assert_eq!(spoilt(&|row| row["steps"][0]["reward"] = 1.into()), ("reward".to_owned(), Some(0)));
    assert_eq!(spoilt(&|row| row["steps"][1]["done"] = true.into()), ("done".to_owned(), Some(1)));
    // Rows of another kind are played without the quirk.
    let alias = text.lines().find(|line| line.contains("\"kind\":\"alias\"")).unwrap();
    assert!(replayed(alias).unwrap().agrees());
    assert!(!replayed(&alias.replacen("\"alias\"", "\"clean\"", 1)).unwrap().agrees());
}

#[test]
fn what_is_no_row_is_refused_with_its_place() {
    let row = r#"{"seed": 0, "kind": "clean", "steps": [{"cmd": "inventory", "obs": "Inventory: You are not carrying anything."}]}"#;
    let report = replayed(row).unwrap();
    assert_eq!((report.mismatches, report.unrecorded), (0, Some(7)));
    for (text, why) in [
        ("", "no episode in own.jsonl: a recording holds at least one row"),
        (r#"{"kind": "clean", "steps": []}"#, "own.jsonl:1: `seed` is missing"),
        (r#"{"seed": 0.5, "kind": "clean", "steps": []}"#, "own.jsonl:1: `seed` must be a whole number"),
        (r#"{"seed": 0, "kind": "clean"}"#, "own.jsonl:1: `steps` is missing"),
        (r#"{"seed": 0, "kind": "clean", "steps": []}"#, "own.jsonl:1: `steps` is empty"),
        (
            r#"{"seed": 0, "kind": "foo", "steps": [{"cmd": "inventory"}]}"#,
            "own.jsonl:1: unknown `kind` \"foo\" (known: clean, noisy, random, alias)",
        ),
        (r#"{"seed": 0, "kind": "clean", "steps": [{}]}"#, "own.jsonl:1: step 0: `cmd` must be the text"),
        (
            r#"{"seed": 0, "kind": "clean", "steps": [{"cmd": "", "ob": ""}]}"#,
            "own.jsonl:1: step 0: unknown field `ob`",
        ),
        (
            r#"{"seed": 0, "kind": "clean", "steps": [], "gaol": ""}"#,
            "own.jsonl:1: unknown field `gaol`; did you mean `goal`?",
        ),
        (&row[..60], "own.jsonl:1: column"),
        (&format!("{row}\n{}", &row[..60]), "own.jsonl:2: column"),
    ] {
        let error = replayed(text).unwrap_err().to_string();
        assert!(error.starts_with(why), "{text}: {error}");
    }
    assert!(
        replayed(r#"{"seed": -1, "kind": "clean", "goal": "yellow wool", "steps": [{"cmd": "inventory"}]}"#)
            .unwrap()
            .agrees()
    );
}

/// A source that breaks off.
struct Torn;

impl Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "corrupt gzip stream"))
    }
}

#[test]
fn a_recording_that_breaks_off_is_named_with_its_line() {
    let text = recording();
    let rows: usize = 3;
    let end = text.match_indices('\n').nth(rows - 1).unwrap().0 + 30;
    let source = BufReader::new(Cursor::new(text.as_bytes()[..end].to_vec()).chain(Torn));
    let error = replay_from(Path::new("own.jsonl.gz"), Box::new(source), &common::tree()).unwrap_err().to_string();
    assert!(error.starts_with("own.jsonl.gz:4: the file cannot be read any further"), "{error}");
}
