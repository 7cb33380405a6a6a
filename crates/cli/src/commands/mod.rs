//! One file a command.

pub mod advise;
pub mod audit;
pub mod compare;
pub mod coverage;
pub mod cycles;
mod distil;
pub mod doctor;
pub mod env;
pub mod figures;
pub mod graph;
pub mod inspect;
pub mod model;
pub mod papers;
pub mod persona;
pub mod plan;
pub mod report;
pub mod rescore;
mod rescored;
pub mod run;
pub mod shown;
pub mod tables;

use std::path::{Path, PathBuf};

use gimbal_study::run::RunFolder;
use serde::Serialize;

use crate::exit::Failure;

/// The run folder that `path` names: itself, or the run of that name below `runs/`.
pub fn run_folder(path: &Path) -> Result<RunFolder, Failure> {
    opened(path).map_err(run_failure)
}

/// The same, with the failure as it is.
pub fn opened(path: &Path) -> Result<RunFolder, gimbal_study::run::RunError> {
    let below: PathBuf = Path::new("runs").join(path);
    let chosen = if !path.exists() && below.exists() { below } else { path.to_path_buf() };
    RunFolder::open(&chosen)
}

/// A failure of a run folder with its exit code.
pub fn run_failure(error: gimbal_study::run::RunError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::world(error) }
}

/// A value as one line of JSON, the last line of standard output.
pub fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(Failure::world)?;
    println!("{line}");
    Ok(())
}

/// Writes a file, naming it when that fails.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::World(format!("{}: cannot be written: {error}", path.display())))
}

/// Model text may hold control characters: a terminal must not obey them.
pub fn print_text(text: &str) {
    let safe: String =
        text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect();
    println!("{safe}");
}
