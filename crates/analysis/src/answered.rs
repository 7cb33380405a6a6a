//! How many of the messages that agents were asked for could be used, where code acts on messages and agents make no call.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_messages::Tier;
use gimbal_messages::records::reading::Parsed;

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::rate::Rate;
use crate::row::Rows;

/// An episode: its cell, task, run and trial.
type Place = (String, String, u32, u32);

/// The fold from episodes to their messages: over the cells in which code acts on messages
/// ([`crate::CellInfo::acts_by_messages`]).
#[derive(Clone, Debug)]
pub struct AnsweredFold {
    cells: BTreeSet<String>,
    messages: BTreeMap<Place, Rate>,
}

impl AnsweredFold {
    /// A fold over the cells with these ids.
    #[must_use]
    pub fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), messages: BTreeMap::new() }
    }

    /// Writes what was counted into the rows of these episodes.
    pub fn fill(&self, rows: &mut Rows) {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        for row in rows.episodes.iter_mut().filter(|row| self.cells.contains(row.cell.as_str())) {
            let place = (row.cell.as_str().to_owned(), row.task.as_str().to_owned(), row.run, row.trial);
            if let Some(rate) = self.messages.get(&place) {
                (row.messages, row.unusable_messages) = (small(rate.of), small(rate.count));
            }
        }
    }
}

impl<E> EpisodeFold<E> for AnsweredFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.contains(episode.cell)
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let read = episode.records::<Parsed, E>(texts)?;
        let unusable = read.iter().filter(|parsed| parsed.tier == Tier::Default).count();
        let place = (episode.cell.to_owned(), episode.task.to_owned(), episode.run, episode.trial);
        self.messages.insert(place, Rate { count: unusable as u64, of: read.len() as u64 });
        Ok(())
    }
}
