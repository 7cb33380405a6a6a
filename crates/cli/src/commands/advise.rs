//! `gimbal advise`: measures what a family of tasks is like and names the controllers that suit it.

use gimbal_analysis::cyclic::advise::{Advice, RepairSemantics, WorkflowSignature, advise as choose};
use gimbal_core::{Catalogue, TaskId, nearest};
use gimbal_study::probe::{Probe, probe};
use serde_json::{Value, json};

use super::print_json;
use crate::args::Advise;
use crate::exit::Failure;
use crate::registry::registry;

/// Of the plays that were mended, the share above which going back is what mends, and below which it is not.
const BACKTRACKING: (f64, f64) = (0.2, 0.5);

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
    if asked.json {
        return print_json(&json!({
            "environment": asked.environment, "split": split, "tasks": measured.tasks, "solved": measured.solved,
            "signature": signature, "mendable": measured.mendable(), "backtracking": measured.backtracking(),
            "regime": advice.regime.name(), "recommended": names(&advice), "next": advice.next.name(),
            "margin": advice.margin, "reasons": advice.reasons,
        }));
    }
    println!(
        "{}: {} tasks of `{}` probed with the world's own expert, who solved {}; {} calls, {} plays disturbed by one random \
         legal call.\n",
        asked.environment,
        measured.tasks,
        split.unwrap_or_default(),
        measured.solved,
        measured.calls,
        measured.disturbed
    );
    let row = |what: &str, share: f64, counted: String| println!("  {what:<24} {share:>5.2}   {counted}");
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
        counted(measured.seen, measured.changes, "changes of the true state could be told"),
    );
    row(
        "mended",
        measured.mendable(),
        counted(measured.mended, measured.disturbed, "disturbed plays were won all the same"),
    );
    row(
        "by going back",
        measured.backtracking(),
        counted(measured.went_back, measured.mended, "of them with calls to make good"),
    );
    println!("  repair semantics         {}\n", signature.repair.name());
    println!("Regime: {}.", advice.regime.title());
    println!("Recommended: {}.", names(&advice).join(", then "));
    println!("{}", advice.what_to_do);
    println!("Fails most when {}.\n", advice.failure);
    for reason in &advice.reasons {
        println!("- {reason}");
    }
    println!("\nA recommendation is a hypothesis: `gimbal run studies/cyc-local.yaml` measures it.");
    Ok(())
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
    let repair = match measured.backtracking() {
        _ if reads => RepairSemantics::Evidence,
        share if share <= BACKTRACKING.0 => RepairSemantics::Local,
        share if share >= BACKTRACKING.1 => RepairSemantics::Backtracking,
        _ => RepairSemantics::Mixed,
    };
    WorkflowSignature {
        prerequisite_density: measured.prerequisite_density(),
        state_uncertainty: measured.state_uncertainty(),
        observability: measured.observability(),
        repair,
    }
}
