//! Scores with tokens weighted by price, and cost by role.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use std::collections::BTreeMap;

use gimbal_analysis::rescore::{TokenPrice, rescore, table};
use gimbal_analysis::{Analysis, BaselineChoice, EpisodeRow, Options, RoleLedger, Rows, Stop, TokenUse, tables};
use support::{cell, episode};

fn rows() -> Rows {
    let cells = ["obs", "terse", "wordy"].map(|name| cell(name, name, Some("a/b")));
    // Plain tokens: terse 20,000 for +45, wordy 12,000 for +30. By price (output is four times as dear) 23,000 and 42,000.
    let numbers = [("obs", -100_000, 10_000, 0), ("terse", -55_000, 19_000, 1_000), ("wordy", -70_000, 2_000, 10_000)];
    let episodes = numbers
        .iter()
        .flat_map(|(name, value, input, output)| (0..2).map(|run| episode(name, run, *value, *input, *output)));
    Rows { cells: cells.into(), episodes: episodes.collect() }
}

fn analysis(rows: &Rows) -> Analysis {
    let baseline = Some(BaselineChoice::Configuration("obs".into()));
    Analysis::new(rows, &Options { baseline, ..Options::default() }).unwrap()
}

fn prices(output: f64) -> BTreeMap<String, TokenPrice> {
    [("a/b".to_owned(), TokenPrice { input: 0.1, output })].into()
}

// covers: BOG-173
#[test]
fn completion_tokens_count_by_their_price_and_may_turn_the_order() {
    let analysis = analysis(&rows());
    let scored = rescore(&analysis, &prices(0.4));
    let near = |left: f64, right: f64| assert!((left - right).abs() < 1e-9, "{left} {right}");
    near(scored[1].ratio, 4.0);
    near(scored[1].kilotokens, 23.0);
    near(scored[2].kilotokens, 42.0);
    near(scored[1].rpts.unwrap(), 45.0 / 23.0);
    near(scored[2].rpts.unwrap(), 30.0 / 42.0);
    near(scored[2].shifted.unwrap(), (225.0 - 70.0) / 42.0);
    assert_eq!(scored.iter().map(|one| one.rpts_ranks).collect::<Vec<_>>(), [None, Some((2, 1)), Some((1, 2))]);
    assert_eq!(scored[0].shifted_ranks, Some((2, 1)));
    let shown = table(&analysis, &prices(0.4)).unwrap();
    assert!(
        shown.notes.iter().any(|note| note.contains("changes with weighted tokens: obs, terse, wordy")),
        "{shown:?}"
    );
    // At one price for both nothing moves, and the scores are the plain ones.
    let even = rescore(&analysis, &prices(0.1));
    assert!(even.iter().all(|one| !one.moves()));
    near(even[1].rpts.unwrap(), analysis.cells[1].rpts.unwrap());
    let shown = table(&analysis, &prices(0.1)).unwrap();
    assert!(shown.notes.iter().any(|note| note.contains("order of configurations is the same")));
    // Without a price, or with free prompts, there is nothing to weigh by.
    assert!(table(&analysis, &BTreeMap::new()).is_none());
    let free = [("a/b".to_owned(), TokenPrice { input: 0.0, output: 0.0 })];
    assert!(table(&analysis, &free.into()).is_none());
}

// covers: BOG-160, BOG-161
#[test]
fn money_and_calls_add_up_by_role_and_model() {
    let mut rows = rows();
    let part = |role: &str, calls: u64, input: u64, cost: Option<u64>| RoleLedger {
        role: role.into(),
        model: "a/b".into(),
        calls,
        requests: calls + 1,
        called: TokenUse { input, ..TokenUse::default() },
        billed: TokenUse { input, ..TokenUse::default() },
        cost_exact: cost,
        ..RoleLedger::default()
    };
    for row in rows.episodes.iter_mut().filter(|row| row.cell == "terse") {
        row.ledger = vec![part("analyst", 3, 600, Some(5_000_000_000)), part("planner", 7, 400, None)];
        row.critical_path_us = Some(60_000);
    }
    let lost = EpisodeRow { infrastructure: true, stop: Stop::StudyLimit, run: 9, ..rows.episodes[2].clone() };
    rows.episodes.push(lost);
    let analysis = analysis(&rows);
    let terse = &analysis.cells[1];
    let costs: Vec<_> =
        terse.role_costs.iter().map(|part| (&*part.role, part.calls, part.requests, part.cost)).collect();
    // The lost episode was billed, too, and its calls belong to no outcome.
    assert_eq!(costs, [("analyst", 6, 12, Some(0.015)), ("planner", 14, 24, None)]);
    assert_eq!(terse.critical_path_step_ms, Some(2.0));
    assert!(terse.stops.contains(&(Stop::StudyLimit, 1)));
    let shown = tables::cost(&analysis).unwrap();
    assert_eq!((shown.key, shown.rows.len()), ("cost", 3));
    assert!(tables::KEYS.contains(&shown.key));
}

// covers: BOG-R10, BOG-161
#[test]
fn the_first_runs_of_instances_stand_beside_all_runs() {
    let mut rows = rows();
    let cell = rows.cells[1].id.clone();
    let template = rows.episodes.iter().find(|row| row.cell == cell).unwrap().clone();
    rows.episodes.retain(|row| row.cell != cell);
    // Two instances of two runs, the later ones dearer: runs 0 and 2 are the first of their instances.
    for (run, input) in [(3, 900), (2, 300), (1, 700), (0, 100)] {
        let mut row = EpisodeRow { run, instance: run / 2, ..template.clone() };
        row.usage.truncate(1);
        row.usage[0].called = TokenUse { input, ..TokenUse::default() };
        rows.episodes.push(row);
    }
    let analysis = analysis(&rows);
    let summary = &analysis.cells[1];
    assert_eq!(summary.tokens.map(|tokens| tokens.mean), Some(500.0));
    assert_eq!(summary.first_run_tokens, Some(200.0));
}
