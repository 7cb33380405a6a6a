//! `gimbal graph distil`: the graph that runs leave for later ones.

use std::collections::BTreeMap;
use std::path::Path;

use gimbal_architectures::graph::distil::{Rules, Use, distil as sparse};
use gimbal_architectures::graph::machine::{Facts, Learning, Sample, decide, learn};
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
    if let Some(cell) = cell
        && !stored.cells.iter().any(|known| known.info.id == cell || known.info.configuration == cell)
    {
        return Err(no_cell(cell, stored));
    }
    let of = |id: &str| {
        cell.is_none_or(|cell| {
            id == cell || stored.cells.iter().any(|known| known.info.id == id && known.info.configuration == cell)
        })
    };
    let mut walks = Vec::new();
    let registry = Registry::default();
    let mut fold = TrajectoryFold::new(&read::run_cells(stored, &registry), |walk| walks.push(walk));
    let passed = Episodes::of(folder, stored).pass(|episode| of(&episode.id.cell), &mut [&mut fold]);
    passed.map_err(run_failure)?;
    Ok(walks)
}

/// Cells that an error names at most.
const NAMED: usize = 5;

/// The error of an unknown cell, with the nearest few cells and the number of all.
fn no_cell(cell: &str, stored: &Stored) -> Failure {
    let mut left: Vec<&str> = stored.cells.iter().map(|known| known.info.id.as_str()).collect();
    left.extend(stored.cells.iter().map(|known| known.info.configuration.as_str()));
    let hint = gimbal_core::nearest::hint(cell, left.iter().copied());
    left.truncate(stored.cells.len());
    // Those that share most words with what was asked for; among equals in the order of the study.
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        parts.map(str::to_lowercase).collect()
    };
    let asked = words(cell);
    left.sort_by_key(|id| std::cmp::Reverse(words(id).intersection(&asked).count()));
    left.truncate(NAMED);
    let more = stored.cells.len() - left.len();
    let more = if more > 0 { format!(", and {more} more: `gimbal report RUN` lists them") } else { String::new() };
    Failure::Usage(format!("--cell: there is no cell `{cell}`{hint} (known: {}{more})", left.join(", ")))
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
    for graph in walks.iter().filter_map(Trajectory::graph).filter(|graph| graph.kind != "dag") {
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
    let (mut uses, mut episodes, mut won) = (BTreeMap::<(String, String), Use>::new(), 0_u64, 0_u64);
    for walk in walks.iter().filter(|walk| walk.graph().is_some_and(|graph| graph.id == chosen.id)) {
        episodes += 1;
        won += u64::from(walk.won);
        count(walk, &mut uses);
    }
    let whole = task_graph(chosen);
    let (mut left, fates) = sparse(&whole, &uses, rules);
    if let Some(learning) = machine {
        let own = walks.iter().filter(|walk| walk.graph().is_some_and(|graph| graph.id == chosen.id));
        let samples: Vec<Sample> = own.filter(|walk| walk.won).flat_map(samples).collect();
        left = learn(&left, &samples, learning);
        covered(&left, &samples);
    }
    left.made = BTreeMap::from([
        ("distilled".to_owned(), format!("from {episodes} episodes ({won} won) on the graph {}", chosen.id)),
        ("run".to_owned(), origin(run, cell)),
    ]);
    left.check(None).map_err(|error| Failure::External(format!("what is left is not a graph: {error}")))?;
    eprintln!(
        "{}: {episodes} episodes, {won} won; {} of {} ways and {} of {} subtasks are left",
        chosen.id,
        left.edges.len(),
        whole.edges.len(),
        left.nodes.len(),
        whole.nodes.len()
    );
    for (edge, used, fate) in &fates {
        eprintln!(
            "  {} -> {}: taken {} times, {} in won episodes, {} as repair: {}",
            edge.from,
            edge.to,
            used.all,
            used.won,
            used.repairs,
            fate.name()
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

/// The router's own choices in an episode, and what could be seen when they were made.
fn samples(walk: &Trajectory) -> Vec<Sample> {
    let (mut visits, mut before) = (BTreeMap::<&str, u32>::new(), None);
    let mut found = Vec::new();
    for (segment, routed) in walk.visits() {
        let visit = visits.entry(&segment.node).or_default();
        *visit += 1;
        let last = segment.acts.last();
        let facts = Facts {
            ended: if segment.ended == SegmentStop::Done { SegmentStop::Done } else { SegmentStop::LocalBudget },
            tool: last.map(|act| act.tool.clone()),
            refused: last.is_some_and(|act| act.effect == Effect::Rejected),
            visit: *visit,
            after: before.map(str::to_owned),
        };
        // Where a fault took control elsewhere, the choice was made all the same; one that was none teaches nothing.
        if routed.valid {
            found.push(Sample { from: segment.node.clone(), facts, to: routed.wanted.clone() });
        }
        before = Some(segment.node.as_str());
    }
    found
}

/// Says how many of the measured decisions the rules cover, and how many of those they make alike.
fn covered(machine: &TaskGraph, samples: &[Sample]) {
    let decided = samples.iter().filter_map(|sample| Some((sample, decide(machine, &sample.from, &sample.facts)?.1)));
    let (covered, alike) =
        decided.fold((0_u64, 0_u64), |(all, alike), (sample, rule)| (all + 1, alike + u64::from(rule.to == sample.to)));
    eprintln!(
        "{} rules cover {covered} of {} decisions of won episodes, {alike} of them as the router did",
        machine.rules.len(),
        samples.len()
    );
}

/// Counts the router's own choices; where a fault took control elsewhere, the choice that then leads to what had been wanted is
/// a repair.
fn count(walk: &Trajectory, uses: &mut BTreeMap<(String, String), Use>) {
    let mut diverted_from: Option<&str> = None;
    for (segment, routed) in walk.visits() {
        if routed.faulted {
            diverted_from.get_or_insert(&routed.wanted);
            continue;
        }
        let used = uses.entry((segment.node.clone(), routed.to.clone())).or_default();
        used.all += 1;
        used.won += u64::from(walk.won);
        if diverted_from.is_some_and(|wanted| wanted == routed.to) {
            used.repairs += 1;
            diverted_from = None;
        }
    }
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
