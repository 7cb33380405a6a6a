//! How many of the messages that agents were asked for could be used, where code acts on messages and agents make no call.

use std::collections::{BTreeSet, HashMap};

use gimbal_messages::Tier;
use gimbal_messages::records::hierarchy::Parsed;

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::rate::Rate;
use crate::row::Rows;

/// An episode of one of the cells, by place of the cell.
type Place = (usize, String, u32, u32);

/// The fold from episodes to their messages: over the cells in which code acts on messages
/// ([`crate::CellInfo::acts_by_messages`]).
#[derive(Clone, Debug)]
pub struct AnsweredFold {
    cells: Vec<String>,
    messages: HashMap<Place, Rate>,
}

impl AnsweredFold {
    /// A fold over the cells with these ids.
    #[must_use]
    pub fn new(cells: impl IntoIterator<Item = String>) -> Self {
        let cells: BTreeSet<String> = cells.into_iter().collect();
        Self { cells: cells.into_iter().collect(), messages: HashMap::new() }
    }

    fn place(&self, cell: &str, task: &str, run: u32, trial: u32) -> Option<Place> {
        let cell = self.cells.binary_search_by(|known| known.as_str().cmp(cell)).ok()?;
        Some((cell, task.to_owned(), run, trial))
    }

    /// Writes what was counted into the rows of these episodes.
    pub fn fill(&self, rows: &mut Rows) {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        for row in &mut rows.episodes {
            let place = self.place(row.cell.as_str(), row.task.as_str(), row.run, row.trial);
            if let Some(rate) = place.and_then(|place| self.messages.get(&place)) {
                (row.messages, row.unusable_messages) = (small(rate.of), small(rate.count));
            }
        }
    }
}

impl<E> EpisodeFold<E> for AnsweredFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.binary_search_by(|known| known.as_str().cmp(episode.cell)).is_ok()
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let Some(place) = self.place(episode.cell, episode.task, episode.run, episode.trial) else { return Ok(()) };
        let read = episode.records::<Parsed, E>(texts)?;
        let unusable = read.iter().filter(|parsed| parsed.tier == Tier::Default).count();
        self.messages.insert(place, Rate { count: unusable as u64, of: read.len() as u64 });
        Ok(())
    }
}
