//! Steps a second: `cargo bench -p gimbal-textcraft`.
#![allow(missing_docs)]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gimbal_parity::Fast;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::{Scene, Simulator, Tree, planner};

/// Steps of one sample.
const STEPS: u64 = 30_000;

fn steps(criterion: &mut Criterion) {
    let Ok(tree) = Tree::shipped() else { return };
    let mut group = criterion.benchmark_group("steps");
    group.throughput(Throughput::Elements(STEPS));
    for aliasing in [false, true] {
        let scene = Arc::new(Scene::of(&tree, 3));
        let pool = Pool::of(&scene);
        let mut simulator = Simulator::new(Arc::clone(&scene)).with_aliasing(aliasing);
        let mut reply = String::new();
        let mut coin = Fast::new(1);
        group.bench_function(format!("aliasing_{aliasing}"), |bencher| {
            bencher.iter(|| {
                for step in 0..STEPS {
                    if step % 50 == 0 {
                        simulator.begin(&scene);
                    }
                    simulator.step(pool.draw(&mut coin), &mut reply);
                    black_box(&reply);
                }
            });
        });
    }
    group.finish();
}

fn scenes(criterion: &mut Criterion) {
    let Ok(tree) = Tree::shipped() else { return };
    for (name, seed) in [("shallow", 418), ("deep", 3), ("widest", 94)] {
        criterion.bench_function(&format!("scene_{name}"), |bencher| bencher.iter(|| Scene::of(&tree, seed)));
        let simulator = Simulator::new(Arc::new(Scene::of(&tree, seed)));
        criterion.bench_function(&format!("plan_{name}"), |bencher| bencher.iter(|| planner::plan(&simulator)));
    }
}

criterion_group!(benches, steps, scenes);
criterion_main!(benches);
