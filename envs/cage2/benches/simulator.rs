//! Steps a second: `cargo bench -p gimbal-cage2`.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gimbal_cage2::bench::{BenchActions, BenchOptions, Generator, bench};
use gimbal_cage2::checksum::Observe;
use gimbal_cage2::draws::Fast;
use gimbal_cage2::options::REDS;
use gimbal_cage2::policy::PolicyKind;
use gimbal_cage2::{Options, Simulator};

/// Steps of one sample: a thousand episodes.
const STEPS: u64 = 30_000;

fn steps(criterion: &mut Criterion) {
    for draws in [Generator::Fast, Generator::Mersenne] {
        let mut group = criterion.benchmark_group(format!("steps_{}", draws.name()));
        group.throughput(Throughput::Elements(STEPS));
        for red in REDS {
            for observe in [Observe::None, Observe::Vector, Observe::Raw] {
                let options = BenchOptions {
                    options: Options { red, ..Options::default() },
                    actions: BenchActions::Policy(PolicyKind::Random),
                    observe: Some(observe),
                    steps: STEPS,
                    draws,
                    ..BenchOptions::default()
                };
                group.bench_function(format!("{}/{}", red.name(), observe.name()), |bencher| {
                    bencher.iter(|| black_box(bench(&options).map(|report| report.checksum).unwrap_or_default()));
                });
            }
        }
        group.finish();
    }
}

fn resets(criterion: &mut Criterion) {
    let mut seed = 0;
    let mut simulator = Simulator::new(Options::default(), Fast::new(0));
    criterion.bench_function("reset_fast", |bencher| {
        bencher.iter_batched(
            || {
                seed += 1;
                seed
            },
            |seed| simulator.reset(seed),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, steps, resets);
criterion_main!(benches);
