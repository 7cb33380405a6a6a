//! The expert.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use std::sync::Arc;

use common::tree;
use gimbal_parity::Fast;
use gimbal_textcraft::bench::Pool;
use gimbal_textcraft::tasks::max_calls;
use gimbal_textcraft::{Scene, Simulator, planner};

/// Plays to the end by the expert; gives the number of steps.
fn finish(simulator: &mut Simulator) -> usize {
    let tree = Arc::clone(simulator.scene().tree());
    let mut reply = String::new();
    let mut left = planner::plan(simulator).expect("every task can be solved").len();
    for step in 1.. {
        let plan = planner::plan(simulator).unwrap();
        // It looks ahead item by item: what a step brought may look better elsewhere, at the price of one more.
        assert!(plan.len() <= left + 1, "a plan does not run away from the one before");
        left = plan.len() - 1;
        let outcome = simulator.step(&plan[0].text(&tree), &mut reply);
        assert!(outcome.said.went_well(), "{reply}");
        if outcome.done {
            return step;
        }
        assert!(left > 0, "{reply}");
    }
    0
}

// covers: CYC-030, CYC-050
#[test]
fn every_task_is_solved_within_its_calls() {
    let tree = tree();
    let mut longest = [0; 5];
    for seed in 0..tree.tasks().len() as u64 {
        let scene = Arc::new(Scene::of(&tree, seed));
        let depth = scene.task().depth;
        for aliasing in [false, true] {
            let mut simulator = Simulator::new(Arc::clone(&scene)).with_aliasing(aliasing);
            let steps = finish(&mut simulator);
            assert!(steps <= max_calls(depth) as usize, "{seed}: {steps}");
            longest[depth as usize] = longest[depth as usize].max(steps);
        }
    }
    println!("longest of depth 2, 3, 4: {:?}", &longest[2..]);
}

/// From wherever drawn commands have led: wrong crafts, leftovers, things used up.
#[test]
fn every_task_is_solved_from_any_state() {
    let tree = tree();
    let mut coin = Fast::new(5);
    let mut reply = String::new();
    for seed in 0..tree.tasks().len() as u64 {
        let scene = Arc::new(Scene::of(&tree, seed));
        let pool = Pool::of(&scene);
        for aliasing in [false, true] {
            let mut simulator = Simulator::new(Arc::clone(&scene)).with_aliasing(aliasing);
            for _ in 0..coin.below(60) {
                simulator.step(pool.draw(&mut coin), &mut reply);
            }
            let fresh = planner::plan(&Simulator::new(Arc::clone(&scene))).unwrap().len();
            let steps = finish(&mut simulator);
            assert!(steps <= fresh, "leftovers never make it longer: {seed}: {steps} and {fresh}");
        }
    }
}

#[test]
fn plans_use_what_is_carried() {
    let mut simulator = common::simulator(418);
    let texts = |simulator: &Simulator| -> Vec<String> {
        planner::plan(simulator).unwrap().iter().map(|step| step.text(simulator.tree())).collect()
    };
    assert_eq!(texts(&simulator).len(), 5);
    common::say(&mut simulator, "get 9 string");
    common::say(&mut simulator, "craft 1 white wool using 4 string");
    let plan = texts(&simulator);
    assert!(plan.len() == 3 && plan.iter().all(|step| !step.contains("string")), "{plan:?}");
}
