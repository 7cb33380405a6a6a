//! Returns by trial.

use crate::support::{cell, episode};
use gimbal_analysis::{Analysis, Cell, Options, Rows, tables};

/// Two sessions of three trials; the second trial gains 2 and 4, the third 6 and none.
fn rows() -> Rows {
    let mut rows = Rows::default();
    rows.cells.push(cell("one", "one", None));
    for (run, returns) in [[1000, 3000, 7000], [2000, 6000, 2000]].into_iter().enumerate() {
        for (trial, value) in returns.into_iter().enumerate() {
            let mut row = episode("one", run as u32, value, 0, 0);
            row.trial = trial as u32;
            rows.episodes.push(row);
        }
    }
    rows
}

fn gains(rows: &Rows) -> Vec<(u32, f64, Option<f64>)> {
    let analysis = Analysis::new(rows, &Options::default()).unwrap();
    let of =
        |trial: &gimbal_analysis::TrialReturns| (trial.trial, trial.returns.mean, trial.gain.map(|gain| gain.mean));
    analysis.cells[0].by_trial.iter().map(of).collect()
}

#[test]
fn returns_and_gains_by_trial_by_hand() {
    assert_eq!(gains(&rows()), [(0, 1.5, None), (1, 4.5, Some(3.0)), (2, 4.5, Some(3.0))]);
    let analysis = Analysis::new(&rows(), &Options::default()).unwrap();
    let table = tables::trials(&analysis).unwrap();
    let at = |key: &str| table.columns.iter().position(|column| column.key == key).unwrap();
    assert_eq!(*table.cell(2, at("trial")), Cell::count(2));
    assert_eq!(*table.cell(2, at("episodes")), Cell::count(2));
    assert_eq!(*table.cell(1, at("gain")), Cell::number(Some(3.0)));
    assert!(tables::all(&analysis).iter().any(|table| table.key == "trials"));
}

/// Where sessions go over tasks, the first trial of a session has another task, and an order of each session.
#[test]
fn the_first_trial_of_a_session_over_tasks_is_found() {
    let mut over_tasks = rows();
    let tasks = [["b", "a", "c"], ["a", "c", "b"]];
    for row in &mut over_tasks.episodes {
        row.task = tasks[row.run as usize][row.trial as usize].into();
    }
    assert_eq!(gains(&over_tasks), gains(&rows()));
}

#[test]
fn without_a_second_trial_there_is_no_table() {
    let mut first = rows();
    first.episodes.retain(|row| row.trial == 0);
    let analysis = Analysis::new(&first, &Options::default()).unwrap();
    assert!(tables::trials(&analysis).is_none() && analysis.cells[0].by_trial.is_empty());
    // Nothing of it is written where there is none, so that stored summaries are as they were.
    assert!(!serde_json::to_string(&analysis.cells[0]).unwrap().contains("by_trial"));
}
