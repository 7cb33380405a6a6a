//! The records of some kinds as journals hold them: for items that read what only their own system writes.

use std::collections::BTreeMap;

use gimbal_core::event::Body;

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};

/// A record as a journal holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// Cell of its episode.
    pub cell: String,
    /// Name of its episode: cell, task, run.
    pub episode: String,
    /// Its data as JSON text.
    pub data: String,
}

/// The fold from episodes to their records of some kinds. It keeps them all.
#[derive(Clone, Debug, Default)]
pub struct RecordFold {
    records: BTreeMap<String, Vec<StoredRecord>>,
}

impl RecordFold {
    /// A fold over the records of these kinds.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { records: kinds.into_iter().map(|kind| (kind.into(), Vec::new())).collect() }
    }

    /// The records by kind, in the order of episodes and events; every kind is there.
    #[must_use]
    pub fn finish(self) -> BTreeMap<String, Vec<StoredRecord>> {
        self.records
    }
}

impl<E> EpisodeFold<E> for RecordFold {
    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        for event in episode.events {
            if let Body::Note(note) = &event.body
                && let Some(records) = self.records.get_mut(&note.kind)
            {
                let data = texts.text(&note.data).map_err(FoldError::Text)?.into_owned();
                records.push(StoredRecord { cell: episode.cell.to_owned(), episode: episode.name(), data });
            }
        }
        Ok(())
    }
}
