//! What players reach.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use gimbal_textcraft::policy::PolicyKind;
use gimbal_textcraft::returns::{ReturnsOptions, returns};
use gimbal_textcraft::tasks::split;

// covers: CYC-050
#[test]
fn the_expert_reaches_every_goal_and_nothing_reaches_none() {
    let tree = common::tree();
    let report = |policy, name: &str, episodes| {
        let tasks = split(&tree, name).unwrap();
        let tree = std::sync::Arc::clone(&tree);
        returns(&ReturnsOptions { tree, policy, tasks, episodes, horizon: None, seed: 0, aliasing: false })
    };
    let all = report(PolicyKind::Expert, "all", 419);
    assert_eq!((all.solved, all.mean, all.sd), (419, 1.0, Some(0.0)));
    assert!(all.calls_solved == Some(all.calls_mean) && all.calls_mean > 3.0);
    let none = report(PolicyKind::Nothing, "depth-4", 11);
    assert_eq!((none.solved, none.calls_mean, none.calls_solved), (0, 100.0, None));
    let random = report(PolicyKind::Random, "depth-2", 291);
    assert!(random.mean < 0.2, "{random:?}");
    assert_eq!(random, report(PolicyKind::Random, "depth-2", 291));
    assert_eq!(report(PolicyKind::Expert, "depth-4-train", 5).episodes, 0);
}
