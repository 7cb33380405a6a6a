//! One file a command.

pub mod advise;
pub mod audit;
pub mod compare;
mod cost;
pub mod coverage;
pub mod cycles;
mod distil;
pub mod doctor;
pub mod env;
mod family;
pub mod figures;
pub mod graph;
pub mod inspect;
pub mod list;
pub mod model;
pub mod papers;
pub mod persona;
pub mod plan;
mod rehearsed;
pub mod report;
pub mod rescore;
mod rescored;
pub mod run;
mod shots;
pub mod shown;
pub mod tables;

use std::io::Write as _;
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

/// Says on the standard error that a run goes on, so that what is shown is not taken for all.
pub fn more_to_come(in_progress: bool) {
    if in_progress {
        eprintln!("gimbal: in progress: a run works on this folder now, and more episodes are to come");
    }
}

/// A failure of a run folder with its exit code.
pub fn run_failure(error: gimbal_study::run::RunError) -> Failure {
    if error.exit_code() == 2 { Failure::usage(error) } else { Failure::external(error) }
}

/// A value as one line of JSON, the last line of standard output.
pub fn print_json<T: Serialize>(value: &T) -> Result<(), Failure> {
    let line = serde_json::to_string(value).map_err(Failure::external)?;
    println!("{line}");
    Ok(())
}

/// Writes a file whole or not at all, naming it when that fails: beside its place, then moved there. What stood there is
/// replaced, a symbolic link too: nothing is ever written through one.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::External(format!("{}: cannot be written: {error}", path.display()));
    // A terminal, a pipe or `/dev/null` that was asked for by name takes the text as it comes.
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if special && !path.is_symlink() {
        return std::fs::write(path, text).map_err(failed);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    // What a killed process with our number left. Only a new file is opened: never one that a link names.
    let _ = std::fs::remove_file(&beside);
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside);
    let written = made.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        // A full disk may say so only now.
        file.sync_data()?;
        std::fs::rename(&beside, path)
    });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}

/// Makes a folder for files of ours. One that is a symbolic link within the folder of another command is refused.
pub fn own_folder(path: &Path) -> Result<(), Failure> {
    if path.is_symlink() {
        return Err(Failure::External(format!(
            "{}: this is a symbolic link, and files are not written through one; remove it, or write elsewhere",
            path.display()
        )));
    }
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::External(format!("{}: cannot be made: {error}", path.display())))
}

/// Model text; what a terminal would obey is shown as escapes, as in everything that is printed.
pub fn print_text(text: &str) {
    println!("{text}");
}
