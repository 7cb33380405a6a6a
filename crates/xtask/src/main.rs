//! Checks of the project on itself. `cargo xtask` lists the commands.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program reports to a terminal and nowhere else")]

mod circles;
mod fidelity;
mod fuzzed;
mod invariants;
mod language;
mod lengths;
mod literals;
mod names;
mod requirement;
mod requirements;
mod tags;
mod tokens;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask requirements [--write]   check requirements.yaml against the tests, or fill it in
       cargo xtask invariants               check rooms, circles of modules, words, lengths of files, fuzz targets
       cargo xtask circles [--write]        show every circle of modules, or write the list of known ones";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root();
    let outcome = match words.as_slice() {
        ["requirements"] => requirements::check(&root),
        ["requirements", "--write"] => requirements::write(&root),
        ["invariants"] => {
            all([invariants::check, circles::check, language::check, names::check, lengths::check, fuzzed::check]
                .map(|check| check(&root)))
        }
        ["circles"] => circles::show(&root),
        ["circles", "--write"] => circles::write(&root),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(complaints) => {
            for complaint in &complaints {
                eprintln!("{complaint}");
            }
            eprintln!("{} complaint(s)", complaints.len());
            ExitCode::FAILURE
        }
    }
}

/// All summaries, or all complaints.
fn all<const N: usize>(outcomes: [Result<String, Vec<String>>; N]) -> Result<String, Vec<String>> {
    let mut summaries = Vec::new();
    let mut complaints = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(summary) => summaries.push(summary),
            Err(more) => complaints.extend(more),
        }
    }
    if complaints.is_empty() { Ok(summaries.join("\n")) } else { Err(complaints) }
}

/// The folder of the workspace that cargo runs this for, not the one that it was compiled in: a copied `target` writes to its own copy.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).ancestors().nth(2).unwrap_or(Path::new(".")).to_path_buf()
}

/// All files below `folder` with one of these endings, sorted; build output is passed over.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() && !matches!(name, "target" | ".git" | "runs") {
                open.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a path, as [`shown`], is of a source file outside tests. What exists for tests alone counts as tests.
fn is_source(name: &str) -> bool {
    const FOR_TESTS: [&str; 2] = ["crates/testkit/", "crates/fuzz/"];
    name.ends_with(".rs")
        && name.contains("/src/")
        && !name.contains("/tests/")
        && !name.ends_with("/tests.rs")
        && !FOR_TESTS.iter().any(|folder| name.starts_with(folder))
}

/// A path as the reports show it: relative to the workspace, with forward slashes.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
