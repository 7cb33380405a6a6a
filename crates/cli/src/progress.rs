//! Progress of a run: a bar on a terminal, plain lines elsewhere, or JSON lines. All on standard error.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gimbal_study::runner::{Progress, Standing};
use indicatif::{ProgressBar, ProgressStyle as BarStyle};

use crate::args::ProgressStyle;

/// Where plain lines are few: at most one in this time.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Shows what a run says of itself.
pub struct Shown(Form);

enum Form {
    Bar(ProgressBar),
    Plain(Mutex<Option<Instant>>),
    Json,
    Quiet,
}

/// The form that was asked for.
pub fn shown(style: ProgressStyle) -> Shown {
    Shown(match style {
        ProgressStyle::Quiet => Form::Quiet,
        ProgressStyle::Json => Form::Json,
        ProgressStyle::Auto if std::io::stderr().is_terminal() => Form::Bar(ProgressBar::no_length()),
        ProgressStyle::Auto => Form::Plain(Mutex::new(None)),
    })
}

impl Shown {
    /// Shows one thing that happened.
    pub fn show(&self, event: &Progress) {
        match &self.0 {
            Form::Quiet => {}
            Form::Json => {
                if let Ok(line) = serde_json::to_string(event) {
                    eprintln!("{line}");
                }
            }
            Form::Bar(bar) => on_bar(bar, event),
            Form::Plain(last) => in_lines(last, event),
        }
    }
}

/// What was amiss before the run began.
fn amiss(event: &Progress) -> Option<String> {
    match event {
        Progress::IndexRebuilt(found) => Some(format!(
            "the index was gone and was made anew from journals and ledger: {} episodes are finished and {} failed \
             attempts on record",
            found.finished, found.failed
        )),
        Progress::Warning { text } => Some(format!("warning: {text}")),
        Progress::Started { lost, .. } if *lost > 0 => Some(format!("{lost} damaged episodes are played again")),
        _ => None,
    }
}

fn on_bar(bar: &ProgressBar, event: &Progress) {
    if let Some(text) = amiss(event) {
        bar.println(text);
    }
    match event {
        Progress::IndexRebuilt(_) | Progress::Warning { .. } => {}
        Progress::Started { study, planned, already, .. } => {
            let style = BarStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| BarStyle::default_bar()).progress_chars("=> "));
            bar.set_prefix(study.clone());
            bar.set_length(*planned);
            bar.set_position(*already);
        }
        Progress::Tick(standing) => {
            bar.set_position(standing.done);
            bar.set_message(words(standing));
        }
        Progress::Finished { .. } => bar.inc(1),
        Progress::Retrying { cell, detail, .. } => bar.println(format!("{cell}: played again: {detail}")),
        Progress::Failed { cell, detail, .. } => bar.println(format!("{cell}: given up: {detail}")),
        Progress::Closed { model, detail } => bar.println(closed(model, detail)),
        Progress::Full { cell, detail } => bar.println(format!("{cell}: {detail}")),
        Progress::Ended { .. } => bar.finish_and_clear(),
    }
}

fn in_lines(last: &Mutex<Option<Instant>>, event: &Progress) {
    if let Some(text) = amiss(event) {
        eprintln!("{text}");
    }
    match event {
        Progress::IndexRebuilt(_) | Progress::Warning { .. } => {}
        Progress::Started { study, folder, cells, planned, already, .. } => {
            eprintln!("{study}: {cells} cells, {planned} episodes, {already} finished before; folder {folder}");
        }
        Progress::Tick(standing) => {
            let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if last.is_none_or(|last| last.elapsed() >= PLAIN_EVERY) {
                *last = Some(Instant::now());
                eprintln!("{}/{} {}", standing.done, standing.planned, words(standing));
            }
        }
        Progress::Finished { cell, task, run, return_thousandths, stop, tokens, .. } => {
            let value = gimbal_core::Milli(*return_thousandths);
            eprintln!("{cell} | {task} run {run}: return {value} ({stop}), {tokens} tokens");
        }
        Progress::Retrying { cell, detail, .. } => eprintln!("{cell}: played again: {detail}"),
        Progress::Failed { cell, detail, .. } => eprintln!("{cell}: given up: {detail}"),
        Progress::Closed { model, detail } => eprintln!("{}", closed(model, detail)),
        Progress::Full { cell, detail } => eprintln!("{cell}: {detail}"),
        Progress::Ended { how, standing } => {
            eprintln!("{how}: {}/{} {}", standing.done, standing.planned, words(standing))
        }
    }
}

/// Why a model is asked no more.
fn closed(model: &str, detail: &str) -> String {
    let why = detail.strip_prefix(model).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(detail);
    format!("{model} is asked no more in this run, and its other episodes wait: {why}")
}

/// Rate, errors, spend and time left.
fn words(standing: &Standing) -> String {
    let mut words = format!("{:.2}/s, {} tokens", standing.per_second, standing.tokens);
    if standing.cost_microdollars > 0 {
        words.push_str(&format!(", ${:.4}", standing.cost_microdollars as f64 / 1e6));
    }
    if standing.unknown_requests > 0 {
        words.push_str(&format!(", {} requests of unknown cost", standing.unknown_requests));
    }
    if standing.errors > 0 {
        words.push_str(&format!(", {} errors", standing.errors));
    }
    if let Some(left) = standing.seconds_left {
        let left = left.max(0.0) as u64;
        words.push_str(&format!(", {}:{:02} left", left / 60, left % 60));
    }
    words
}
