//! One pass over the finished episodes of a run, for all that is read of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimbal_analysis::episode::{Episode, EpisodeFold, FoldError, Texts};
use gimbal_analysis::name::{Name, Names};
use gimbal_core::{Digest, Event, TextRef};

use crate::plan::{Stored, StoredCell};
use crate::run::index::unreadable;
use crate::run::ledger::Row;
use crate::run::{Finished, INDEX, RunError, RunFolder, texts};

/// A fold over the episodes of a run folder.
pub type Fold<'a> = dyn EpisodeFold<RunError> + 'a;

/// The finished episodes of the study's cells. Each pass reads the index once and the journal of an episode at most once,
/// however many folds want it.
pub struct Episodes<'f> {
    folder: &'f RunFolder,
    cells: BTreeMap<&'f str, &'f StoredCell>,
    texts: LazyTexts<'f>,
    /// What episodes are to reach, by their keys; read from the ledger when a fold needs it.
    objectives: Option<BTreeMap<Digest, Name>>,
}

impl<'f> Episodes<'f> {
    /// The episodes of a run.
    #[must_use]
    pub fn of(folder: &'f RunFolder, stored: &'f Stored) -> Self {
        let cells = stored.cells.iter().map(|cell| (cell.info.id.as_str(), cell)).collect();
        Self { folder, cells, texts: LazyTexts::new(folder), objectives: None }
    }

    /// Goes through the episodes in the order of their keys. `seen` gets the row of each and says whether the folds get its
    /// journal; a journal that no fold wants is not opened. No episode is kept.
    ///
    /// # Errors
    /// When the index, a journal or a text cannot be read, or a record does not have the form of its kind: with the run
    /// folder, the episode and the event.
    pub fn pass(
        &mut self,
        mut seen: impl FnMut(&Finished) -> bool,
        folds: &mut [&mut Fold<'_>],
    ) -> Result<(), RunError> {
        self.walk(&mut seen, folds, false)
    }

    /// The same, and then the episodes of cells that are no longer in the study.
    ///
    /// # Errors
    /// Those of [`Episodes::pass`].
    pub fn pass_with_past(
        &mut self,
        mut seen: impl FnMut(&Finished) -> bool,
        folds: &mut [&mut Fold<'_>],
    ) -> Result<(), RunError> {
        self.walk(&mut seen, folds, true)
    }

    fn walk(
        &mut self,
        seen: &mut dyn FnMut(&Finished) -> bool,
        folds: &mut [&mut Fold<'_>],
        past: bool,
    ) -> Result<(), RunError> {
        let folder = self.folder;
        let index = folder.index()?;
        if self.objectives.is_none() && folds.iter().any(|fold| fold.needs_objectives()) {
            self.objectives = Some(objectives(folder)?);
        }
        let mut each = |episode: Finished| -> Result<(), Walk> {
            if seen(&episode) {
                self.fold(&episode, folds)?;
            }
            Ok(())
        };
        let mut walked = index.each(&mut each);
        if past && walked.is_ok() {
            walked = index.each_past(&mut each);
        }
        walked.map_err(|error| error.of(folder))
    }

    /// Passes one episode to the folds that want it.
    fn fold(&mut self, finished: &Finished, folds: &mut [&mut Fold<'_>]) -> Result<(), RunError> {
        let objective = self.objectives.as_ref().and_then(|known| known.get(&finished.id.key)).cloned();
        let bare = Episode { objective: objective.as_deref(), ..self.bare(finished) };
        if !folds.iter().any(|fold| fold.wants(&bare)) {
            return Ok(());
        }
        let events = events(self.folder, finished)?;
        let episode = Episode { events: &events, ..bare };
        for fold in folds.iter_mut().filter(|fold| fold.wants(&bare)) {
            fold.add(&episode, &mut self.texts).map_err(|error| match error {
                FoldError::Text(error) => error,
                FoldError::Record { event, error } => {
                    RunError::Record { path: self.folder.root().to_owned(), episode: finished.id.name(), event, error }
                }
            })?;
        }
        Ok(())
    }

    /// An episode without its events.
    fn bare<'e>(&self, finished: &'e Finished) -> Episode<'e>
    where
        'f: 'e,
    {
        let Finished { id, outcome, .. } = finished;
        let cell = self.cells.get(id.cell.as_str()).copied();
        Episode {
            cell: &id.cell,
            environment: cell.map_or("", |cell| &cell.environment),
            asks: cell.map_or(&[], |cell| &cell.asks),
            task: &id.task,
            objective: None,
            run: id.run,
            trial: id.trial,
            seed: id.seed,
            instance: cell.map_or(0, |cell| cell.instance(id.run)),
            return_thousandths: outcome.episode_return.0,
            stop: outcome.stop,
            steps: outcome.steps,
            tool_calls: outcome.spent.tool_calls,
            rejected: outcome.rejected,
            fallbacks: outcome.fallbacks,
            critical_path_us: outcome.critical_path_us,
            events: &[],
        }
    }
}

/// What the episodes of a run are to reach, where their briefs say so. Tasks share their words.
fn objectives(folder: &RunFolder) -> Result<BTreeMap<Digest, Name>, RunError> {
    let (mut names, mut known) = (Names::default(), BTreeMap::new());
    folder.rows(|_, row| {
        if let Row::Attempted(attempted) = row
            && !attempted.objective.is_empty()
        {
            known.insert(attempted.episode, names.of(&attempted.objective));
        }
    })?;
    Ok(known)
}

/// The events of a finished episode.
///
/// # Errors
/// When its journal cannot be read or an event in it does not have the form of an event.
pub(crate) fn events(folder: &RunFolder, episode: &Finished) -> Result<Vec<Event>, RunError> {
    let bytes = folder.events(episode.place)?;
    let read = |(number, bytes): (usize, &Vec<u8>)| {
        serde_json::from_slice(bytes).map_err(|error| RunError::Damaged {
            path: folder.segment(episode.place),
            what: format!("event {number} of {} cannot be read: {error}", episode.id.name()),
        })
    };
    bytes.iter().enumerate().map(read).collect()
}

/// What ends a walk over the index.
pub(crate) enum Walk {
    Run(Box<RunError>),
    Index(rusqlite::Error),
}

impl Walk {
    /// The error of a walk over the index of this run.
    pub(crate) fn of(self, folder: &RunFolder) -> RunError {
        match self {
            Self::Run(error) => *error,
            Self::Index(error) => unreadable(&folder.root().join(INDEX), &error),
        }
    }
}

impl From<rusqlite::Error> for Walk {
    fn from(error: rusqlite::Error) -> Self {
        Self::Index(error)
    }
}

impl From<RunError> for Walk {
    fn from(error: RunError) -> Self {
        Self::Run(Box::new(error))
    }
}

/// The store of texts, opened when the first text is asked for that is not in its event.
pub(crate) struct LazyTexts<'a> {
    folder: &'a RunFolder,
    opened: Option<texts::Texts>,
}

impl<'a> LazyTexts<'a> {
    /// The texts of a run, not opened yet.
    pub(crate) const fn new(folder: &'a RunFolder) -> Self {
        Self { folder, opened: None }
    }

    /// A text.
    pub(crate) fn get(&mut self, reference: &TextRef) -> Result<String, RunError> {
        self.text(reference).map(Cow::into_owned)
    }
}

impl Texts for LazyTexts<'_> {
    type Error = RunError;

    fn text<'r>(&mut self, reference: &'r TextRef) -> Result<Cow<'r, str>, RunError> {
        if let Some(text) = reference.as_inline() {
            return Ok(Cow::Borrowed(text));
        }
        let Some(digest) = reference.as_stored() else { return Ok(Cow::Borrowed("")) };
        let texts = match &mut self.opened {
            Some(texts) => texts,
            none => none.insert(self.folder.texts()?),
        };
        texts.get(&digest).map(Cow::Owned)
    }
}
