//! Games of agreement, from the last line of their last observation (ARES-121).

use std::collections::BTreeMap;

use gimbal_analysis::episode::Episode;
use gimbal_analysis::stored_records::{RecordState, Takes};
use gimbal_analysis::work_folds::FoldSource;
use gimbal_messages::records::consensus::Ended;

/// The last observations that games are made of.
pub static GAMES: FoldSource = FoldSource::of_records::<Games>("ares-games");

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Task id.
    pub task: String,
    /// Run number.
    pub run: u32,
    /// How it ended.
    pub ended: Ended,
}

/// Games by cell, in the order in which they were played.
#[derive(Debug, Default)]
pub struct Games(BTreeMap<String, Vec<Game>>);

impl Games {
    /// The games of a cell.
    #[must_use]
    pub fn of(&self, cell: &str) -> &[Game] {
        self.0.get(cell).map_or(&[], Vec::as_slice)
    }
}

impl RecordState for Games {
    const TAKES: Takes = Takes::records(&[]).and_last_observation();

    fn on_end(&mut self, episode: &Episode<'_>, observation: &str) {
        // Episodes of other environments end with something else.
        if let Some(ended) = Ended::read(observation) {
            let game = Game { task: episode.task.to_owned(), run: episode.run, ended };
            self.0.entry(episode.cell.to_owned()).or_default().push(game);
        }
    }
}
