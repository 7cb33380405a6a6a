//! The table of other judges: what each makes of the debates of a run, without a model.

use gimbal_analysis::columns::{count, label, share};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::{Cell, Column, ColumnKind, Table};
use gimbal_core::Milli;
use gimbal_evidence::judge::{Arithmetic, Judge, Positions, Verdict};
use gimbal_evidence::rules::Decision;

use super::frame::Frame;
use crate::cases::Unlabelled;

/// What other judges make of the confidences, and of the claims, that were concluded from: no model is asked again.
pub fn judges(frame: &Frame<'_>) -> Table {
    let mut columns = vec![
        label("judge", "Judge", "judge", "The judge"),
        label("arithmetic", "Arithmetic", "judge", "Thousandths, or floats of 64 bits as published"),
        count("n", "N", "verdicts", "Debates that were concluded"),
        share("accuracy", "Accuracy", "verdicts", "Share of expected verdicts; empty where packets have no label"),
    ];
    columns.extend(Verdict::ALL.map(|verdict| {
        let title = verdict.name().to_lowercase().replace('_', " ");
        let key = verdict.name().to_lowercase();
        Column::new(key, &title, "verdicts", ColumnKind::Share(1), "Share of this verdict")
    }));
    let mut rows = Vec::new();
    let (mut without_others, mut without_claims) = (false, false);
    for summary in &frame.analysis.cells {
        let held = held(frame, &summary.info.id);
        if held.is_empty() {
            continue;
        }
        for judge in Judge::PLAIN {
            for arithmetic in Arithmetic::ALL {
                let verdicts = held.iter().map(|one| (one.expected, judge.verdict(&one.positions, arithmetic)));
                rows.push((summary, judge_row(judge.name(), arithmetic.name(), &verdicts.collect::<Vec<_>>())));
            }
        }
        let calibrated: Option<Vec<_>> = held
            .iter()
            .map(|one| {
                let (architect, skeptic) = others(&held, one.task)?;
                let judge = Judge::Calibrated { architect, skeptic };
                Some((one.expected, judge.verdict(&one.positions, Arithmetic::Exact)))
            })
            .collect();
        match calibrated {
            Some(verdicts) => rows.push((summary, judge_row("calibrated", Arithmetic::Exact.name(), &verdicts))),
            None => without_others = true,
        }
        let by_claims: Vec<_> = held.iter().filter_map(|one| Some((one.expected, one.by_claims?))).collect();
        if by_claims.is_empty() {
            without_claims = true;
        } else {
            rows.push((summary, judge_row(Decision::Claims.name(), Arithmetic::Exact.name(), &by_claims)));
        }
    }
    let mut notes = vec![
        "The calibrated judge subtracts each side's mean confidence over the other scenarios of the cell.".to_owned(),
        "A vote is judged by the means of its members.".to_owned(),
    ];
    if without_others {
        notes.push(
            "No row of it where a cell has one scenario: there is no other one that a mean could be taken over."
                .to_owned(),
        );
    }
    if without_claims {
        notes.push(
            "No row of the judge over claims where a cell has majorities alone, or where its claims were not recorded."
                .to_owned(),
        );
    }
    frame.table(columns, rows, notes)
}

/// What a judge is asked of a concluded debate.
struct Held<'c> {
    task: &'c str,
    positions: Positions,
    by_claims: Option<Verdict>,
    /// The expected verdict; `None` if the packet has no label.
    expected: Option<Verdict>,
}

/// The concluded debates of a cell, with and without a label.
fn held<'c>(frame: &'c Frame<'_>, cell: &str) -> Vec<Held<'c>> {
    let labelled = frame.cases.of(cell).iter().filter_map(|case| {
        let expected = Some(case.marking.expected);
        let concluded = case.concluded()?;
        Some(Held { task: &case.task, positions: concluded.positions, by_claims: concluded.by_claims, expected })
    });
    let of_unlabelled = |one: &'c Unlabelled| Held {
        task: &one.task,
        positions: one.positions,
        by_claims: one.by_claims,
        expected: None,
    };
    labelled.chain(frame.cases.unlabelled(cell).iter().map(of_unlabelled)).collect()
}

fn judge_row(judge: &str, arithmetic: &str, verdicts: &[(Option<Verdict>, Verdict)]) -> Vec<Cell> {
    let n = verdicts.len() as u64;
    let labelled = verdicts.iter().filter(|(expected, _)| expected.is_some()).count() as u64;
    let right = verdicts.iter().filter(|(expected, verdict)| *expected == Some(*verdict)).count() as u64;
    let accuracy = Cell::share(ratio(right, labelled));
    let mut row = vec![Cell::text(judge), Cell::text(arithmetic), Cell::count(n), accuracy];
    row.extend(Verdict::ALL.map(|one| {
        let given = verdicts.iter().filter(|(_, verdict)| *verdict == one).count() as u64;
        Cell::share(ratio(given, n))
    }));
    row
}

/// Mean confidences of both sides over the cases of other scenarios; `None` if there is no other.
fn others(held: &[Held<'_>], task: &str) -> Option<(Milli, Milli)> {
    let apart: Vec<&Positions> = held.iter().filter(|one| one.task != task).map(|one| &one.positions).collect();
    let number = i64::try_from(apart.len()).ok().filter(|number| *number > 0)?;
    let mean = |of: &dyn Fn(&Positions) -> i64| {
        let sum: i64 = apart.iter().map(|positions| of(positions)).sum();
        Milli(sum / number)
    };
    Some((mean(&|positions| positions.architect.0), mean(&|positions| positions.skeptic.0)))
}
