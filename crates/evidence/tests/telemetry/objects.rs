//! JSON objects as messages of syslog lines: what an agent forwards is read as it is without the line around it (ARES-012).

use gimbal_core::Digest;
use gimbal_evidence::Class;
use gimbal_evidence::extract::{Extraction, IssueKind, ReadOptions, raw_records, read_syslog, read_syslog_json};
use gimbal_evidence::judge::Verdict;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::forwarded::{refused_logons, verdict};
use super::{Found, in_year, line};

const ACCEPTED: &str = "Accepted password for root from 203.0.113.5 port 5 ssh2";

fn read(text: &str) -> Found {
    Found::of(|sink| read_syslog(text.as_bytes(), &in_year(2026), sink))
}

/// The lines that can be around an object.
fn around(object: &Value) -> [String; 6] {
    [
        format!("<14>Mar 28 09:05:00 relay winlogbeat[77]: {object}"),
        format!("<14>Mar 28 09:05:00 relay winlogbeat[77]: @cee: {object}"),
        format!("Mar 28 09:05:00 relay {object}"),
        format!("Mar 28 09:05:00 relay @cee:{object}"),
        format!("Mar 28 09:05:00 {object}"),
        format!("<14>1 2026-03-28T09:05:00Z relay winlogbeat 77 - [x@1 a=\"b\"] \u{feff}{object} "),
    ]
}

// covers: ARES-011, ARES-012
#[test]
fn a_windows_event_is_the_same_fact_with_a_line_around_it() {
    for (name, event) in refused_logons() {
        let alone = Found::of(|sink| read_syslog_json(event.to_string().as_bytes(), &ReadOptions::default(), sink));
        let alone = alone.only();
        assert_eq!(alone.class, Class::LogonFailed, "{name}");
        for text in around(&event) {
            let found = read(&format!("\n{text}\n"));
            let fact = found.only();
            assert_eq!(line(fact), line(alone), "{text}");
            assert_eq!((&fact.entities, &fact.time), (&alone.entities, &alone.time), "{text}");
            let own: Vec<_> = fact.attributes.iter().filter(|(key, _)| !key.starts_with("syslog.")).collect();
            assert_eq!(own, alone.attributes.iter().collect::<Vec<_>>(), "{text}");
            // The record is the whole line.
            assert_eq!(fact.locator.as_ref().unwrap().at, "line 2");
            assert_eq!(fact.raw_sha256, Some(Digest::of(text.as_bytes())));
        }
        let tagged = read(&around(&event)[0]);
        for (key, value) in
            [("host", "relay"), ("program", "winlogbeat"), ("pid", "77"), ("facility", "1"), ("severity", "6")]
        {
            assert_eq!(tagged.only().attributes[&format!("syslog.{key}")], value, "{name}");
        }
        assert_eq!(tagged.only().attributes["syslog.time"], "Mar 28 09:05:00");
        assert_eq!(read(&around(&event)[5]).only().attributes["syslog.x@1.a"], "b");
    }
}

// covers: ARES-012
#[test]
fn an_attack_has_its_verdict_with_lines_around_it_and_its_records_are_found() {
    let (_, event) = &refused_logons()[0];
    let forms = |second: u32| event.to_string().replace("09:00:01", &format!("09:00:{second:02}"));
    let alone: Vec<String> = (0..40).map(forms).collect();
    let lines: Vec<String> =
        (0..40).map(|second| format!("<14>Mar 28 09:05:{second:02} relay winlogbeat: {}", forms(second))).collect();
    let ((expected, _), (found, packet)) = (verdict(&alone), verdict(&lines));
    assert_eq!(found, expected);
    assert_ne!(found, Verdict::ThreatDismissed);
    assert_eq!(packet.header().sources[0].format, "syslog");
    let fact = packet.facts().iter().find(|fact| fact.class == Class::LogonFailed).unwrap();
    let text = lines.join("\n");
    let records = raw_records(text.as_bytes(), packet.header(), &packet.header().sources[0], fact, 10).unwrap();
    assert_eq!(records[0].bytes, lines[0].as_bytes());
}

// covers: ARES-012
#[test]
fn what_an_agent_forwards_is_read_with_a_line_around_it() {
    let whole = json!({
        "@timestamp": "2026-03-28T09:03:00Z", "agent": {"type": "filebeat"}, "log": {"file": {"path": "/var/log/auth.log"}},
        "message": format!("Mar 28 09:00:01 web01 sshd[581]: {ACCEPTED}"),
    });
    let parts = json!({"SYSLOG_IDENTIFIER": "sshd", "_HOSTNAME": "web01", "_PID": "581", "MESSAGE": ACCEPTED});
    for (object, time) in [(whole, "2026-03-28T09:00:01"), (parts, "2026-03-28T09:05:00")] {
        for text in around(&object) {
            let found = read(&text);
            let fact = found.only();
            assert_eq!(line(fact), "logon | password accepted | address:203.0.113.5 | account:root", "{text}");
            let entities: Vec<String> = fact.entities.iter().map(ToString::to_string).collect();
            assert!(entities.contains(&"host:web01".to_owned()), "{text}: {entities:?}");
            assert!(entities.contains(&"process:sshd (581)".to_owned()), "{text}: {entities:?}");
            assert!(!entities.contains(&"host:relay".to_owned()), "{text}: {entities:?}");
            assert!(fact.time.as_ref().unwrap().utc.to_string().starts_with(time), "{text}: {:?}", fact.time);
        }
    }
    let audit = json!({"program": "auditd", "host": "web01", "message": "type=USER_LOGIN msg=audit(1774688401.5:3): pid=1 acct=\"root\" addr=192.0.2.7 res=success"});
    assert_eq!(read(&around(&audit)[0]).only().class, Class::Logon);
}

// covers: ARES-012
#[test]
fn what_a_program_says_of_itself_has_its_members_as_attributes() {
    let found = read(
        "<14>Mar 28 09:05:00 gate app[7]: @cee: {\"msg\":\"order placed\",\"user\":\"bob\",\"n\":3,\"in\":{\"a\":true}}",
    );
    let fact = found.only();
    assert_eq!(line(fact), "message | logged | service:app | -");
    let has = |key: &str| fact.attributes.get(key).map(String::as_str);
    assert_eq!(
        (has("message"), has("msg"), has("user"), has("n")),
        (Some("order placed"), None, Some("bob"), Some("3"))
    );
    assert_eq!((has("in.a"), has("program"), has("severity")), (Some("true"), Some("app"), Some("6")));
    assert_eq!(fact.time.as_ref().unwrap().found, "Mar 28 09:05:00");
    // Without a message the whole text is one.
    let found = read("Mar 28 09:05:00 gate app[7]: {\"user\":\"bob\"}");
    let attributes = &found.only().attributes;
    assert_eq!((attributes["message"].as_str(), attributes["user"].as_str()), ("{\"user\":\"bob\"}", "bob"));
    // The program of the line is believed.
    let own = read(&format!("Mar 28 09:05:00 gate sshd[7]: @cee: {{\"msg\":\"{ACCEPTED}\"}}"));
    assert_eq!(line(own.only()), "logon | password accepted | address:203.0.113.5 | account:root");
}

// covers: ARES-012
#[test]
fn a_text_within_an_object_cannot_say_that_another_program_wrote_it() {
    for message in [
        ACCEPTED.to_owned(),
        format!("Mar 28 09:00:01 web01 sshd[1]: {ACCEPTED}"),
        "type=USER_LOGIN msg=audit(1774688401.5:3): acct=\"root\" res=success".to_owned(),
        "<Event><System><EventID>1</EventID></System></Event>".to_owned(),
        "{\"EventID\":4625,\"Channel\":\"Security\"}".to_owned(),
    ] {
        let object = json!({"message": message, "level": "info", "path": "/login"});
        let found = read(&format!("Mar 28 09:05:00 gate webapp[7]: {object}"));
        assert!(line(found.only()).starts_with("message | "), "{message}");
        assert!(line(found.only()).ends_with(" | service:webapp | -"), "{message}");
        assert_eq!(found.only().attributes["message"], message);
    }
}

// covers: ARES-012, ARES-014
#[test]
fn a_message_that_only_looks_like_an_object_is_a_text_and_an_event_that_lacks_its_log_is_noted() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for message in ["{", "{}x", "{\"EventID\":4625,\"Channel\":\"Security\"", "@cee: x", "@cee:", deep.as_str()] {
        let found = read(&format!("Mar 28 09:05:00 gate app[7]: {message}"));
        assert_eq!(line(found.only()), "message | logged | service:app | -", "{message}");
        assert_eq!(found.only().attributes["message"], message);
        assert!(found.stats.issues.is_empty(), "{message}: {:?}", found.stats.issues);
    }
    let found = read("Mar 28 09:05:00 gate app[7]: {\"EventID\":4625,\"TargetUserName\":\"x\"}");
    assert_eq!((found.only().class, found.stats.damaged), (Class::Message, 0));
    assert_eq!(found.stats.issues[0].kind, IssueKind::Malformed);
    assert!(found.stats.issues[0].what.contains("names no provider and no log"), "{}", found.stats.issues[0].what);
}

// covers: ARES-012
#[test]
fn an_event_has_its_own_time_else_that_of_its_line() {
    let yearless = |text: &str| Found::of(|sink| read_syslog(text.as_bytes(), &ReadOptions::default(), sink));
    let with =
        "Mar 28 09:05:00 relay a: {\"EventID\":4625,\"Channel\":\"Security\",\"EventTime\":\"2026-03-28 09:00:01\"}";
    let found = yearless(with);
    assert_eq!(found.only().time.as_ref().unwrap().utc.to_string(), "2026-03-28T09:00:01.000000Z");
    assert!(found.stats.issues.is_empty(), "{:?}", found.stats.issues);
    let without = "Mar 28 09:05:00 relay a: {\"EventID\":4625,\"Channel\":\"Security\"}";
    assert_eq!(read(without).only().time.as_ref().unwrap().utc.to_string(), "2026-03-28T09:05:00.000000Z");
    let found = yearless(without);
    assert!(found.only().time.is_none() && found.stats.issues[0].kind == IssueKind::Time);
    let own = yearless("Mar 28 09:05:00 gate app: {\"time\":\"2026-03-28T09:00:01Z\",\"msg\":\"x\"}");
    assert_eq!(own.only().time.as_ref().unwrap().found, "2026-03-28T09:00:01Z");
}

// covers: ARES-012
#[test]
fn an_object_within_a_line_within_an_object_is_read_and_no_deeper_one() {
    let (_, event) = &refused_logons()[1];
    let relayed = |text: String| json!({"agent": {"type": "filebeat"}, "message": text});
    let within = relayed(format!("<14>Mar 28 09:05:00 ws01 nxlog: {event}"));
    let lines = |object: &Value| {
        Found::of(|sink| read_syslog_json(object.to_string().as_bytes(), &ReadOptions::default(), sink))
    };
    assert_eq!(lines(&within).only().class, Class::LogonFailed);
    let deeper = relayed(format!("<14>Mar 28 09:05:00 ws01 nxlog: {within}"));
    let found = lines(&deeper);
    assert_eq!(line(found.only()), "message | told of a logon | service:nxlog | -");
}

proptest! {
    #[test]
    fn a_cut_or_changed_object_is_read_as_something(at in 0_usize..600, byte in any::<u8>(), cut in any::<bool>(), form in 0_usize..6) {
        let (_, event) = &refused_logons()[0];
        let mut bytes = around(event)[form].clone().into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let mut extraction = Extraction::new(gimbal_evidence::Selection::default(), in_year(2026));
        if extraction.read(&bytes[..], Some(gimbal_evidence::extract::Format::Syslog), 0).is_ok() {
            let packet = extraction.finish().unwrap();
            prop_assert!(packet.facts().len() <= 2);
        }
    }
}
