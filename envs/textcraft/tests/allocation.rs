//! Neither a step nor the beginning of an episode allocates, and the reply is written each time.
#![allow(unsafe_code, reason = "counting needs an allocator of our own, which only passes on")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::counting;

use std::sync::Arc;

use counting::allocations;
use gimbal_parity::Fast;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::{Scene, Simulator, Tree};

#[test]
fn a_step_does_not_allocate() {
    let tree = Tree::shipped().unwrap();
    let scenes: Vec<(Arc<Scene>, Pool)> = (0..419)
        .step_by(10)
        .map(|seed| {
            let scene = Arc::new(Scene::of(&tree, seed));
            let pool = Pool::of(&scene);
            (scene, pool)
        })
        .collect();
    for aliasing in [false, true] {
        let mut simulator = Simulator::new(Arc::clone(&scenes[0].0)).with_aliasing(aliasing);
        let mut reply = String::with_capacity(8192);
        let mut play = |seed: u64| {
            let mut coin = Fast::new(seed);
            allocations(|| {
                for (scene, pool) in &scenes {
                    simulator.begin(scene);
                    for _ in 0..100 {
                        simulator.step(pool.draw(&mut coin), &mut reply);
                    }
                }
            })
        };
        // Buffers grow once.
        play(1);
        assert_eq!(play(1), 0);
        assert_eq!(play(2), 0);
    }
}
