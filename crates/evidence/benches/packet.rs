//! From bytes to a frozen packet: records a second with hashes, aggregation and selection, each beside the parser alone, and the check of a
//! packet: `cargo bench -p gimbal-evidence --features extract --bench packet`. One core, whose time is measured and not that of the clock.
//! Event logs need the folder of reference data.
#![allow(missing_docs)]
#![allow(clippy::print_stderr, reason = "says why a part is skipped")]

#[path = "samples/cpu.rs"]
mod cpu;
mod samples;

use std::hint::black_box;
use std::io::Cursor;

use cpu::CpuTime;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use evtx::{EvtxParser, ParserSettings};
use gimbal_evidence::extract::{Extraction, Format, ReadOptions};
use gimbal_evidence::{Packet, Selection};
use netflow_parser::NetflowParser;

const OPTIONS: ReadOptions = ReadOptions { strict: false, year: Some(2026), zone_minutes: None };
/// Lines of a sample: enough for tables of groups to have their size.
const LINES: u64 = 200_000;
const FLOWS: u64 = 240_000;

/// One source as `gimbal evidence extract` reads it.
fn packet(bytes: &[u8], format: Format) -> Option<Packet> {
    let mut extraction = Extraction::new(Selection::default(), OPTIONS);
    extraction.read(bytes, Some(format), 0).ok()?;
    extraction.finish().ok()
}

fn whole(group: &mut BenchmarkGroup<'_, CpuTime>, name: &str, bytes: &[u8], format: Format) {
    if packet(bytes, format).is_none() {
        eprintln!("skipped: {name} gives no packet");
        return;
    }
    group.bench_function(name, |bencher| bencher.iter(|| black_box(packet(bytes, format))));
}

fn syslog(criterion: &mut Criterion<CpuTime>) {
    let text = samples::syslog(0..LINES);
    let mut group = criterion.benchmark_group("packet_of_syslog_lines");
    group.sample_size(10).throughput(Throughput::Elements(LINES));
    whole(&mut group, "whole", text.as_bytes(), Format::Syslog);
    group.bench_function("parser_alone", |bencher| {
        bencher.iter(|| {
            for line in text.lines() {
                let _ =
                    black_box(syslog_loose::parse_message_with_year(line, |_| 2026, syslog_loose::Variant::RFC3164));
            }
        });
    });
    group.finish();
}

/// Datagrams in a capture file, as a collector keeps them.
fn capture(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    for (number, payload) in payloads.iter().enumerate() {
        let (data, frame) = (payload.len(), payload.len() + 42);
        for word in [1_700_000_000, number % 1_000_000, frame, frame] {
            bytes.extend_from_slice(&(word as u32).to_le_bytes());
        }
        bytes.extend_from_slice(&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]);
        let mut head = [0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        head[2..4].copy_from_slice(&((data + 28) as u16).to_be_bytes());
        let sum: u32 = head.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        head[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
        bytes.extend_from_slice(&head);
        bytes.extend_from_slice(&[0x08, 0x07, 0x08, 0x07]);
        bytes.extend_from_slice(&((data + 8) as u16).to_be_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(payload);
    }
    bytes
}

fn flows(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("packet_of_flows");
    group.sample_size(10).throughput(Throughput::Elements(FLOWS));
    for (name, payloads) in [("v5", samples::netflow_5(FLOWS)), ("v9", samples::netflow_9(FLOWS))] {
        whole(&mut group, &format!("{name}/whole"), &capture(&payloads), Format::FlowCapture);
        group.bench_function(format!("{name}/parser_alone"), |bencher| {
            bencher.iter(|| {
                let mut parser = NetflowParser::default();
                for payload in &payloads {
                    let _ = black_box(parser.parse_bytes(payload));
                }
            });
        });
    }
    whole(&mut group, "zeek/whole", samples::zeek(FLOWS).as_bytes(), Format::Zeek);
    whole(&mut group, "twelve_columns/whole", samples::twelve(FLOWS).as_bytes(), Format::Nfdump);
    group.finish();
}

fn events(criterion: &mut Criterion<CpuTime>) {
    let text = samples::events(10_000);
    let mut group = criterion.benchmark_group("packet_of_event_xml");
    group.sample_size(10).throughput(Throughput::Elements(10_000));
    whole(&mut group, "whole", text.as_bytes(), Format::WindowsXml);
    group.finish();
    for (name, bytes, records) in samples::logs() {
        let mut group = criterion.benchmark_group(format!("packet_of_evtx_{name}"));
        group.sample_size(10).throughput(Throughput::Elements(records));
        whole(&mut group, "whole", &bytes, Format::Evtx);
        let settings = ParserSettings::default().indent(false).separate_json_attributes(true);
        group.bench_function("parser_alone_to_json", |bencher| {
            bencher.iter(|| {
                let parser = EvtxParser::from_read_seek(Cursor::new(&bytes)).ok();
                let parser = parser.map(|parser| parser.with_configuration(settings.clone()));
                parser.map(|mut parser| parser.records_json_value().filter(Result::is_ok).count())
            });
        });
        group.finish();
    }
}

fn verify(criterion: &mut Criterion<CpuTime>) {
    let Some(packet) = packet(samples::syslog(0..20_000).as_bytes(), Format::Syslog) else {
        eprintln!("skipped: no packet to verify");
        return;
    };
    let bytes = packet.to_bytes();
    let mut group = criterion.benchmark_group("verify");
    group.sample_size(10).throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(format!("{}_facts", packet.facts().len()), |bencher| {
        bencher.iter(|| black_box(Packet::read(&bytes).is_ok()));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime(WallTime));
    targets = syslog, flows, events, verify
}
criterion_main!(benches);
