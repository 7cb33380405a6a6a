//! Trajectories of a run one at a time, for commands that read nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::PlanFold;
use gimbal_analysis::cyclic::{Cycles, CyclesFold, Setup, TaskPart, Trajectory, WalkCell};
use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::profile::{Profile, TraceFold};
use gimbal_analysis::recovery::RecoveryFold;
use gimbal_core::Event;
use gimbal_messages::Record;
use gimbal_messages::records::control::PLANNER;
use gimbal_model::ModelName;
use gimbal_model::noisy::ONE;
use serde_json::Value;

use super::episodes::Episodes;
use crate::plan::{Stored, StoredCell};
use crate::registry::Registry;
use crate::run::{EpisodeId, RunError, RunFolder};

/// Makes one thing of each episode and hands it on.
struct Each<M, F> {
    make: M,
    each: F,
    /// Whether `make` reads what episodes are to reach.
    objectives: bool,
}

impl<E, T, M, F> EpisodeFold<E> for Each<M, F>
where
    M: FnMut(&Episode<'_>, &mut dyn Texts<Error = E>) -> Result<T, FoldError<E>>,
    F: FnMut(T),
{
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        (self.each)((self.make)(episode, texts)?);
        Ok(())
    }

    fn needs_objectives(&self) -> bool {
        self.objectives
    }
}

/// Hands the trajectory of every finished episode that is wanted to `each`, in order of key.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn profiles(
    folder: &RunFolder,
    stored: &Stored,
    mut wanted: impl FnMut(&EpisodeId) -> bool,
    each: impl FnMut(Profile),
) -> Result<(), RunError> {
    let mut fold = Each { make: Profile::read::<RunError>, each, objectives: false };
    Episodes::of(folder, stored).pass(|episode| wanted(&episode.id), &mut [&mut fold])
}

/// Hands the walk of every finished episode that is wanted to `each`, in order of key.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn trajectories(
    folder: &RunFolder,
    stored: &Stored,
    mut wanted: impl FnMut(&EpisodeId) -> bool,
    each: impl FnMut(Trajectory),
) -> Result<(), RunError> {
    let registry = Registry::default();
    let cells = walk_cells(stored, &registry);
    let bare = WalkCell::default();
    let make = |episode: &Episode<'_>, texts: &mut dyn Texts<Error = RunError>| {
        Trajectory::read(episode, cells.get(episode.cell).unwrap_or(&bare), texts)
    };
    Episodes::of(folder, stored).pass(|episode| wanted(&episode.id), &mut [&mut Each { make, each, objectives: true }])
}

/// What each call of an episode brought, or why it was refused: one text for each act of its walk, in order. `None` where
/// there is no such finished episode.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn results(folder: &RunFolder, stored: &Stored, walk: &Trajectory) -> Result<Option<Vec<String>>, RunError> {
    let mut found = None;
    let wanted =
        |id: &EpisodeId| (&id.cell, &id.task, id.run, id.trial) == (&walk.cell, &walk.task, walk.run, walk.trial);
    let make = |episode: &Episode<'_>, texts: &mut dyn Texts<Error = RunError>| {
        let results = Trajectory::results(episode, texts)?;
        let read = results.iter().map(|result| texts.text(result).map(std::borrow::Cow::into_owned));
        read.collect::<Result<Vec<String>, _>>().map_err(FoldError::Text)
    };
    let mut fold = Each { make, each: |results| found = Some(results), objectives: false };
    Episodes::of(folder, stored).pass(|episode| wanted(&episode.id), &mut [&mut fold])?;
    Ok(found)
}

/// The walk of one episode from its events alone: segments, decisions, calls and their effects. What its run folder knows
/// (cell, environment, task, run, stop, whether it was won) is left at its default. `objective` is what its brief says that is to be
/// reached; `asks` are roles that the environment asks.
///
/// # Errors
/// Those of `texts`, or when a record does not have the form of its kind.
pub fn walk_of<E>(
    events: &[Event],
    texts: &mut dyn Texts<Error = E>,
    objective: Option<&str>,
    asks: &[String],
) -> Result<Trajectory, FoldError<E>> {
    let episode = Episode { asks, events, objective, ..Episode::default() };
    Trajectory::read(&episode, &WalkCell::default(), texts)
}

/// Passes the records of one kind to `each`: those of every finished episode in the order of keys, and within it in the
/// order of the journal. So a system reads what only it writes.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn each_record<R: Record>(folder: &RunFolder, mut each: impl FnMut(R)) -> Result<(), RunError> {
    let stored = Stored::read(folder)?;
    let mut fold = Each {
        make: |episode: &Episode<'_>, texts: &mut dyn Texts<Error = RunError>| episode.records::<R, _>(texts),
        each: |records: Vec<R>| records.into_iter().for_each(&mut each),
        objectives: false,
    };
    Episodes::of(folder, &stored).pass(|_| true, &mut [&mut fold])
}

/// The fold to what followed the injected faults: over the cells that have any.
#[must_use]
pub fn recovery_fold(stored: &Stored) -> RecoveryFold {
    let faulty = stored.cells.iter().filter(|cell| !cell.info.faults.is_empty());
    RecoveryFold::new(faulty.map(|cell| cell.info.id.clone()).collect())
}

/// The fold to the plans of cells: over those in which a planner makes the graph.
#[must_use]
pub fn plan_fold(stored: &Stored) -> PlanFold {
    let has_planner = |cell: &&StoredCell| {
        GRAPHS.contains(&architecture(cell)) && setup(cell).source.is_none_or(|source| source == PLANNER)
    };
    PlanFold::new(stored.cells.iter().filter(has_planner).map(|cell| cell.info.id.clone()))
}

/// The fold to what agents did in every step.
#[must_use]
pub fn trace_fold(stored: &Stored) -> TraceFold {
    TraceFold::new(stored.cells.iter().map(|cell| (cell.info.id.clone(), cell.actions.clone())).collect())
}

/// The fold to what episodes did over task graphs (CYC-060..067, 096). The evidence is followed in the environments of
/// `registry` that know how: their calls and texts are read again, and nothing is played.
#[must_use]
pub fn cycles_fold<'q>(stored: &Stored, registry: &'q Registry) -> CyclesFold<'q> {
    let infos = stored.cells.iter().map(|cell| (cell.info.clone(), setup(cell))).collect();
    CyclesFold::new(infos, walk_cells(stored, registry))
}

/// The cells of a run with what their episodes did over task graphs, without following evidence.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn cycles(folder: &RunFolder, stored: &Stored) -> Result<Cycles, RunError> {
    let registry = Registry::default();
    let mut fold = cycles_fold(stored, &registry);
    Episodes::of(folder, stored).pass(|_| true, &mut [&mut fold])?;
    Ok(fold.finish())
}

/// Whether any cell of the run is controlled by a graph.
#[must_use]
pub fn has_graphs(stored: &Stored) -> bool {
    stored.cells.iter().any(|cell| GRAPHS.contains(&architecture(cell)))
}

/// Architectures whose control is a graph.
const GRAPHS: [&str; 2] = ["cyclic", "dag"];

/// What walks need of their cells, by id.
fn walk_cells<'q>(stored: &Stored, registry: &'q Registry) -> BTreeMap<String, WalkCell<'q>> {
    let mut parts: BTreeMap<&str, Arc<BTreeMap<String, TaskPart>>> = BTreeMap::new();
    let cells = stored.cells.iter().map(|cell| {
        let environment = environment(cell);
        let walk_cell = WalkCell {
            success_above: cell.info.thresholds.success_above,
            specialists: setup(cell).specialists,
            questions: registry.environment(environment).and_then(|family| family.questions()),
            options: cell.identity["environment"]["options"].clone(),
            parts: Arc::clone(parts.entry(environment).or_insert_with(|| Arc::new(parts_of(stored, environment)))),
        };
        (cell.info.id.clone(), walk_cell)
    });
    cells.collect()
}

/// The part of each task of an environment, as the plan kept it.
fn parts_of(stored: &Stored, environment: &str) -> BTreeMap<String, TaskPart> {
    let mut known = BTreeMap::new();
    for (place, part) in (0_u32..).zip(stored.parts.get(environment).into_iter().flatten()) {
        let (set, name, train, size) = (part.set.clone(), part.name.clone(), part.train, part.size);
        let part_of = TaskPart { place, set, name, train, size };
        known.extend(part.tasks.iter().map(|task| (task.clone(), part_of.clone())));
    }
    known
}

fn environment(cell: &StoredCell) -> &str {
    cell.identity["environment"]["name"].as_str().unwrap_or_default()
}

fn architecture(cell: &StoredCell) -> &str {
    cell.identity["architecture"]["base"].as_str().unwrap_or_default()
}

/// The part of a cell that its settings determine; journals give the rest.
fn setup(cell: &StoredCell) -> Setup {
    let settings = &cell.identity["architecture"]["settings"];
    // A name, or an object whose key is the name and whose value is what the graph is made of.
    let source = &settings["source"];
    let source = source.as_str().or_else(|| source.as_object()?.keys().next().map(String::as_str));
    let shots = &settings["shots"];
    let shots = shots.as_array().map(|list| list.len() as u64).or_else(|| shots.as_u64());
    Setup {
        architecture: architecture(cell).to_owned(),
        source: source.map(str::to_owned),
        specialists: settings["specialist"].as_bool(),
        shots: shots.and_then(|count| u32::try_from(count).ok()),
        error: error_rate(cell),
        gated: is_on(&settings["gate"]),
    }
}

/// Whether a setting that is off, a name or an object is on.
fn is_on(setting: &Value) -> bool {
    match setting {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::String(name) => !["", "none", "off"].contains(&name.as_str()),
        _ => true,
    }
}

/// How likely an answer of the agent's roles is not the competent one, in millionths; none where a role is no noisy expert
/// or they differ.
fn error_rate(cell: &StoredCell) -> Option<u32> {
    let own = cell.info.models.iter().filter(|model| !cell.asks.contains(&model.role));
    let mut rates = own.map(|model| match ModelName::parse(&model.model) {
        Ok(ModelName::Noisy(noise)) => Some(ONE.saturating_sub(noise.competent)),
        _ => None,
    });
    let first = rates.next()??;
    rates.all(|rate| rate == Some(first)).then_some(first)
}
