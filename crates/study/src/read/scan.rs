//! What `gimbal verify` reads from the ledger, and contradictions in it.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Digest, Stop};

use crate::run::ledger::{Indexed, Row};
use crate::run::rebuild::AttemptId;
use crate::run::{LedgerRead, Place, RunError, RunFolder};

/// How an attempt at an episode ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub episode: Digest,
    pub stop: Stop,
    pub detail: String,
}

/// What the calls of an attempt add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CallTotals {
    pub calls: u64,
    pub prompt_tokens: u64,
    pub output_tokens: u64,
}

/// What was read from the ledger.
#[derive(Debug, Default)]
pub(super) struct LedgerScan {
    /// Ends by attempt.
    pub ends: BTreeMap<AttemptId, End>,
    /// Latency by attempt and lane.
    pub lanes: BTreeMap<AttemptId, BTreeMap<u32, u64>>,
    /// What was called, by attempt.
    called: BTreeMap<AttemptId, CallTotals>,
    /// The last count of committed rows by ledger file.
    pub indexed: BTreeMap<u32, Indexed>,
    /// The files.
    pub files: Vec<LedgerRead>,
    /// Attempts at episodes that any row is about.
    pub tries: BTreeSet<AttemptId>,
    /// What cannot be.
    pub problems: Vec<String>,
    next: BTreeMap<u32, u64>,
    open: BTreeSet<AttemptId>,
}

impl LedgerScan {
    pub(super) fn read(folder: &RunFolder) -> Result<Self, RunError> {
        let mut scan = Self::default();
        scan.files = folder.rows(|file, row| scan.take(file, row))?;
        Ok(scan)
    }

    /// What was called in an attempt.
    pub(super) fn called(&self, place: Place) -> CallTotals {
        self.called.get(&(place.segment, place.attempt)).copied().unwrap_or_default()
    }

    fn take(&mut self, file: u32, row: Row) {
        let wrong = match row {
            Row::Sent(sent) => {
                let next = self.next.entry(file).or_default();
                let expected = std::mem::replace(next, sent.attempt + 1);
                self.open.insert((file, sent.attempt));
                self.tries.insert((file, sent.try_number));
                (sent.attempt != expected)
                    .then(|| format!("request {} follows where {expected} should be", sent.attempt))
            }
            Row::Received(received) => (!self.open.remove(&(file, received.attempt)))
                .then(|| format!("request {} was answered twice or never sent", received.attempt)),
            Row::Called(called) => {
                self.tries.insert((file, called.try_number));
                let lanes = self.lanes.entry((file, called.try_number)).or_default();
                *lanes.entry(called.lane).or_default() += called.latency_us;
                let totals = self.called.entry((file, called.try_number)).or_default();
                totals.calls += 1;
                totals.prompt_tokens = totals.prompt_tokens.saturating_add(called.usage.input);
                totals.output_tokens = totals.output_tokens.saturating_add(called.usage.output);
                None
            }
            Row::Attempted(ended) => {
                self.tries.insert((file, ended.try_number));
                let end = End { episode: ended.episode, stop: ended.stop, detail: ended.detail };
                let before = self.ends.insert((file, ended.try_number), end);
                before.map(|_| format!("attempt {} at an episode ended twice", ended.try_number))
            }
            Row::Indexed(count) => {
                self.indexed.insert(file, count);
                None
            }
        };
        if let Some(wrong) = wrong {
            self.problems.push(format!("ledger/{file:06}.log: {wrong}; rows are missing, doubled or moved"));
        }
    }
}
