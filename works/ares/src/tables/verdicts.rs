//! Tables over verdicts: accuracy by pipeline and tier, confusion, errors, calibration.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::calibration::{Forecast, brier, expected_calibration_error};
use gimbal_analysis::columns::{count, interval, label, number, share, words};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::tables::confidence_title;
use gimbal_analysis::{Cell, CellSummary, Column, ColumnKind, Proportion, Table};
use gimbal_evidence::judge::Verdict;

use super::frame::{Frame, corpus, how_many, scenarios};
use crate::cases::Case;
use crate::errors::{Diagnosis, ErrorClass, Losses};

/// Bins of the expected calibration error (ARES-079).
const BINS: usize = 10;

/// Tiers in the order of the work (ARES-070); others that a corpus has come behind them.
const TIERS: [&str; 4] = ["CLEAR_THREAT", "CLEAR_BENIGN", "AMBIGUOUS", "MIXED_SIGNALS"];

/// Tab. 1: accuracy, spread, cost and failure mode of each pipeline (ARES-075, ARES-077, ARES-081).
pub fn overall(frame: &Frame<'_>) -> Table {
    let columns = vec![
        count("scenarios", "N", "corpus", "Scenarios"),
        count("episodes", "Episodes", "corpus", "Episodes: runs of a scenario are one cluster of the interval"),
        words("corpus", "Corpus", "corpus", "Hash over the scenarios that were played, with labels and raw sources"),
        share("accuracy", "Accuracy", "accuracy", "Share of expected verdicts"),
        interval(
            "ci",
            &confidence_title(frame.analysis),
            "accuracy",
            3,
            "Interval of the accuracy, robust against runs of one scenario",
        ),
        share("macro", "Macro", "accuracy", "Mean over tiers of the accuracy within a tier"),
        number("spread", "Spread", "accuracy", 1, "Half the range of the accuracy over runs of the corpus")
            .unit("points"),
        share("fallback", "Fallback", "fallback", "Episodes in which rules answered for a model somewhere (ARES-R7)"),
        share("without", "Without", "fallback", "Accuracy over the episodes without such an answer"),
        number("tokens", "Tokens", "cost", 0, "Agent tokens an episode"),
        number("dollars", "Cost", "cost", 4, "One run of the corpus, where every price is known").unit("$"),
        words("fails", "Failure mode", "fails", "The most frequent class of error"),
    ];
    let rows = frame.cells().map(|(summary, cases)| (summary, overall_row(frame, summary, cases))).collect();
    let notes = vec![
        "Expected verdicts are machine-verified: a written criterion over facts of the packet gives them, and without the facts that \
         decide it gives another. No person reviewed them."
            .to_owned(),
        "Compare rows of one corpus hash only.".to_owned(),
    ];
    frame.table(columns, rows, notes)
}

fn overall_row(frame: &Frame<'_>, summary: &CellSummary, cases: &[Case]) -> Vec<Cell> {
    let accuracy = accuracy(cases, frame.confidence());
    let own: Vec<&Case> = cases.iter().filter(|case| !case.fell_back()).collect();
    let right = own.iter().filter(|case| case.is_right()).count() as u64;
    let fallback = if cases.iter().any(|case| !case.stands.is_empty()) {
        ratio(how_many(cases, Case::fell_back), cases.len() as u64)
    } else {
        None
    };
    vec![
        Cell::count(scenarios(cases)),
        Cell::count(cases.len() as u64),
        Cell::text(corpus(cases).short()),
        Cell::share(accuracy.map(|found| found.share)),
        Cell::interval(accuracy.and_then(|found| found.told())),
        Cell::share(macro_accuracy(cases)),
        Cell::number(spread(cases)),
        Cell::share(fallback),
        Cell::share(fallback.and_then(|_| ratio(right, own.len() as u64))),
        Cell::number(summary.tokens.as_ref().map(|tokens| tokens.mean)),
        Cell::number(summary.cost.as_ref().map(|cost| cost.mean * scenarios(cases) as f64)),
        Cell::text(failure_mode(cases)),
    ]
}

/// Accuracy with an interval in which runs of one scenario are a cluster.
fn accuracy(cases: &[Case], confidence: f64) -> Option<Proportion> {
    Proportion::clustered(cases.iter().map(|case| (case.task.as_str(), case.run, case.is_right())), confidence)
}

/// Mean over tiers.
fn macro_accuracy(cases: &[Case]) -> Option<f64> {
    let tiers = by_tier(cases);
    let shares: Vec<f64> = tiers.values().filter_map(|(right, all)| ratio(*right, *all)).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Right and all cases by tier.
fn by_tier(cases: &[Case]) -> BTreeMap<&str, (u64, u64)> {
    let mut tiers: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for case in cases {
        let (right, all) = tiers.entry(&case.marking.tier).or_default();
        *right += u64::from(case.is_right());
        *all += 1;
    }
    tiers
}

/// Half the range over runs of the corpus, in points; none of a single run.
fn spread(cases: &[Case]) -> Option<f64> {
    let mut runs: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for case in cases {
        let (right, all) = runs.entry(case.run).or_default();
        *right += u64::from(case.is_right());
        *all += 1;
    }
    let shares: Vec<f64> = runs.values().filter_map(|(right, all)| ratio(*right, *all)).collect();
    let (least, most) =
        shares.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), one| (low.min(*one), high.max(*one)));
    (shares.len() > 1).then_some(50.0 * (most - least))
}

fn failure_mode(cases: &[Case]) -> String {
    let of = |class: ErrorClass| how_many(cases, |case| ErrorClass::of(case) == Some(class));
    let most = ErrorClass::ALL.into_iter().max_by_key(|class| (of(*class), std::cmp::Reverse(*class)));
    match most {
        Some(class) if of(class) > 0 => format!("{} ({})", class.title(), of(class)),
        _ => "none".to_owned(),
    }
}

/// Accuracy by tier (ARES-076).
pub fn tiers(frame: &Frame<'_>) -> Table {
    let known: BTreeSet<&str> =
        frame.cells().flat_map(|(_, cases)| cases).map(|case| case.marking.tier.as_str()).collect();
    let others = known.iter().copied().filter(|tier| !TIERS.contains(tier));
    let order: Vec<&str> = TIERS.into_iter().filter(|tier| known.contains(tier)).chain(others).collect();
    let mut columns = Vec::new();
    for tier in &order {
        let title = tier.to_lowercase().replace('_', " ");
        let key = tier.to_lowercase();
        columns.push(Column::new(key.clone(), &title, key.clone(), ColumnKind::Share(1), "Share of expected verdicts"));
        columns.push(Column::new(format!("{key}.n"), "N", key, ColumnKind::Integer, "Episodes of this tier"));
    }
    columns.push(share("macro", "Macro", "macro", "Mean over tiers"));
    let rows = frame.cells().map(|(summary, cases)| {
        let tiers = by_tier(cases);
        let mut row = Vec::new();
        for tier in &order {
            let (right, all) = tiers.get(tier).copied().unwrap_or_default();
            row.extend([Cell::share(ratio(right, all)), Cell::count(all)]);
        }
        row.push(Cell::share(macro_accuracy(cases)));
        (summary, row)
    });
    frame.table(columns, rows.collect(), Vec::new())
}

/// Expected against given verdicts (ARES-076).
pub fn confusion(frame: &Frame<'_>) -> Table {
    let mut columns = vec![
        label("expected", "Expected", "expected", "The expected verdict"),
        count("all", "N", "expected", "Episodes in which it is expected"),
    ];
    columns.extend(Verdict::ALL.map(|verdict| {
        let title = verdict.name().to_lowercase().replace('_', " ");
        let key = verdict.name().to_lowercase();
        Column::new(key, &title, "given", ColumnKind::Integer, "Episodes that gave this verdict")
    }));
    columns.push(count("none", "none", "given", "Episodes that ended without a verdict"));
    let mut rows = Vec::new();
    for (summary, cases) in frame.cells() {
        for expected in Verdict::ALL {
            let with = |given: Option<Verdict>| {
                how_many(cases, |case| case.marking.expected == expected && case.marking.given == given)
            };
            let all = how_many(cases, |case| case.marking.expected == expected);
            if all == 0 {
                continue;
            }
            let mut row = vec![Cell::text(expected.name()), Cell::count(all)];
            row.extend(Verdict::ALL.map(|given| Cell::count(with(Some(given)))));
            row.push(Cell::count(with(None)));
            rows.push((summary, row));
        }
    }
    frame.table(columns, rows, Vec::new())
}

/// Classes of errors, why, and what they cost (ARES-076, ARES-082).
pub fn errors(frame: &Frame<'_>) -> Table {
    let mut columns =
        vec![count("episodes", "Episodes", "all", "Episodes"), count("wrong", "Wrong", "all", "Wrong verdicts")];
    columns.extend(ErrorClass::ALL.map(|class| {
        Column::new(
            class.title().replace(' ', "_"),
            class.title(),
            "class",
            ColumnKind::Integer,
            "Wrong verdicts of this class",
        )
    }));
    let diagnoses = ["evidence gap", "ambiguity mismatch", "calibration"];
    columns.extend(diagnoses.map(|name| {
        Column::new(
            name.replace(' ', "_"),
            name,
            "diagnosis",
            ColumnKind::Integer,
            "Wrong verdicts with this diagnosis",
        )
    }));
    columns.push(number("loss", "Loss", "loss", 3, "Mean loss of an episode"));
    let losses = Losses::USUAL;
    let rows = frame.cells().map(|(summary, cases)| {
        let mut row =
            vec![Cell::count(cases.len() as u64), Cell::count(how_many(cases, |case| ErrorClass::of(case).is_some()))];
        row.extend(
            ErrorClass::ALL.map(|class| Cell::count(how_many(cases, |case| ErrorClass::of(case) == Some(class)))),
        );
        row.extend(Diagnosis::ALL.map(|why| Cell::count(how_many(cases, |case| Diagnosis::of(case) == Some(why)))));
        let loss: f64 = cases.iter().map(|case| losses.of(case)).sum();
        row.push(Cell::number(Some(loss / cases.len() as f64)));
        (summary, row)
    });
    let notes = vec![
        "false positive: confirmed where dismissal is expected; false negative: dismissed where confirmation is expected; \
         miscalibrated: either verdict, expected or given, is inconclusive, or none was given."
            .to_owned(),
        "evidence gap: the packet does not support the expected verdict, or no fact that decides or explains is cited; ambiguity \
         mismatch and calibration: such facts are cited, and the verdict is wrong about the doubt, or is the opposite."
            .to_owned(),
        format!(
            "Loss: {} for a dismissed threat, {} for a confirmation that is not expected, {} for every other wrong verdict.",
            losses.missed, losses.alarm, losses.undecided
        ),
    ];
    frame.table(columns, rows.collect(), notes)
}

/// How well confidences tell right from wrong verdicts (ARES-079).
pub fn calibration(frame: &Frame<'_>) -> Table {
    let columns = vec![
        count("forecasts", "N", "forecasts", "Verdicts with a confidence"),
        number("stated", "Stated", "forecasts", 3, "Mean confidence"),
        share("right", "Right", "forecasts", "Share of them that are right"),
        number("brier", "Brier", "score", 3, "Mean squared distance of confidence and outcome; 0 is perfect"),
        number("ece", "ECE", "score", 3, "Mean distance of confidence and outcome over 10 bins"),
    ];
    let rows = frame.cells().map(|(summary, cases)| {
        let forecasts = forecasts(cases);
        let n = forecasts.len() as u64;
        let mean = (n > 0).then(|| forecasts.iter().map(|forecast| forecast.stated).sum::<f64>() / n as f64);
        let right = forecasts.iter().filter(|forecast| forecast.happened).count() as u64;
        let row = vec![
            Cell::count(n),
            Cell::number(mean),
            Cell::share(ratio(right, n)),
            Cell::number(brier(&forecasts)),
            Cell::number(expected_calibration_error(&forecasts, BINS)),
        ];
        (summary, row)
    });
    let notes = vec![
        "The forecast is the confidence that was concluded, the event that the verdict is the expected one.".to_owned(),
        "What a confidence is: how sure the judge is of the verdict that it gives. Over confidences (v1 to calibrated): the winner's, and the mean of both where the verdict is inconclusive; with certainty: margin their distance, and 1 less it where inconclusive. Over claims: the distance of their balance from 0, and where inconclusive from 1 at balance 0 to 0.15 at the bound. Of votes: the mean over all votes, 0 for a vote for another verdict, and 0.5 without a majority.".to_owned(),
    ];
    frame.table(columns, rows.collect(), notes)
}

/// Confidences of verdicts, and whether these are right.
pub fn forecasts(cases: &[Case]) -> Vec<Forecast> {
    let stated = |case: &Case| {
        let confidence = case.marking.confidence?;
        Some(Forecast { stated: confidence.to_f64().clamp(0.0, 1.0), happened: case.is_right() })
    };
    cases.iter().filter(|case| case.marking.given.is_some()).filter_map(stated).collect()
}
