//! `gimbal list`.

use std::path::{Path, PathBuf};

use gimbal_study::plan::Stored;
use gimbal_study::read;
use gimbal_study::run::{RunError, RunFolder};
use serde::Serialize;

use super::print_json;
use crate::args::List;
use crate::exit::Failure;

/// A run folder in one line.
#[derive(Debug, Serialize)]
struct Line {
    /// Name of the folder.
    name: String,
    /// `in progress`, `done`, `incomplete`, or what is wrong with it.
    state: String,
    finished: u64,
    planned: u64,
    /// Tokens as billed.
    tokens: u64,
    /// Dollars as billed, at the prices in force when the study ran; `null` if no request to a model with a
    /// known price was answered, and a model of the study has none.
    dollars: Option<f64>,
    /// Requests to models without a known price: their tokens are counted, and not in the dollars.
    unpriced_requests: u64,
    /// Requests of unknown cost.
    unknown_requests: u64,
    /// Finished episodes of which the ledger lacks calls: their tokens and dollars are not in these sums.
    #[serde(skip_serializing_if = "is_none")]
    unbilled_episodes: u64,
    /// What is wrong, where the folder cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Whether there is no such episode, for serde.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_none(episodes: &u64) -> bool {
    *episodes == 0
}

/// Lists the run folders below a folder.
pub fn list(options: &List) -> Result<(), Failure> {
    let folders = run_folders(&options.runs)?;
    let lines: Vec<Line> = folders.iter().map(|path| line(path)).collect();
    if options.json {
        return print_json(&lines);
    }
    if lines.is_empty() {
        println!("{}: there are no run folders", options.runs.display());
        return Ok(());
    }
    let longest = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max("run".len());
    println!("{:<longest$}  {:<11}  {:>15}  {:>14}  {:>10}", "run", "state", "episodes", "tokens", "dollars");
    for line in &lines {
        let mut notes = String::new();
        match (line.unpriced_requests, line.dollars) {
            (_, None) if line.problem.is_none() => notes.push_str("  no price"),
            (0, _) | (_, None) => {}
            (count, Some(_)) => notes.push_str(&format!("  {count} request(s) without a price")),
        }
        if line.unknown_requests > 0 {
            notes.push_str(&format!("  {} request(s) of unknown cost", line.unknown_requests));
        }
        println!(
            "{:<longest$}  {:<11}  {:>15}  {:>14}  {:>10}{notes}",
            gimbal_analysis::printable(&line.name),
            line.state,
            format!("{} of {}", line.finished, line.planned),
            line.tokens,
            line.dollars.map_or_else(|| "–".to_owned(), |dollars| format!("{dollars:.4}"))
        );
    }
    for line in &lines {
        if let Some(problem) = &line.problem {
            crate::stdio::message(problem);
        }
        if line.unbilled_episodes > 0 {
            crate::stdio::message(&format!(
                "warning: {name}: the bill lacks rows of {}: run `gimbal verify {name}`",
                crate::stdio::count(line.unbilled_episodes as usize, "finished episode", "finished episodes"),
                name = options.runs.join(&line.name).display(),
            ));
        }
    }
    Ok(())
}

/// The folders below `root` that a run was begun in, by name.
pub(super) fn run_folders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage(format!("{}: there is no such folder; name the one that holds run folders", root.display()))
        }
        _ => Failure::External(format!("{}: cannot be read: {error}", root.display())),
    };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(root).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.join(gimbal_study::run::STUDY).is_file() || path.join(gimbal_study::run::INDEX).is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn line(path: &Path) -> Line {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    read_line(path, name.clone()).unwrap_or_else(|error| Line {
        name,
        state: "unreadable".to_owned(),
        finished: 0,
        planned: 0,
        tokens: 0,
        dollars: None,
        unpriced_requests: 0,
        unknown_requests: 0,
        unbilled_episodes: 0,
        problem: Some(error.to_string()),
    })
}

fn read_line(path: &Path, name: String) -> Result<Line, RunError> {
    let folder = RunFolder::open(path)?;
    let stored = Stored::read(&folder)?;
    let finished = folder
        .index()?
        .count()
        .map_err(|error| gimbal_study::run::index::unreadable(&path.join(gimbal_study::run::INDEX), &error))?;
    let planned: u64 = stored.cells.iter().map(|cell| u64::from(cell.info.planned)).sum();
    let (spent, unbilled_episodes) = read::spending_and_gaps(&folder, &stored)?;
    // Where nothing with a price was answered and a model has none, nobody knows what the run costs: it is not free.
    let mut models = stored.cells.iter().flat_map(|cell| &cell.info.models);
    let no_price = spent.priced == 0 && models.any(|role| !stored.prices.contains_key(&role.model));
    let state = match folder.in_progress() {
        true => "in progress",
        false if finished >= planned => "done",
        false => "incomplete",
    };
    Ok(Line {
        name,
        state: state.to_owned(),
        finished,
        planned,
        tokens: spent.tokens,
        dollars: (!no_price).then(|| spent.exact() as f64 / 1e12),
        unpriced_requests: spent.unpriced,
        unknown_requests: spent.unknown,
        unbilled_episodes,
        problem: None,
    })
}
