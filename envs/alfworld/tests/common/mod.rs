//! What several tests need.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gimbal_alfworld::home::{Dials, Household, TASK_KINDS};
use gimbal_alfworld::{Game, Play};
use gimbal_parity::Fast;

/// The folder of real games and recordings, if it is at hand.
pub fn reference() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("alfworld");
    if folder.join("games").is_dir() {
        Some(folder)
    } else {
        println!("skipped: no games in {}", folder.display());
        None
    }
}

/// All game files below a folder, sorted.
pub fn games(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.ends_with("game.tw-pddl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A household of each kind of task.
pub fn households(seed: u64) -> Vec<Household> {
    let of = |kind| Household::generate(&Dials { task: Some(kind), ..Dials::default() }, seed).unwrap();
    TASK_KINDS.into_iter().map(of).collect()
}

/// A play of a household.
pub fn play(household: &Household) -> Play {
    Play::new(Arc::new(household.game().unwrap()))
}

/// Random admissible commands.
pub fn wander(play: &mut Play, steps: usize, seed: u64) {
    let mut draws = Fast::new(seed);
    for _ in 0..steps {
        let at = draws.below(play.admissible().len() as u32) as usize;
        play.step_at(at);
    }
}

/// A game file in the published form, with our rules and words and a small house of its own.
pub fn game_file() -> serde_json::Value {
    serde_json::json!({
        "pddl_domain": include_str!("../../facts/household.pddl"),
        "grammar": include_str!("../../facts/household.words"),
        "pddl_problem": PROBLEM,
        "solvable": true,
        "walkthrough": ["go to fridge 1", "open fridge 1", "take egg 1 from fridge 1", "go to shelf 1", "put egg 1 in/on shelf 1"],
    })
}

/// A small problem.
pub const PROBLEM: &str = "
(define (problem small)
 (:domain household)
 (:objects me - person Fridge_bar_1 - furniture Shelf_bar_1 Shelf_bar_2 - furniture kitchen_bar_1 - room
           spot_bar_1 spot_bar_2 spot_bar_9 - spot fridge shelf - make egg - sort Egg_bar_x - thing)
 (:init ; an egg in the fridge
  (stands me spot_bar_9)
  (placed fridge_bar_1 spot_bar_1) (placed Shelf_bar_1 spot_bar_2) (placed Shelf_bar_2 spot_bar_2)
  (belongs spot_bar_1 kitchen_bar_1) (belongs spot_bar_2 kitchen_bar_1)
  (made Fridge_bar_1 fridge) (made Shelf_bar_1 shelf) (made Shelf_bar_2 shelf)
  (hinged Fridge_bar_1) (lies Egg_bar_x Fridge_bar_1) (sorted Egg_bar_x egg) (portable Egg_bar_x)
  (fits shelf egg) (fits fridge egg) (= (total-cost) 0))
 (:goal (and (exists (?f - furniture ?t - thing) (and (made ?f shelf) (sorted ?t egg) (lies ?t ?f))))))
";

/// The game of a file.
pub fn game_of(file: &serde_json::Value) -> Result<Game, gimbal_alfworld::GameError> {
    gimbal_alfworld::Library::new().read(file.to_string().as_bytes(), None)
}
