//! One file a command.

pub mod advise;
pub mod arbiter;
pub mod audit;
mod begun;
pub mod compare;
mod cost;
pub mod coverage;
mod distil;
pub mod doctor;
pub mod env;
pub mod evidence;
mod family;
pub mod graph;
pub mod inspect;
pub mod judge;
pub mod list;
pub mod model;
pub mod papers;
pub mod persona;
pub mod plan;
mod planned;
mod rehearsed;
pub mod report;
pub mod rescore;
mod rules;
pub mod run;
mod shots;
pub mod shown;
mod sources;
pub mod tables;
pub mod temporal;
pub mod triage;

use std::path::{Path, PathBuf};

use gimbal_analysis::episode::FoldError;
use gimbal_report::files;
use gimbal_study::run::{RunError, RunFolder};
use serde::Serialize;

use crate::exit::Failure;

/// The run folder that `path` names: itself, or the run of that name below `runs/`.
pub fn run_folder(path: &Path) -> Result<RunFolder, Failure> {
    opened(path).map_err(run_failure)
}

/// The same, with the failure as it is.
pub fn opened(path: &Path) -> Result<RunFolder, RunError> {
    let below: PathBuf = Path::new("runs").join(path);
    let chosen = if !path.exists() && below.exists() { below } else { path.to_path_buf() };
    RunFolder::open(&chosen)
}

/// Reports on standard error that a run is in progress, so that what is shown is not taken for the whole.
pub fn more_to_come(in_progress: bool) {
    if in_progress {
        eprintln!("gimbal: in progress: a run works on this folder now, and more episodes are to come");
    }
}

/// A failure of a run folder with its exit code.
pub fn run_failure(error: RunError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::external(error) }
}

/// A value as one line of JSON, the last line of standard output.
pub fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(Failure::external)?;
    println!("{line}");
    Ok(())
}

/// Why a fold cannot take in an episode.
pub fn folded(error: FoldError<RunError>) -> Failure {
    match error {
        FoldError::Text(error) => run_failure(error),
        FoldError::Record { error, .. } => Failure::external(error),
    }
}

/// Writes a file completely or not at all; never through a symbolic link.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    files::write(path, text).map_err(Failure::external)
}

/// [`write_file`] for a file that holds no text.
#[cfg(feature = "arbiter-train")]
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::write_bytes(path, bytes).map_err(Failure::external)
}

/// Makes a folder for files of this program. One that is a symbolic link within the folder of another command is refused.
pub fn own_folder(path: &Path) -> Result<(), Failure> {
    files::own_folder(path).map_err(Failure::external)
}

/// Model text; what a terminal would obey is shown as escapes, as in everything that is printed.
pub fn print_text(text: &str) {
    println!("{text}");
}
