//! Rows for analysis: the index gives the attempts that count, the ledger their cost.

use std::collections::{BTreeMap, HashMap};

use gimbal_analysis::name::{Name, Names};
use gimbal_analysis::{EpisodeRow, Rows};
use gimbal_core::Digest;

use super::accounts::{Accounts, AttemptId};
use crate::plan::{Stored, StoredCell};
use crate::run::{EpisodeId, Failed, Finished, Place};

/// The fold from the index and the ledger to the rows of the study's cells.
pub(super) struct RowFold<'s> {
    stored: &'s Stored,
    in_progress: bool,
    cells: HashMap<&'s str, Cell<'s>>,
    tasks: Names,
    rows: Vec<EpisodeRow>,
    /// Key and attempt of each row.
    ids: Vec<(Digest, AttemptId)>,
    /// Model calls of each finished episode, by the index.
    calls: Vec<u64>,
    /// Episodes that failed, by key: their last attempt.
    lost: BTreeMap<Digest, (AttemptId, EpisodeRow)>,
}

/// A cell with the names that its rows share.
struct Cell<'s> {
    stored: &'s StoredCell,
    id: Name,
    environment: Name,
}

impl<'s> RowFold<'s> {
    /// A fold with room for a number of finished episodes.
    pub(super) fn new(stored: &'s Stored, in_progress: bool, episodes: usize) -> Self {
        let cells = stored.cells.iter().map(|cell| {
            let id = cell.info.id.as_str();
            (id, Cell { stored: cell, id: id.into(), environment: cell.environment.as_str().into() })
        });
        Self {
            stored,
            in_progress,
            cells: cells.collect(),
            tasks: Names::default(),
            rows: Vec::with_capacity(episodes),
            ids: Vec::with_capacity(episodes),
            calls: Vec::with_capacity(episodes),
            lost: BTreeMap::new(),
        }
    }

    /// Takes in a finished episode.
    pub(super) fn finished(&mut self, episode: &Finished) {
        let Some(mut row) = self.row(&episode.id) else { return };
        let outcome = &episode.outcome;
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        row.return_thousandths = outcome.episode_return.0;
        row.steps = outcome.steps;
        row.stop = outcome.stop;
        row.tool_calls = small(outcome.spent.tool_calls);
        row.rejected_calls = small(outcome.rejected);
        row.fallbacks = small(outcome.fallbacks);
        row.critical_path_us = Some(outcome.critical_path_us);
        self.rows.push(row);
        self.ids.push((episode.id.key, attempt(episode.place)));
        self.calls.push(outcome.spent.model_calls);
    }

    /// Takes in a failed attempt at an episode that was not finished. A run in progress tries it again: it is not lost yet.
    pub(super) fn failed(&mut self, failed: Failed) {
        if self.in_progress {
            return;
        }
        let Some(mut row) = self.row(&failed.id) else { return };
        row.stop = failed.stop;
        row.infrastructure = true;
        row.lost_because = failed.detail;
        self.lost.insert(failed.id.key, (attempt(failed.place), row));
    }

    /// A row without its outcome; `None` for a cell that is not in the study.
    fn row(&mut self, id: &EpisodeId) -> Option<EpisodeRow> {
        let cell = self.cells.get(id.cell.as_str())?;
        Some(EpisodeRow {
            cell: cell.id.clone(),
            environment: cell.environment.clone(),
            task: self.tasks.of(&id.task),
            run: id.run,
            trial: id.trial,
            seed: id.seed,
            instance: cell.stored.instance(id.run),
            ..EpisodeRow::default()
        })
    }

    /// The rows, with their costs: finished episodes by key, then lost ones.
    pub(super) fn finish(self, mut accounts: Accounts<'_>) -> Rows {
        accounts.close();
        let (mut episodes, mut ids) = (self.rows, self.ids);
        for (key, (attempt, row)) in self.lost {
            ids.push((key, attempt));
            episodes.push(row);
        }
        for (row, (key, attempt)) in episodes.iter_mut().zip(ids) {
            accounts.fill(row, attempt, &key);
        }
        // Lost episodes are behind the finished ones, and have no number of calls in the index.
        for (row, calls) in episodes.iter_mut().zip(self.calls) {
            row.unbilled_calls = u32::try_from(calls.saturating_sub(row.model_calls.into())).unwrap_or(u32::MAX);
        }
        Rows { episodes, cells: self.stored.cells.iter().map(|cell| cell.info.clone()).collect() }
    }
}

fn attempt(place: Place) -> AttemptId {
    (place.segment, place.attempt)
}
