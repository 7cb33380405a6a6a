//! Data of the original, where they are at hand, and the built-in recipes.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::PathBuf;
use std::sync::Arc;

use gimbal_textcraft::{Scene, Simulator, Tree};

/// The folder of reference data; none if this machine has none.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("GIMBAL_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")),
        PathBuf::from,
    );
    let there = folder.join("textcraft/recipes.jsonl").is_file();
    if !there {
        println!("skipped: no data of the original in {} (set GIMBAL_DATA)", folder.display());
    }
    there.then_some(folder)
}

pub fn tree() -> Arc<Tree> {
    Tree::shipped().unwrap()
}

pub fn simulator(seed: u64) -> Simulator {
    Simulator::new(Arc::new(Scene::of(&tree(), seed)))
}

/// The reply to a command.
pub fn say(simulator: &mut Simulator, command: &str) -> String {
    let mut reply = String::new();
    simulator.step(command, &mut reply);
    reply
}
