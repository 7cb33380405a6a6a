//! `gimbal graph plan`: a model plans one graph for a family of tasks (CYC-021).

use std::collections::BTreeMap;
use std::path::PathBuf;

use gimbal_architectures::control::FamilyError;
use gimbal_architectures::graph::{self, PlannedGraph};
use gimbal_architectures::{cyclic, dag};
use serde_json::json;

use super::print_json;
use super::rehearsed::{Asked, decoding, digest, halted, rehearsal, role, say_cost, write_below};
use crate::args::{GraphPlan, Planned};
use crate::exit::Failure;
use crate::home::Home;
use crate::stdio;

/// Plans, checks and stores.
pub async fn plan(home: &Home, asked: &GraphPlan) -> Result<(), Failure> {
    let out = match (&asked.out, &asked.name) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(name)) => Some(place(name)?),
        (None, None) => None,
    };
    let role = role(&asked.model, asked.constrained, asked.max_tokens);
    let (environment, options, split) = (asked.environment.as_str(), asked.options.as_str(), asked.split.as_deref());
    let rehearsal = rehearsal(home, Asked { environment, options, split, role }).await?;
    let settings = json!({ "size": [asked.size.0, asked.size.1], "shots": asked.shots });
    let planner = match asked.kind {
        Planned::Cyclic => cyclic::family_planner(&settings, &*home.files),
        Planned::List => dag::family_planner(&settings, &*home.files),
    };
    let planner = planner.map_err(Failure::usage)?;
    let tasks = rehearsal.tasks();
    let (Some(first), Some(last)) = (tasks.first(), tasks.last()) else {
        return Err(Failure::Usage(format!("`{environment}` has no task to open its environment with")));
    };
    // The planner must know the family and none of its tasks: what it sees in two of them must be the same.
    let prompt = rehearsal.prompts(&planner, first).await.map_err(Failure::external)?;
    let other = rehearsal.prompts(&planner, last).await.map_err(Failure::external)?;
    if prompt != other {
        return Err(Failure::Usage(format!(
            "the prompt of `{environment}` for a planner differs between the tasks `{}` and `{}`: a graph for the family must not \
             depend on one of them; take what belongs to one task out of the persona `family-planner` or the options",
            first.0, last.0
        )));
    }
    let played = rehearsal.play(&planner, first, 0).await.map_err(halted)?;
    let (calls, usage) = played.used("planner");
    let dollars = rehearsal.dollars(&played);
    say_cost(&asked.model, (calls, &usage), dollars);
    let made = planner.made().unwrap_or_default();
    let repaired = !made.problems.is_empty();
    for problem in &made.problems {
        stdio::message(&format!("the planner's graph is not valid: {problem}"));
    }
    let mut planned = made.into_graph().map_err(|error| match error {
        FamilyError::NoGraph { .. } => Failure::Check(format!("{}: {error}", asked.model)),
    })?;
    let mut made = BTreeMap::from([
        ("by".to_owned(), "gimbal graph plan".to_owned()),
        ("environment".to_owned(), environment.to_owned()),
        ("model".to_owned(), asked.model.clone()),
        ("decoding".to_owned(), decoding(asked.constrained).to_owned()),
        ("prompt".to_owned(), digest(&prompt)),
        ("calls".to_owned(), if repaired { format!("{calls}, one of them a repair") } else { calls.to_string() }),
        ("tokens".to_owned(), format!("{} prompt, {} completion", usage.input, usage.output)),
    ]);
    made.extend(asked.shots.iter().map(|shots| ("shots".to_owned(), shots.clone())));
    planned.made = made;
    let text = graph::write(&planned);
    match &out {
        Some(path) => {
            write_below(path, &text)?;
            stdio::message(&format!(
                "{}: {} subtasks, {} ways",
                path.display(),
                planned.nodes.len(),
                planned.edges.len()
            ));
        }
        None if !asked.json => print!("{text}"),
        None => {}
    }
    if asked.json {
        print_json(&PlannedGraph {
            id: planned.id(),
            file: out,
            subtasks: planned.nodes.len(),
            ways: planned.edges.len(),
            repaired,
            calls,
            input_tokens: usage.input,
            output_tokens: usage.output,
            dollars,
            made: planned.made,
        })?;
    }
    Ok(())
}

/// `graphs/NAME.yaml`.
fn place(name: &str) -> Result<PathBuf, Failure> {
    let good = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if good {
        return Ok(PathBuf::from("graphs").join(format!("{name}.yaml")));
    }
    Err(Failure::Usage(format!("--name: `{name}` must have letters, digits, `-` and `_` only; --out takes any path")))
}
