//! Feeds damaged input to every reader of files, answers and pages.
//!
//! ```text
//! gimbal-fuzz [--seconds N] [--seed N] [TARGET ...]     all targets share the seconds (60); seed 1
//! gimbal-fuzz --list                                    names of the targets
//! gimbal-fuzz --input FILE TARGET                       one input again
//! ```
//!
//! No compiler of its own and no coverage: inputs are changes of good ones ([`mutate`]), which reaches further into
//! parsers than noise does. A panic or an input that takes more than ten seconds is a failure; the input is kept in the
//! folder for temporary files, and its path is printed.

#![allow(clippy::print_stderr, reason = "a tool of the project, which prints what it does")]

mod mutate;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mutate::Mutator;
use targets::{TARGETS, Target};

/// An input that takes longer is a failure.
const LONGEST: Duration = Duration::from_secs(10);

struct Asked {
    seconds: u64,
    seed: u64,
    input: Option<PathBuf>,
    targets: Vec<&'static Target>,
}

fn asked() -> Result<Option<Asked>, String> {
    let mut asked = Asked { seconds: 60, seed: 1, input: None, targets: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            let next = words.next().unwrap_or_default();
            next.parse().map_err(|_| format!("{word}: `{next}` is not a whole number"))
        };
        match word.as_str() {
            "--list" => return Ok(None),
            "--seconds" => asked.seconds = number()?,
            "--seed" => asked.seed = number()?,
            "--input" => asked.input = words.next().map(PathBuf::from),
            name => match TARGETS.iter().find(|target| target.name == name) {
                Some(target) => asked.targets.push(target),
                None => return Err(format!("there is no target `{name}`; see --list")),
            },
        }
    }
    if asked.targets.is_empty() {
        asked.targets = TARGETS.iter().collect();
    }
    Ok(Some(asked))
}

/// What is being read, and since when: a reader that does not return cannot report itself.
type Current = Arc<Mutex<Option<(Instant, &'static str, Vec<u8>)>>>;

fn keep(target: &str, input: &[u8]) -> String {
    let path = std::env::temp_dir().join(format!("gimbal-fuzz-{target}"));
    match std::fs::write(&path, input) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("{} (which cannot be written: {error})", path.display()),
    }
}

fn watch(current: &Current) {
    let current = Arc::clone(current);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let held = current.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((since, target, input)) = &*held
                && since.elapsed() > LONGEST
            {
                let seconds = LONGEST.as_secs();
                eprintln!(
                    "{target}: an input takes more than {seconds} seconds; it is kept in {}",
                    keep(target, input)
                );
                std::process::exit(1);
            }
        }
    });
}

/// Runs a target; gives the number of inputs, or the one that it failed on.
fn run(target: &'static Target, seed: u64, time: Duration, current: &Current) -> Result<u64, Vec<u8>> {
    let begun = Instant::now();
    let seeds = (target.seeds)();
    let mut mutator = Mutator::new(seed, target.name, &seeds);
    let mut inputs = 0;
    // Good inputs first, as they are.
    let mut whole = seeds.iter();
    while inputs < seeds.len() as u64 || begun.elapsed() < time {
        let input = whole.next().cloned().unwrap_or_else(|| mutator.next());
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), target.name, input.clone()));
        if catch_unwind(AssertUnwindSafe(|| (target.read)(&input))).is_err() {
            return Err(input);
        }
        inputs += 1;
    }
    *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    Ok(inputs)
}

fn main() -> ExitCode {
    let asked = match asked() {
        Ok(Some(asked)) => asked,
        Ok(None) => {
            TARGETS.iter().for_each(|target| eprintln!("{:<24} {}", target.name, target.about));
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("gimbal-fuzz: {error}");
            return ExitCode::from(2);
        }
    };
    if let Some(path) = &asked.input {
        match std::fs::read(path) {
            Ok(input) => asked.targets.iter().for_each(|target| (target.read)(&input)),
            Err(error) => eprintln!("{}: cannot be read: {error}", path.display()),
        }
        return ExitCode::SUCCESS;
    }
    let current = Current::default();
    watch(&current);
    let each = Duration::from_secs(asked.seconds) / asked.targets.len() as u32;
    let mut failed = 0;
    for target in &asked.targets {
        match run(target, asked.seed, each, &current) {
            Ok(inputs) => eprintln!("{:<24} {inputs} inputs", target.name),
            Err(input) => {
                failed += 1;
                let kept = keep(target.name, &input);
                eprintln!("{}: FAILED; see it again with `--input {kept} {}`", target.name, target.name);
            }
        }
    }
    ExitCode::from(u8::from(failed > 0))
}
