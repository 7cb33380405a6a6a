//! Records a second of the readers of Windows events, from bytes to observed records, with the parser alone beside each:
//! `cargo bench -p gimbal-evidence --features extract --bench windows`. Event logs need the folder of reference data.
#![allow(missing_docs)]
#![allow(clippy::print_stderr, reason = "says why a part is skipped")]

mod samples;

use std::hint::black_box;
use std::io::Cursor;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use evtx::{EvtxParser, ParserSettings};
use gimbal_evidence::extract::{Observed, ReadOptions, read_evtx, read_xml};

/// Events of one sample of XML.
const EVENTS: u64 = 10_000;

fn xml(criterion: &mut Criterion) {
    let text = samples::events(EVENTS);
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
    for (name, bytes, records) in samples::logs() {
        let mut group = criterion.benchmark_group(format!("evtx_{name}"));
        group.throughput(Throughput::Elements(records));
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
