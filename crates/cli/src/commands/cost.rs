//! `gimbal graph cost`: what routing costs against the number of subtasks (CYC-069, CYC-092, CYC-097).

use std::sync::Arc;
use std::time::Instant;

use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_architectures::graph::{self, TaskGraph};
use gimbal_core::{Architecture, ArchitectureKind, TaskId};
use gimbal_study::rehearsal::Rehearsal;
use gimbal_view::figure::routing::{self, Line};
use serde::Serialize;
use serde_json::{Value, json};

use super::rehearsed::{Asked, rehearsal, spread};
use super::{print_json, tables, write_file};
use crate::args::{GraphCost, TableFormat};
use crate::exit::Failure;
use crate::home::Home;
use crate::stdio;

/// What was measured of one way of routing over one graph.
#[derive(Clone, Debug, Default, Serialize)]
struct Measured {
    routing: String,
    subtasks: u64,
    criteria: u64,
    episodes: u64,
    won: u64,
    decisions: u64,
    calls: u64,
    input: u64,
    tool_calls: u64,
}

impl Measured {
    fn share(part: u64, of: u64) -> f64 {
        if of == 0 { 0.0 } else { part as f64 / of as f64 }
    }

    fn per_decision(&self) -> f64 {
        Self::share(self.input, self.decisions)
    }

    fn per_episode(&self) -> f64 {
        Self::share(self.input, self.episodes)
    }
}

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
    let kind = gimbal_architectures::cyclic::CyclicKind::default();
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
        return print_json(&json!({
            "environment": environment, "model": asked.model, "candidates": asked.candidates, "batch": asked.batch,
            "classes": nodes.len(), "measured": measured,
        }));
    }
    let table = table(asked, &measured);
    tables::show(&table, if asked.markdown { TableFormat::Markdown } else { TableFormat::Text });
    if let Some(path) = &asked.figure {
        let drawing = drawing(asked, &measured);
        write_file(path, &drawing)?;
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

fn table(asked: &GraphCost, measured: &[Measured]) -> Table {
    let number = |key, title, help| Column::new(key, title, "", ColumnKind::Number(1), help);
    let count = |key, title, help| Column::new(key, title, "", ColumnKind::Integer, help);
    let won = measured.iter().any(|one| one.won > 0);
    let columns = vec![
        count("subtasks", "Subtasks", "Subtasks of the graph"),
        count("criteria", "Criteria", "Criteria of the graph"),
        Column::new("routing", "Routing", "", ColumnKind::Label, "How control goes on"),
        count("won", "Won", "Episodes won"),
        number("decisions", "Decisions", "Mean decisions of an episode"),
        number("calls", "Calls", "Mean calls of the router in an episode"),
        count("decision", "A decision", "Mean prompt tokens of the router for a decision").unit("tokens"),
        count("episode", "An episode", "Mean prompt tokens of the router in an episode").unit("tokens"),
    ];
    let whole = |value: f64| Cell::count(value.round() as u64);
    let row = |one: &Measured| {
        vec![
            Cell::count(one.subtasks),
            Cell::count(one.criteria),
            Cell::text(&one.routing),
            if won { Cell::count(one.won) } else { Cell::Empty },
            Cell::number(Some(Measured::share(one.decisions, one.episodes))),
            Cell::number(Some(Measured::share(one.calls, one.episodes))),
            whole(one.per_decision()),
            whole(one.per_episode()),
        ]
    };
    let episodes = measured.first().map_or(0, |one| one.episodes);
    Table {
        key: "routing-cost",
        title: format!("What routing costs in {} against the number of subtasks", asked.environment),
        columns,
        rows: measured.iter().map(row).collect(),
        notes: vec![format!(
            "{episodes} episodes each, played by {}; prompt tokens of the router for a decision and over an episode. Tokens of the scripted player are counted by length. The graphs are \
             widened: constructed by dividing the same tools into ever smaller parts, to show what their number costs, and \
             found by nobody.",
            asked.model
        )],
    }
}

fn drawing(asked: &GraphCost, measured: &[Measured]) -> String {
    let mut lines: Vec<Line> = Vec::new();
    for one in measured {
        let point = (one.subtasks as f64, one.per_decision(), one.per_episode());
        match lines.iter_mut().find(|line| line.name == one.routing) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: one.routing.clone(), points: vec![point] }),
        }
    }
    let title = format!("Prompt tokens of the router in {} against the number of subtasks", asked.environment);
    let caption = format!(
        "Means over episodes played by {} on widened graphs: the same tools in ever smaller parts. It shows what the \
         scaffolding costs, and says nothing about language models.",
        asked.model
    );
    routing::draw(&title, &caption, &lines).alone
}
