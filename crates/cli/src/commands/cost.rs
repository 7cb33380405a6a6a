//! `gimbal graph cost`: what routing costs against the number of subtasks (CYC-069, CYC-092, CYC-097).

use std::sync::Arc;
use std::time::Instant;

use gimbal_architectures::graph::{self, TaskGraph};
use gimbal_core::{Architecture, TaskId};
use gimbal_cyc::routing_cost::{Costs, Measured, PlayedOn, drawing, table};
use gimbal_study::rehearsal::Rehearsal;
use serde_json::{Value, json};

use super::rehearsed::{Asked, rehearsal, spread};
use super::{print_json, tables, write_file};
use crate::args::{GraphCost, TableFormat};
use crate::exit::Failure;
use crate::home::Home;
use crate::registry::router;
use crate::stdio;

/// Plays and shows.
pub async fn cost(home: &Home, asked: &GraphCost) -> Result<(), Failure> {
    let (environment, options, split) = (asked.environment.as_str(), asked.options.as_str(), asked.split.as_deref());
    let role = json!({ "model": asked.model });
    let rehearsal = rehearsal(home, Asked { environment, options, split, role }).await?;
    let sessions = spread(rehearsal.tasks(), asked.episodes);
    let Some((first, _)) = sessions.first() else {
        return Err(Failure::Usage(format!("`{environment}` has no task to play")));
    };
    let (brief, tools) = rehearsal.environment(first).await.map_err(Failure::external)?;
    let nodes = match &asked.graph {
        Some(name) => home.graph(name)?.nodes,
        None => TaskGraph::suggested(&brief, &tools),
    };
    let kind = router()?;
    let mut measured = Vec::new();
    for count in &asked.nodes {
        let begun = Instant::now();
        let wide = graph::widened(&nodes, &brief.subjects, *count as usize);
        let text = graph::write(&wide);
        let written = begun.elapsed();
        let wide = graph::read(&text, "widened").map_err(Failure::usage)?;
        let read = begun.elapsed() - written;
        wide.check(Some(&tools)).map_err(Failure::usage)?;
        stdio::message(&format!(
            "{} subtasks, {} criteria, {} kB: read and checked in {} ms",
            wide.nodes.len(),
            wide.edges.len(),
            text.len() / 1000,
            read.as_millis()
        ));
        let wide = serde_json::to_value(&wide).map_err(Failure::external)?;
        for (name, settings) in routings(asked) {
            let mut settings = settings;
            settings["graph"] = wide.clone();
            let controller = kind.build(&settings, &*home.files).map_err(Failure::usage)?;
            let begun = Instant::now();
            let one = played(&rehearsal, &controller, &sessions, (name, u64::from(*count))).await?;
            let took = begun.elapsed().as_millis();
            stdio::message(&format!("  {}: {} decisions, played in {took} ms", one.routing, one.decisions));
            measured.push(one);
        }
    }
    if asked.json {
        return print_json(&Costs {
            environment: environment.to_owned(),
            model: asked.model.clone(),
            candidates: asked.candidates,
            batch: asked.batch,
            classes: nodes.len(),
            measured,
        });
    }
    let played_on = PlayedOn { environment, model: &asked.model };
    tables::show(&table(&played_on, &measured), if asked.markdown { TableFormat::Markdown } else { TableFormat::Text });
    if let Some(path) = &asked.figure {
        write_file(path, &drawing(&played_on, &measured).alone)?;
        stdio::message(&format!("{}", path.display()));
    }
    Ok(())
}

/// The ways of routing that are compared, and their settings.
fn routings(asked: &GraphCost) -> Vec<(String, Value)> {
    let (top, batch) = (asked.candidates, asked.batch);
    let cut = format!("top {top}");
    let ahead = format!("batches of {batch}");
    vec![
        ("all ways".to_owned(), json!({})),
        ("cached".to_owned(), json!({ "cache_routes": true })),
        (ahead.clone(), json!({ "batch": batch })),
        (cut.clone(), json!({ "candidates": top })),
        (format!("{cut}, cached"), json!({ "candidates": top, "cache_routes": true })),
        (format!("{cut}, {ahead}"), json!({ "candidates": top, "batch": batch })),
        (format!("{cut}, cached, {ahead}"), json!({ "candidates": top, "cache_routes": true, "batch": batch })),
    ]
}

async fn played(
    rehearsal: &Rehearsal,
    controller: &Arc<dyn Architecture>,
    sessions: &[(TaskId, u32)],
    (routing, subtasks): (String, u64),
) -> Result<Measured, Failure> {
    let mut sum = Measured { routing, subtasks, criteria: subtasks * subtasks, ..Measured::default() };
    for (task, run) in sessions {
        let episode = rehearsal.play(&**controller, task, *run).await.map_err(Failure::external)?;
        let (calls, usage) = episode.used("router");
        sum.episodes += 1;
        sum.won += u64::from(episode.outcome.stop.name() == "solved");
        sum.decisions += episode.notes("routed");
        sum.calls += calls;
        sum.input += usage.input;
        sum.tool_calls += episode.outcome.spent.tool_calls;
    }
    Ok(sum)
}
