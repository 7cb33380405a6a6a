//! Golden packets: the same bytes give the same packet, whatever built the program and wherever it runs.
//!
//! The heads are facts in snapshots. They hold under every build profile:
//! `cargo test --release -p gimbal-evidence --features extract --test all golden::` compares the same table. Language, zone and number of
//! threads of the process are changed in the tests of the command line.

use std::fmt::Write as _;
use std::path::Path;

use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::{Packet, Selection};

use crate::support::labelled;
use crate::telemetry::made::{FIELDS, V5, message, packet as frame, pcap, pcapng, record, set, template, v5};

fn packet(bytes: &[u8]) -> Packet {
    let options = ReadOptions { year: Some(2024), ..ReadOptions::default() };
    let mut extraction = Extraction::new(Selection::default(), options);
    extraction.read(bytes, None, 0).unwrap();
    extraction.finish().unwrap()
}

/// A line of a table: the name, the head of the packet and its facts.
fn line(name: &str, bytes: &[u8]) -> String {
    let made = packet(bytes);
    let text = made.to_bytes();
    assert_eq!(Packet::read(&text).unwrap(), made, "{name}");
    assert_eq!(packet(bytes).to_bytes(), text, "{name}");
    format!("{name}  {}  {}", made.head(), made.facts().len())
}

/// Sources in several formats, made here.
fn sources() -> Vec<(&'static str, Vec<u8>)> {
    let mut syslog = String::new();
    for number in 0..2_000_u64 {
        let (minute, second, user) = (number / 60 % 60, number % 60, number % 37);
        let _ = match number % 3 {
            0 => writeln!(
                syslog,
                "Mar 28 09:{minute:02}:{second:02} gate sshd[{number}]: Failed password for u{user} from 192.0.2.{user} port 4{number} ssh2"
            ),
            1 => writeln!(syslog, "Mar 28 09:{minute:02}:{second:02} gate CRON[{number}]: (root) CMD (run {user})"),
            _ => writeln!(syslog, "Mar 28 09:{minute:02}:{second:02} gate app: naïve line {number}"),
        };
    }
    let flow = |port: u16| V5 {
        source: [10, 0, 0, 7],
        target: [198, 51, 100, 9],
        target_port: port,
        packets: 3,
        octets: 1_500,
        protocol: 6,
    };
    let five: Vec<Vec<u8>> =
        (0..9).map(|port| frame([10, 0, 0, 1], 9000, &v5(1_700_000_000, &[flow(port); 20]))).collect();
    let flows: Vec<u8> =
        (0..40_u16).flat_map(|port| record([192, 0, 2, 9], port, u64::from(port), 1_700_000_000_000)).collect();
    let ten = message(10, 1_700_000_000, 3, &[set(2, &template(256, &FIELDS)), set(256, &flows)]);
    let event = |number: u32| {
        format!(
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Microsoft-Windows-Security-Auditing'/>\
             <EventID>4624</EventID><TimeCreated SystemTime='2026-03-28T09:00:{:02}.1234567Z'/><EventRecordID>{number}</EventRecordID>\
             <Channel>Security</Channel><Computer>ws01.example</Computer></System><EventData><Data Name='TargetUserName'>user{}</Data>\
             <Data Name='LogonType'>3</Data><Data Name='IpAddress'>192.0.2.7</Data></EventData></Event>\r\n",
            number % 60,
            number % 11
        )
    };
    vec![
        ("syslog", syslog.into_bytes()),
        ("netflow 5, pcap", pcap(&five)),
        ("ipfix, pcapng", pcapng(&[frame([10, 0, 0, 1], 9000, &ten)])),
        ("windows events", (0..300).map(event).collect::<String>().into_bytes()),
    ]
}

// covers: ARES-006, ARES-010
#[test]
fn packets_of_made_sources_have_these_heads() {
    let lines: Vec<String> = sources().iter().map(|(name, bytes)| line(name, bytes)).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn packets_that_are_made_at_once_are_those_that_are_made_alone() {
    let sources = sources();
    let alone: Vec<Vec<u8>> = sources.iter().map(|(_, bytes)| packet(bytes).to_bytes()).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let sources = &sources;
                scope.spawn(move || {
                    let (_, bytes) = &sources[worker % sources.len()];
                    (worker, packet(bytes).to_bytes())
                })
            })
            .collect();
        for worker in workers {
            let (worker, bytes) = worker.join().unwrap();
            assert!(bytes == alone[worker % alone.len()], "{worker}");
        }
    });
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

// covers: ARES-006, ARES-010
#[test]
fn packets_of_real_files_have_these_heads() {
    let Some(folder) = labelled() else { return };
    let mut labels = csv::Reader::from_path(folder.join("labels.csv")).unwrap();
    let files: Vec<String> =
        labels.records().map(|row| row.unwrap()).filter(|row| &row[2] != "none").map(|row| row[0].to_owned()).collect();
    assert!(files.len() >= 90, "{} labelled files", files.len());
    let lines: Vec<String> = files.iter().map(|file| line(file, &bytes(&folder.join(file)))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn formats_of_made_sources_are_told_by_their_first_bytes() {
    let formats: Vec<Option<Format>> =
        sources().iter().map(|(_, bytes)| Format::detect(&bytes[..bytes.len().min(4096)])).collect();
    let expected = [Format::Syslog, Format::FlowCapture, Format::FlowCapture, Format::WindowsXml];
    assert_eq!(formats, expected.map(Some));
}
