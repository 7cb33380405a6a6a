//! What a seed and commands give is fixed by `BEHAVIOUR`: whoever changes a digest here raises that number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::fmt::Write as _;
use std::sync::Arc;

use gimbal_parity::Fast;
use gimbal_textcraft::bench::{BenchOptions, Pool, bench};
use gimbal_textcraft::policy::POLICIES;
use gimbal_textcraft::{BEHAVIOUR, Scene, Simulator};

#[test]
fn the_digests_of_this_behaviour_are_golden() {
    let tree = common::tree();
    let mut out = format!("behaviour {BEHAVIOUR}\n");
    let mut reply = String::new();
    for seed in [0, 3, 10, 94, 127, 128, 300, 418, 2026, u64::MAX] {
        for aliasing in [false, true] {
            let scene = Arc::new(Scene::of(&tree, seed));
            let pool = Pool::of(&scene);
            let mut coin = Fast::new(seed);
            let mut simulator = Simulator::new(scene).with_aliasing(aliasing);
            for _ in 0..60 {
                simulator.step(pool.draw(&mut coin), &mut reply);
            }
            let (state, situation) = (simulator.state().short(), simulator.situation().short());
            writeln!(out, "{seed} {aliasing} {state} {situation}").unwrap();
        }
    }
    for policy in POLICIES {
        let tree = Arc::clone(&tree);
        let report = bench(&BenchOptions { tree, policy, steps: 20_000, horizon: 50, seed: 1, aliasing: false });
        writeln!(out, "{} {} {} {}", report.policy, report.episodes, report.solved, report.checksum).unwrap();
    }
    insta::assert_snapshot!("digests", out);
}
