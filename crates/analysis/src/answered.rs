//! How many of the messages with a form that agents were asked for could be used, and how many calls were made after they had left.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::Event;
use gimbal_core::event::Body;
use gimbal_messages::records::control::{Decider, Routed};
use gimbal_messages::records::reading::Parsed;
use gimbal_messages::records::stage::Left;
use gimbal_messages::{Record, Tier};

use crate::episode::{Episode, EpisodeFold, FoldError, Texts};
use crate::rate::Rate;
use crate::row::Rows;

/// An episode: its cell, task, run and trial.
type Place = (String, String, u32, u32);

/// What is counted of an episode.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    messages: Rate,
    left_calls: u32,
}

/// The fold from episodes to their messages and to the calls after their agents had left ([`crate::EpisodeRow::messages`],
/// [`crate::EpisodeRow::left_calls`]).
#[derive(Clone, Debug)]
pub struct AnsweredFold {
    cells: BTreeSet<String>,
    counted: BTreeMap<Place, Counted>,
}

impl AnsweredFold {
    /// A fold over the cells with these ids.
    #[must_use]
    pub fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self { cells: cells.into_iter().collect(), counted: BTreeMap::new() }
    }

    /// Writes what was counted into the rows of these episodes.
    pub fn fill(&self, rows: &mut Rows) {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        for row in rows.episodes.iter_mut().filter(|row| self.cells.contains(row.cell.as_str())) {
            let place = (row.cell.as_str().to_owned(), row.task.as_str().to_owned(), row.run, row.trial);
            if let Some(Counted { messages, left_calls }) = self.counted.get(&place) {
                (row.messages, row.unusable_messages) = (small(messages.of), small(messages.count));
                row.left_calls = *left_calls;
            }
        }
    }
}

/// Whether a model was asked for a choice: it was not made before, and no rule of a machine made it.
fn is_asked(routed: &Routed) -> bool {
    !routed.cached && routed.ahead != Some(true) && matches!(routed.by, None | Some(Decider::Router))
}

impl<E> EpisodeFold<E> for AnsweredFold {
    fn wants(&self, episode: &Episode<'_>) -> bool {
        self.cells.contains(episode.cell)
    }

    fn add(&mut self, episode: &Episode<'_>, texts: &mut dyn Texts<Error = E>) -> Result<(), FoldError<E>> {
        let read = episode.records::<Parsed, E>(texts)?;
        let defaults = read.iter().filter(|parsed| parsed.tier == Tier::Default).count();
        // A choice of the next subtask is a message too: one that is none falls to the subtask at hand.
        let routed = episode.records::<Routed, E>(texts)?;
        let chosen: Vec<&Routed> = routed.iter().filter(|routed| is_asked(routed)).collect();
        let unusable = defaults + chosen.iter().filter(|routed| !routed.valid).count();
        let left = |event: &&Event| !matches!(&event.body, Body::Note(note) if note.kind == Left::KIND);
        let after = episode.events.iter().skip_while(left).filter(|event| matches!(event.body, Body::ToolCalled(_)));
        let left_calls = u32::try_from(after.count()).unwrap_or(u32::MAX);
        let messages = Rate { count: unusable as u64, of: (read.len() + chosen.len()) as u64 };
        if messages.of == 0 && left_calls == 0 {
            return Ok(());
        }
        let place = (episode.cell.to_owned(), episode.task.to_owned(), episode.run, episode.trial);
        self.counted.insert(place, Counted { messages, left_calls });
        Ok(())
    }
}
