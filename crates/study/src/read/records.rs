//! Reading records with the place of an error.

use std::path::PathBuf;

use gimbal_messages::Record;

use crate::run::RunError;

/// Where a record is.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordPlace {
    /// The run folder; empty for an episode in memory.
    pub run: PathBuf,
    /// The episode, as a person names it: cell/task/run, and the trial where there are several.
    pub episode: String,
    /// Number of the event in the episode, from 0.
    pub event: u64,
}

impl RecordPlace {
    /// Reads the data of a record that is here.
    ///
    /// # Errors
    /// When the data do not have the form of the record.
    pub(crate) fn read<R: Record>(&self, data: &str) -> Result<R, RunError> {
        R::read(data).map_err(|error| RunError::Record {
            path: self.run.clone(),
            episode: self.episode.clone(),
            event: self.event,
            error,
        })
    }
}
