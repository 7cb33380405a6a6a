//! `gimbal graph distil`: the graph that runs leave for later ones.

use std::collections::BTreeMap;
use std::path::Path;

use gimbal_architectures::graph::distil::{JudgedWay, Rules};
use gimbal_architectures::graph::machine::Learning;
use gimbal_architectures::graph::measured::{Covered, Distilled, Visit, Walk, measured};
use gimbal_architectures::graph::{self, Edge, Node, TaskGraph, Ways};
use gimbal_cyc::cyclic::{Effect, Graph, SegmentStop, Trajectory, TrajectoryFold};
use gimbal_study::plan::Stored;
use gimbal_study::read::{self, Episodes};
use gimbal_study::registry::Registry;
use gimbal_study::run::RunFolder;

use super::{run_failure, run_folder, write_file};
use crate::exit::Failure;

/// Walks of a run, of one cell where it is named.
fn walks(run: &Path, cell: Option<&str>) -> Result<Vec<Trajectory>, Failure> {
    let folder = run_folder(run)?;
    let stored = Stored::read(&folder).map_err(run_failure)?;
    walks_of(&folder, &stored, cell)
}

/// Walks of an opened run, of one cell where it is named.
pub(super) fn walks_of(folder: &RunFolder, stored: &Stored, cell: Option<&str>) -> Result<Vec<Trajectory>, Failure> {
    let named = cell.map(|name| stored.named(name)).transpose();
    let named = named.map_err(|error| Failure::Usage(format!("--cell: {error}")))?;
    let of = |id: &str| named.as_ref().is_none_or(|named| named.iter().any(|cell| cell.info.id == id));
    let mut walks = Vec::new();
    let registry = Registry::default();
    let mut fold = TrajectoryFold::new(&read::run_cells(stored, &registry), |walk| walks.push(walk));
    let passed = Episodes::of(folder, stored).pass(|episode| of(&episode.id.cell), &mut [&mut fold]);
    passed.map_err(run_failure)?;
    Ok(walks)
}

/// Makes a sparse graph, or a machine, of what a run's episodes did with a complete one.
pub fn distil(
    run: &Path,
    (cell, wanted): (Option<&str>, Option<&str>),
    (rules, machine): (Rules, Option<Learning>),
    out: Option<&Path>,
) -> Result<(), Failure> {
    let walks = walks(run, cell)?;
    let mut graphs: BTreeMap<&str, (&Graph, u64)> = BTreeMap::new();
    for graph in walks.iter().filter_map(Trajectory::graph).filter(|graph| !graph.is_list()) {
        graphs.entry(&graph.id).or_insert((graph, 0)).1 += 1;
    }
    let known =
        || graphs.iter().map(|(id, (_, count))| format!("{id} ({count} episodes)")).collect::<Vec<_>>().join(", ");
    let chosen = match (wanted, graphs.len()) {
        (Some(id), _) => graphs.get(id).map(|(graph, _)| *graph),
        (None, 1) => graphs.values().next().map(|(graph, _)| *graph),
        (None, 0) => {
            return Err(Failure::Usage(
                "no episode of this run was played on a graph with ways to choose among".to_owned(),
            ));
        }
        (None, _) => {
            return Err(Failure::Usage(format!(
                "the run was played on several graphs; name one with --graph: {}",
                known()
            )));
        }
    };
    let chosen =
        chosen.ok_or_else(|| Failure::Usage(format!("--graph: there is no graph of that id (known: {})", known())))?;
    let whole = task_graph(chosen);
    let own = walks.iter().filter(|walk| walk.graph().is_some_and(|graph| graph.id == chosen.id));
    let own: Vec<Walk> = own.map(walk).collect();
    let distilled = measured(&whole, &own, rules, machine);
    let distilled = distilled.map_err(|error| Failure::External(format!("what is left is not a graph: {error}")))?;
    let Distilled { graph: mut left, ways, episodes, won, covered } = distilled;
    left.made = BTreeMap::from([
        ("distilled".to_owned(), format!("from {episodes} episodes ({won} won) on the graph {}", chosen.id)),
        ("run".to_owned(), origin(run, cell)),
    ]);
    if let Some(Covered { decisions, covered, alike }) = covered {
        eprintln!(
            "{} rules cover {covered} of {decisions} decisions of won episodes, {alike} of them as the router did",
            left.rules.len()
        );
    }
    eprintln!(
        "{}: {episodes} episodes, {won} won; {} of {} ways and {} of {} subtasks are left",
        chosen.id,
        left.edges.len(),
        whole.edges.len(),
        left.nodes.len(),
        whole.nodes.len()
    );
    for JudgedWay { edge, used, decision } in &ways {
        eprintln!(
            "  {} -> {}: taken {} times, {} in won episodes, {} as repair: {}",
            edge.from,
            edge.to,
            used.all,
            used.won,
            used.repairs,
            decision.name()
        );
    }
    let text = graph::write(&left);
    match out {
        Some(path) => write_file(path, &text),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

/// What the run was, for people: its study, its tasks and the cell.
pub(super) fn origin(run: &Path, cell: Option<&str>) -> String {
    let study = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    cell.map_or_else(|| study.clone(), |cell| format!("{study}, cell {cell}"))
}

/// An episode as its visits.
fn walk(walk: &Trajectory) -> Walk {
    let visits = walk.visits().map(|(segment, routed)| {
        let last = segment.acts.last();
        Visit {
            node: segment.node.clone(),
            is_done: segment.ended == SegmentStop::Done,
            tool: last.map(|act| act.tool.clone()),
            is_refused: last.is_some_and(|act| act.effect == Effect::Rejected),
            wanted: routed.wanted.clone(),
            to: routed.to.clone(),
            is_valid: routed.valid,
            is_faulted: routed.faulted,
        }
    });
    Walk { is_won: walk.won, visits: visits.collect() }
}

fn task_graph(graph: &Graph) -> TaskGraph {
    let node = |node: &gimbal_cyc::cyclic::GraphNode| Node {
        name: node.name.clone(),
        goal: node.goal.clone(),
        tools: if node.tools.is_empty() { node.suggested.clone() } else { node.tools.clone() },
    };
    let edge = |edge: &gimbal_cyc::cyclic::GraphEdge| Edge {
        from: edge.from.clone(),
        to: edge.to.clone(),
        criterion: edge.criterion.clone(),
        weight: 1000,
    };
    TaskGraph {
        ways: Ways::Sparse,
        entry: graph.entry.clone(),
        nodes: graph.nodes.iter().map(node).collect(),
        edges: graph.edges.iter().map(edge).collect(),
        ..TaskGraph::default()
    }
}
