//! Games of agreement, from the last line of their last observation (ARES-121).

use std::collections::BTreeMap;

use gimbal_analysis::stored_records::{LAST_OBSERVATION, RecordSource, RecordState, StoredRecord};
use gimbal_core::RecordError;
use gimbal_messages::records::consensus::Ended;

/// The last observations that games are made of.
pub static GAMES: RecordSource =
    RecordSource { name: "ares-games", kinds: &[LAST_OBSERVATION], start: || Box::<Games>::default() };

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
    fn add(&mut self, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        // Episodes of other environments end with something else.
        if let Some(ended) = Ended::read(record.data) {
            let game = Game { task: record.task.to_owned(), run: record.run, ended };
            self.0.entry(record.cell.to_owned()).or_default().push(game);
        }
        Ok(())
    }
}
