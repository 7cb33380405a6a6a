//! `gimbal advise`: measures what a family of tasks is like and names the controllers that suit it.

use std::path::Path;

use gimbal_analysis::{Interval, Summary};
use gimbal_core::{Catalogue, TaskId, nearest};
use gimbal_cyc::cyclic::advise::{Advice, RepairSemantics, WorkflowSignature, advise as choose};
use gimbal_cyc::cyclic::check::{Stratum, check};
use gimbal_cyc::cyclic::{AdviceReport, CONFIDENCE, CyclesFold};
use gimbal_study::plan::Stored;
use gimbal_study::probe::{Probe, probe};
use gimbal_study::read::{self, Episodes};
use gimbal_study::registry::Registry;
use serde_json::Value;

use super::{print_json, run_failure, run_folder};
use crate::args::Advise;
use crate::exit::Failure;
use crate::registry::registry;

/// Probes and advises.
pub async fn advise(asked: &Advise) -> Result<(), Failure> {
    let registry = registry();
    let Some(family) = registry.environment(&asked.environment) else {
        let known: Vec<&str> = registry.environments.iter().map(|family| family.name()).collect();
        let hint = nearest::hint(&asked.environment, known.iter().copied());
        let known = known.join(", ");
        return Err(Failure::Usage(format!("there is no environment `{}`{hint} (known: {known})", asked.environment)));
    };
    let options: Value = serde_json::from_str(&asked.options).map_err(|error| {
        Failure::Usage(format!("--options: {error}; expected a JSON object such as {{\"horizon\": 30}}"))
    })?;
    let options = family.resolve(&options).map_err(Failure::usage)?;
    let split = asked.split.clone().or_else(|| family.splits().first().map(|split| (*split).to_owned()));
    let tasks = spread(&**family, split.as_deref().unwrap_or_default(), &options, asked.tasks)?;
    let measured = probe(&**family, &options, &tasks, asked.seed).await.map_err(Failure::usage)?;
    let signature = signature(&measured, !family.offers().asks.is_empty());
    let advice = choose(&signature);
    let found = match &asked.against {
        Some(run) => Some(found(run, &asked.environment, &advice)?),
        None => None,
    };
    if asked.json {
        return print_json(&AdviceReport {
            found,
            environment: asked.environment.clone(),
            split,
            tasks: measured.tasks,
            solved: measured.solved,
            warnings: measured.warnings(),
            signature,
            mendable: measured.mendable(),
            backtracking: measured.backtracking(),
            regime: advice.regime,
            recommended: advice.recommended,
            next: advice.next,
            margin: advice.margin,
            reasons: advice.reasons,
        });
    }
    println!(
        "{}: {} tasks of `{}` probed with the environment's own expert, who solved {}; {} calls, {} plays disturbed by one random \
         legal call.\n",
        asked.environment,
        measured.tasks,
        split.unwrap_or_default(),
        measured.solved,
        measured.calls,
        measured.disturbed
    );
    for warning in measured.warnings() {
        println!("warning: {warning}\n");
    }
    let row = |what: &str, share: f64, counted: String| println!("  {what:<24} {share:>5.2}   {counted}");
    let maybe = |what: &str, share: Option<f64>, counted: String| {
        let share = share.map_or_else(|| "–".to_owned(), |share| format!("{share:.2}"));
        println!("  {what:<24} {share:>5}   {counted}");
    };
    row(
        "prerequisite density",
        signature.prerequisite_density,
        counted(measured.needing, measured.calls, "calls would not have brought the same at the start"),
    );
    row(
        "state uncertainty",
        signature.state_uncertainty,
        counted(measured.discovered, measured.calls, "calls had words that could not be known at the start"),
    );
    row(
        "observability",
        signature.observability,
        counted(
            measured.told,
            measured.calls,
            "calls were known before the agent acted: nothing that they depend on was hidden",
        ),
    );
    maybe(
        "repaired",
        measured.mendable(),
        counted(measured.mended, measured.disturbed, "disturbed plays were won nevertheless"),
    );
    maybe(
        "by going back",
        measured.backtracking(),
        counted(measured.went_back, measured.mended, "of them with calls that undo the damage"),
    );
    println!("  repair semantics         {}\n", signature.repair.map_or("not known", RepairSemantics::name));
    println!("Regime: {}.", advice.regime.title());
    println!("Recommended: {}.", names(&advice).join(", then "));
    println!("{}", advice.what_to_do);
    println!("Fails most when {}.\n", advice.failure);
    for reason in &advice.reasons {
        println!("- {reason}");
    }
    match found {
        Some(found) => found.iter().for_each(show),
        None => println!(
            "\nA recommendation is a hypothesis: `gimbal advise {} --against RUN` holds it against a run in which \
             controllers played this environment, such as studies/cyc-local.yaml or, with gates, studies/evidence-gate.yaml.",
            asked.environment
        ),
    }
    Ok(())
}

/// What a run found about the advice.
fn found(run: &Path, environment: &str, advice: &Advice) -> Result<Vec<Stratum>, Failure> {
    let folder = run_folder(run)?;
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let registry = Registry::default();
    let mut fold = CyclesFold::new(&read::run_cells(&stored, &registry));
    Episodes::of(&folder, &stored).pass(|_| true, &mut [&mut fold]).map_err(run_failure)?;
    let found = check(&advice.recommended, &fold.cycles(), environment, CONFIDENCE);
    if found.is_empty() {
        let mut played: Vec<&str> = stored.cells.iter().map(|cell| cell.info.environment.as_str()).collect();
        played.dedup();
        return Err(Failure::Usage(format!(
            "--against: `{}` has no finished episode of a controller on `{environment}` (it plays {})",
            run.display(),
            played.join(", ")
        )));
    }
    Ok(found)
}

/// Prints what was found under one kind of faults.
fn show(found: &Stratum) {
    let faults = if found.faults.is_empty() { "without faults" } else { &found.faults };
    println!("\nFound, {faults}:");
    println!(
        "  {:<17} {:>5}  {:>20}  {:>19}  {:>5}  {:>22}",
        "controller", "n", "SR % (95%)", "TC of won (95%)", "STR", "tokens (95%)"
    );
    for measured in &found.measured {
        let success = measured.success;
        let ends = success.told().map(|ends| format!(" ({:.1} to {:.1})", 100.0 * ends.low, 100.0 * ends.high));
        let rate = format!("{:.1}{}", 100.0 * success.share, ends.unwrap_or_default());
        let name = format!("{}{}", if measured.recommended { "*" } else { " " }, measured.controller.name());
        let ratio = measured.success_to_calls.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}"));
        println!(
            "  {name:<17} {:>5}  {rate:>20}  {:>19}  {ratio:>5}  {:>22}",
            success.of,
            mean(measured.calls, 1),
            mean(measured.tokens, 0)
        );
    }
    if let Some(judged) = found.judged {
        let percent = (1000.0 * found.confidence).round() / 10.0;
        for other in &found.against {
            println!(
                "  {} minus {}: SR {:+.1}{} points, tokens {:+.0}{} over {} seeds ({percent}% each)",
                judged.name(),
                other.other.name(),
                100.0 * other.success_mean,
                ends(other.success, 100.0, 1),
                other.tokens_mean,
                ends(other.tokens, 1.0, 0),
                other.pairs
            );
        }
    }
    println!("  {}", found.sentence);
}

fn mean(summary: Option<Summary>, digits: usize) -> String {
    let Some(summary) = summary else { return "–".to_owned() };
    match summary.interval() {
        Some(ends) => format!("{:.digits$} ({:.digits$} to {:.digits$})", summary.mean, ends.low, ends.high),
        None => format!("{:.digits$}", summary.mean),
    }
}

fn ends(interval: Option<Interval>, times: f64, digits: usize) -> String {
    interval
        .map(|ends| format!(" ({:+.digits$} to {:+.digits$})", times * ends.low, times * ends.high))
        .unwrap_or_default()
}

fn counted(part: u64, of: u64, what: &str) -> String {
    format!("{part} of {of} {what}")
}

fn names(advice: &Advice) -> Vec<&'static str> {
    advice.recommended.iter().map(|controller| controller.name()).collect()
}

/// At most `most` tasks, evenly spread over the split: its ends may differ in difficulty.
fn spread(family: &dyn Catalogue, split: &str, options: &Value, most: usize) -> Result<Vec<TaskId>, Failure> {
    let tasks = family.tasks(split, options).map_err(Failure::environment)?;
    let most = most.min(tasks.len());
    Ok((0..most).map(|index| tasks[index * tasks.len() / most].clone()).collect())
}

fn signature(measured: &Probe, reads: bool) -> WorkflowSignature {
    WorkflowSignature {
        prerequisite_density: measured.prerequisite_density(),
        state_uncertainty: measured.state_uncertainty(),
        observability: measured.observability(),
        repair: RepairSemantics::measured(measured.backtracking(), reads),
    }
}
