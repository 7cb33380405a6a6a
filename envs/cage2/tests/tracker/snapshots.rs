//! The texts along a short episode, in both kinds of names.

use std::fmt::Write as _;

use gimbal_cage2::action::Kind;
use gimbal_cage2::facts::{Decoy, Host};
use gimbal_cage2::tracker::Status;
use gimbal_cage2::{Action, Names, Options};
use gimbal_core::{ToolCall, Tracker as _};

use crate::tracker::play::{BLOCKS, Play};

/// Waits for a change, then goes through every kind of action on that host; the decoys come before.
fn episode(names: Names) -> String {
    let mut play = Play::new(Options::default(), 8, names);
    let mut plan = vec![Kind::Restore, Kind::Remove, Kind::Analyse];
    let mut target = None;
    let mut out = String::new();
    for step in 1..=14 {
        if target.is_none() {
            let changed = play.tracker.belief().statuses().find(|(_, status)| *status == Status::Changed);
            target = changed.and_then(|(name, _)| play.names.find_host(name));
        }
        let action = match (step, target) {
            (2, _) => Action::on(Kind::Decoy(Decoy::Tomcat), Host::Enterprise0),
            (_, Some(host)) if step % 5 != 0 => plan.pop().map_or(Action::SLEEP, |kind| Action::on(kind, host)),
            _ => Action::MONITOR,
        };
        play.act(action, Some(&format!("Thought of step {step}.")));
        let _ = writeln!(out, "=== after step {step}: {}", action.render(&play.names));
        for name in BLOCKS {
            let _ = writeln!(out, "--- {name}\n{}", play.block(name));
        }
    }
    let host = play.names.host(target.expect("no host changed; choose another seed")).to_owned();
    let laid = play.names.host(Host::Enterprise0).to_owned();
    for (query, host) in [("subject_state", &host), ("subject_baseline", &host), ("subject_baseline", &laid)] {
        let answer = play.tracker.query(&ToolCall::with(query, &[("subject", host)])).unwrap();
        let _ = writeln!(out, "=== {query} {host}\n{answer}");
    }
    out
}

// covers: BOG-100, BOG-101, BOG-104, BOG-106
#[test]
fn blocks_along_an_episode() {
    insta::assert_snapshot!("original_names", episode(Names::original()));
}

#[test]
fn blocks_along_the_same_episode_in_neutral_names() {
    insta::assert_snapshot!("neutral_names", episode(Names::neutral(7)));
}
