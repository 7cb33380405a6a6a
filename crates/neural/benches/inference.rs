//! Latency of the network on one thread, for one conflict and for 64 at once: `cargo bench -p gimbal-neural --bench inference`.
//!
//! The published encoder must have a median of at most 5 ms in f32 and 1.5 ms in Q8_0. Before criterion's figures it prints those of 2,000 calls, with CPU time.
#![allow(missing_docs, clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use gimbal_core::{Embedder as _, Rng, Scorer as _};
use gimbal_neural::data::Header;
use gimbal_neural::net::Card;
use gimbal_neural::{Body, Hashed, Net, Spec};

const COLUMNS: [&str; 25] = [
    "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15", "c16", "c17",
    "c18", "c19", "c20", "c21", "c22", "c23", "action",
];

fn net(body: Body, eight: bool) -> Option<Net> {
    let spec = Spec::of(body, &Header::new(&COLUMNS, 384, &[]));
    let mut rng = Rng::stream(1, "bench");
    let mut draw = |columns: usize| ((rng.unit() * 2.0 - 1.0) * (3.0 / columns as f64).sqrt()) as f32;
    let values: Vec<Vec<f32>> =
        spec.shapes().iter().map(|shape| (0..shape.len()).map(|_| draw(shape.columns)).collect()).collect();
    Net::read(&Net::file(&spec, &Card::default(), &values, eight).ok()?).ok()
}

fn rows(parties: usize) -> Vec<Vec<f32>> {
    let mut rng = Rng::stream(2, "bench");
    let mut row = |layer: usize| {
        let mut row = vec![layer as f32];
        row.extend((0..24).map(|_| rng.unit() as f32));
        row.push(rng.below(1 << 20) as f32);
        row.extend(Hashed.embed("restore the host that was lost"));
        row
    };
    (0..parties).map(|party| row(party % 4)).collect()
}

/// CPU time of this thread so far in milliseconds, where the system says: what other programs do is not in it.
fn on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e6)
}

fn inference(criterion: &mut Criterion) {
    let cases = [
        ("published_f32", Body::published(), false),
        ("published_q8_0", Body::published(), true),
        ("small_f32", Body::small(), false),
        ("small_q8_0", Body::small(), true),
        ("mlp_f32", Body::Mlp { hidden: 128 }, false),
        ("linear_f32", Body::Linear, false),
    ];
    for (name, body, eight) in cases {
        let Some(net) = net(body, eight) else { continue };
        for parties in [2, 5] {
            let rows = rows(parties);
            let before = on_cpu();
            let mut times: Vec<f64> = (0..2_000)
                .map(|_| {
                    let begun = Instant::now();
                    black_box(net.score(black_box(&rows)));
                    begun.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let cpu = match (before, on_cpu()) {
                (Some(before), Some(after)) => format!("{:.3} ms", (after - before) / times.len() as f64),
                _ => "not known".to_owned(),
            };
            println!(
                "{name}, {parties} parties: median {:.3} ms, 99th percentile {:.3} ms, least {:.3} ms, mean CPU time {cpu}",
                times[1_000], times[1_980], times[0]
            );
            criterion.bench_function(&format!("{name}_{parties}"), |bench| bench.iter(|| net.score(black_box(&rows))));
        }
        // Many decision points at once, as in evaluation: what a conflict costs there is a sixty-fourth of it.
        let many: Vec<Vec<Vec<f32>>> = (0..64).map(|_| rows(2)).collect();
        criterion.bench_function(&format!("{name}_2_in_64_conflicts"), |bench| {
            bench.iter(|| net.together(black_box(&many)));
        });
    }
    criterion.bench_function("hashed_embedding", |bench| {
        bench.iter(|| Hashed.embed(black_box("restore the host that was lost, then scan the subnet for more")))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = inference
}
criterion_main!(benches);
