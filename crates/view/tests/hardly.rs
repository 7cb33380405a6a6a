//! A run in which the model hardly acted is not a measurement: what leads, and what is left out.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use crate::support;

use gimbal_analysis::{CellInfo, EpisodeRow, Rows};
use gimbal_view::Report;
use support::{cell, episode, meta, options};

/// Three cells of ten episodes: one that acts, one whose steps are the fallback's, one whose attempts are invalid.
fn rows() -> Rows {
    let names = ["acts", "idles", "babbles"];
    let cells: Vec<CellInfo> = names.iter().map(|name| cell(name, name, "context", Some("remote/model"))).collect();
    let mut episodes = Vec::new();
    for run in 0..10 {
        let plain =
            EpisodeRow { fallbacks: 0, rejected_calls: 1, tool_calls: 31, ..episode("acts", run, -40_000, 9000, 0) };
        episodes.push(EpisodeRow { return_thousandths: -40_000 - i64::from(run) * 1000, ..plain.clone() });
        let returned = -224_000;
        let idle = EpisodeRow { fallbacks: 30, tool_calls: 120, rejected_calls: 90, ..plain.clone() };
        episodes.push(EpisodeRow { cell: "idles".into(), return_thousandths: returned, ..idle });
        let babble = EpisodeRow { fallbacks: 10, tool_calls: 120, rejected_calls: 90, ..plain };
        episodes.push(EpisodeRow { cell: "babbles".into(), return_thousandths: returned, ..babble });
    }
    Rows { cells, episodes }
}

// covers: BOG-225
#[test]
fn cells_whose_model_hardly_acted_are_no_measurement() {
    let report = Report::build(&rows(), meta("hardly"), &options("acts")).unwrap();
    let cells = &report.analysis.cells;
    assert_eq!(cells.iter().map(|cell| cell.hardly_acted()).collect::<Vec<_>>(), [false, true, true]);
    for cell in &cells[1..] {
        assert_eq!((cell.success, cell.catastrophic, cell.outcomes, cell.efficient), (None, None, None, None));
        assert_eq!((cell.rpts, cell.shifted, cell.returns.unwrap().half_width), (None, None, None));
    }
    assert!(
        cells[0].success.is_some()
            && cells[0].efficient == Some(true)
            && cells[0].returns.unwrap().half_width.is_some()
    );
    // No interval, least of all one of no width around nought, and no test.
    assert_eq!(report.analysis.comparisons.len(), 2);
    for comparison in &report.analysis.comparisons {
        assert_eq!((comparison.paired, comparison.p_holm, comparison.marginal_percent), (None, None, None));
    }
}

#[test]
fn headline_table_and_page_lead_with_it() {
    let report = Report::build(&rows(), meta("hardly"), &options("acts")).unwrap();
    let lead =
        "In 2 of 3 cells with a model (remote/model) the model hardly acted: the fallback took 67% of the steps, and";
    assert!(report.sentence.starts_with(lead), "{}", report.sentence);
    let main = &report.tables[0];
    assert!(
        main.notes[0].starts_with("Hardly acted, no measurement (idles on remote/model: fallback 100%, invalid 100%"),
        "{}",
        main.notes[0]
    );
    let at = |key: &str| main.columns.iter().position(|column| column.key == key).unwrap();
    assert!(at("fallback_rate") < at("mean_return") && at("invalid_rate") < at("mean_return"));
    assert_eq!(main.shown(1, at("mark")), "hardly acted");
    let page = report.html();
    let verdict = page.find("hardly acted").unwrap();
    assert!(verdict < page.find("<table").unwrap(), "the page says so before its first table");
    assert!(report.brief(120).contains("hardly acted"));
}

#[test]
fn a_run_without_any_acting_model_claims_nothing() {
    let mut rows = rows();
    rows.cells.remove(0);
    rows.episodes.retain(|row| row.cell != "acts");
    let report = Report::build(&rows, meta("hardly"), &support::options_without()).unwrap();
    assert!(report.sentence.starts_with("In all 2 cells with a model"), "{}", report.sentence);
    assert!(report.sentence.contains("measures the fallback and no model"), "{}", report.sentence);
    assert!(!report.figures.iter().any(|figure| figure.name == "frontier"));
}

/// Below the mark shares are named all the same, from a quarter on.
#[test]
fn the_headline_names_high_shares_of_cells_that_count() {
    let said = |fallbacks: u32, rejected_calls: u32, more: bool| {
        let mut rows = rows();
        rows.episodes.retain(|row| more || row.cell == "acts");
        rows.cells.retain(|cell| more || cell.id == "acts");
        for row in &mut rows.episodes {
            (row.steps, row.tool_calls, row.fallbacks, row.rejected_calls) =
                (30, 100 + fallbacks, fallbacks, rejected_calls);
        }
        Report::build(&rows, meta("hardly"), &support::options_without()).unwrap().sentence
    };
    let one = said(12, 76, false);
    assert!(
        one.contains("; in acts on remote/model the fallback took 40% of the steps and 76% of the attempts at an action were invalid"),
        "{one}"
    );
    let invalid = said(7, 25, false);
    assert!(
        invalid.contains("; in acts on remote/model 25% of the attempts") && !invalid.contains("fallback took"),
        "{invalid}"
    );
    assert!(!said(7, 24, false).contains("attempts"));
    assert!(said(9, 10, true).contains("; in 3 of 3 cells with a model the fallback took up to 30% of the steps"));
}

#[test]
fn a_run_in_progress_lacks_nothing() {
    let mut rows = rows();
    rows.cells.iter_mut().for_each(|cell| cell.planned = 20);
    let meta = gimbal_view::Meta { in_progress: true, ..meta("busy") };
    let report = Report::build(&rows, meta, &options("acts")).unwrap();
    assert!(
        report.sentence.starts_with("In progress, 30 of 60 planned episodes played so far."),
        "{}",
        report.sentence
    );
    assert!(!report.sentence.contains("missing") && !report.text(120).contains("What is missing"));
    assert!(report.text(120).contains("Still to be played"));
}
