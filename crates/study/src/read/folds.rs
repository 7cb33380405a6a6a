//! Folds over the episodes of a run, and what they may know of its cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::profile::{Profile, TraceFold};
use gimbal_analysis::recovery::RecoveryFold;
use gimbal_analysis::work_folds::{RunCell, TaskPart};
use gimbal_messages::Record;
use gimbal_model::ModelName;
use gimbal_model::noisy::ONE;

use super::episodes::Episodes;
use crate::plan::{Stored, StoredCell};
use crate::registry::Registry;
use crate::run::{EpisodeId, RunError, RunFolder};

/// Makes one thing of each episode and hands it on.
struct PassOn<M, F> {
    make: M,
    each: F,
}

impl<E, T, M, F> EpisodeFold<E> for PassOn<M, F>
where
    M: FnMut(&Episode<'_>, &mut dyn Texts<Error = E>) -> Result<T, FoldError<E>>,
    F: FnMut(T),
{
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        (self.each)((self.make)(episode, texts)?);
        Ok(())
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
    let mut fold = PassOn { make: Profile::read::<RunError>, each };
    Episodes::of(folder, stored).pass(|episode| wanted(&episode.id), &mut [&mut fold])
}

/// Passes the records of one kind to `each`: those of every finished episode in the order of keys, and within it in the
/// order of the journal. So a system reads what only it writes.
///
/// # Errors
/// Those of [`Episodes::pass`].
pub fn each_record<R: Record>(folder: &RunFolder, mut each: impl FnMut(R)) -> Result<(), RunError> {
    let stored = Stored::read(folder)?;
    let mut fold = PassOn {
        make: |episode: &Episode<'_>, texts: &mut dyn Texts<Error = RunError>| episode.records::<R, _>(texts),
        each: |records: Vec<R>| records.into_iter().for_each(&mut each),
    };
    Episodes::of(folder, &stored).pass(|_| true, &mut [&mut fold])
}

/// The fold to what followed the injected faults: over the cells that have any.
#[must_use]
pub fn recovery_fold(stored: &Stored) -> RecoveryFold {
    let faulty = stored.cells.iter().filter(|cell| !cell.info.faults.is_empty());
    RecoveryFold::new(faulty.map(|cell| cell.info.id.clone()).collect())
}

/// The fold to what agents did in every step.
#[must_use]
pub fn trace_fold(stored: &Stored) -> TraceFold {
    TraceFold::new(stored.cells.iter().map(|cell| (cell.info.id.clone(), cell.actions.clone())).collect())
}

/// Whether control of a cell's architecture is a graph of subtasks.
fn has_graph(cell: &StoredCell, registry: &Registry) -> bool {
    registry.architecture(architecture(cell)).is_some_and(|kind| kind.has_graph())
}

/// The cells of a run as folds of works see them. Evidence is followed in the environments of `registry` that know how: their calls and
/// texts are read again, and nothing is played.
#[must_use]
pub fn run_cells<'r>(stored: &'r Stored, registry: &'r Registry) -> Vec<RunCell<'r>> {
    let mut parts: BTreeMap<&str, Arc<BTreeMap<String, TaskPart>>> = BTreeMap::new();
    let cells = stored.cells.iter().map(|cell| {
        let environment = environment(cell);
        RunCell {
            info: &cell.info,
            identity: &cell.identity,
            actions: &cell.actions,
            error: error_rate(cell),
            questions: registry.environment(environment).and_then(|family| family.questions()),
            has_graph: has_graph(cell, registry),
            parts: Arc::clone(parts.entry(environment).or_insert_with(|| Arc::new(parts_of(stored, environment)))),
        }
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

/// How likely an answer of the agent's roles is not the expert's, in millionths; `None` if a role is not a noisy expert
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
