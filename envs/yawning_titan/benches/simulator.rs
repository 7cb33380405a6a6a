//! Steps a second: `cargo bench -p gimbal-yawning-titan`.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gimbal_yawning_titan::bench::{BenchOptions, Observe, bench};
use gimbal_yawning_titan::draws::Fast;
use gimbal_yawning_titan::generator::Numbers;
use gimbal_yawning_titan::policy::POLICIES;
use gimbal_yawning_titan::{Scenario, Simulator};

/// Steps of one sample: about a thousand episodes.
const STEPS: u64 = 30_000;

fn steps(criterion: &mut Criterion) {
    for draws in [Numbers::Fast, Numbers::Mersenne] {
        let mut group = criterion.benchmark_group(format!("steps_{}", draws.name()));
        group.throughput(Throughput::Elements(STEPS));
        for policy in POLICIES {
            for observe in [Observe::None, Observe::Vector] {
                let options = BenchOptions { policy, observe, steps: STEPS, draws, ..BenchOptions::default() };
                group.bench_function(format!("{}/{observe:?}", policy.name()), |bencher| {
                    bencher.iter(|| black_box(bench(&options).map(|report| report.checksum).unwrap_or_default()));
                });
            }
        }
        group.finish();
    }
}

fn rebuilds(criterion: &mut Criterion) {
    let mut seed = 0;
    let Ok(mut simulator) = Simulator::new(&Scenario::default(), Fast::new(0)) else { return };
    criterion.bench_function("rebuild_fast", |bencher| {
        bencher.iter_batched(
            || {
                seed += 1;
                seed
            },
            |seed| simulator.rebuild(seed).is_ok(),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, steps, rebuilds);
criterion_main!(benches);
