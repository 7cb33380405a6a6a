//! Evidence at the terminal: extracted, verified, shown, proved, and judged by rule.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::io::Write as _;
use std::process::Stdio;

use crate::common::{Place, Said};

/// An hour of a gate: password guessing that gets in, and a user's ordinary day.
fn guessed() -> String {
    let mut log = String::new();
    for second in 0..40 {
        log += &format!(
            "Mar 28 09:00:{second:02} gate sshd[4{second:02}]: Failed password for root from 192.0.2.7 port 5{second:04} ssh2\n"
        );
    }
    log + "Mar 28 09:01:10 gate sshd[499]: Accepted password for root from 192.0.2.7 port 50999 ssh2\n"
}

fn ordinary() -> String {
    (0..9)
        .map(|hour| {
            format!("Mar 28 1{hour}:00:00 gate sshd[5{hour}]: Accepted publickey for ann from 198.51.100.4 port 4100{hour} ssh2: RSA SHA256:x\n")
        })
        .collect()
}

fn triage(place: &Place, log: &str, more: &[&str]) -> Said {
    let file = place.write("auth.log", log);
    let file = file.to_str().unwrap();
    place.gimbal(&[&["triage", file, "--year", "2026"], more].concat())
}

// covers: ARES-023, ARES-040
#[test]
fn guessed_passwords_are_confirmed_and_an_ordinary_day_is_dismissed() {
    let place = Place::new();
    let said = triage(&place, &guessed(), &[]);
    assert_eq!(said.code, 20, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("THREAT_CONFIRMED"), "{}", said.out);
    assert!(said.out.contains("T1110.001") && said.out.contains("F0") && said.out.contains("head "), "{}", said.out);
    assert!(said.err.is_empty(), "{}", said.err);
    let said = triage(&place, &ordinary(), &[]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("THREAT_DISMISSED"), "{}", said.out);
}

/// A script reads 0 as "nothing to see": a dismissal over a packet that left records out is not that.
#[test]
fn a_dismissal_over_an_incomplete_packet_ends_as_an_open_question_does() {
    let place = Place::new();
    let few = ["--max-facts", "2", "--aggregate-above", "100"];
    let said = triage(&place, &ordinary(), &few);
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("THREAT_DISMISSED"), "{}", said.out);
    assert!(said.out.contains("RECORDS IN NO FACT") && said.out.contains("No side saw them"), "{}", said.out);
    assert!(said.err.contains("exit code 10 and not 0") && said.err.contains("7 records"), "{}", said.err);
    let said = triage(&place, &ordinary(), &[&few[..], &["--allow-left-out"]].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", said.out);
    let lines = triage(&place, &ordinary(), &[&few[..], &["--as", "jsonl"]].concat());
    let first: serde_json::Value = serde_json::from_str(lines.out.lines().next().unwrap()).unwrap();
    assert_eq!((&first["complete"], &first["in_no_fact"]), (&false.into(), &7.into()));
    // Counted records are in a fact, and nothing else changes a confirmed verdict.
    assert_eq!(triage(&place, &ordinary(), &["--max-facts", "2"]).code, 0);
    assert_eq!(triage(&place, &guessed(), &["--max-facts", "5"]).code, 20);
}

/// What could not be read, was not collected, or is of no class that a rule asks about was not looked at.
#[test]
fn a_dismissal_over_what_no_side_could_use_ends_as_an_open_question_does() {
    let place = Place::new();
    let first = |said: &Said| -> serde_json::Value { serde_json::from_str(said.out.lines().next().unwrap()).unwrap() };
    let broken: String = (0..9).map(|line| format!("\u{1}\u{2} {line} no line of a log\n")).collect();
    let damaged = ordinary() + &broken;
    let said = triage(&place, &damaged, &[]);
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    assert!(said.out.starts_with("THREAT_DISMISSED"), "{}", said.out);
    assert!(said.out.contains("NOT SEEN: 9 records could not be read. The dismissal says nothing"), "{}", said.out);
    assert!(
        said.err.contains("exit code 10 and not 0") && said.err.contains("9 records could not be read"),
        "{}",
        said.err
    );
    assert_eq!(triage(&place, &damaged, &["--allow-left-out"]).code, 0);
    let said = first(&triage(&place, &damaged, &["--as", "jsonl"]));
    assert_eq!((&said["complete"], &said["damaged"], &said["in_no_fact"]), (&false.into(), &9.into(), &0.into()));
    // Those that are only counted are as many.
    assert_eq!(first(&triage(&place, &damaged, &["--as", "jsonl", "--aggregate-above", "1"]))["damaged"], 9);

    let context = |from: &str, until: &str| {
        place.write(
            "site.yaml",
            &format!("not_collected:\n  - {{source: Security log of ws01, from: {from}, until: {until}}}\n"),
        );
    };
    context("2026-03-28T00:00:00Z", "2026-03-29T00:00:00Z");
    let said = triage(&place, &ordinary(), &["--context", "site.yaml"]);
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    assert!(said.err.contains("what was not collected in the time of these facts is stated by F0"), "{}", said.err);
    assert_eq!(triage(&place, &ordinary(), &["--context", "site.yaml", "--allow-left-out"]).code, 0);
    let said = first(&triage(&place, &ordinary(), &["--context", "site.yaml", "--as", "jsonl"]));
    assert_eq!((&said["complete"], said["not_collected"].as_array().map(Vec::len)), (&false.into(), Some(1)));
    // Another day is another question.
    context("2026-03-20T00:00:00Z", "2026-03-21T00:00:00Z");
    assert_eq!(triage(&place, &ordinary(), &["--context", "site.yaml"]).code, 0);

    let messages: String =
        (0..9).map(|hour| format!("Mar 28 1{hour}:00:00 gate app[5]: request {hour} done\n")).collect();
    let said = triage(&place, &messages, &[]);
    assert_eq!(said.code, 10, "{}{}", said.out, said.err);
    assert!(said.err.contains("none of the 9 records is of a class that a rule asks about"), "{}", said.err);
    assert_eq!(triage(&place, &messages, &["--allow-left-out"]).code, 0);
    let said = first(&triage(&place, &messages, &["--as", "jsonl"]));
    assert_eq!((&said["complete"], &said["unclassified"], &said["damaged"]), (&false.into(), &9.into(), &0.into()));
    // Beside one that a rule asks about they are what a log is full of.
    let said = first(&triage(&place, &(ordinary() + &messages), &["--as", "jsonl"]));
    assert_eq!((&said["complete"], &said["unclassified"]), (&true.into(), &0.into()));
}

/// Whoever reads a verdict can open what is behind it: the command of the report is one that works.
#[test]
fn every_report_says_how_the_raw_record_is_opened() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("my logs")).unwrap();
    place.write("my logs/auth.log", &guessed());
    let say = |more: &[&str]| place.gimbal(&[&["triage", "my logs", "--year", "2026"], more].concat()).out;
    let command = "gimbal evidence raw F001 packet.json 'my logs'";
    for form in ["text", "markdown", "html"] {
        let shown = if form == "html" { command.replace('\'', "&#39;") } else { command.to_owned() };
        let said = say(&["--as", form]);
        assert!(said.contains(&shown) && said.contains("--packet packet.json"), "{form}: {said}");
        let said = say(&["--as", form, "--packet", "packet.json"]);
        assert!(said.contains(&shown) && !said.contains("--packet packet.json"), "{form}: {said}");
    }
    let raw = place.gimbal(&["evidence", "raw", "F001", "packet.json", "my logs"]);
    assert!(raw.code == 0 && raw.out.contains("Failed password for root"), "{}{}", raw.out, raw.err);
}

#[test]
fn packed_files_of_a_folder_are_named_with_what_makes_them_readable() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    place.write("logs/auth.log", &ordinary());
    std::fs::write(place.path().join("logs/auth.log.1.gz"), b"\x1f\x8b\x08 packed").unwrap();
    std::fs::write(place.path().join("logs/old.zip"), b"PK\x03\x04 packed").unwrap();
    std::fs::write(place.path().join("logs/empty.log"), b"").unwrap();
    let said = place.gimbal(&["triage", "logs", "--year", "2026"]);
    assert_eq!(said.code, 10, "what was skipped nobody saw: {}", said.err);
    assert_eq!(place.gimbal(&["triage", "logs", "--year", "2026", "--allow-left-out"]).code, 0);
    for (file, why) in [("auth.log.1.gz", "gzip"), ("old.zip", "unpack it first"), ("empty.log", "empty")] {
        let line = said.err.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{file}: {}", said.err));
        assert!(line.contains("skipped: ") && line.contains(why) && !line.contains("--format"), "{line}");
    }
    assert!(said.err.contains("3 files were skipped; their records are not in the packet"), "{}", said.err);
}

/// What was not read is said in every form, and no dismissal ends with 0 over it.
#[test]
fn what_a_folder_holds_and_is_not_read_is_named_in_every_form() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    place.write("logs/auth.log", &ordinary());
    place.write("elsewhere.log", &guessed());
    place.write("logs/README.md", "# What is here\n\nLogs of one host.\n");
    place.write("logs/notes.md", "At 02:27:20 root logged on.\n");
    std::fs::write(place.path().join("logs/shot.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    place.write("logs/site.yaml", "inventory:\n  - host: gate\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../elsewhere.log", place.path().join("logs/link.log")).unwrap();
    for form in ["text", "markdown", "html", "jsonl", "csv"] {
        let said = place.gimbal(&["triage", "logs", "--year", "2026", "--as", form]);
        assert_eq!(said.code, 10, "{form}: {}{}", said.out, said.err);
        assert!(
            said.out.contains("inputs were not read") && !said.err.contains("damaged"),
            "{form}: {}{}",
            said.out,
            said.err
        );
        let line = said.err.lines().find(|line| line.contains("README.md")).unwrap_or_else(|| panic!("{}", said.err));
        assert!(line.contains("README.md: no telemetry: documentation") && said.out.contains("README.md"), "{line}");
        for file in ["notes.md", "shot.png", "site.yaml"] {
            let line = said.err.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{}", said.err));
            assert!(line.contains("skipped: ") && line.contains("known format"), "{line}");
        }
        #[cfg(unix)]
        assert!(said.err.contains("link.log: skipped: links in a folder are not followed"), "{}", said.err);
    }
    #[cfg(unix)]
    {
        std::fs::create_dir(place.path().join("links")).unwrap();
        std::os::unix::fs::symlink("../elsewhere.log", place.path().join("links/link.log")).unwrap();
        let said = place.gimbal(&["triage", "links", "--year", "2026"]);
        assert!(said.code == 2 && said.err.contains("link.log: skipped: links"), "{}", said.err);
    }
}

/// Whoever gets a report must see that it is not over the whole log.
#[test]
fn a_part_that_was_asked_for_is_named_in_every_form() {
    let place = Place::new();
    place.write("auth.log", &guessed());
    for form in ["text", "markdown", "html", "jsonl", "csv"] {
        let whole = place.gimbal(&["triage", "auth.log", "--year", "2026", "--as", form]);
        assert!(!whole.out.contains("A PART OF WHAT WAS READ"), "{form}: {}", whole.out);
        let part =
            place.gimbal(&["triage", "auth.log", "--year", "2026", "--as", form, "--since", "2026-01-01T00:00:00Z"]);
        assert_eq!(part.code, whole.code, "{form}");
        let said = "A PART OF WHAT WAS READ, as asked for: --since 2026-01-01T00:00:00";
        assert!(part.out.contains(said), "{form}: {}", part.out);
    }
}

/// Without a year nothing can be held against a window, and a script must not take the dismissal for one over the window.
// covers: ARES-005
#[test]
fn a_window_that_records_without_a_time_ignore_is_said_in_every_form() {
    let place = Place::new();
    place.write("auth.log", &ordinary());
    let since = ["--since", "2026-01-01T00:00:00Z"];
    let ask = |more: &[&str]| place.gimbal(&[&["triage", "auth.log"], &since[..], more].concat());
    for form in ["text", "markdown", "html", "jsonl", "csv"] {
        let said = ask(&["--as", form]);
        assert_eq!(said.code, 10, "{form}: {}{}", said.out, said.err);
        assert!(said.out.contains("taken whatever --since and --until say"), "{form}: {}", said.out);
        assert!(!said.out.contains("A PART OF WHAT WAS READ"), "{form}: {}", said.out);
    }
    let said = ask(&["--allow-left-out"]);
    assert!(said.code == 0 && said.err.contains("without a time"), "{}", said.err);
    assert_eq!(ask(&["--year", "2026"]).code, 0);
    place.gimbal(&[&["evidence", "extract", "auth.log", "-o", "p.json"], &since[..]].concat()).good();
    let shown = place.gimbal(&["evidence", "show", "p.json"]).good();
    assert!(shown.out.contains("without a time, taken whatever"), "{}", shown.out);
}

/// A timeline is a table of all facts: those without a year are in it too, and it says which verdict over which packet it belongs to.
// covers: ARES-002
#[test]
fn a_timeline_has_every_fact_the_verdict_and_the_head_of_the_packet() {
    let place = Place::new();
    place.write("auth.log", &guessed());
    for year in [&["--year", "2026"][..], &[]] {
        let ask = |form: &str| place.gimbal(&[&["triage", "auth.log", "--as", form], year].concat()).out;
        let verdict: serde_json::Value = serde_json::from_str(ask("jsonl").lines().next().unwrap()).unwrap();
        let csv = ask("csv");
        let rows: Vec<&str> = csv.lines().collect();
        assert!(rows[0].starts_with("datetime,timestamp_desc,message,fact,cited_by,clock"), "{csv}");
        let facts = verdict["facts"].as_u64().unwrap();
        assert_eq!(rows.iter().filter(|row| row.contains(",logon")).count() as u64, facts, "{csv}");
        let last = rows.last().unwrap();
        let (said, head) = (verdict["verdict"].as_str().unwrap(), verdict["head"].as_str().unwrap());
        assert!(last.contains(",verdict,") && last.contains(said) && last.contains(head), "{csv}");
        // Each row has all fields, in quotation marks where a comma is in one.
        let mut out_of_quotes =
            rows.iter().map(|row| row.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>());
        assert!(out_of_quotes.all(|commas| commas == 5), "{csv}");
        if year.is_empty() {
            assert!(rows[1].starts_with(",logon") && rows[1].contains(",????-03-28T09:0"), "{csv}");
            assert!(last.starts_with("1970-01-01T00:00:00Z,"), "{csv}");
        }
    }
}

/// Documentation beside logs hides no record: it is named, and the dismissal is complete. A log under such a name is read or missing.
// covers: ARES-010
#[test]
fn documentation_in_a_folder_leaves_a_dismissal_complete_and_a_log_with_its_name_does_not() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    place.write("logs/auth.log", &ordinary());
    place.write("logs/README.md", "# What is here\n\nLogs of one host.\n");
    place.write("logs/LICENSE", "Do with them what you like.\n");
    for form in ["text", "markdown", "html", "jsonl", "csv"] {
        let said = place.gimbal(&["triage", "logs", "--year", "2026", "--as", form]);
        assert_eq!(said.code, 0, "{form}: {}{}", said.out, said.err);
        assert!(said.out.contains("2 files were passed over as no telemetry"), "{form}: {}", said.out);
        assert!(said.err.contains("README.md: no telemetry") && said.err.contains("LICENSE: no telemetry"));
    }
    let verdict = place.gimbal(&["triage", "logs", "--year", "2026", "--as", "jsonl"]).out;
    let verdict: serde_json::Value = serde_json::from_str(verdict.lines().next().unwrap()).unwrap();
    assert_eq!(verdict["complete"], true);
    assert_eq!(verdict["no_telemetry"].as_array().map(Vec::len), Some(2));
    // Whoever names the file itself wants it read.
    let named = place.gimbal(&["triage", "logs/auth.log", "logs/README.md", "--year", "2026"]);
    assert!(named.code == 2 && named.err.contains("README.md: "), "{}", named.err);
    // What a reader knows is read whatever its name; what only could be a record is missing.
    place.write("logs/README.md", &guessed());
    assert_eq!(place.gimbal(&["triage", "logs", "--year", "2026"]).code, 20);
    place.write("logs/README.md", "root was refused 40 times from 198.51.100.7 to 10.0.0.5\n");
    let said = place.gimbal(&["triage", "logs", "--year", "2026"]);
    assert!(said.code == 10 && said.err.contains("README.md: skipped: "), "{}", said.err);
}

/// The raw record behind a fact of what came through a pipe.
#[test]
fn raw_records_are_read_from_standard_input_too() {
    let place = Place::new();
    let log = place.write("auth.log", &guessed());
    assert_eq!(place.gimbal(&["evidence", "extract", "auth.log", "--year", "2026", "-o", "p.json"]).code, 0);
    let mut command = place.command();
    command.args(["evidence", "raw", "F001", "p.json", "-"]).stdin(Stdio::from(std::fs::File::open(log).unwrap()));
    let said: Said = command.output().unwrap().into();
    assert!(said.good().out.contains("Failed password"));
}

/// Raw telemetry that is replaced by its packet is lost.
#[test]
fn nothing_is_written_over_what_is_read() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    let log = place.write("logs/auth.log", &ordinary());
    place.write("context.yaml", "known_scanners:\n  - {address: 192.0.2.7, name: test}\n");
    let cases: &[&[&str]] = &[
        &["evidence", "extract", "logs/auth.log", "-o", "logs/auth.log"],
        &["evidence", "extract", "logs", "-o", "logs/../logs/auth.log"],
        &["triage", "logs/auth.log", "--packet", "logs/auth.log"],
        &["triage", "logs/auth.log", "--context", "context.yaml", "--packet", "context.yaml"],
        &["triage", "logs/auth.log", "--model", "reader/triage", "--figure", "logs/auth.log"],
    ];
    for arguments in cases {
        let said = place.gimbal(arguments);
        assert!(said.code == 2 && said.err.contains("is among the files that are read"), "{arguments:?}: {}", said.err);
    }
    assert_eq!(std::fs::read_to_string(log).unwrap(), ordinary());
    // A new file beside the others is not a loss.
    place.gimbal(&["evidence", "extract", "logs", "--year", "2026", "-o", "logs/packet.json"]).good();
    let said = place.gimbal(&["evidence", "prove", "F001", "logs/packet.json", "-o", "logs/packet.json"]);
    assert!(said.code == 2 && said.err.contains("is the packet itself"), "{}", said.err);
    place.gimbal(&["evidence", "verify", "logs/packet.json"]).good();
}

#[test]
fn a_day_that_the_given_year_lacks_is_named_as_such() {
    let place = Place::new();
    let said = triage(&place, &ordinary().replace("Mar 28", "Feb 29"), &[]);
    assert!(said.err.contains("2026 has no `Feb 29 10:00:00`") && !said.err.contains("give the year"), "{}", said.err);
}

#[test]
fn a_mark_of_the_order_of_bytes_before_a_log_changes_no_fact() {
    let place = Place::new();
    let facts = |log: &str| {
        place.write("auth.log", log);
        let text = place.gimbal(&["evidence", "extract", "auth.log", "--year", "2026"]).good().out;
        // Without the links of the chain, which begins with the hash of the source.
        let lines = text.lines().filter_map(|line| line.strip_prefix("{\"fact\":")?.split_once(",\"link\":"));
        lines.map(|(fact, _)| fact.to_owned()).collect::<Vec<String>>()
    };
    let (plain, marked) = (facts(&guessed()), facts(&format!("\u{feff}{}", guessed())));
    assert_eq!(plain.len(), 7, "{plain:?}");
    assert_eq!(plain, marked);
}

// covers: ARES-131
#[test]
fn what_is_stated_beside_the_log_explains_it() {
    let place = Place::new();
    let context = place.write(
        "site.yaml",
        "known_scanners:\n  - address: 192.0.2.7\n    name: password audit\n    from: 2026-03-28T08:00:00Z\n    until: 2026-03-28T10:00:00Z\n",
    );
    let said = triage(&place, &guessed(), &["--context", context.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(said.out.contains("security_tool"), "{}", said.out);
}

#[test]
fn every_form_carries_the_head_of_the_packet() {
    let place = Place::new();
    let kept = place.path().join("kept.json");
    let said = triage(&place, &guessed(), &["--packet", kept.to_str().unwrap()]);
    let head = said.out.lines().find_map(|line| line.split("head ").nth(1)).unwrap().to_owned();
    for form in ["markdown", "jsonl", "csv"] {
        let said = triage(&place, &guessed(), &["--as", form]);
        assert_eq!(said.code, 20);
        assert!(said.out.contains(&head), "{form}: {}", said.out);
    }
    let lines = triage(&place, &guessed(), &["--as", "jsonl"]).out;
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["verdict"], &first["judge"]), (&"THREAT_CONFIRMED".into(), &"claims".into()));
    let timeline = triage(&place, &guessed(), &["--as", "csv"]).out;
    assert!(timeline.starts_with("datetime,timestamp_desc,message"), "{timeline}");
    place.gimbal(&["evidence", "verify", kept.to_str().unwrap(), "--head", &head]).good();
}

#[test]
fn a_file_a_folder_and_a_pipe_give_the_same_packet() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    let file = place.write("logs/auth.log", &guessed());
    let packet = |source: &str| place.gimbal(&["evidence", "extract", source, "--year", "2026"]).good().out;
    let of_file = packet(file.to_str().unwrap());
    assert_eq!(packet("logs"), of_file);
    let mut command = place.command();
    let mut child = command
        .args(["evidence", "extract", "-", "--year", "2026"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(guessed().as_bytes()).unwrap();
    let piped: Said = child.wait_with_output().unwrap().into();
    assert_eq!(piped.good().out, of_file);
    // Zone and language of the machine change nothing.
    let mut command = place.command();
    command.env("TZ", "Asia/Tokyo").env("LC_ALL", "tr_TR.UTF-8");
    let elsewhere: Said = command.args(["evidence", "extract", "logs", "--year", "2026"]).output().unwrap().into();
    assert_eq!(elsewhere.out, of_file);
}

#[test]
fn names_are_replaced_and_clocks_are_shifted_as_the_command_says() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("logs")).unwrap();
    place.write("logs/auth.log", &guessed());
    place.write("names.yaml", "gate: host1\n192.0.2.7: 198.51.100.9\n");
    let extract = |more: &[&str]| place.gimbal(&[&["evidence", "extract", "logs", "--year", "2026"], more].concat());
    let plain = extract(&[]).good().out;
    let said = extract(&["--pseudonyms", "names.yaml", "--shift", "logs/auth.log=-3600"]).good().out;
    let facts = |text: &str| text.split_once("\"facts\"").unwrap().1.to_owned();
    assert!(facts(&plain).contains("192.0.2.7") && facts(&plain).contains("2026-03-28T09:00:00"));
    assert!(facts(&said).contains("198.51.100.9") && facts(&said).contains("2026-03-28T08:00:00"), "{said}");
    assert!(!facts(&said).contains("192.0.2.7") && !facts(&said).contains("2026-03-28T09:01:10"), "{said}");
    assert!(said.contains("\"replaced_by\":\"host1\"") && said.contains("\"shift_seconds\":-3600"), "{said}");
    for (wrong, expected) in [
        (["--shift", "auth.log=5"], "none of the files that were read"),
        (["--shift", "logs/auth.log=soon"], "expected FILE=SECONDS"),
        (["--pseudonyms", "nowhere.yaml"], "cannot be read"),
    ] {
        let said = extract(&wrong);
        assert!(said.code == 2 && said.err.contains(expected), "{}", said.err);
    }
}

// covers: ARES-006, ARES-007
#[test]
fn a_changed_packet_fails_the_check_with_its_place() {
    let place = Place::new();
    let log = place.write("auth.log", &guessed());
    place.gimbal(&["evidence", "extract", log.to_str().unwrap(), "--year", "2026", "-o", "packet.json"]).good();
    place.gimbal(&["evidence", "verify", "packet.json"]).good();
    let shown = place.gimbal(&["evidence", "show", "packet.json", "--fact", "F003"]).good().out;
    assert!(shown.contains("raw record    line 2 of source S1") && shown.contains("sha256"), "{shown}");
    place.gimbal(&["evidence", "prove", "F002", "packet.json", "-o", "proof.json"]).good();
    let root = place.gimbal(&["evidence", "verify", "packet.json", "--json"]).good().json()["root"].clone();
    let root = root.as_str().unwrap();
    let bounds = ["--since", "2026-03-28T10:00:00Z", "--until", "2026-03-28T09:00:00Z"];
    let none = place.gimbal(&[&["evidence", "show", "packet.json"], &bounds[..]].concat());
    assert!(none.code == 2 && none.err.contains("no record is in between"), "{}{}", none.out, none.err);
    let proved = place.gimbal(&["evidence", "verify", "proof.json", "--root", root]).good().out;
    assert!(proved.contains("F002 leads to the root") && proved.contains("By the proof's own word"), "{proved}");
    let other = "0".repeat(64);
    assert_eq!(place.gimbal(&["evidence", "verify", "proof.json", "--root", &other]).code, 1);
    let text = std::fs::read_to_string(place.path().join("packet.json")).unwrap();
    let at = text.find("192.0.2.7").unwrap() + 8;
    let mut bytes = text.into_bytes();
    bytes[at] = b'8';
    std::fs::write(place.path().join("packet.json"), bytes).unwrap();
    let said = place.gimbal(&["evidence", "verify", "packet.json"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("packet.json: line ") && said.err.contains("chain"), "{}", said.err);
}

#[test]
fn mistakes_are_told_with_what_was_expected() {
    let place = Place::new();
    let log = place.write("auth.log", &ordinary());
    let log = log.to_str().unwrap();
    let empty = place.write("empty.log", "");
    let binary = place.path().join("noise.bin");
    std::fs::write(&binary, [1, 0xfe, 0, 0, 0, 0, 1, 2]).unwrap();
    std::fs::write(place.path().join("wide.log"), [0xff, 0xfe, b'M', 0, b'a', 0]).unwrap();
    std::fs::write(place.path().join("auth.log.gz"), b"\x1f\x8b\x08 no zero in its first line").unwrap();
    place.write("blank.log", " \n\n");
    place.write("context.yaml", "inventory:\n  - hst: web\n");
    let cases: &[(&[&str], &str)] = &[
        (&["triage", "missing.log"], "missing.log"),
        (&["triage", empty.to_str().unwrap()], "empty"),
        (&["triage", binary.to_str().unwrap()], "no known format"),
        (&["triage", "wide.log"], "no line at its beginning is one of a known format"),
        (&["triage", "auth.log.gz"], "zcat"),
        (&["triage", "blank.log"], "blank"),
        (&["triage", "-", "-"], "standard input can be read once"),
        (&["triage", log, "--format", "evtx"], "it is not in the format `evtx`"),
        (&["triage", log, "--context", "context.yaml"], "--context: context.yaml:2:5: unknown key `hst`"),
        (&["triage", log, "--pseudonyms", "context.yaml"], "NAME: REPLACEMENT"),
        (&["triage", log, "--judge", "calibrated"], "cannot judge a single packet"),
        (
            &["triage", log, "--since", "2026-01-02T00:00:00Z", "--until", "2026-01-01T00:00:00Z"],
            "not later than --since",
        ),
        (&["triage", log, "--format", "sylog"], "did you mean `syslog`"),
        (&["triage", log, "--judge", "v3"], "there is no judge `v3`"),
        (&["triage", log, "--since", "yesterday"], "--since: `yesterday` is not a time"),
        (&["triage", log, "--entity", "mars"], "--entity"),
        (&["evidence", "show", log], "is not a packet, which begins with `{\"header\"`"),
        (&["evidence", "raw", "F001", log, log, "--most", "0"], "must be at least 1"),
        (&["judge", "sweep", "--judge", "calibrated"], "--mean-architect"),
        (&["judge", "sweep", "--architect", "0.5-2", "--skeptic", "0.1"], "--architect: `0.5-2`"),
        (&["judge", "sweep", "--step", "0"], "--step"),
    ];
    for (arguments, expected) in cases {
        let said = place.gimbal(arguments);
        assert!(matches!(said.code, 1 | 2) && said.err.contains(expected), "{arguments:?}: {} {}", said.code, said.err);
    }
}

// covers: ARES-060, ARES-061, ARES-R10
#[test]
fn judges_are_swept_without_a_model() {
    let place = Place::new();
    let said = place.gimbal(&[
        "judge",
        "sweep",
        "--judge",
        "v2",
        "--architect",
        "0.45-0.65",
        "--skeptic",
        "0.60-0.90",
        "--format",
        "csv",
    ]);
    let rows: Vec<&str> = said.out.lines().skip(1).take(2).collect();
    assert!(rows[0].contains("exact,0,0.645"), "{rows:?}");
    assert!(rows[1].contains("float_compat,0,0.6"), "{rows:?}");
    place.gimbal(&["papers", "ares"]).good();
}

// covers: ARES-007, ARES-014
#[test]
fn the_raw_record_behind_a_fact_is_shown_as_it_was_hashed() {
    let place = Place::new();
    let log = place.write("auth.log", &guessed());
    let other = place.write("other.log", &ordinary());
    let (log, other) = (log.to_str().unwrap(), other.to_str().unwrap());
    let packet = place.path().join("packet.json");
    let packet = packet.to_str().unwrap();
    let said = place.gimbal(&["evidence", "extract", log, "--year", "2026", "-o", packet]);
    assert_eq!(said.code, 0, "{}", said.err);
    let facts = place.gimbal(&["evidence", "show", packet, "--json"]);
    let facts: Vec<serde_json::Value> = facts.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = |wanted: &dyn Fn(&serde_json::Value) -> bool| {
        facts.iter().find(|fact| wanted(fact)).unwrap()["id"].as_str().unwrap().to_owned()
    };
    // One record: the accepted logon, in the last line.
    let accepted = id(&|fact| fact["class"] == "logon");
    let said = place.gimbal(&["evidence", "raw", &accepted, packet, other, log]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("line 41 of ") && said.out.contains("Accepted password for root from 192.0.2.7"),
        "{}",
        said.out
    );
    assert!(said.err.contains("is not a source of this packet"), "{}", said.err);
    assert!(!said.out.contains("Failed"), "{}", said.out);
    // A fact that counts: the first of its records.
    let counted = id(&|fact| fact.get("aggregate").is_some());
    let said = place.gimbal(&["evidence", "raw", &counted, packet, log, "--most", "2"]);
    assert_eq!((said.code, said.out.matches("Failed password for root").count()), (0, 2), "{}{}", said.out, said.err);
    // Without the file that the packet was made of there is nothing to show.
    let said = place.gimbal(&["evidence", "raw", &accepted, packet, other]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("is from none of these files; give the syslog with sha256 "), "{}", said.err);
}

// covers: ARES-095
#[test]
fn the_page_of_a_verdict_links_sentences_to_facts_and_holds_no_foreign_markup() {
    let place = Place::new();
    let hostile = guessed()
        + "Mar 28 09:02:00 gate sshd[500]: Failed password for <script>alert(1)</script> from 192.0.2.7 port 1 ssh2\n";
    let said = triage(&place, &hostile, &["--as", "html", "--max-facts", "400"]);
    assert_eq!(said.code, 20, "{}", said.err);
    assert!(said.out.starts_with("<!doctype html>"), "{}", said.out);
    assert!(!said.out.contains("<script"), "{}", said.out);
    // Each link leads to a row of the page.
    let links = said.out.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut met = 0;
    for link in links {
        met += 1;
        assert!(said.out.contains(&format!("<tr id=\"{link}\">")), "{link}: {}", said.out);
    }
    assert!(met > 0);
}

#[test]
fn a_copy_of_a_source_does_not_count_twice() {
    let place = Place::new();
    let log = place.write("auth.log", &guessed());
    let copy = place.write("copy.log", &guessed());
    let (log, copy) = (log.to_str().unwrap(), copy.to_str().unwrap());
    let count = |said: &Said| said.out.lines().find(|line| line.contains("times")).map(str::to_owned);
    let alone = place.gimbal(&["triage", log, "--year", "2026"]);
    let both = place.gimbal(&["triage", log, copy, log, "--year", "2026"]);
    assert_eq!((alone.code, both.code), (20, 20), "{}", both.err);
    assert_eq!(both.err.matches("skipped: a file with the same bytes was read before").count(), 2, "{}", both.err);
    assert_eq!(count(&alone), count(&both), "{}", both.out);
}

#[test]
fn raw_records_of_a_count_are_those_that_it_counts() {
    let place = Place::new();
    let log = place.write("auth.log", &guessed());
    let log = log.to_str().unwrap();
    let packet = place.path().join("packet.json");
    let packet = packet.to_str().unwrap();
    let since = ["--since", "2026-03-28T09:00:20Z"];
    let made = [&["evidence", "extract", log, "--year", "2026", "-o", packet], &since[..]].concat();
    assert_eq!(place.gimbal(&made).code, 0);
    let facts = place.gimbal(&["evidence", "show", packet, "--json"]);
    let counted = facts.out.lines().find(|line| line.contains("\"aggregate\"")).unwrap();
    let id = serde_json::from_str::<serde_json::Value>(counted).unwrap()["id"].as_str().unwrap().to_owned();
    let said = place.gimbal(&["evidence", "raw", &id, packet, log, "--most", "100"]);
    assert_eq!((said.code, said.out.matches("Failed password").count()), (0, 20), "{}{}", said.out, said.err);
    assert!(!said.out.contains("09:00:19") && said.out.contains("09:00:20"), "{}", said.out);
}

/// Who asks for few facts is told what no side could see; who asks for nothing that is there is told so.
#[test]
fn records_that_are_in_no_fact_are_counted_and_an_empty_packet_says_why() {
    let place = Place::new();
    place.write("auth.log", &guessed());
    let ask = |more: &[&str]| place.gimbal(&[&["triage", "auth.log", "--year", "2026"], more].concat());
    let whole = ask(&[]);
    assert!(!whole.out.contains("RECORDS IN NO FACT"), "{}", whole.out);
    let facts: Vec<serde_json::Value> =
        ask(&["--as", "jsonl"]).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(facts[0]["in_no_fact"], 0);
    for form in ["text", "markdown", "html"] {
        let few = ask(&["--max-facts", "1", "--as", form]);
        assert!(few.out.contains("RECORDS IN NO FACT") && few.out.contains("--max-facts"), "{form}: {}", few.out);
    }
    // A timeline has them in a row of its own, at a time that tools import.
    let rows = ask(&["--max-facts", "1", "--as", "csv"]).out;
    let last = rows.lines().last().unwrap();
    assert!(last.starts_with("2026-03-28T09:0") && last.contains(",left_out,\"RECORDS IN NO FACT"), "{rows}");
    assert!(!ask(&["--as", "csv"]).out.contains("left_out"));
    // Without a year no fact has a time, and the row has one all the same.
    let rows = place.gimbal(&["triage", "auth.log", "--max-facts", "1", "--as", "csv"]).out;
    assert!(rows.lines().last().unwrap().starts_with("1970-01-01T00:00:00Z,left_out,"), "{rows}");
    let none = ask(&["--entity", "host:nobody"]);
    assert_eq!(none.code, 10);
    assert!(none.err.contains("--since, --until and --entity take none of them"), "{}", none.err);
    place.gimbal(&["evidence", "extract", "auth.log", "--year", "2026", "-o", "packet.json"]).good();
    let shown = place.gimbal(&["evidence", "show", "packet.json", "--class", "file_created"]).good();
    assert!(shown.err.contains("no fact of this packet is like that"), "{}", shown.err);
}
