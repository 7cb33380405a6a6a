//! Records a second of the extractors of telemetry, with a parser alone beside each: `cargo bench -p gimbal-evidence --features extract`.
#![allow(missing_docs)]
#![allow(clippy::print_stderr, reason = "says why a part is skipped")]

mod samples;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gimbal_core::Digest;
use gimbal_evidence::extract::{
    FlowReader, Observed, ReadOptions, Sink, Stats, read_auditd, read_nfdump, read_syslog, read_zeek,
};
use netflow_parser::NetflowParser;

const OPTIONS: ReadOptions = ReadOptions { strict: false, year: Some(2026), zone_minutes: None };
const LINES: u64 = 20_000;
const FLOWS: u64 = 24_000;

/// Counts facts, and nothing else: what classification costs.
#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.0 += black_box(observed.raw.len() as u64);
    }
}

/// Hashes each raw record, as a packet does.
#[derive(Default)]
struct Hash(u64);

impl Sink for Hash {
    fn observe(&mut self, observed: &Observed<'_>) {
        black_box(Digest::of(observed.raw));
        self.0 += 1;
    }
}

fn flows(payloads: &[Vec<u8>], sink: &mut dyn Sink) -> Stats {
    let mut reader = FlowReader::new(&OPTIONS, sink);
    for payload in payloads {
        let _ = reader.payload(None, payload);
    }
    reader.finish().unwrap_or_default()
}

fn lines(criterion: &mut Criterion) {
    let text = samples::syslog(0..LINES);
    let mut group = criterion.benchmark_group("syslog_lines");
    group.throughput(Throughput::Elements(LINES));
    group.bench_function("observed", |bencher| {
        bencher.iter(|| read_syslog(text.as_bytes(), &OPTIONS, &mut Count::default()).is_ok());
    });
    group.bench_function("observed_and_hashed", |bencher| {
        bencher.iter(|| read_syslog(text.as_bytes(), &OPTIONS, &mut Hash::default()).is_ok());
    });
    group.bench_function("frames_of_syslog_loose", |bencher| {
        bencher.iter(|| {
            for line in text.lines() {
                let _ =
                    black_box(syslog_loose::parse_message_with_year(line, |_| 2026, syslog_loose::Variant::RFC3164));
            }
        });
    });
    group.finish();
    let text = samples::auditd(LINES);
    let mut group = criterion.benchmark_group("audit_records");
    group.throughput(Throughput::Elements(LINES));
    group.bench_function("observed", |bencher| {
        bencher.iter(|| read_auditd(text.as_bytes(), &OPTIONS, &mut Count::default()).is_ok());
    });
    group.finish();
}

fn exports(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flows");
    group.throughput(Throughput::Elements(FLOWS));
    for (name, payloads) in [("v5", samples::netflow_5(FLOWS)), ("v9", samples::netflow_9(FLOWS))] {
        group.bench_function(format!("{name}/observed"), |bencher| {
            bencher.iter(|| flows(&payloads, &mut Count::default()));
        });
        group.bench_function(format!("{name}/observed_and_hashed"), |bencher| {
            bencher.iter(|| flows(&payloads, &mut Hash::default()));
        });
        group.bench_function(format!("{name}/netflow_parser"), |bencher| {
            bencher.iter(|| {
                let mut parser = NetflowParser::default();
                for payload in &payloads {
                    let _ = black_box(parser.parse_bytes(payload));
                }
            });
        });
    }
    let (zeek, twelve) = (samples::zeek(FLOWS), samples::twelve(FLOWS));
    group.bench_function("zeek/observed", |bencher| {
        bencher.iter(|| read_zeek(zeek.as_bytes(), &OPTIONS, &mut Count::default()).is_ok());
    });
    group.bench_function("twelve_columns/observed", |bencher| {
        bencher.iter(|| read_nfdump(twelve.as_bytes(), &OPTIONS, &mut Count::default()).is_ok());
    });
    group.finish();
}

criterion_group!(benches, lines, exports);
criterion_main!(benches);
