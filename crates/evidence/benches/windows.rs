//! Records a second of the readers of Windows events, from bytes to observed records, with the parser alone beside each:
//! `cargo bench -p gimbal-evidence --features extract --bench windows`. Event logs need the folder of reference data.
#![allow(missing_docs)]
#![allow(clippy::print_stderr, reason = "says why a part is skipped")]

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::path::PathBuf;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evtx::{EvtxParser, ParserSettings};
use gimbal_evidence::extract::{Observed, ReadOptions, read_evtx, read_xml};

/// Events of one sample of XML.
const EVENTS: u64 = 10_000;

/// Logons and process starts, as `wevtutil` prints them.
fn events() -> String {
    let mut text = String::new();
    for number in 0..EVENTS {
        let (id, fields) = if number % 2 == 0 {
            (4624, "<Data Name='LogonType'>3</Data><Data Name='IpAddress'>192.0.2.7</Data>")
        } else {
            (4688, "<Data Name='NewProcessName'>C:\\a\\b.exe</Data><Data Name='CommandLine'>b &amp; c</Data>")
        };
        let _ = write!(
            text,
            "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider \
             Name='Microsoft-Windows-Security-Auditing' Guid='{{54849625-5478-4994-A5BA-3E3B0328C30D}}'/>\
             <EventID>{id}</EventID><Version>2</Version><Level>0</Level><Task>12544</Task><Opcode>0</Opcode>\
             <Keywords>0x8020000000000000</Keywords><TimeCreated SystemTime='2026-03-28T09:00:01.1234567Z'/>\
             <EventRecordID>{number}</EventRecordID><Correlation/><Execution ProcessID='4' ThreadID='8'/>\
             <Channel>Security</Channel><Computer>ws01.example</Computer><Security/></System><EventData>\
             <Data Name='SubjectUserSid'>S-1-5-18</Data><Data Name='SubjectUserName'>WS01$</Data>\
             <Data Name='SubjectDomainName'>EXAMPLE</Data><Data Name='SubjectLogonId'>0x3e7</Data>\
             <Data Name='TargetUserName'>user{}</Data><Data Name='TargetDomainName'>EXAMPLE</Data>{fields}\
             </EventData></Event>\r\n",
            number % 50
        );
    }
    text
}

fn xml(criterion: &mut Criterion) {
    let text = events();
    let mut group = criterion.benchmark_group("event_xml");
    group.throughput(Throughput::Elements(EVENTS));
    group.bench_function("observed", |bencher| {
        bencher.iter(|| {
            let mut count = 0;
            let sink = &mut |observed: &Observed<'_>| count += u64::from(observed.actor.is_some());
            black_box(read_xml(text.as_bytes(), &ReadOptions::default(), sink).is_ok());
            count
        });
    });
    group.finish();
}

fn log(criterion: &mut Criterion) {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    for name in ["security", "system"] {
        let Ok(bytes) = fs::read(data.join(format!("telemetry/windows/benign/{name}.evtx"))) else {
            eprintln!("skipped: no reference data; set GIMBAL_DATA to the folder that holds telemetry/");
            return;
        };
        let ignore = &mut |_: &Observed<'_>| {};
        let Ok(stats) = read_evtx(Cursor::new(&bytes), &ReadOptions::default(), ignore) else { return };
        let mut group = criterion.benchmark_group(format!("evtx_{name}"));
        group.throughput(Throughput::Elements(stats.parsed));
        group.bench_function("observed", |bencher| {
            bencher.iter(|| {
                let mut count = 0;
                let sink = &mut |observed: &Observed<'_>| count += u64::from(observed.actor.is_some());
                black_box(read_evtx(Cursor::new(&bytes), &ReadOptions::default(), sink).is_ok());
                count
            });
        });
        let parser = || EvtxParser::from_read_seek(Cursor::new(&bytes)).ok();
        let settings = ParserSettings::default().indent(false).separate_json_attributes(true);
        group.bench_function("parser_to_xml", |bencher| {
            bencher.iter(|| {
                let parser = parser().map(|parser| parser.with_configuration(settings.clone()));
                parser.map(|mut parser| parser.records_bytes().filter(Result::is_ok).count())
            });
        });
        group.bench_function("parser_to_json", |bencher| {
            bencher.iter(|| {
                let parser = parser().map(|parser| parser.with_configuration(settings.clone()));
                parser.map(|mut parser| parser.records_json_value().filter(Result::is_ok).count())
            });
        });
        group.finish();
    }
}

criterion_group!(benches, xml, log);
criterion_main!(benches);
