//! Runs of one task and instance depend on one another, in every interval that is printed (BOG-142).
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{
    Analysis, BaselineChoice, Cell, EpisodeRow, Options, Rows, Table, paired_test, t_quantile, tables,
};
use support::{cell, episode};

/// Four instances of five runs: all that tells runs of one instance apart is a unit of return; instances lie far apart.
fn rows(instances: bool) -> Rows {
    let names = ["obs", "hist+net"];
    let mut rows = Rows { cells: names.map(|name| cell(name, name, Some("m"))).to_vec(), episodes: vec![] };
    for run in 0..20_u32 {
        let (instance, within) = (run / 5, i64::from(run % 5));
        let level = [-20_000, -40_000, -160_000, -180_000][instance as usize];
        let gain = [1_000, 9_000, 2_000, 8_000][instance as usize];
        let instance = if instances { instance } else { 0 };
        let at = |name, value, tokens| EpisodeRow { instance, ..episode(name, run, value, tokens, 100) };
        rows.episodes.push(at("obs", level - 1_000 * within, 1_000));
        rows.episodes.push(at("hist+net", level + gain - 1_000 * within, 2_000 + 10 * u64::from(run)));
    }
    rows
}

fn options() -> Options {
    let baseline = Some(BaselineChoice::Configuration("obs".into()));
    Options { baseline, resamples: 200, ..Options::default() }
}

fn at(table: &Table, row: usize, key: &str) -> Cell {
    let column = table.columns.iter().position(|column| column.key == key).unwrap();
    table.cell(row, column).clone()
}

/// The differences of an instance are all the same: four numbers, whatever the runs.
// covers: BOG-142, BOG-167, BOG-168
#[test]
fn intervals_take_the_runs_of_an_instance_together() {
    let rows = rows(true);
    let analysis = Analysis::new(&rows, &options()).unwrap();
    let paired = analysis.comparisons[0].paired.unwrap();
    // Means of the four: 1, 9, 2, 8, so 5 with an SD of 4.082; t(0.975, 3) = 3.182.
    let half = t_quantile(0.975, 3.0).unwrap() * (50.0_f64 / 3.0 / 4.0).sqrt();
    assert!((paired.difference.half_width.unwrap() - half).abs() < 1e-9);
    assert_eq!((paired.difference.clusters, paired.difference.n, paired.excludes_zero), (Some(4), 20, Some(false)));
    // The corrected p goes with the interval: t = 5 / 2.041 with 3 degrees of freedom.
    assert!((analysis.comparisons[0].p_holm.unwrap() - 0.091_687).abs() < 1e-4, "{:?}", analysis.comparisons[0].p_holm);
    let of = |name: &str| -> Vec<&EpisodeRow> { rows.episodes.iter().filter(|row| row.cell == name).collect() };
    let test = paired_test(&of("hist+net"), &of("obs"), None, &options()).unwrap();
    assert_eq!((test.clusters, test.clustered), (4, paired.difference.interval()));
    assert!(test.plain.unwrap().width() < test.clustered.unwrap().width() / 2.0, "the plain one knows nothing");
    // Two of four instances are catastrophic, whole: ten of twenty, worth four.
    let share = analysis.cells[0].catastrophic.unwrap();
    assert_eq!((share.count, share.of, share.clusters), (10, 20, Some(4)));
    assert!(share.interval.low < 0.07 && share.interval.high > 0.93, "{:?}", share.interval);

    let main = tables::main(&analysis);
    assert_eq!(at(&main, 0, "clusters"), Cell::Integer(4));
    let paired = tables::paired(&analysis).unwrap();
    assert_eq!(at(&paired, 0, "clusters"), Cell::Integer(4));
    let named = [
        main,
        paired,
        tables::spread(&analysis),
        support::table("t24", &rows, &analysis),
        support::table("t23", &rows, &analysis),
        support::table("t15", &rows, &analysis),
    ];
    for table in &named {
        assert!(
            table.notes.iter().any(|note| note.contains("Student t robust against clusters")
                && note.contains("Wilson, with the number of episodes that the clusters are worth")),
            "{}: {:?}",
            table.key,
            table.notes
        );
    }
    let t25 = support::table("t25", &rows, &analysis);
    let row = (0..t25.rows.len()).find(|row| at(&t25, *row, "pairs") == Cell::Integer(20)).unwrap();
    assert_eq!(at(&t25, row, "clusters"), Cell::Integer(4));
}

/// One instance, as in a study without any: every run is a cluster of its own, and the note says that.
// covers: BOG-167
#[test]
fn a_study_without_instances_takes_every_run_for_itself() {
    let analysis = Analysis::new(&rows(false), &options()).unwrap();
    let paired = analysis.comparisons[0].paired.unwrap();
    assert_eq!((paired.difference.clusters, analysis.cells[0].returns.unwrap().clusters), (None, None));
    assert_eq!(analysis.cells[0].catastrophic.unwrap().clusters, None);
    let main = tables::main(&analysis);
    assert!(main.notes.iter().any(|note| note.contains("every episode for itself")), "{:?}", main.notes);
    assert!(main.columns.iter().any(|column| column.key == "clusters" && column.programs_only));
}
