//! Events as delimited text: the same events give the same facts as they give as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gimbal_core::Digest;
use gimbal_evidence::extract::{Extraction, Format, raw_records, read_syslog_json, read_windows_csv};
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::rules::{Decision, SkepticKind, single_turn};
use gimbal_evidence::triage::Gaps;
use gimbal_evidence::{Fact, Packet, Selection};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const SECURITY: &str = "Microsoft-Windows-Security-Auditing";
const VIEWER: &str = "Level,Date and Time,Source,Event ID,Task Category\r\n";

/// An event as both forms write it. Days are those of March 2026.
#[derive(Clone, Debug)]
struct Made {
    id: u32,
    provider: &'static str,
    day: u32,
    second: u32,
    message: String,
}

fn refused(day: u32, second: u32, account: &str) -> Made {
    let message = format!(
        "An account failed to log on.\r\n\r\nSubject:\r\n\tSecurity ID:\t\tS-1-0-0\r\n\tAccount Name:\t\t-\r\n\r\nLogon Type:\t\t\t3\r\n\r\n\
         Account For Which Logon Failed:\r\n\tAccount Name:\t\t{account}\r\n\tAccount Domain:\t\tNORTH\r\n\r\nFailure Information:\r\n\
         \tStatus:\t\t\t0xC000006D\r\n\r\nNetwork Information:\r\n\tWorkstation Name:\t-\r\n\tSource Network Address:\t203.0.113.5\r\n"
    );
    Made { id: 4625, provider: SECURITY, day, second, message }
}

fn json_of(event: &Made) -> Value {
    let (hour, minute, second) = (event.second / 3600, event.second / 60 % 60, event.second % 60);
    json!({
        "Level": "Information", "TimeCreated": format!("2026-03-{:02}T{hour:02}:{minute:02}:{second:02}.000000Z", event.day),
        "ProviderName": event.provider, "Id": event.id, "Message": event.message,
    })
}

/// A day and a time of day as English of the United States writes them.
fn american(event: &Made) -> String {
    let (hour, minute, second) = (event.second / 3600, event.second / 60 % 60, event.second % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    format!("3/{}/2026 {}:{minute:02}:{second:02} {half}", event.day, if hour % 12 == 0 { 12 } else { hour % 12 })
}

/// The same with the day first and 24 hours.
fn british(event: &Made) -> String {
    let (hour, minute, second) = (event.second / 3600, event.second / 60 % 60, event.second % 60);
    format!("{:02}/03/2026 {hour:02}:{minute:02}:{second:02}", event.day)
}

fn written(delimiter: u8, rows: Vec<Vec<String>>) -> String {
    let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(Vec::new());
    rows.into_iter().for_each(|row| writer.write_record(row).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// What Event Viewer saves.
fn viewer(events: &[Made], delimiter: char, time: fn(&Made) -> String) -> String {
    let row = |event: &Made| {
        let id = event.id.to_string();
        vec![
            "Information".to_owned(),
            time(event),
            event.provider.to_owned(),
            id,
            "Logon".to_owned(),
            event.message.clone(),
        ]
    };
    let rows = written(u8::try_from(delimiter).unwrap(), events.iter().map(row).collect());
    VIEWER.replace(',', &delimiter.to_string()) + &rows
}

/// What `Get-WinEvent | Export-Csv` writes.
fn exported(events: &[Made], has_type: bool, time: fn(&Made) -> String) -> String {
    let columns = ["Message", "Id", "Level", "ProviderName", "LogName", "TimeCreated", "Properties"];
    let values = "System.Collections.Generic.List`1[System.Diagnostics.Eventing.Reader.EventProperty]";
    let row = |event: &Made| {
        let head = [event.message.clone(), event.id.to_string(), "Information".to_owned(), event.provider.to_owned()];
        head.into_iter().chain([String::new(), time(event), values.to_owned()]).collect()
    };
    let rows = std::iter::once(columns.map(str::to_owned).to_vec()).chain(events.iter().map(row)).collect();
    let before = if has_type { "#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord\r\n" } else { "" };
    format!("{before}{}", written(b',', rows))
}

fn facts_of(text: &str, options: &ReadOptions) -> (Result<Stats, ExtractError>, Vec<NewFact>) {
    let mut facts = Vec::new();
    let mut sink = |observed: &Observed<'_>| facts.push(support::fact_of(observed));
    let stats = match Format::detect(text.as_bytes()) {
        Some(Format::WindowsCsv) => read_windows_csv(text.as_bytes(), options, &mut sink),
        Some(Format::WindowsJson | Format::SyslogJson) => read_syslog_json(text.as_bytes(), options, &mut sink),
        other => panic!("{other:?}: {text}"),
    };
    (stats, facts)
}

/// Facts without place and hash, which are those of the form.
fn bare(text: &str) -> Vec<NewFact> {
    let (stats, facts) = facts_of(text, &ReadOptions::default());
    let stats = stats.unwrap();
    assert_eq!((stats.damaged, stats.issues), (0, Vec::new()), "{text}");
    facts.into_iter().map(|fact| NewFact { locator: None, raw_sha256: None, ..fact }).collect()
}

fn lines(events: &[Made]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        let _ = writeln!(text, "{}", json_of(event));
        text
    })
}

fn packet(text: &str) -> Packet {
    let mut extraction = Extraction::new(Selection::default(), ReadOptions::default());
    extraction.read(text.as_bytes(), None, 0).unwrap();
    extraction.finish().unwrap()
}

fn verdict(packet: &Packet) -> Verdict {
    single_turn(packet, &support::shipped_rules(), SkepticKind::Deterministic, Decision::Claims).verdict
}

fn made() -> impl Strategy<Value = Made> {
    let script =
        |text: &String| format!("Creating Scriptblock text (1 of 1):\r\n{text}\r\n\r\nScriptBlock ID: 1\r\nPath: ");
    let events = (0..4_u32, 1..29_u32, 0..86_400_u32, "[a-zA-Z\"',;:<&\t\r\n$ é]{1,40}");
    events.prop_map(move |(kind, day, second, text)| match kind {
        0 => refused(day, second, text.trim()),
        1 => Made { id: 4104, provider: "Microsoft-Windows-PowerShell", day, second, message: script(&text) },
        2 => Made {
            id: 7045,
            provider: "Service Control Manager",
            day,
            second,
            message: format!("x\r\n\r\nService Name: {text}"),
        },
        _ => Made { id: 9999, provider: "Other", day, second, message: format!("x{text}") },
    })
}

proptest! {
    // covers: ARES-011
    #[test]
    fn a_log_as_delimited_text_gives_the_events_of_its_json(events in prop::collection::vec(made(), 1..12)) {
        // One date above 12 tells the order.
        let events: Vec<Made> = events.into_iter().chain([refused(28, 0, "last")]).collect();
        let expected = bare(&lines(&events));
        for delimiter in [',', ';', '\t'] {
            for time in [american, british] {
                prop_assert_eq!(&bare(&viewer(&events, delimiter, time)), &expected);
            }
        }
        prop_assert_eq!(&bare(&exported(&events, true, american)), &expected);
        prop_assert_eq!(&bare(&exported(&events, false, british)), &expected);
    }
}

#[test]
fn guessed_passwords_in_an_export_have_the_verdict_of_their_json() {
    let events: Vec<Made> = (0..40).map(|second| refused(28, second, "ADMIN")).collect();
    let expected = verdict(&packet(&lines(&events)));
    assert_ne!(expected, Verdict::ThreatDismissed);
    let head =
        viewer(&events, ',', american).replace("Level,", "Keywords,").replace("\nInformation", "\nAudit Failure");
    for text in [viewer(&events, ',', american), exported(&events, true, british), head] {
        let packet = packet(&text);
        assert_eq!(verdict(&packet), expected);
        assert_eq!(packet.header().sources[0].format, "windows_csv");
        assert_eq!(Gaps::of(&packet, Some(&support::shipped_rules())).without_data, 0);
    }
    let foreign: Vec<Made> = events
        .iter()
        .map(|event| Made { message: "Ein Konto konnte sich nicht anmelden.".to_owned(), ..event.clone() })
        .collect();
    let gaps = Gaps::of(&packet(&viewer(&foreign, ',', american)), Some(&support::shipped_rules()));
    assert_eq!(gaps.without_data, 40, "{gaps:?}");
}

/// Facts of a source as `Extraction` reads it, without place and hash.
fn extracted(bytes: &[u8]) -> (Packet, Vec<Fact>) {
    let mut extraction = Extraction::new(Selection::default(), ReadOptions::default());
    let stats = extraction.read(bytes, None, 0).unwrap();
    assert_eq!((stats.damaged, stats.issues), (0, Vec::new()));
    let packet = extraction.finish().unwrap();
    let facts = packet.facts().iter().map(|fact| Fact { locator: None, raw_sha256: None, ..fact.clone() }).collect();
    (packet, facts)
}

// covers: ARES-011
#[test]
fn text_in_utf_16_gives_the_facts_of_its_utf_8_and_the_hashes_of_its_own_bytes() {
    let events: Vec<Made> = (1..4).map(|second| refused(28, second, "b\u{f6}b \u{1f600}")).collect();
    let syslog = "2026-03-28T09:00:01Z web01 sshd[1]: Failed password for bob from 203.0.113.5 port 22 ssh2\n";
    for text in [viewer(&events, '\t', american), exported(&events, true, british), lines(&events), syslog.repeat(3)] {
        let (narrow, expected) = extracted(text.as_bytes());
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
            let bytes = wide(&format!("\u{feff}{text}"));
            let (packet, facts) = extracted(&bytes);
            assert_eq!(facts, expected, "{text}");
            assert_eq!(packet.header().sources[0].format, narrow.header().sources[0].format);
            assert_eq!(packet.header().sources[0].sha256, Digest::of(&bytes));
            for (fact, narrow_fact) in packet.facts().iter().zip(narrow.facts()) {
                let raw = |packet: &Packet, bytes: &[u8], fact| {
                    raw_records(bytes, packet.header(), &packet.header().sources[0], fact, 1).unwrap().remove(0).bytes
                };
                let (found, of_narrow) = (raw(&packet, &bytes, fact), raw(&narrow, text.as_bytes(), narrow_fact));
                assert_eq!(found, wide(std::str::from_utf8(&of_narrow).unwrap()));
                assert!(fact.raw_sha256.is_none_or(|hash| hash == Digest::of(&found)));
            }
        }
    }
}

#[test]
fn columns_in_another_language_are_read_by_their_places() {
    let events: Vec<Made> = (1..5).map(|second| refused(28, second, "ADMIN")).collect();
    let expected = bare(&lines(&events)).into_iter();
    let expected: Vec<NewFact> =
        expected.map(|fact| NewFact { attributes: without_level(fact.attributes), ..fact }).collect();
    for (head, delimiter) in [
        ("Ebene;Datum und Uhrzeit;Quelle;Ereignis-ID;Aufgabenkategorie", ';'),
        ("N\u{ed}vel,Data e Hora,Fonte,Identifica\u{e7}\u{e3}o do Evento,Categoria da Tarefa", ','),
        (
            "\u{30ec}\u{30d9}\u{30eb}\t\u{65e5}\u{4ed8}\u{3068}\u{6642}\u{523b}\t\u{30bd}\u{30fc}\u{30b9}\t\u{30a4}\u{30d9}\u{30f3}\u{30c8} ID\t\u{30bf}\u{30b9}\u{30af}",
            '\t',
        ),
    ] {
        let text = viewer(&events, delimiter, british);
        let text = format!("\u{feff}{head}\r\n{}", text.split_once("\r\n").unwrap().1);
        let facts: Vec<NewFact> = bare(&text)
            .into_iter()
            .map(|fact| NewFact { attributes: without_level(fact.attributes), ..fact })
            .collect();
        assert_eq!(facts, expected, "{head}");
    }
}

fn without_level(mut attributes: BTreeMap<String, String>) -> BTreeMap<String, String> {
    attributes.retain(|name, _| name != "Level");
    attributes
}

/// What `Get-EventLog | Export-Csv` writes.
fn of_event_log(events: &[Made]) -> String {
    let columns = "EventID,MachineName,Data,Index,Category,CategoryNumber,EntryType,Message,Source,ReplacementStrings,InstanceId,TimeGenerated,TimeWritten,UserName,Site,Container";
    let row = |(index, event): (usize, &Made)| {
        let (id, time) = (event.id.to_string(), american(event));
        let cells = [
            &id,
            "",
            "System.Byte[]",
            &index.to_string(),
            "(12544)",
            "12544",
            "FailureAudit",
            &event.message,
            event.provider,
            "System.String[]",
            &id,
            &time,
            &time,
            "",
            "",
            "",
        ];
        cells.map(str::to_owned).to_vec()
    };
    let head = columns.split(',').map(str::to_owned).collect();
    let rows = std::iter::once(head).chain(events.iter().enumerate().map(row)).collect();
    format!("#TYPE System.Diagnostics.EventLogEntry#Security/{SECURITY}/4625\r\n{}", written(b',', rows))
}

/// What `EvtxECmd --csv` writes, with the fields of the event as a text of JSON.
fn of_evtxecmd(events: &[Made], account: &str) -> String {
    let columns = "RecordNumber,EventRecordId,TimeCreated,EventId,Level,Provider,Channel,ProcessId,ThreadId,Computer,ChunkNumber,UserId,MapDescription,UserName,RemoteHost,PayloadData1,ExecutableInfo,HiddenRecord,SourceFile,Keywords,ExtraDataOffset,Payload";
    let payload = json!({ "EventData": { "Data": [
        { "@Name": "TargetUserName", "#text": account }, { "@Name": "TargetDomainName", "#text": "NORTH" },
        { "@Name": "LogonType", "#text": "3" }, { "@Name": "Status", "#text": "0xC000006D" }, { "@Name": "IpAddress", "#text": "203.0.113.5" },
    ] } });
    let row = |(index, event): (usize, &Made)| {
        let (hour, minute, second) = (event.second / 3600, event.second / 60 % 60, event.second % 60);
        let time = format!("2026-03-{:02} {hour:02}:{minute:02}:{second:02}.0000000", event.day);
        let (number, id, payload) = (index.to_string(), event.id.to_string(), payload.to_string());
        let cells = [
            &number,
            &number,
            &time,
            &id,
            "LogAlways",
            event.provider,
            "Security",
            "4",
            "8",
            "HOST",
            "0",
            "",
            "Failed logon",
            "NORTH\\x",
            "203.0.113.5",
            "Target: x",
            "",
            "False",
            "Security.evtx",
            "Audit failure",
            "0",
            &payload,
        ];
        cells.map(str::to_owned).to_vec()
    };
    let head = columns.split(',').map(str::to_owned).collect();
    written(b',', std::iter::once(head).chain(events.iter().enumerate().map(row)).collect())
}

// covers: ARES-011
#[test]
fn tables_of_other_programs_have_the_verdict_of_their_json() {
    let events: Vec<Made> = (0..40).map(|second| refused(28, second, "ADMIN")).collect();
    let expected = bare(&lines(&events));
    for (text, what) in [(of_event_log(&events), "Get-EventLog"), (of_evtxecmd(&events, "ADMIN"), "EvtxECmd")] {
        let facts = bare(&text);
        assert_eq!(facts.len(), events.len(), "{what}");
        for (fact, known) in facts.iter().zip(&expected) {
            assert_eq!((fact.class, &fact.action, &fact.time), (known.class, &known.action, &known.time), "{what}");
            for name in ["TargetUserName", "IpAddress", "LogonType"] {
                assert_eq!(fact.attributes.get(name), known.attributes.get(name), "{what}: {name}");
            }
        }
        let found = packet(&text);
        assert_eq!(verdict(&found), verdict(&packet(&lines(&events))), "{what}");
        assert_eq!(Gaps::of(&found, Some(&support::shipped_rules())).without_data, 0, "{what}");
    }
}

#[test]
fn an_order_of_day_and_month_that_no_date_tells_is_not_guessed() {
    let events: Vec<Made> = (0..9).map(|second| refused(4 + second % 2, second, "ADMIN")).collect();
    let text = viewer(&events, ',', american);
    let (stats, facts) = facts_of(&text, &ReadOptions::default());
    let stats = stats.unwrap();
    assert_eq!((stats.damaged, stats.issues.len(), facts.len()), (0, 1, 9));
    assert!(stats.issues[0].what.contains("whether its day or its month is first"), "{:?}", stats.issues);
    assert!(facts.iter().all(|fact| fact.time.is_none()));
    assert_eq!(facts[0].attributes["TimeCreated"], "3/4/2026 12:00:00 AM");
    let gaps = Gaps::of(&packet(&text), None);
    assert!(gaps.undated > 0 && gaps.sentence().unwrap().contains("the year first"), "{gaps:?}");
    // The last row tells it for all.
    let told: Vec<Made> = events.into_iter().chain([refused(13, 0, "ADMIN")]).collect();
    let (stats, facts) = facts_of(&viewer(&told, ',', american), &ReadOptions::default());
    assert_eq!((stats.unwrap().issues.len(), facts.len()), (0, 10));
    assert!(facts.iter().all(|fact| fact.time.as_ref().unwrap().utc.to_string().starts_with("2026-03-")));
    // A date that contradicts what was told cannot be read.
    let text = viewer(&told, ',', american) + "Information,14/3/2026 9:00:00 AM,Other,1,None,x\r\n";
    let (stats, _) = facts_of(&text, &ReadOptions::default());
    let issues = stats.unwrap().issues;
    assert_eq!(issues.len(), 1);
    assert!(issues[0].what.contains("14/3/2026") && issues[0].at.starts_with("row 11 at line "), "{issues:?}");
}

#[test]
fn rows_that_cannot_be_read_are_damaged_and_the_others_are_read() {
    let good = viewer(&[refused(28, 1, "a"), refused(28, 2, "b")], ',', american);
    let broken = [
        ("Information,3/28/2026 9:00:00 AM,Other,1\r\n", "4 cells; expected 6"),
        ("Information,3/28/2026 9:00:00 AM,Other,one,None,x\r\n", "its number or its source"),
        ("Information,yesterday,Other,1,None,x\r\n", "`yesterday` is not a time"),
        ("Information,3/28/2026 9:00:00 AM,Other,1,None,\"x\"y\r\n", "text behind a quotation mark"),
        ("Information,3/28/2026 9:00:00 AM,Other,1,None,\"x\r\ny", "a quotation mark is not closed"),
    ];
    for (row, what) in broken {
        let text = format!("{good}{row}");
        let (stats, facts) = facts_of(&text, &ReadOptions::default());
        let stats = stats.unwrap();
        assert_eq!((stats.damaged, stats.parsed, stats.dropped, facts.len()), (1, 2, 1, 3), "{row}");
        assert!(stats.issues[0].what.contains(what), "{:?}", stats.issues);
        assert_eq!(facts[2].raw_sha256, Some(Digest::of(row.trim_end().as_bytes())), "{row}");
        assert!(matches!(facts_of(&text, &STRICT).0, Err(ExtractError::Record(_))), "{row}");
    }
    let error = read_windows_csv(&b"a,b\n1,2\n"[..], &ReadOptions::default(), &mut |_: &Observed<'_>| {}).unwrap_err();
    assert!(error.to_string().contains("names no columns of Windows events"), "{error}");
}

#[test]
fn a_fact_leads_to_the_row_that_it_is_of() {
    let text = viewer(&[refused(28, 1, "a"), refused(28, 2, "b")], ',', american);
    let packet = packet(&text);
    let fact = &packet.facts()[1];
    assert_eq!(fact.locator.as_ref().unwrap().at, "row 2 at line 21");
    let found = raw_records(text.as_bytes(), packet.header(), &packet.header().sources[0], fact, 10).unwrap();
    assert_eq!((found.len(), Some(found[0].sha256)), (1, fact.raw_sha256));
    assert!(found[0].bytes.starts_with(b"Information,3/28/2026 12:00:02 AM,"));
}
