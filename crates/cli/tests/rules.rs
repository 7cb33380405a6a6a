//! Sigma rules at the terminal: without the engine the flags say how to get it, with it hits are listed beside a verdict.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common::Place;

const RULE: &str = "title: Discovery by whoami\nid: 5f1d1b1e-0000-4000-8000-000000000001\nauthor: A. Author\nlevel: medium\n\
                    logsource:\n    product: windows\n    category: process_creation\ndetection:\n    selection:\n        \
                    CommandLine|contains: whoami\n    condition: selection\n";

/// A start of a process in the Security log, as event XML.
fn event(command: &str) -> String {
    format!(
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System>\
         <Provider Name='Microsoft-Windows-Security-Auditing'/><EventID>4688</EventID>\
         <TimeCreated SystemTime='2026-03-28T09:00:01Z'/><EventRecordID>7</EventRecordID><Channel>Security</Channel>\
         <Computer>ws01.example</Computer></System><EventData><Data Name='SubjectUserName'>eve</Data>\
         <Data Name='NewProcessName'>C:\\Windows\\System32\\whoami.exe</Data><Data Name='CommandLine'>{command}</Data>\
         </EventData></Event>"
    )
}

/// A place with a rule and two logs.
fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("rules")).unwrap();
    place.write("rules/whoami.yml", RULE);
    place.write("a.xml", &event("whoami /all"));
    place.write("b.xml", &event("dir"));
    place.write("labels.csv", "file,label\na.xml,malicious\nb.xml,benign\n");
    place
}

#[cfg(not(feature = "sigma"))]
#[test]
fn without_the_engine_rules_are_refused_with_the_way_to_get_it() {
    let place = place();
    for asked in [
        &["triage", "a.xml", "--rules", "rules"][..],
        &["evidence", "extract", "a.xml", "--rules", "rules"],
        &["evidence", "rules", "rules", "a.xml"],
    ] {
        let said = place.gimbal(asked);
        assert_eq!(said.code, 2, "{}{}", said.out, said.err);
        assert!(said.err.contains("--features sigma") && said.out.is_empty(), "{}{}", said.out, said.err);
    }
}

#[cfg(feature = "sigma")]
#[test]
fn hits_stand_beside_a_verdict_and_change_none() {
    let place = place();
    let plain = place.gimbal(&["triage", "a.xml", "--as", "jsonl"]);
    let with = place.gimbal(&["triage", "a.xml", "--as", "jsonl", "--rules", "rules"]);
    assert_eq!(plain.code, with.code, "{}{}", with.out, with.err);
    assert!(
        with.err.contains("rules of rules: 1 asked, 0 about") && with.err.contains("no verdict follows"),
        "{}",
        with.err
    );
    let hit = with.out.lines().find(|line| line.contains("rule_hit")).unwrap();
    let hit: serde_json::Value = serde_json::from_str(hit).unwrap();
    assert_eq!((&hit["title"], &hit["author"]), (&"Discovery by whoami".into(), &"A. Author".into()));
    let verdict = |out: &str| -> serde_json::Value {
        let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
        serde_json::json!([first["verdict"], first["confidence"], first["architect"], first["skeptic"]])
    };
    assert_eq!(verdict(&plain.out), verdict(&with.out));
    assert!(!plain.out.contains("rule_hit"));
    let text = place.gimbal(&["triage", "a.xml", "--rules", "rules"]).out;
    assert!(text.contains("Rules of others that matched (no part of the verdict)"), "{text}");
    assert!(
        text.contains("\"Discovery by whoami\" (level medium, rule 5f1d1b1e-0000-4000-8000-000000000001, by A. Author")
    );
}

#[cfg(feature = "sigma")]
#[test]
fn a_hit_in_a_packet_leads_to_its_record() {
    let place = place();
    place.gimbal(&["evidence", "extract", "a.xml", "--rules", "rules", "-o", "packet.json"]).good();
    place.gimbal(&["evidence", "verify", "packet.json"]).good();
    let hits = place.gimbal(&["evidence", "show", "packet.json", "--class", "rule_hit", "--json"]).good().out;
    let hit: serde_json::Value = serde_json::from_str(hits.trim()).unwrap();
    assert_eq!(hit["attributes"]["rule_level"], "medium");
    let id = hit["id"].as_str().unwrap();
    let raw = place.gimbal(&["evidence", "raw", id, "packet.json", "a.xml"]).good().out;
    assert!(raw.contains("whoami /all"), "{raw}");
}

#[cfg(feature = "sigma")]
#[test]
fn hits_are_compared_with_the_own_verdicts_by_label() {
    let place = place();
    let table = |table: &str| {
        let asked = [
            "evidence",
            "rules",
            "rules",
            "a.xml",
            "b.xml",
            "--labels",
            "labels.csv",
            "--table",
            table,
            "--format",
            "csv",
        ];
        place.gimbal(&asked).good().out
    };
    assert!(table("files").contains("a.xml,malicious,"), "{}", table("files"));
    assert!(table("hits").contains("A. Author"), "{}", table("hits"));
    assert!(table("labels").lines().any(|line| line.starts_with("malicious,1,")), "{}", table("labels"));
    assert!(table("test").lines().any(|line| line.starts_with("any,1,1,1,")), "{}", table("test"));
    let none =
        place.gimbal(&["evidence", "rules", "rules", "a.xml", "--sysmon-only", "--table", "hits", "--format", "csv"]);
    assert!(!none.good().out.contains("A. Author"));
    let wrong = place.gimbal(&["triage", "a.xml", "--rules", "nowhere"]);
    assert!(wrong.code == 2 && wrong.err.contains("nowhere"), "{}", wrong.err);
}
