//! What several tests need.
#![allow(dead_code)]

use std::path::PathBuf;

/// The folder of recordings of the original, if it is at hand.
pub fn reference() -> Option<PathBuf> {
    let set = std::env::var_os("GIMBAL_DATA").map(PathBuf::from);
    let data = set.unwrap_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference")));
    let folder = data.join("yawning_titan");
    if folder.is_dir() {
        Some(folder)
    } else {
        println!("skipped: no recordings of the original in {}", folder.display());
        None
    }
}

/// The recordings of the original, if they are at hand.
pub fn traces() -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(reference()?.join("traces")).ok()?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "gz"))
        .collect();
    files.sort();
    Some(files)
}
