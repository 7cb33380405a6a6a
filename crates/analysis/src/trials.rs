//! Returns by number of the trial: what sessions learn from trial to trial.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clusters::{Grouping, Place, place};
use crate::describe::Summary;
use crate::row::EpisodeRow;

/// Returns of the trials of one number, over the sessions of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialReturns {
    /// Number of the trial, from 0.
    pub trial: u32,
    /// Returns of these trials, in units.
    pub returns: Summary,
    /// Return minus that of the first trial of the same session; `None` of the first trial, and where no session has both.
    pub gain: Option<Summary>,
}

/// What the trials of one session are told by.
fn session(row: &EpisodeRow, tasks_differ: bool) -> (&str, u32) {
    (if tasks_differ { "" } else { &row.task }, row.run)
}

/// Returns by trial, between `bounds` where they are known; empty where no session has a second one.
pub(crate) fn by_trial(rows: &[&EpisodeRow], bounds: (Option<f64>, Option<f64>), confidence: f64) -> Vec<TrialReturns> {
    if rows.iter().all(|row| row.trial == 0) {
        return Vec::new();
    }
    let tasks_differ = crate::clusters::over_tasks(&rows.iter().map(|row| place(row)).collect::<Vec<_>>());
    let first: BTreeMap<(&str, u32), f64> =
        rows.iter().filter(|row| row.trial == 0).map(|row| (session(row, tasks_differ), row.value())).collect();
    let mut trials: BTreeMap<u32, Vec<&EpisodeRow>> = BTreeMap::new();
    for row in rows {
        trials.entry(row.trial).or_default().push(row);
    }
    let summary = |rows: &[(&EpisodeRow, f64)]| {
        let values: Vec<f64> = rows.iter().map(|(_, value)| *value).collect();
        let grouping = Grouping::of(&rows.iter().map(|(row, _)| place(row)).collect::<Vec<Place<'_>>>());
        Some(grouping.summary(Summary::of(&values, confidence)?, &values, confidence))
    };
    let mut found = Vec::new();
    for (trial, rows) in trials {
        let values: Vec<(&EpisodeRow, f64)> = rows.iter().map(|row| (*row, row.value())).collect();
        let mut gains: Vec<(&EpisodeRow, f64)> = Vec::new();
        for row in rows.iter().filter(|row| row.trial > 0) {
            gains.extend(first.get(&session(row, tasks_differ)).map(|first| (*row, row.value() - first)));
        }
        let (least, most) = bounds;
        let apart = least.zip(most).map(|(least, most)| most - least);
        let gain = summary(&gains).map(|gain| gain.within(apart.map(|apart| -apart), apart));
        found.extend(summary(&values).map(|returns| TrialReturns {
            trial,
            returns: returns.within(least, most),
            gain,
        }));
    }
    found
}
