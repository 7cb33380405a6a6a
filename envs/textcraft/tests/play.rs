//! A person at the terminal, and what players reach.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

use crate::common;

use gimbal_textcraft::play::{Game, play};
use gimbal_textcraft::policy::PolicyKind;
use gimbal_textcraft::returns::{ReturnsOptions, returns};
use gimbal_textcraft::tasks::split;

fn game(input: &[u8], horizon: u32) -> (Game, String) {
    let mut simulator = common::simulator(418);
    let mut output = Vec::new();
    let game = play(&mut simulator, horizon, &mut &*input, &mut output).unwrap();
    (game, String::from_utf8(output).unwrap())
}

#[test]
fn a_game_is_played_to_its_goal_by_its_hints() {
    let (game, output) = game(
        b"help\nhint\nget 1 dandelion\nget 4 string\n\ncraft 1 yellow dye using 1 dandelion\r\n\
          craft 1 white wool using 4 string\ncraft 1 yellow wool using 1 yellow dye, 1 white wool\nquit\n",
        30,
    );
    assert_eq!(game, Game { steps: 5, solved: true });
    for text in [
        "Goal: craft yellow wool.",
        "hint  ",
        "Got 1 dandelion",
        "Crafted 1 minecraft:yellow_wool",
        "solved after 5 steps",
    ] {
        assert!(output.contains(text), "{text}\n{output}");
    }
}

#[test]
fn mistakes_are_answered_and_calls_run_out() {
    let (game, output) = game(b"look\nget 1 moon\n\xff\xfe\nquit\n", 30);
    assert_eq!(game, Game { steps: 3, solved: false });
    assert!(output.contains("Could not execute look") && output.contains("Could not find moon"), "{output}");
    let (game, output) = self::game(&b"inventory\n".repeat(100), 30);
    assert_eq!(game, Game { steps: 30, solved: false });
    assert!(output.contains("step 30 of 30 >") && output.contains("not solved after 30 steps"));
    assert_eq!(self::game(b"inventory", 30).0.steps, 1);
}

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
