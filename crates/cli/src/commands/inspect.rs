//! `gimbal verify`, `gimbal digest`, `gimbal trace`.

use gimbal_study::read;
use gimbal_study::read::trace::{self, Reader};
use gimbal_study::run::RunError;

use super::{opened, print_json, print_text, run_failure, run_folder};
use crate::args::{OfRun, Trace};
use crate::exit::Failure;

/// Checks a run.
pub fn verify(of: &OfRun) -> Result<(), Failure> {
    let found =
        |error: RunError| if error.is_damage() { Failure::Check(error.to_string()) } else { run_failure(error) };
    let report = opened(&of.run).and_then(|folder| read::verify(&folder)).map_err(found)?;
    if of.json {
        print_json(&report)?;
    } else {
        println!(
            "{} episodes, {} events, {} texts and {} ledger rows read; {} attempts without an outcome",
            report.episodes, report.events, report.texts, report.ledger_rows, report.unfinished_attempts
        );
        for torn in &report.torn {
            println!("torn end, as a kill leaves it (harmless): {torn}");
        }
        for problem in &report.problems {
            println!("PROBLEM {problem}");
        }
    }
    match report.problems.len() {
        0 if of.json => Ok(()),
        0 => {
            println!("sound");
            Ok(())
        }
        count => Err(Failure::Check(format!("{count} problem(s)"))),
    }
}

/// Prints the hash of a run's finished episodes.
pub fn digest(of: &OfRun) -> Result<(), Failure> {
    let digest = read::digest(&run_folder(&of.run)?).map_err(run_failure)?;
    if of.json {
        return print_json(&serde_json::json!({ "digest": digest }));
    }
    println!("{digest}");
    Ok(())
}

/// Shows an episode, a call or the difference of two calls.
pub fn trace(options: &Trace) -> Result<(), Failure> {
    let folder = run_folder(&options.run)?;
    let Some(wanted) = &options.episode else {
        for (number, episode) in trace::episodes(&folder).map_err(run_failure)?.iter().enumerate() {
            let outcome = episode.episode_return.map_or_else(|| "-".to_owned(), |value| value.to_string());
            println!(
                "{number:>5}  {:>10}  {:<14}  {}  {}",
                outcome,
                episode.stop,
                &episode.id.key.to_string()[..8],
                gimbal_analysis::printable(&episode.name())
            );
        }
        return Ok(());
    };
    let episode = trace::find(&folder, wanted).map_err(run_failure)?;
    let mut reader = Reader::open(&folder, &episode).map_err(run_failure)?;
    if options.json {
        for event in reader.events() {
            print_json(event)?;
        }
        return Ok(());
    }
    let text = match (options.call, options.diff.as_slice()) {
        (Some(call), _) => reader.prompt(call),
        (None, [first, second]) => reader.difference(*first, *second),
        (None, _) => reader.story(),
    };
    print_text(&text.map_err(run_failure)?);
    Ok(())
}
