//! `gimbal run`.

use std::path::Path;
use std::sync::Arc;

use gimbal_study::plan::estimate::{Measured, estimate_after, too_low};
use gimbal_study::plan::{self, Plan};
use gimbal_study::registry::ModelSource;
use gimbal_study::run::{RunError, RunFolder};
use gimbal_study::runner::{self, RunStop, Settings, Summary};
use gimbal_study::stage::Cancel;

use super::planned::{artefacts, counted};
use super::{report, run_failure};
use crate::args::{ProgressStyle, Run};
use crate::exit::Failure;
use crate::home::Home;
use crate::interrupt;
use crate::progress;
use crate::registry::registry;
use crate::stdio;

/// Attempts at an episode that fails for infrastructure reasons.
const ATTEMPTS: u32 = 3;

/// Plays a study, or what is left of it.
pub async fn run(home: &Home, options: Run) -> Result<(), Failure> {
    if options.progress == ProgressStyle::Json {
        stdio::messages_as_json();
    }
    let (text, name) = home.study(&options.study)?;
    let study = plan::parse(&text, &name).map_err(Failure::usage)?;
    let models = home.models(plan::models_section(&study).map_err(Failure::usage)?, options.threads)?;
    let changes = plan::Options {
        only: options.only.clone(),
        model: options.model.clone(),
        limit: options.limit.map(u64::from),
        add_runs: options.add_runs,
    };
    let mut plan = plan::resolve(study, &changes, &registry(), &*models, &*home.files).map_err(Failure::usage)?;
    for warning in &plan.warnings {
        stdio::message(warning);
    }
    plan.overrides = home.overridden();
    home.warn_of(&plan.overrides);
    if options.dry_run {
        return dry_run(&plan, &*models, &options.runs.join(&plan.study.name)).await;
    }
    crate::survive_closed_pipes();
    let (missing, ready) = plan::ready(&plan, &*models);
    ready.map_err(Failure::usage)?;
    for model in &missing {
        super::model::fetch_if_missing(model).await?;
    }
    let folder = options.runs.join(&plan.study.name);
    let cancel = Cancel::default();
    tokio::spawn(interrupt::watch(cancel.clone()));
    let settings = Settings { jobs: options.jobs, attempts: ATTEMPTS, ..Settings::new(&folder) };
    let shown = progress::shown(options.progress);
    let source: Arc<dyn ModelSource> = models;
    let summary = runner::run(Arc::new(plan), source, settings, cancel, move |event| shown.show(&event))
        .await
        .map_err(run_failure)?;
    if summary.ended == RunStop::Interrupted {
        return Err(Failure::Interrupted);
    }
    if !options.no_report {
        let folder = RunFolder::open(&summary.folder).map_err(run_failure)?;
        let (page, text) = report::after_run(folder)?;
        if options.progress != ProgressStyle::Quiet {
            println!("{text}");
        }
        println!("{}", page.display());
    }
    match summary.ended {
        RunStop::Done | RunStop::Interrupted => Ok(()),
        RunStop::Incomplete => Err(Failure::External(incomplete(&summary))),
        RunStop::Limit(limit) => Err(Failure::External(limit.to_string())),
    }
}

/// Why episodes are missing after a run. The words of providers that refused requests or gave no answer are repeated here, because what was
/// shown during the run has scrolled away.
pub(super) fn incomplete(summary: &Summary) -> String {
    let missing = summary.run_status.planned.saturating_sub(summary.run_status.done);
    let episodes = stdio::count(missing as usize, "episode", "episodes");
    let reasons = |of: &[(String, String)]| -> Vec<String> {
        of.iter().map(|(model, why)| progress::reason(model, why)).collect()
    };
    let (refused, unanswered) = (reasons(&summary.closed), reasons(&summary.unanswered));
    let again = match refused.is_empty() {
        true => "run the same command to try again",
        false => "change what is refused, then run the same command",
    };
    let why = [refused, unanswered].concat().join("; ");
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    format!("{episodes} could not be played{why}; {again}")
}

async fn dry_run(plan: &Plan, models: &dyn ModelSource, folder: &Path) -> Result<(), Failure> {
    // Problems with existing files come first: the figures below are useless where the run would be refused.
    let fits = match runner::fits(plan, folder) {
        Ok(None) => true,
        Ok(Some(words)) => {
            stdio::message(&format!("warning: {words}"));
            true
        }
        Err(error) => {
            stdio::message(&format!("warning: the run would be refused: {error}"));
            false
        }
    };
    let measured = if fits && folder.join(gimbal_study::run::STUDY).exists() {
        match RunFolder::open(folder).and_then(|folder| Measured::read(&folder)) {
            Err(RunError::IndexLost { .. }) => Measured::default(),
            measured => measured.map_err(run_failure)?,
        }
    } else {
        Measured::default()
    };
    let estimates = estimate_after(plan, models, &measured).await.map_err(Failure::usage)?;
    println!("{}; nothing is played or paid for", counted(plan));
    for line in artefacts(plan) {
        println!("{line}");
    }
    // Every cell has its numbers beneath one another, however long its name is.
    let wide = estimates.iter().map(|estimate| estimate.cell.chars().count()).fold(24, usize::max);
    println!(
        "{:<wide$} {:>9} {:>9} {:>12} {:>12} {:>12}  estimate",
        "cell", "episodes", "left", "tokens in", "tokens out", "dollars"
    );
    let (mut input, mut output, mut left, mut cost) = (0_u64, 0_u64, 0_u64, Some(0_u64));
    for estimate in &estimates {
        input = input.saturating_add(estimate.input_tokens);
        output = output.saturating_add(estimate.output_tokens);
        left += estimate.left;
        cost = cost.zip(estimate.cost_microdollars).map(|(sum, one)| sum.saturating_add(one));
        let dollars = dollars(estimate.cost_microdollars);
        println!(
            "{:<wide$} {:>9} {:>9} {:>12} {:>12} {dollars:>12}  {}",
            estimate.cell,
            estimate.episodes,
            estimate.left,
            estimate.input_tokens,
            estimate.output_tokens,
            estimate.source.words()
        );
    }
    println!("{:<wide$} {:>9} {left:>9} {input:>12} {output:>12} {:>12}", "all", plan.episodes(), dollars(cost));
    println!(
        "tokens and dollars are estimates of what is left: by the mean of finished episodes of the same cell where this \
         run has some, else by episodes played in memory by {}, counted by length",
        plan::estimate::STAND_IN
    );
    for words in too_low(plan, &estimates) {
        stdio::message(&format!("warning: {words}"));
    }
    let (missing, ready) = plan::ready(plan, models);
    for model in missing {
        stdio::message(&format!("`{model}` is not fetched yet: the run fetches it first"));
    }
    for problem in ready.err().into_iter().flat_map(|problems| problems.0) {
        stdio::message(&format!("warning: the run would be refused: {problem}"));
    }
    Ok(())
}

fn dollars(microdollars: Option<u64>) -> String {
    microdollars.map_or_else(|| "no price".to_owned(), |amount| format!("{:.4}", amount as f64 / 1e6))
}
