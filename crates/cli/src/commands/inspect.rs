//! `gimbal verify`, `gimbal digest`, `gimbal trace`.

use std::path::Path;

use gimbal_analysis::work_folds::{FoldStates, WorkFolds};
use gimbal_study::read;
use gimbal_study::read::trace::{self, Filter, Reader};
use gimbal_study::read::{DigestOfRun, EpisodeRow};
use gimbal_study::run::{RunError, RunFolder};
use gimbal_view::work::EpisodeView;

use super::{folded, more_to_come, opened, print_json, print_text, run_failure, run_folder, write_file};
use crate::args::{OfRun, Trace};
use crate::exit::Failure;
use crate::registry::{catalogue, registry};

/// Checks a run.
pub fn verify(of: &OfRun) -> Result<(), Failure> {
    let found =
        |error: RunError| if error.is_damage() { Failure::Check(error.to_string()) } else { run_failure(error) };
    let report = opened(&of.run).and_then(|folder| read::verify(&folder, &registry().records())).map_err(found)?;
    if of.json {
        print_json(&report)?;
    } else {
        let under_way = if report.in_progress { format!(", {} under way", report.under_way) } else { String::new() };
        println!(
            "{} episodes, {} events, {} texts and {} ledger rows read; {} attempts without an outcome{under_way}",
            report.episodes, report.events, report.texts, report.ledger_rows, report.unfinished_attempts
        );
        if report.past > 0 {
            println!("{} of cells that are no longer in the study, checked too", report.past);
        }
        if report.in_progress {
            println!("in progress: a run works on this folder now; what it has not finished is not checked yet");
        }
        for torn in &report.torn {
            println!("torn end, as a kill leaves it (harmless): {torn}");
        }
        for unknown in &report.unknown {
            println!("no file of this run, and nothing of it is counted: {}", gimbal_analysis::printable(unknown));
        }
        for problem in &report.problems {
            println!("PROBLEM {problem}");
        }
    }
    match report.problems.len() {
        0 if of.json => Ok(()),
        0 => {
            println!("{}", if report.in_progress { "sound so far" } else { "sound" });
            Ok(())
        }
        count => Err(Failure::Check(format!("{count} problem(s)"))),
    }
}

/// Prints the hash of a run's finished episodes.
pub fn digest(of: &OfRun) -> Result<(), Failure> {
    let folder = run_folder(&of.run)?;
    let in_progress = folder.in_progress();
    let digest = read::digest(&folder).map_err(run_failure)?;
    if of.json {
        print_json(&DigestOfRun { digest, in_progress })?;
    } else {
        println!("{digest}");
    }
    more_to_come(in_progress);
    Ok(())
}

/// Shows an episode, a call or the difference of two calls.
pub fn trace(options: &Trace) -> Result<(), Failure> {
    let folder = run_folder(&options.run)?;
    let Some(wanted) = &options.episode else {
        return listed(&folder, options);
    };
    let episode = trace::find(&folder, wanted).map_err(run_failure)?;
    let mut reader = Reader::open(&folder, &episode).map_err(run_failure)?;
    if let Some(path) = &options.figure {
        return figure_of(path, &mut reader, &episode.name());
    }
    if options.messages {
        return messages_of(&mut reader, options.json);
    }
    if options.json {
        for event in reader.events() {
            print_json(event)?;
        }
        return Ok(());
    }
    let text = match (options.call, options.diff.as_slice()) {
        (Some(call), _) => reader.prompt(call),
        (None, [first, second]) => reader.difference(*first, *second),
        (None, _) => reader.story(options.full, &registry()),
    };
    print_text(&ends_shown(&text.map_err(run_failure)?));
    Ok(())
}

/// A text with what a line end of two characters has before the last: a terminal would obey it.
fn ends_shown(text: &str) -> String {
    text.replace("\r\n", "\\u000d\n")
}

/// Every way in which a work of this program shows an episode, with what its fold keeps of this one.
fn views(reader: &mut Reader) -> Result<Vec<(&'static EpisodeView, FoldStates)>, Failure> {
    let catalogue = catalogue();
    let views = catalogue.works().filter_map(|work| work.episode_view());
    let shown = |view: &'static EpisodeView| {
        let mut folds = WorkFolds::new([view.fold], &[]);
        reader.fold(&mut folds).map_err(folded)?;
        Ok((view, folds.finish()))
    };
    views.map(shown).collect()
}

/// Draws an episode by the first work that has something to draw.
fn figure_of(path: &Path, reader: &mut Reader, name: &str) -> Result<(), Failure> {
    let mut missing = Vec::new();
    for (view, states) in views(reader)? {
        match (view.figure)(&states, name) {
            Ok(figure) => return write_file(path, &figure.alone),
            Err(what) => missing.push(what),
        }
    }
    Err(Failure::Usage(format!("--figure: there is {}", missing.join(", and "))))
}

/// Prints the messages of an episode by the first work that knows some.
fn messages_of(reader: &mut Reader, json: bool) -> Result<(), Failure> {
    let views = views(reader)?;
    let messages = views.iter().map(|(view, states)| (view.messages)(states)).find(|messages| !messages.is_empty());
    let Some(messages) = messages else {
        let subjects: Vec<&str> = views.iter().map(|(view, _)| view.subject).collect();
        return Err(Failure::Usage(format!("--messages: this episode has no {}", subjects.join(" or "))));
    };
    if json {
        messages.iter().for_each(|message| print_text(&message.json));
        return Ok(());
    }
    let texts: Vec<String> = messages.into_iter().map(|message| message.text).collect();
    print_text(&gimbal_analysis::printable_lines(&ends_shown(&texts.join("\n"))));
    Ok(())
}

/// The episodes of a run, one a line under a head. Numbers are those of the whole list, whatever is filtered.
fn listed(folder: &RunFolder, options: &Trace) -> Result<(), Failure> {
    let filter = Filter { cell: options.cell.clone(), stop: options.stop.clone(), worst: options.worst };
    let in_progress = folder.in_progress();
    let chosen = trace::episodes(folder).and_then(|all| filter.of(all)).map_err(run_failure)?;
    if options.json {
        for (number, episode) in &chosen {
            print_json(&EpisodeRow::new(*number, episode))?;
        }
        return Ok(());
    }
    println!(
        "{:>6}  {:>10}  {:<16}  {:>5}  {:>9}  {:<8}  cell/task/run",
        "number", "return", "stop", "steps", "tokens", "key"
    );
    for (number, episode) in &chosen {
        let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let apart = if episode.current { "" } else { "  (no longer in the study)" };
        println!(
            "{number:>6}  {:>10}  {:<16}  {:>5}  {:>9}  {:<8}  {}{apart}",
            shown(episode.episode_return.map(|value| value.to_string())),
            episode.stop,
            shown(episode.used.map(|(steps, _)| steps.to_string())),
            shown(episode.used.map(|(_, tokens)| tokens.to_string())),
            &episode.id.key.to_string()[..8],
            gimbal_analysis::printable(&episode.name())
        );
        // What a provider refused is shown where the attempt is listed, so that the episode need not be opened.
        if episode.episode_return.is_none() && !episode.detail.is_empty() {
            println!("{:>8}why: {}", "", gimbal_analysis::printable(&episode.detail));
        }
    }
    more_to_come(in_progress);
    Ok(())
}
