//! Latency of the classifier of authority for the words of one decision on one thread: `cargo bench -p gimbal-neural --bench classifier`.
//!
//! The published form, three layers of 512 on 3,072 hashed features, must have a median of at most 0.3 ms (CTHA-064). Before criterion's figures it prints those
//! of 2,000 calls, with CPU time, in f32 and Q8_0; `cargo test -p gimbal-neural --bench classifier` prints them for a development build.
#![allow(missing_docs, clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use gimbal_core::Rng;
use gimbal_neural::authority::examples::examples;
use gimbal_neural::authority::{Classifier, Form};

/// Calls of a figure that is printed.
const CALLS: usize = 2_000;

fn classifier(form: Form, eight: bool) -> Option<Classifier> {
    let mut rng = Rng::stream(1, "bench");
    let values: Vec<Vec<f32>> =
        form.shapes().iter().map(|shape| (0..shape.len()).map(|_| (rng.unit() * 0.2 - 0.1) as f32).collect()).collect();
    Classifier::read(&Classifier::file(form, &values, eight).ok()?).ok()
}

/// CPU time of this thread so far in milliseconds, where the system says: what other programs do is not in it.
fn on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e6)
}

fn latency(criterion: &mut Criterion) {
    // Decisions of all kinds, in turn: how many features a text has decides what the first layer costs.
    let decisions: Vec<String> = examples(64, false, 1).into_iter().map(|example| example.words).collect();
    for (name, form, eight) in [
        ("published_f32", Form::PUBLISHED, false),
        ("published_q8_0", Form::PUBLISHED, true),
        ("linear_f32", Form::LINEAR, false),
    ] {
        let Some(classifier) = classifier(form, eight) else { continue };
        let before = on_cpu();
        let mut times: Vec<f64> = (0..CALLS)
            .map(|call| {
                let words = &decisions[call % decisions.len()];
                let begun = Instant::now();
                black_box(classifier.permits(black_box(words)));
                begun.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let cpu = match (before, on_cpu()) {
            (Some(before), Some(after)) => format!("{:.3} ms", (after - before) / CALLS as f64),
            _ => "not known".to_owned(),
        };
        println!(
            "{name}: median {:.3} ms, 99th percentile {:.3} ms, least {:.3} ms, mean CPU time {cpu}",
            times[CALLS / 2],
            times[CALLS * 99 / 100],
            times[0]
        );
        let mut next = decisions.iter().cycle();
        criterion.bench_function(&format!("classifier_{name}"), |bench| {
            bench.iter(|| next.next().map(|words| classifier.permits(black_box(words))));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = latency
}
criterion_main!(benches);
