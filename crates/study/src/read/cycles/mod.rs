//! Episodes as walks over task graphs, from journals: one episode at a time.

mod builder;

use std::collections::BTreeMap;

use gimbal_analysis::cyclic::evidence::Evidence;
use gimbal_analysis::cyclic::{Cycles, Fold, Setup, TaskPart, Trajectory};
use gimbal_core::event::{Body, Event};
use gimbal_core::{Questions, TaskId, TextRef};
use gimbal_model::ModelName;
use gimbal_model::noisy::ONE;
use serde_json::Value;

use self::builder::TrajectoryBuilder;
use super::profile::{LazyTexts, Walk};
use super::records::RecordPlace;
use crate::plan::{Stored, StoredCell};
use crate::registry::Registry;
use crate::run::index::unreadable;
use crate::run::{EpisodeId, INDEX, Outcome, Place, RunError, RunFolder};

/// Whether any cell of the run is controlled by a graph.
#[must_use]
pub fn has_graphs(stored: &Stored) -> bool {
    stored.cells.iter().any(|cell| ["cyclic", "dag"].contains(&architecture(cell)))
}

/// The cells of a run with what their episodes did over task graphs (CYC-060..067, 096).
///
/// # Errors
/// Those of [`trajectories`].
pub fn cycles(folder: &RunFolder, stored: &Stored) -> Result<Cycles, RunError> {
    cycles_among(folder, stored, &Registry::default())
}

/// The same, with the evidence followed in the environments of `registry` that know how: their calls and texts are read again,
/// and nothing is played.
///
/// # Errors
/// Those of [`trajectories`].
pub fn cycles_among(folder: &RunFolder, stored: &Stored, registry: &Registry) -> Result<Cycles, RunError> {
    let infos = stored.cells.iter().map(|cell| (cell.info.clone(), setup(cell)));
    let mut fold = Fold::new(infos.collect());
    walks(folder, stored, registry, |_| true, |walk| fold.add(&walk))?;
    Ok(fold.finish())
}

/// Hands the walk of every finished episode that is wanted to `each`, in order of key.
///
/// # Errors
/// When the index, a journal or a text cannot be read.
pub fn trajectories(
    folder: &RunFolder,
    stored: &Stored,
    wanted: impl FnMut(&EpisodeId) -> bool,
    each: impl FnMut(Trajectory),
) -> Result<(), RunError> {
    walks(folder, stored, &Registry::default(), wanted, each)
}

/// What each call of an episode brought, or why it was refused: one text for each act of its walk, in order.
///
/// # Errors
/// When the index, the journal or a text cannot be read. None where there is no such finished episode.
pub fn results(folder: &RunFolder, stored: &Stored, walk: &Trajectory) -> Result<Option<Vec<String>>, RunError> {
    let asks = stored.cells.iter().find(|cell| cell.info.id == walk.cell).map(|cell| cell.asks.as_slice());
    let mut place = None;
    let found = folder.index()?.each(|episode| -> Result<(), Walk> {
        let id = &episode.id;
        if (&id.cell, &id.task, id.run, id.trial) == (&walk.cell, &walk.task, walk.run, walk.trial) {
            place = Some(episode.place);
        }
        Ok(())
    });
    found.map_err(|error| failure(folder, error))?;
    let Some(place) = place else { return Ok(None) };
    let mut texts = LazyTexts::new(folder);
    let mut text = |reference: &TextRef| texts.get(reference);
    let mut builder = TrajectoryBuilder::new(&mut text, asks.unwrap_or_default());
    builder.place = RecordPlace { run: folder.root().to_owned(), episode: walk.name(), event: 0 };
    for bytes in folder.events(place)? {
        let event: Event = serde_json::from_slice(&bytes).map_err(|error| RunError::Damaged {
            path: folder.segment(place),
            what: format!("an event of {}/{}/{} cannot be read: {error}", walk.cell, walk.task, walk.run),
        })?;
        builder.take(event.body)?;
    }
    let results = std::mem::take(&mut builder.results);
    results.iter().map(|result| (builder.text)(result)).collect::<Result<_, _>>().map(Some)
}

fn walks(
    folder: &RunFolder,
    stored: &Stored,
    registry: &Registry,
    mut wanted: impl FnMut(&EpisodeId) -> bool,
    mut each: impl FnMut(Trajectory),
) -> Result<(), RunError> {
    let cells: BTreeMap<&str, &StoredCell> = stored.cells.iter().map(|cell| (cell.info.id.as_str(), cell)).collect();
    let mut texts = LazyTexts::new(folder);
    let parts = parts(stored);
    let walked = folder.index()?.each(|episode| -> Result<(), Walk> {
        let Some(cell) = cells.get(episode.id.cell.as_str()).filter(|_| wanted(&episode.id)) else { return Ok(()) };
        let family = cell.identity["environment"]["name"].as_str().and_then(|name| registry.environment(name));
        let questions = family.and_then(|family| family.questions());
        let texts = (&mut texts, questions);
        let mut walk = read(folder, cell, (&episode.id, episode.place), &episode.outcome, texts)?;
        walk.part = parts.get(&(environment(cell), episode.id.task.as_str())).cloned();
        each(walk);
        Ok(())
    });
    walked.map_err(|error| failure(folder, error))
}

fn failure(folder: &RunFolder, error: Walk) -> RunError {
    match error {
        Walk::Run(error) => *error,
        Walk::Index(error) => unreadable(&folder.root().join(INDEX), &error),
    }
}

/// The part of each task, by environment and task, as the plan kept it of the environment.
fn parts(stored: &Stored) -> BTreeMap<(&str, &str), TaskPart> {
    let mut known = BTreeMap::new();
    for (family, parts) in &stored.parts {
        for (place, part) in (0_u32..).zip(parts) {
            let (set, name, train, size) = (part.set.clone(), part.name.clone(), part.train, part.size);
            let part_of = TaskPart { place, set, name, train, size };
            known.extend(part.tasks.iter().map(|task| ((family.as_str(), task.as_str()), part_of.clone())));
        }
    }
    known
}

fn environment(cell: &StoredCell) -> &str {
    cell.identity["environment"]["name"].as_str().unwrap_or_default()
}

/// The walk of one episode from its events alone: segments, decisions, calls and what became of them. What its run folder
/// knows (cell, environment, task, run, stop, whether it was won) is left empty. `asks` are roles that the environment asks.
///
/// # Errors
/// Those of `text`.
pub fn walk_of(
    events: impl IntoIterator<Item = Event>,
    text: &mut dyn FnMut(&TextRef) -> Result<String, RunError>,
    asks: &[String],
) -> Result<Trajectory, RunError> {
    let mut builder = TrajectoryBuilder::new(text, asks);
    for event in events {
        builder.take(event.body)?;
    }
    Ok(builder.finish())
}

fn architecture(cell: &StoredCell) -> &str {
    cell.identity["architecture"]["base"].as_str().unwrap_or_default()
}

/// What the plan says of a cell, as far as its settings say it; journals say the rest.
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

fn read(
    folder: &RunFolder,
    cell: &StoredCell,
    (id, place): (&EpisodeId, Place),
    outcome: &Outcome,
    (texts, questions): (&mut LazyTexts<'_>, Option<&dyn Questions>),
) -> Result<Trajectory, RunError> {
    let mut text = |reference: &TextRef| texts.get(reference);
    let mut builder = TrajectoryBuilder::new(&mut text, &cell.asks);
    builder.follower = questions.map(Questions::follower);
    builder.place = RecordPlace { run: folder.root().to_owned(), episode: id.name(), event: 0 };
    for bytes in folder.events(place)? {
        let damaged = |error: serde_json::Error| RunError::Damaged {
            path: folder.segment(place),
            what: format!("an event of {}/{}/{} cannot be read: {error}", id.cell, id.task, id.run),
        };
        let event: Event = serde_json::from_slice(&bytes).map_err(damaged)?;
        if matches!(event.body, Body::Ended(_)) {
            let raw: Value = serde_json::from_slice(&bytes).map_err(damaged)?;
            builder.walk.situations =
                raw["body"]["ended"]["situations"].as_u64().and_then(|count| u32::try_from(count).ok());
        }
        builder.take(event.body)?;
    }
    if let Some(last) = builder.last.take() {
        builder.walk.evidence = Evidence::in_last(&(builder.text)(&last)?);
    }
    if let (Some(questions), Some(follower), None) = (questions, &builder.follower, &builder.walk.evidence) {
        // The controller's budget, or a list of calls that ran out, ended it before the environment could tell. A question that
        // cannot be read any more leaves the failure where it is: somewhere.
        let exam = questions.exam(&TaskId(id.task.clone()), &cell.identity["environment"]["options"]).ok();
        let told = exam.and_then(|exam| exam.unanswered(&follower.evidence()));
        let told = told.and_then(|text| Evidence::in_last(&text));
        builder.walk.evidence = Some(told.unwrap_or_else(Evidence::unknown));
    }
    let left = builder.left.unwrap_or(0);
    let mut walk = builder.finish();
    if setup(cell).specialists == Some(false) {
        // Tools of a node are a planner's suggestion then: every executor has all.
        walk.graphs.iter_mut().flat_map(|graph| &mut graph.nodes).for_each(|node| {
            node.suggested = std::mem::take(&mut node.tools);
        });
    }
    let above = cell.info.thresholds.success_above;
    let stop = outcome.stop.name().to_owned();
    walk.won = stop == "solved" || above.is_some_and(|above| outcome.episode_return.0 > above);
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let (fallbacks, rejected) = (small(outcome.fallbacks), small(outcome.rejected));
    let own = small(outcome.spent.tool_calls).saturating_sub(fallbacks);
    Ok(Trajectory {
        cell: id.cell.clone(),
        environment: cell.environment.clone(),
        task: id.task.clone(),
        run: id.run,
        trial: id.trial,
        instance: cell.instance(id.run),
        return_thousandths: outcome.episode_return.0,
        stop,
        tool_calls: u32::try_from(outcome.spent.tool_calls).unwrap_or(u32::MAX).saturating_sub(left),
        steps: (outcome.steps, fallbacks),
        attempts: (own.max(rejected), rejected),
        wall_us: outcome.critical_path_us,
        ..walk
    })
}
