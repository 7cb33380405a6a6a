//! The seam for what a work keeps of a run's episodes, beside the sums that every report has.
//!
//! A work names a [`FoldSource`]: a function that makes its fold from what is known of the cells. Reports read each journal once and
//! pass the episode to all folds ([`WorkFolds`]); the work gets its state back by the source's name ([`FoldStates`]).

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gimbal_core::{Questions, RecordError, TextRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::profile::ActionFacts;
use crate::row::CellInfo;

/// What a run keeps of a cell, beside its episodes.
#[derive(Clone)]
pub struct RunCell<'r> {
    /// Labels.
    pub info: &'r CellInfo,
    /// Everything that decides its episodes, as the run keeps it: `environment`, `architecture` with its settings, roles.
    pub identity: &'r Value,
    /// What the environment's brief says of actions.
    pub actions: &'r ActionFacts,
    /// In millionths, how likely an answer of the player is not the expert's, where every role of the agent plays with the same
    /// known error rate.
    pub error: Option<u32>,
    /// Reads answers and follows evidence, where the environment knows how.
    pub questions: Option<&'r dyn Questions>,
    /// Whether control is a graph of subtasks.
    pub has_graph: bool,
    /// The part of the environment's data that each task belongs to.
    pub parts: Arc<BTreeMap<String, TaskPart>>,
}

/// A part of the tasks of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskPart {
    /// Its place among the parts of the environment, from 0.
    pub place: u32,
    /// The set of data, such as `depth 2`.
    pub set: String,
    /// The part within it, such as `test 1`.
    pub name: String,
    /// Whether its tasks are for training: only these may be learned from.
    pub train: bool,
    /// Tasks of the whole part.
    pub size: u32,
}

/// A text cannot be read. Who reads the run keeps the error itself: a fold of a work hands this one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a text cannot be read")]
pub struct Unreadable(());

/// The fold of a work over the episodes of a run.
pub trait WorkFold: EpisodeFold<Unreadable> {
    /// What it kept: the type that the work asks for ([`FoldStates::get`]).
    fn finish(self: Box<Self>) -> Box<dyn Any>;
}

/// A fold that a work needs.
#[derive(Clone, Copy)]
pub struct FoldSource {
    /// Name of its state, unique among all works.
    pub name: &'static str,
    /// Whether a run of these cells has what the fold is about; where it has not, items that need it are left out of reports.
    pub applies: fn(&[RunCell<'_>]) -> bool,
    /// Makes the fold before the first episode.
    pub start: for<'r> fn(&[RunCell<'r>]) -> Box<dyn WorkFold + 'r>,
}

impl PartialEq for FoldSource {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for FoldSource {}

impl fmt::Debug for FoldSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FoldSource").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The folds of works over one run.
#[derive(Default)]
pub struct WorkFolds<'r>(BTreeMap<&'static str, Box<dyn WorkFold + 'r>>);

impl<'r> WorkFolds<'r> {
    /// The folds of these sources; a source that comes twice is folded once.
    #[must_use]
    pub fn new<'s>(sources: impl IntoIterator<Item = &'s FoldSource>, cells: &[RunCell<'r>]) -> Self {
        let mut folds = BTreeMap::new();
        for source in sources {
            folds.entry(source.name).or_insert_with(|| (source.start)(cells));
        }
        Self(folds)
    }

    /// The states after the last episode.
    #[must_use]
    pub fn finish(self) -> FoldStates {
        FoldStates(self.0.into_iter().map(|(name, fold)| (name, fold.finish())).collect())
    }
}

impl<E> EpisodeFold<E> for WorkFolds<'_> {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.0.values().any(|fold| fold.wants(episode))
    }

    fn needs_objectives(&self) -> bool {
        self.0.values().any(|fold| fold.needs_objectives())
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let bare = Episode { events: &[], ..*episode };
        for fold in self.0.values_mut().filter(|fold| fold.wants(&bare)) {
            let mut adapter = TextsAdapter { texts: &mut *texts, failed: None };
            let added = fold.add(episode, &mut adapter);
            if let Some(error) = adapter.failed {
                return Err(FoldError::Text(error));
            }
            added.map_err(|error| match error {
                FoldError::Record { event, error } => FoldError::Record { event, error },
                FoldError::Text(unreadable) => FoldError::Record {
                    event: 0,
                    error: RecordError { kind: "text", key: String::new(), why: unreadable.to_string() },
                },
            })?;
        }
        Ok(())
    }
}

/// Texts for folds that know no run folder; keeps why one could not be read.
struct TextsAdapter<'t, E> {
    texts: &'t mut dyn Texts<Error = E>,
    failed: Option<E>,
}

impl<E> Texts for TextsAdapter<'_, E> {
    type Error = Unreadable;

    fn text<'r>(&mut self, reference: &'r TextRef) -> Result<Cow<'r, str>, Unreadable> {
        self.texts.text(reference).map_err(|error| {
            self.failed = Some(error);
            Unreadable(())
        })
    }
}

/// What folds of works kept, by the names of their sources.
#[derive(Default)]
pub struct FoldStates(BTreeMap<&'static str, Box<dyn Any>>);

impl FoldStates {
    /// The state of a source; `None` where it was not folded or is of another type.
    #[must_use]
    pub fn get<S: Any>(&self, source: &FoldSource) -> Option<&S> {
        self.0.get(source.name)?.downcast_ref()
    }

    /// With a state that was made elsewhere.
    #[must_use]
    pub fn with(mut self, source: &FoldSource, state: impl Any) -> Self {
        self.0.insert(source.name, Box::new(state));
        self
    }
}

impl fmt::Debug for FoldStates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
