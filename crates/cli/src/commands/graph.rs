//! `gimbal graph`: task graphs as files.

use gimbal_architectures::graph::distil::Rules;
use gimbal_architectures::graph::machine::Learning;
use gimbal_architectures::graph::{self, CheckedGraphs, GraphFigures, GraphFileError, TaskGraph, Ways};
use serde_json::json;

use super::begun::begun;
use super::print_json;
use crate::args::{Distilled, GraphForm, GraphVerb};
use crate::exit::Failure;
use crate::home::Home;

/// Shows, checks or compares graphs.
pub async fn graph(home: &Home, verb: GraphVerb) -> Result<(), Failure> {
    match verb {
        GraphVerb::Show { graph, form } => show(&home.graph(&graph)?, form),
        GraphVerb::Check { graphs, environment, json } => check(home, &graphs, environment.as_deref(), json).await,
        GraphVerb::Plan(asked) => super::family::plan(home, &asked).await,
        GraphVerb::Cost(asked) => super::cost::cost(home, &asked).await,
        GraphVerb::Distil { run, cell, graph, weight, least, repairs, form, support, purity, out } => {
            let rules = Rules { loop_weight: weight, least, repairs };
            let machine = (form == Distilled::Machine).then_some(Learning { least: support, purity });
            super::distil::distil(&run, (cell.as_deref(), graph.as_deref()), (rules, machine), out.as_deref())
        }
        GraphVerb::Shots(asked) => super::shots::shots(home, &asked).await,
        GraphVerb::Diff { before, after } => {
            let changes = graph::diff(&home.graph(&before)?, &home.graph(&after)?);
            for change in &changes {
                println!("{change}");
            }
            match changes.len() {
                0 => Ok(()),
                1 => Err(Failure::Check("1 difference".to_owned())),
                many => Err(Failure::Check(format!("{many} differences"))),
            }
        }
    }
}

fn show(graph: &TaskGraph, form: GraphForm) -> Result<(), Failure> {
    match form {
        GraphForm::Yaml => print!("{}", graph::write(graph)),
        GraphForm::Dot => print!("{}", graph::dot(graph)),
        GraphForm::Mermaid => print!("{}", graph::mermaid(graph)),
        GraphForm::Json => return print_json(graph),
        GraphForm::Text => {
            let rules = match graph.ways {
                Ways::Machine => format!(", {} rules", graph.rules.len()),
                Ways::Complete | Ways::Sparse | Ways::List => String::new(),
            };
            let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
            println!("{}: {}, {nodes} subtasks, {edges} ways{rules}", graph.id(), graph.ways.name());
            for (key, value) in &graph.made {
                println!("  {key}: {value}");
            }
            for node in &graph.nodes {
                let first = if node.name == graph.entry { " (first)" } else { "" };
                println!("\n{}{first}: {}", node.name, node.goal);
                let tools = if node.tools.is_empty() { "all".to_owned() } else { node.tools.join(", ") };
                println!("  tools: {tools}");
                for edge in graph.edges.iter().filter(|edge| edge.from == node.name) {
                    let weight = if edge.weight == 1000 { String::new() } else { format!(" [{}/1000]", edge.weight) };
                    println!("  -> {}{weight}: {}", edge.to, edge.criterion);
                }
                for (place, rule) in graph.rules.iter().enumerate().filter(|(_, rule)| rule.from == node.name) {
                    let counted =
                        if rule.seen == 0 { String::new() } else { format!(" ({} of {})", rule.right, rule.seen) };
                    println!("  rule {}: {} -> {}{counted}", place + 1, rule.when, rule.to);
                }
                if let Some(to) = graph.usual.get(&node.name) {
                    println!("  usually -> {to}");
                }
            }
        }
    }
    Ok(())
}

async fn check(home: &Home, names: &[String], environment: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let environment = match environment {
        Some(name) => Some(begun(name, &json!({})).await?.environment),
        None => None,
    };
    let mut wrong = Vec::new();
    let mut missing = Vec::new();
    let mut unreadable = Vec::new();
    let mut rows = Vec::new();
    for name in names {
        let graph = match home.read_graph(name) {
            Ok(graph) => graph,
            Err(error) => {
                let problems = match &error {
                    GraphFileError::Unknown { .. } => &mut missing,
                    GraphFileError::File(_) => &mut unreadable,
                    GraphFileError::Yaml(_) | GraphFileError::Graph { .. } => &mut wrong,
                };
                problems.push(error.to_string());
                continue;
            }
        };
        let tools = environment.as_ref().map(|environment| &environment.tools()[..]);
        match graph.check(tools).map(|()| graph).map_err(|error| format!("{name}: {error}")) {
            Ok(graph) => {
                rows.push(GraphFigures::of(name, &graph));
                if !as_json {
                    println!(
                        "{name}: {} subtasks, {} ways, {:.1} words a criterion, id {}",
                        graph.nodes.len(),
                        graph.edges.len(),
                        graph.words_a_criterion(),
                        graph.id()
                    );
                }
            }
            Err(problem) => wrong.push(problem),
        }
    }
    if as_json {
        let problems = [&wrong[..], &missing[..], &unreadable[..]].concat();
        print_json(&CheckedGraphs { graphs: rows, problems })?;
    }
    // The exit code is that of the first kind; every problem is printed.
    let all = [&wrong[..], &missing[..], &unreadable[..]].concat().join("\n");
    match (wrong.is_empty(), missing.is_empty(), unreadable.is_empty()) {
        (true, true, true) => Ok(()),
        (false, _, _) => Err(Failure::Check(all)),
        (true, false, _) => Err(Failure::Usage(all)),
        (true, true, false) => Err(Failure::External(all)),
    }
}
