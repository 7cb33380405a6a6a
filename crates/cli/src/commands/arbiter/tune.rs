//! `gimbal arbiter tune`: weights of the rule, searched on the training part, and what they are worth on the test part.

use std::path::Path;

use gimbal_core::Digest;
use gimbal_neural::Dataset;
use gimbal_neural::data::Part;
use gimbal_neural::eval::{Judged, evaluate};
use gimbal_neural::tune::{self, Rule, Ruled, TuneError};
use serde::{Deserialize, Serialize};

use super::{read, split, table, text};
use crate::args::TuneArgs;
use crate::commands::{tables, write_file};
use crate::exit::Failure;
use crate::stdio::message;

/// The name of the rule in tables.
const TUNED: &str = "tuned";

/// A file of weights of the rule.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    /// In thousandths, as a study takes them; with what comes before the score, and ties.
    weights: Rule,
    /// How they were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tuned: Option<TuningRecord>,
}

/// How weights were found.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TuningRecord {
    /// SHA-256 value of the file of conflicts.
    data: String,
    /// Conflicts of the training part, and different ones in which the choice matters.
    trained_on: usize,
    different: usize,
    starts: u32,
    seed: u64,
    /// Rules that were tried.
    tried: u64,
    /// Share of random's regret that is left on the training part with the default rule and with this one, in millionths.
    before: i64,
    left: i64,
    /// What was held out or weighted.
    changes: Vec<String>,
}

/// Searches and writes.
pub fn tune(options: &TuneArgs) -> Result<(), Failure> {
    has_folder(&options.out)?;
    let text = text(&options.conflicts)?;
    let mut data = read(&options.conflicts, &text)?;
    let split = split(&options.held, &data)?;
    let mut changes: Vec<String> =
        split.environments.iter().map(|name| format!("held out: environment {name}")).collect();
    changes.extend(split.noise.iter().map(|noise| format!("held out: noise {noise}")));
    if options.published_mix {
        data = data.published_mix();
        changes.push("matters weighted to the published mix".to_owned());
    }
    let (training, test) = (data.part(&split, Part::Train), data.part(&split, Part::Test));
    // Before the search, so that no file is written that nothing measures.
    if test.conflicts.iter().all(|conflict| conflict.candidates.len() < 2) {
        let words = "the test part holds no conflict with two candidates or more; collect conflicts of more episodes (a tenth of their seeds is the test part), or hold out an environment that the file holds";
        return Err(Failure::Usage(format!("{}: {words}", options.conflicts.display())));
    }
    let failed = |error| Failure::Usage(format!("{}: {error}", options.conflicts.display()));
    checked(&training).map_err(failed)?;
    let found = tune::tune(&training, options.starts, options.seed).map_err(failed)?;
    let millionths = |value: f64| (value * 1e6).round() as i64;
    let file = RuleFile {
        weights: found.rule,
        tuned: Some(TuningRecord {
            data: Digest::of(text.as_bytes()).to_string(),
            trained_on: training.conflicts.len(),
            different: found.conflicts,
            starts: options.starts,
            seed: options.seed,
            tried: found.tried,
            before: millionths(found.before),
            left: millionths(found.left),
            changes,
        }),
    };
    let json = serde_json::to_string_pretty(&file).map_err(Failure::external)?;
    write_file(&options.out, &format!("{json}\n"))?;
    message(&format!(
        "{}: of random's regret {:.1}% is left, {:.1}% with the default rule; {} rules tried on {} conflicts",
        options.out.display(),
        found.left * 100.0,
        found.before * 100.0,
        found.tried,
        training.conflicts.len()
    ));
    let choices = Ruled::of(&test.header).and_then(|rule| rule.choices(&test, &file.weights)).map_err(failed)?;
    let judged = |candidate: &usize| Judged { candidate: *candidate, chances: Vec::new() };
    let mut groups = evaluate(&test, &choices.iter().map(judged).collect::<Vec<_>>());
    for first in groups.iter_mut().filter_map(|group| group.choosers.first_mut()) {
        TUNED.clone_into(&mut first.name);
    }
    let note = "The test part: episodes that nothing was tuned on.".to_owned();
    tables::show(&table::figures(&groups, note), options.format);
    Ok(())
}

/// Fails where the folder of a file to write is missing: the result of the search would be lost.
fn has_folder(out: &Path) -> Result<(), Failure> {
    match out.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => {
            let (out, folder) = (out.display(), folder.display());
            Err(Failure::Usage(format!(
                "--out {out}: there is no folder `{folder}`: make it first, or write elsewhere"
            )))
        }
        None => Ok(()),
    }
}

/// Says how often the default rule, played on the file, takes what it took on line. Less than always means that ways were left out.
fn checked(data: &Dataset) -> Result<(), TuneError> {
    let Some(place) = data.header.rules.iter().position(|rule| rule == "greedy") else { return Ok(()) };
    let found = Ruled::of(&data.header)?.choices(data, &Rule::default())?;
    let same = data.conflicts.iter().zip(&found).filter(|(conflict, found)| conflict.choices.get(place) == Some(found));
    message(&format!("the default rule takes its recorded way in {} of {} conflicts", same.count(), found.len()));
    Ok(())
}

/// Data with the choices of a rule from a file, as the rule `tuned`.
pub fn with_rule(data: &Dataset, path: &Path) -> Result<Dataset, Failure> {
    let place = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::Usage(format!("{place}: cannot be read: {error}")))?;
    let file: RuleFile = serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{place}: {error}; expected what `gimbal arbiter tune` writes")))?;
    let choices = Ruled::of(&data.header).and_then(|rule| rule.choices(data, &file.weights));
    Ok(data.with_rule(TUNED, &choices.map_err(|error| Failure::Usage(error.to_string()))?))
}
