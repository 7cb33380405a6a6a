//! Lines of JSON: what the journal, agents and exports write is read as the same lines are as text (ARES-012).

use gimbal_evidence::extract::{Extraction, IssueKind, ReadOptions, read_syslog_json};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, SkepticKind, single_turn};
use gimbal_evidence::{Packet, Selection};
use serde_json::{Value, json};

use super::{Found, in_year, line};
use crate::support::shipped_rules;

fn read(lines: &[Value]) -> Found {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Found::of(|sink| read_syslog_json(text.as_bytes(), &ReadOptions::default(), sink))
}

fn entities(found: &Found) -> Vec<String> {
    found.only().entities.iter().map(ToString::to_string).collect()
}

const ACCEPTED: &str = "Accepted password for root from 203.0.113.5 port 5 ssh2";

fn failed(number: u32) -> String {
    format!("Failed password for root from 203.0.113.5 port {} ssh2", 40_000 + number)
}

/// The messages of a guessed password with their seconds.
fn attack() -> Vec<(u32, String)> {
    (0..40).map(|number| (number, failed(number))).chain([(41, ACCEPTED.to_owned())]).collect()
}

pub(super) fn verdict(lines: &[String]) -> (Verdict, Packet) {
    let mut extraction = Extraction::new(Selection::default(), in_year(2026));
    extraction.read(lines.join("\n").as_bytes(), None, 0).unwrap();
    let packet = extraction.finish().unwrap();
    (single_turn(&packet, &shipped_rules(), SkepticKind::Deterministic, Decision::Claims).verdict, packet)
}

fn journal(second: u32, message: &str) -> Value {
    json!({
        "__REALTIME_TIMESTAMP": format!("{}000000", 1_774_688_401 + second), "_HOSTNAME": "web01", "_COMM": "sshd",
        "SYSLOG_IDENTIFIER": "sshd", "SYSLOG_PID": "581", "_PID": "581", "MESSAGE": message,
    })
}

/// A line as Filebeat sends it when it reads a file as it is.
fn shipped(second: u32, message: &str) -> Value {
    let minute = format!("09:00:{:02}", second + 1);
    json!({
        "@timestamp": "2026-03-28T09:03:00.000Z", "host": {"name": "web01"}, "agent": {"type": "filebeat"},
        "log": {"file": {"path": "/var/log/auth.log"}}, "message": format!("Mar 28 {minute} web01 sshd[581]: {message}"),
    })
}

// covers: ARES-012
#[test]
fn an_attack_has_the_same_verdict_in_every_form() {
    type Form = fn(u32, &str) -> String;
    let forms: [(&str, Form); 5] = [
        ("text", |second, message| format!("Mar 28 09:00:{:02} web01 sshd[581]: {message}", second + 1)),
        ("journal", |second, message| journal(second, message).to_string()),
        ("whole lines of an agent", |second, message| shipped(second, message).to_string()),
        ("parts of an agent", |second, message| {
            json!({
                "@timestamp": format!("2026-03-28T09:00:{:02}Z", second + 1), "host": {"hostname": "web01"},
                "process": {"name": "sshd", "pid": 581}, "message": message,
            })
            .to_string()
        }),
        ("an export of an index", |second, message| {
            json!({"_index": "x", "_source": shipped(second, message)}).to_string()
        }),
    ];
    for (name, form) in forms {
        let lines: Vec<String> = attack().iter().map(|(second, message)| form(*second, message)).collect();
        let (verdict, packet) = verdict(&lines);
        assert_eq!(verdict, Verdict::ThreatConfirmed, "{name}");
        let first = packet.facts().iter().find_map(|fact| fact.time.as_ref()).unwrap();
        assert_eq!(first.utc.to_string(), "2026-03-28T09:00:01.000000Z", "{name}");
    }
}

// covers: ARES-012
#[test]
fn lines_of_the_journal_are_read() {
    let found = read(&[journal(0, ACCEPTED)]);
    assert_eq!(line(found.only()), "logon | password accepted | address:203.0.113.5 | account:root");
    assert_eq!(found.only().time.as_ref().unwrap().utc.to_string(), "2026-03-28T09:00:01.000000Z");
    assert_eq!(found.only().time.as_ref().unwrap().found, "1774688401000000");
    assert_eq!(entities(&found), ["host:web01", "process:sshd (581)"]);
    // A name with a control character makes the journal write bytes.
    let bytes: Vec<u8> = "Invalid user a\u{1b}b from 203.0.113.5 port 5".bytes().collect();
    let mut line_of_bytes = journal(0, "");
    line_of_bytes["MESSAGE"] = json!(bytes);
    assert_eq!(line(read(&[line_of_bytes]).only()), "logon_failed | unknown account | address:203.0.113.5 | -");
    let only_comm = json!({"_COMM": "sshd", "MESSAGE": ACCEPTED});
    assert!(line(read(&[only_comm]).only()).starts_with("logon |"));
}

// covers: ARES-012
#[test]
fn a_whole_line_within_a_message_is_read() {
    let found = read(&[shipped(0, ACCEPTED)]);
    assert_eq!(line(found.only()), "logon | password accepted | address:203.0.113.5 | account:root");
    assert_eq!(entities(&found), ["host:web01", "process:sshd (581)"]);
    let time = found.only().time.as_ref().unwrap();
    assert_eq!(
        (time.found.as_str(), time.utc.to_string().as_str()),
        ("Mar 28 09:00:01", "2026-03-28T09:00:01.000000Z")
    );
    assert_eq!(found.only().attributes["message"], ACCEPTED);
    assert_eq!(found.only().attributes["host.name"], "web01");
    let rfc5424 = json!({"message": format!("<38>1 2026-03-28T10:00:01+01:00 gate02 sshd 7 - - {ACCEPTED}")});
    let found = read(&[rfc5424]);
    assert!(line(found.only()).starts_with("logon |"));
    assert_eq!(entities(&found), ["host:gate02", "process:sshd (7)"]);
    assert_eq!(found.only().time.as_ref().unwrap().utc.to_string(), "2026-03-28T09:00:01.000000Z");
    // A program that is named is believed: the message is its own.
    let named = json!({"program": "app", "message": format!("Mar 28 09:00:01 web01 sshd[1]: {ACCEPTED}")});
    assert_eq!(line(read(&[named]).only()), "message | told of a logon | service:app | -");
}

// covers: ARES-012, ARES-014
#[test]
fn a_line_without_a_message_is_damaged_and_says_what_is_known() {
    let found = read(&[json!({"event_type": "alert", "src_ip": "203.0.113.5"}), json!({"MESSAGE": null})]);
    assert_eq!((found.stats.damaged, found.stats.parsed), (2, 0));
    let [first, second] = &found.stats.issues[..] else { panic!("{:?}", found.stats.issues) };
    assert_eq!((first.at.as_str(), first.kind), ("line 1", IssueKind::Malformed));
    assert!(first.what.contains("known: SyslogMessage, message,") && first.what.contains("EventID"), "{}", first.what);
    assert!(second.what.contains("journalctl --all"), "{}", second.what);
}

/// Exports without names beside the values, or with all of them in one text.
// covers: ARES-011
#[test]
fn event_data_are_read_from_what_an_export_left_of_them() {
    let mut head = json!({
        "Id": 4625, "RecordId": 7, "ProviderName": "Microsoft-Windows-Security-Auditing", "LogName": "Security",
        "MachineName": "DC01", "ProcessId": 700, "TimeCreated": "2026-03-10T08:00:00.0000000Z",
    });
    let with = |head: &Value, name: &str, value: Value| {
        let mut line = head.clone();
        line.as_object_mut().unwrap().insert(name.to_owned(), value);
        line
    };
    let values = [
        json!({"BinaryLength": 12, "Value": "S-1-0-0"}),
        json!("-"),
        json!("-"),
        json!(0),
        json!("S-1-0-0"),
        json!("bob"),
        json!("CORP"),
        json!(-1_073_741_715),
        json!("%%2313"),
        json!(-1_073_741_718),
        json!(3),
        json!("NtLmSsp "),
        json!("NTLM"),
        json!("KALI"),
        json!("-"),
        json!("-"),
        json!(0),
        json!(0),
        json!("-"),
        json!("10.0.0.66"),
        json!("4444"),
    ];
    let properties = values.iter().map(|value| json!({"Value": value})).collect::<Value>();
    let text = "An account failed to log on.\r\n\r\nSubject:\r\n\tSecurity ID:\t\tS-1-0-0\r\n\tAccount Name:\t\t-\r\n\r\nLogon Type:\t\t\t3\r\n\r\n\
                Account For Which Logon Failed:\r\n\tAccount Name:\t\tbob\r\n\tAccount Domain:\t\tCORP\r\n\r\nFailure Information:\r\n\tStatus:\t\t\t0xc000006d\r\n\
                \r\nNetwork Information:\r\n\tWorkstation Name:\tKALI\r\n\tSource Network Address:\t10.0.0.66\r\n";
    let payload = json!({"EventData": {"Data": [
        {"@Name": "TargetUserName", "#text": "bob"}, {"@Name": "TargetDomainName", "#text": "CORP"}, {"@Name": "LogonType", "#text": "3"},
        {"@Name": "IpAddress", "#text": "10.0.0.66"}, {"@Name": "Status", "#text": "0xc000006d"},
    ]}});
    for (name, line) in [
        ("Properties", with(&head, "Properties", properties)),
        ("Message", with(&head, "Message", text.into())),
        (
            "Payload",
            json!({
                "PayloadData1": "Target: CORP\\bob", "EventId": 4625, "Provider": "Microsoft-Windows-Security-Auditing", "Channel": "Security",
                "Computer": "DC01", "TimeCreated": "2026-03-10T08:00:00.0000000+00:00", "Payload": payload.to_string(),
            }),
        ),
    ] {
        let found = read(&[line]);
        let fact = found.only();
        assert_eq!(self::line(fact), "logon_failed | network logon | address:10.0.0.66 | account:CORP\\bob", "{name}");
        assert_eq!(fact.attributes["Status"], "0xc000006d", "{name}");
        assert!(!fact.attributes.contains_key("LevelDisplayName"), "{name}");
    }
    // A process of Sysmon names its fields in its text, and a script is its text.
    let members = head.as_object_mut().unwrap();
    members.extend(
        json!({"Id": 1, "ProviderName": "Microsoft-Windows-Sysmon", "LogName": "Microsoft-Windows-Sysmon/Operational"})
            .as_object()
            .unwrap()
            .clone(),
    );
    let text = "Process Create:\r\nRuleName: technique_id=T1059\r\nProcessId: 7\r\nImage: C:\\a.exe\r\nParentImage: C:\\b.exe\r\nParentProcessId: 6";
    let found = read(&[with(&head, "Message", text.into())]);
    assert_eq!(line(found.only()), "process_started | process started | process:C:\\b.exe (6) | process:C:\\a.exe (7)");
    assert!(!format!("{:?}", found.only()).contains("T1059"));
}

/// The same refused logon as four programs write it.
pub(super) fn refused_logons() -> [(&'static str, Value); 4] {
    let provider = "Microsoft-Windows-Security-Auditing";
    let time = "2026-03-28T09:00:01.1234567Z";
    let data = json!({"TargetUserName": "ADMIN", "LogonType": "3", "IpAddress": "203.0.113.5", "Status": "0xc000006d"});
    let mut flat = json!({
        "EventID": 4625, "Channel": "Security", "Hostname": "ws01", "EventTime": "2026-03-28 09:00:01",
        "Message": "An account failed to log on.",
    });
    flat.as_object_mut().unwrap().extend(data.as_object().unwrap().clone());
    [
        (
            "winlogbeat",
            json!({
                "@timestamp": time, "message": "An account failed to log on.", "agent": {"type": "winlogbeat"},
                "winlog": {"event_id": "4625", "provider_name": provider, "channel": "Security", "computer_name": "ws01", "record_id": 7, "event_data": data},
            }),
        ),
        ("flat", flat),
        (
            "elements",
            json!({"Event": {
                "System": {
                    "Provider": {"#attributes": {"Name": provider}}, "EventID": {"#attributes": {"Qualifiers": 0}, "#text": 4625},
                    "TimeCreated": {"#attributes": {"SystemTime": time}}, "Channel": "Security", "Computer": "ws01",
                },
                "EventData": data,
            }}),
        ),
        (
            "lists",
            json!({"Event": {
                "System": {
                    "Provider": {"@Name": provider}, "EventID": "4625", "TimeCreated": {"@SystemTime": time},
                    "Channel": "Security", "Computer": "ws01",
                },
                "EventData": {"Data": [
                    {"@Name": "TargetUserName", "#text": "ADMIN"}, {"@Name": "LogonType", "#text": "3"},
                    {"@Name": "IpAddress", "#text": "203.0.113.5"}, {"@Name": "Status", "#text": "0xc000006d"},
                ]},
            }}),
        ),
    ]
}

// covers: ARES-011, ARES-012
#[test]
fn windows_events_as_json_have_the_classes_of_their_events() {
    for (name, event) in refused_logons() {
        let found = read(std::slice::from_ref(&event));
        let fact = found.only();
        let xml = concat!(
            "<Event><System><Provider Name='Microsoft-Windows-Security-Auditing'/><EventID>4625</EventID>",
            "<TimeCreated SystemTime='2026-03-28T09:00:01.1234567Z'/><Channel>Security</Channel><Computer>ws01</Computer></System>",
            "<EventData><Data Name='TargetUserName'>ADMIN</Data><Data Name='LogonType'>3</Data>",
            "<Data Name='IpAddress'>203.0.113.5</Data><Data Name='Status'>0xc000006d</Data></EventData></Event>",
        );
        let expected =
            Found::of(|sink| gimbal_evidence::extract::read_xml(xml.as_bytes(), &ReadOptions::default(), sink));
        let expected = expected.only();
        assert_eq!(line(fact), line(expected), "{name}");
        assert_eq!(fact.entities, expected.entities, "{name}");
        for (key, value) in &expected.attributes {
            assert_eq!(fact.attributes.get(key), Some(value), "{name}: {key}");
        }
        assert!(fact.time.as_ref().unwrap().utc.to_string().starts_with("2026-03-28T09:00:01."), "{name}");
        assert_eq!(fact.locator.as_ref().unwrap().at, "line 1");
        assert_eq!(fact.raw_sha256, Some(gimbal_core::Digest::of(event.to_string().as_bytes())), "{name}");
    }
}

// covers: ARES-012
#[test]
fn refused_logons_of_windows_as_json_are_not_dismissed_in_silence() {
    for (name, event) in refused_logons() {
        let lines: Vec<String> =
            (0..40).map(|second| event.to_string().replace("09:00:01", &format!("09:00:{second:02}"))).collect();
        let (verdict, packet) = verdict(&lines);
        assert_ne!(verdict, Verdict::ThreatDismissed, "{name}");
        assert_eq!(packet.header().sources[0].format, "windows_json", "{name}");
    }
    let lacking = json!({"EventID": 4625, "TargetUserName": "ADMIN", "message": "An account failed to log on."});
    let found = read(&[lacking]);
    assert_eq!(found.stats.damaged, 1);
    assert!(found.stats.issues[0].what.contains("names no provider and no log"), "{}", found.stats.issues[0].what);
}

#[test]
fn texts_of_windows_events_as_json_cannot_add_fields() {
    let event = json!({
        "EventID": 4625, "Channel": "Security", "TargetUserName": "x</Data><Data Name=\"IpAddress\">10.9.9.9</Data>\u{1}&amp;",
        "IpAddress": "203.0.113.5",
    });
    let found = read(&[event]);
    let fact = found.only();
    assert_eq!(fact.actor.as_ref().unwrap().name(), "203.0.113.5");
    assert_eq!(fact.attributes["TargetUserName"], "x</Data><Data Name=\"IpAddress\">10.9.9.9</Data>\u{1}&amp;");
}
