//! What a household's seed gives is fixed by `BEHAVIOUR`: whoever changes a digest here raises that number.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::common;

use std::fmt::Write as _;

use gimbal_alfworld::BEHAVIOUR;
use gimbal_alfworld::plan::{Task, plan};
use gimbal_core::Digest;

#[test]
fn the_digests_of_this_behaviour_are_golden() {
    let mut out = format!("behaviour {BEHAVIOUR}\n");
    for seed in [0, 1, 2026] {
        for household in common::households(seed) {
            let mut play = common::play(&household);
            let mut seen = Vec::new();
            for step in 0..60 {
                seen.extend_from_slice(play.observation().as_bytes());
                play.admissible().for_each(|command| seen.extend_from_slice(command.as_bytes()));
                common::wander(&mut play, 1, seed * 1_000 + step);
            }
            play.reset();
            let task = Task::new(play.game());
            let moves = plan(play.game(), &task, play.state()).unwrap().len();
            let (house, walk) = (Digest::of(household.write().as_bytes()).short(), Digest::of(&seen).short());
            writeln!(out, "{seed} {} {house} {walk} {moves}: {}", household.task.kind.name(), household.sentence())
                .unwrap();
        }
    }
    insta::assert_snapshot!("digests", out);
}

#[test]
fn a_game_reads_like_this() {
    let household = &common::households(7)[1];
    let mut play = common::play(household);
    let mut out = format!("{}\n", play.observation());
    let task = Task::new(play.game());
    for next in plan(play.game(), &task, play.state()).unwrap() {
        let at = play.find_grounded(next.action, &next.arguments).unwrap();
        let command = play.command(at).unwrap().to_owned();
        play.step_at(at);
        writeln!(out, "> {command}\n{}", play.observation()).unwrap();
    }
    play.step("help");
    writeln!(out, "> help\n{}", play.observation()).unwrap();
    insta::assert_snapshot!("game", out);
}
