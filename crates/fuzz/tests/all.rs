//! The program itself: it is built with the tests, so that a check that runs it afterwards builds nothing.
#![allow(clippy::unwrap_used, missing_docs)]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gimbal-fuzz")).args(arguments).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Without time for changed inputs every target still reads its good ones.
#[test]
fn every_target_reads_its_good_inputs() {
    let played = run(&["--seconds", "0"]);
    assert!(played.status.success(), "{}", told(&played));
}

#[test]
fn targets_are_listed_once_and_no_other_name_is_one() {
    let list = told(&run(&["--list"]));
    let mut names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 30, "{names:?}");
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    let unknown = run(&["no-such-target"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(told(&unknown).contains("no target `no-such-target`"));
}
