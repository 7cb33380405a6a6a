//! Paired differences of the protocol's contrasts: T25 (BOG-168).

use crate::axes::Contrast;
use gimbal_analysis::hypothesis::{benjamini_hochberg, holm};
use gimbal_analysis::paired::{PairedTest, paired_test};
use gimbal_analysis::tables::confidence_title;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};

use super::frame::{Frame, column};

/// T25: first minus second over matched seeds, with intervals and tests corrected over the whole table.
pub fn paired(frame: &Frame<'_>) -> Table {
    let protocol = frame.grids.protocol;
    let (mut rows, mut tests): (Vec<Vec<Cell>>, Vec<Option<PairedTest>>) = (Vec::new(), Vec::new());
    for contrast in &protocol.contrasts {
        for grid in &frame.grids.grids {
            for model in &grid.models {
                let first = grid.resolve(&contrast.first, model);
                let second = grid.resolve(&contrast.second, model);
                let test = first.zip(second).and_then(|(first, second)| {
                    let limit = grid.cell(first, model)?.info.thresholds.catastrophic_below;
                    let (first, second) = grid.sides(first, second, model);
                    paired_test(first, second, limit, &frame.grids.analysis.options)
                });
                rows.push(vec![
                    Cell::text(format!("{} − {}", contrast.first.label(), contrast.second.label())),
                    Cell::text(model),
                    Cell::text(grid.environment),
                    Cell::text(first.unwrap_or_default()),
                    Cell::text(second.unwrap_or_default()),
                ]);
                tests.push(test);
            }
        }
    }
    let p: Vec<Option<f64>> = tests.iter().map(|test| test.as_ref().and_then(PairedTest::p)).collect();
    let known: Vec<f64> = p.iter().flatten().copied().collect();
    let (mut by_holm, mut by_rate) = (holm(&known).into_iter(), benjamini_hochberg(&known).into_iter());
    for ((row, test), p) in rows.iter_mut().zip(&tests).zip(&p) {
        let corrected = p.and_then(|_| by_holm.next().zip(by_rate.next()));
        row.extend(numbers(test.as_ref(), *p, corrected));
    }
    let mut notes = notes(known.len());
    if protocol.contrasts.iter().any(|Contrast { first, second }| first.is_picked() || second.is_picked()) {
        notes.push("“best …”: picked after the fact by the mean return of the same episodes; such intervals flatter the side that was picked.".to_owned());
    }
    let needed: Vec<&str> = protocol
        .contrasts
        .iter()
        .flat_map(|contrast| [&contrast.first, &contrast.second])
        .flat_map(|side| protocol.candidates(side))
        .collect();
    notes.extend(frame.marks(&frame.grids.models()));
    notes.extend(frame.gaps(&needed));
    frame.table(columns(frame), rows, notes)
}

fn columns(frame: &Frame<'_>) -> Vec<Column> {
    let digits = frame.digits();
    let title = confidence_title(frame.grids.analysis);
    use ColumnKind::{Flag, Integer, Interval, Number, Probability, Record, Text};
    vec![
        frame.label("comparison", "Comparison", "First minus second"),
        frame.label("model", "Model", "Model"),
        frame.environment(),
        column("first", "First", "sides", Text, "Configuration of the first side"),
        column("second", "Second", "sides", Text, "Configuration of the second side"),
        column("pairs", "Pairs", "difference", Integer, "Seeds that both played; duplicates averaged first"),
        column("clusters", "Clusters", "difference", Integer, "Groups of pairs that may depend on one another"),
        column("difference", "Difference", "difference", Number(digits), "Mean paired difference"),
        column(
            "ci",
            &format!("{title} (t)"),
            "difference",
            Interval(digits),
            "Student t on the differences, each on its own",
        ),
        column(
            "ci_clustered",
            "t by clusters",
            "difference",
            Interval(digits),
            "Student t interval robust against clusters",
        ),
        column("ci_bootstrap", "BCa bootstrap", "difference", Interval(digits), "BCa bootstrap over clusters"),
        column("excludes_zero", "Excl. 0", "difference", Flag, "Whether the cluster-robust interval excludes zero"),
        column("record", "W/T/L", "tests", Record, "Pairs won, tied (equal to 0.1) and lost"),
        column("p_t", "p", "tests", Probability(4), "Two-sided cluster-robust t test"),
        column("p_holm", "p Holm", "tests", Probability(4), "After Holm's correction for all rows of this table"),
        column("q", "q", "tests", Probability(4), "After Benjamini and Hochberg's correction for all rows"),
        column("p_sign", "p sign", "tests", Probability(4), "Exact two-sided sign test"),
        column("p_flip", "p flip", "tests", Probability(4), "Two-sided sign-flip permutation test"),
        column(
            "catastrophic",
            "Δ cat.",
            "catastrophic",
            Number(3),
            "Catastrophic rate of the first minus the second's",
        ),
        column("p_mcnemar", "p McNemar", "catastrophic", Probability(4), "Exact two-sided McNemar test of it"),
    ]
}

fn numbers(test: Option<&PairedTest>, p: Option<f64>, corrected: Option<(f64, f64)>) -> Vec<Cell> {
    let Some(test) = test else { return vec![Cell::Integer(0)] };
    let basic = &test.basic;
    let decided = test.clustered.map(|interval| interval.excludes_zero());
    vec![
        Cell::count(basic.difference.n as u64),
        Cell::count(test.clusters as u64),
        Cell::Number(basic.difference.mean),
        Cell::interval(test.plain),
        Cell::interval(test.clustered),
        Cell::interval(test.bootstrap),
        decided.map_or(Cell::Empty, Cell::Flag),
        Cell::Record(basic.outcome.wins, basic.outcome.ties, basic.outcome.losses),
        Cell::number(p),
        Cell::number(corrected.map(|(holm, _)| holm)),
        Cell::number(corrected.map(|(_, rate)| rate)),
        Cell::number(Some(basic.p_sign)),
        Cell::number(basic.p_flip),
        Cell::number(test.catastrophic.and_then(|catastrophic| catastrophic.difference())),
        Cell::number(test.catastrophic.filter(|found| found.pairs > 0).map(|found| found.p)),
    ]
}

fn notes(tested: usize) -> Vec<String> {
    vec![
        "First minus second over the same task, run and seed; several episodes of one seed are averaged first. A positive difference: the first returned more.".to_owned(),
        "Three intervals: Student t with every pair for itself; Student t robust against clusters, with one degree of freedom less than clusters (where every pair is a cluster it is the plain one); BCa bootstrap over clusters. Clusters: runs of one task and instance where there are several of these, else single runs.".to_owned(),
        format!("p: cluster-robust t test (sign test where differences do not vary); Holm and q over {tested} comparisons."),
    ]
}
