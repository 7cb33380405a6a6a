//! Finished episodes whose calls are not all in the ledger: what they cost is in no bill.

use std::collections::HashMap;

use super::accounts::AttemptId;
use crate::run::Finished;
use crate::run::ledger::Row;

/// A fold over the index, then over the ledger.
#[derive(Debug, Default)]
pub(super) struct LedgerGaps {
    /// Calls of finished episodes of which the ledger was not read yet, by attempt.
    open: HashMap<AttemptId, u64>,
}

impl LedgerGaps {
    /// Takes in a finished episode.
    pub(super) fn finished(&mut self, episode: &Finished) {
        if episode.outcome.spent.model_calls > 0 {
            let attempt = (episode.place.segment, episode.place.attempt);
            self.open.insert(attempt, episode.outcome.spent.model_calls);
        }
    }

    /// Takes in a row of a ledger file.
    pub(super) fn take(&mut self, file: u32, row: &Row) {
        let Row::Called(called) = row else { return };
        let attempt = (file, called.try_number);
        if let Some(open) = self.open.get_mut(&attempt) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(&attempt);
            }
        }
    }

    /// Episodes of which the ledger lacks a call.
    pub(super) fn episodes(&self) -> u64 {
        self.open.len() as u64
    }
}
