//! Shared by the integration tests.
#![allow(dead_code)]

pub mod python;

use std::path::PathBuf;

/// The folder of reference data, if it is at hand.
pub fn reference() -> Option<PathBuf> {
    let folder = std::env::var_os("GIMBAL_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")),
        PathBuf::from,
    );
    let folder = folder.join("cage2");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no reference data; set GIMBAL_DATA to the folder that holds cage2/");
    None
}

/// The recordings of the original simulator, in order of name.
pub fn traces() -> Option<Vec<PathBuf>> {
    let folder = reference()?.join("traces");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"))
        .collect();
    files.sort();
    if files.is_empty() {
        println!("skipped: no recordings in the reference data");
        return None;
    }
    Some(files)
}
