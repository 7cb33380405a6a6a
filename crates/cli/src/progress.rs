//! Progress of a run: a bar on a terminal, plain lines elsewhere, or JSON lines. All on standard error.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gimbal_analysis::{printable, printable_lines};
use gimbal_study::runner::{Playing, Progress, RunStatus};
use indicatif::{ProgressBar, ProgressStyle as BarStyle};

use crate::args::ProgressStyle;
use crate::stdio::message;

/// Where plain lines are few: at most one in this time.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Shows what a run says of itself.
pub struct Shown(Form);

enum Form {
    Bar(ProgressBar),
    /// When the last line of the state was written, and whether its episodes are below it.
    Plain(Mutex<Option<(Instant, bool)>>),
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
    /// Shows an event.
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

/// Progress of work that is counted, on standard error: a bar on a terminal, else a line now and then.
pub struct Counted {
    what: String,
    of: u64,
    done: u64,
    bar: Option<ProgressBar>,
    written: Instant,
}

impl Counted {
    /// Begins to count: `what` is done `of` times.
    pub fn begin(what: String, of: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(of).with_message(printable(&what)));
        if let (Some(bar), Ok(style)) = (&bar, BarStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}")) {
            bar.set_style(style);
        }
        if bar.is_none() {
            message(&format!("{what}: {of} to do"));
        }
        Self { what, of, done: 0, bar, written: Instant::now() }
    }

    /// So many more are done.
    pub fn add(&mut self, more: u64) {
        self.done += more;
        match &self.bar {
            Some(bar) => bar.set_position(self.done),
            None if self.written.elapsed() >= PLAIN_EVERY && self.done < self.of => {
                message(&format!("{}: {} of {} done", self.what, self.done, self.of));
                self.written = Instant::now();
            }
            None => {}
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What was amiss before the run began, and what else to know of it.
fn amiss(event: &Progress) -> Option<String> {
    match event {
        Progress::IndexRebuilt(found) => Some(format!(
            "the index was missing and was rebuilt from journals and ledger: {} episodes are finished and {} failed \
             attempts on record",
            found.finished, found.failed
        )),
        Progress::Warning { text } => Some(format!("warning: {text}")),
        Progress::Note { text } => Some(text.clone()),
        Progress::Started { lost, .. } if *lost > 0 => Some(format!("{lost} damaged episodes are played again")),
        _ => None,
    }
}

/// A line above the bar.
fn above(bar: &ProgressBar, text: &str) {
    bar.println(printable_lines(text));
}

fn on_bar(bar: &ProgressBar, event: &Progress) {
    if let Some(text) = amiss(event) {
        above(bar, &text);
    }
    match event {
        Progress::IndexRebuilt(_) | Progress::Warning { .. } | Progress::Note { .. } => {}
        Progress::Started { study, planned, already, .. } => {
            let style = BarStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| BarStyle::default_bar()).progress_chars("=> "));
            bar.set_prefix(printable(study));
            bar.set_length(*planned);
            bar.set_position(*already);
        }
        Progress::Tick(run_status) => {
            bar.set_position(run_status.done);
            bar.set_message(words(run_status));
        }
        Progress::Playing { episodes } => {
            // One line: the message holds the state and the episode that has played longest.
            let known = bar.message();
            let run_status = known.split(" | ").next().unwrap_or_default().to_owned();
            bar.set_message(format!(
                "{run_status}{}",
                episodes.first().map(|one| format!(" | {}", playing(one))).unwrap_or_default()
            ));
        }
        Progress::Finished { .. } => bar.inc(1),
        Progress::Retrying { cell, detail, .. } => above(bar, &format!("{cell}: played again: {detail}")),
        Progress::Failed { cell, detail, .. } => above(bar, &format!("{cell}: abandoned: {detail}")),
        Progress::Closed { model, detail } => above(bar, &closed(model, detail)),
        Progress::Full { cell, detail } => above(bar, &format!("{cell}: {detail}")),
        Progress::Ended { .. } => bar.finish_and_clear(),
    }
}

fn in_lines(last: &Mutex<Option<(Instant, bool)>>, event: &Progress) {
    if let Some(text) = amiss(event) {
        eprintln!("{text}");
    }
    match event {
        Progress::IndexRebuilt(_) | Progress::Warning { .. } | Progress::Note { .. } => {}
        Progress::Started { study, folder, cells, planned, already, .. } => {
            eprintln!("{study}: {cells} cells, {planned} episodes, {already} finished before; folder {folder}");
        }
        Progress::Playing { episodes } => {
            below(last, episodes).iter().for_each(|line| eprintln!("  {line}"));
        }
        Progress::Tick(run_status) => {
            let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if last.is_none_or(|(at, _)| at.elapsed() >= PLAIN_EVERY) {
                *last = Some((Instant::now(), false));
                eprintln!("{}/{} {}", run_status.done, run_status.planned, words(run_status));
            }
        }
        Progress::Finished { cell, task, run, return_thousandths, stop, tokens, .. } => {
            let value = gimbal_core::Milli(*return_thousandths);
            eprintln!("{cell} | {task} run {run}: return {value} ({stop}), {tokens} tokens");
        }
        Progress::Retrying { cell, detail, .. } => eprintln!("{cell}: played again: {detail}"),
        Progress::Failed { cell, detail, .. } => eprintln!("{cell}: abandoned: {detail}"),
        Progress::Closed { model, detail } => eprintln!("{}", closed(model, detail)),
        Progress::Full { cell, detail } => eprintln!("{cell}: {detail}"),
        Progress::Ended { how, run_status } => {
            eprintln!("{how}: {}/{} {}", run_status.done, run_status.planned, words(run_status))
        }
    }
}

/// The episodes in play, once below each line of the state: many ticks may come at once after a stall.
fn below(last: &Mutex<Option<(Instant, bool)>>, episodes: &[Playing]) -> Vec<String> {
    let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some((_, shown)) = last.as_mut().filter(|(_, shown)| !*shown) else { return Vec::new() };
    *shown = true;
    episodes.iter().map(playing).collect()
}

/// An episode in play: which, a bar of its steps, the time since it began, the last reward and their sum.
fn playing(one: &Playing) -> String {
    const CELLS: usize = 10;
    let bar = match one.horizon {
        0 => String::new(),
        horizon => {
            let full = (one.step as usize * CELLS / horizon as usize).min(CELLS);
            format!(" [{}{}]", "=".repeat(full), " ".repeat(CELLS - full))
        }
    };
    let of = if one.horizon == 0 { String::new() } else { format!("/{}", one.horizon) };
    let milli = gimbal_core::Milli;
    let seconds = one.seconds.max(0.0) as u64;
    format!(
        "{} {} run {}:{bar} step {}{of}, {}:{:02}, reward {}, total {}",
        one.cell,
        one.task,
        one.run,
        one.step,
        seconds / 60,
        seconds % 60,
        milli(one.reward_thousandths),
        milli(one.total_thousandths)
    )
}

/// Why a model is asked no more.
fn closed(model: &str, detail: &str) -> String {
    format!("{model} is asked no more in this run, and its other episodes wait: {}", unnamed(model, detail))
}

/// A model and why it is asked no more, with its name once.
pub fn reason(model: &str, why: &str) -> String {
    format!("{model}: {}", unnamed(model, why))
}

/// A reason without the name of the model before it.
fn unnamed<'a>(model: &str, why: &'a str) -> &'a str {
    why.strip_prefix(model).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(why)
}

/// Rate, errors, spend and time left.
fn words(run_status: &RunStatus) -> String {
    let mut words = format!("{:.2}/s, {} tokens", run_status.per_second, run_status.tokens);
    if run_status.cost_microdollars > 0 {
        words.push_str(&format!(", ${:.4}", run_status.cost_microdollars as f64 / 1e6));
    }
    if run_status.unknown_requests > 0 {
        words.push_str(&format!(", {} requests of unknown cost", run_status.unknown_requests));
    }
    if run_status.errors > 0 {
        words.push_str(&format!(", {} errors", run_status.errors));
    }
    if let Some(left) = run_status.seconds_left {
        let left = left.max(0.0) as u64;
        words.push_str(&format!(", {}:{:02} left", left / 60, left % 60));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_in_play_stand_once_below_a_line() {
        let one = Playing {
            cell: "obs".to_owned(),
            task: "train".to_owned(),
            run: 0,
            step: 1,
            horizon: 2,
            reward_thousandths: -100,
            total_thousandths: -100,
            seconds: 61.0,
        };
        let last = Mutex::new(None);
        assert!(below(&last, std::slice::from_ref(&one)).is_empty(), "there is no line above");
        *last.lock().unwrap() = Some((Instant::now(), false));
        let told = ["obs train run 0: [=====     ] step 1/2, 1:01, reward -0.1, total -0.1"];
        assert_eq!(below(&last, std::slice::from_ref(&one)), told);
        assert!(below(&last, &[one]).is_empty(), "they are there already");
    }
}
