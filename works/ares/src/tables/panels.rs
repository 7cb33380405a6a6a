//! Tables of panels: agreement by question, and accuracy by rule (ARES-098, ARES-122).

use gimbal_analysis::columns::{count, interval, label, share};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::tables::{confidence_title, labelled};
use gimbal_analysis::{Analysis, Cell, CellSummary, Column, ColumnKind, Proportion, Table};
use gimbal_messages::records::panel::Ruled;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::groups::{PANELS, Panel, Panels};

/// The levels of agreement, in the order of the table.
const LEVELS: [&str; 3] = ["unanimous", "majority", "split"];
/// What replaces an answer that a rule does not give.
const UNDECIDED: &str = "INCONCLUSIVE";

/// The cells that have panels, in the study's order.
fn cells<'a>(analysis: &'a Analysis, panels: &'a Panels) -> impl Iterator<Item = (&'a CellSummary, &'a [Panel])> {
    let with = |summary: &'a CellSummary| (summary, panels.of(&summary.info.id));
    analysis.cells.iter().map(with).filter(|(_, panels)| !panels.is_empty())
}

/// How many panels were unanimous, had a majority or were split, question by question.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn agreement(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, panels) = (context.analysis()?, context.fold::<Panels>(&PANELS)?);
    let mut columns = vec![
        label("question", "Question", "question", "What every member was asked"),
        count("panels", "Panels", "question", "Panels that were asked"),
    ];
    columns.extend(
        LEVELS.map(|level| Column::new(level, level, "agreement", ColumnKind::Integer, "Panels that agreed so far")),
    );
    columns.push(share(
        "shared",
        "Shared",
        "agreement",
        "Mean share of the members that gave the most frequent answer",
    ));
    let mut rows = Vec::new();
    for (summary, panels) in cells(analysis, panels) {
        let questions: Vec<&str> =
            panels.first().into_iter().flat_map(|panel| &panel.questions).map(|one| one.name.as_str()).collect();
        for name in questions {
            let own: Vec<_> =
                panels.iter().filter_map(|panel| panel.questions.iter().find(|one| one.name == name)).collect();
            let of = |level: &str| own.iter().filter(|one| one.agreement == level).count() as u64;
            let shares: f64 = own.iter().filter_map(|one| ratio(u64::from(one.votes), u64::from(one.members))).sum();
            let mut row = vec![Cell::text(name), Cell::count(own.len() as u64)];
            row.extend(LEVELS.map(|level| Cell::count(of(level))));
            row.push(Cell::share((!own.is_empty()).then(|| shares / own.len() as f64)));
            rows.push((summary, row));
        }
    }
    let notes = vec![
        "unanimous: every member that was asked gave the same answer; majority: more than half of them did; split: neither. A member that gave \
         nothing that could be used counts among those that were asked."
            .to_owned(),
        "The published panel of three models had four unanimous verdicts and three wild cards over one brief (Sec. 6); its questions were about a \
         project and not about cases."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// A rule as a table shows it: its name, and the answer that it gives.
type Rule = (&'static str, fn(&Ruled) -> Option<&str>);

const RULES: [Rule; 3] = [
    ("unanimous", |ruled| ruled.unanimous.as_deref()),
    ("majority", |ruled| ruled.majority.as_deref()),
    ("single", |ruled| ruled.single.as_deref()),
];

/// How often each rule decides, and how often it is right.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn rules(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, panels) = (context.analysis()?, context.fold::<Panels>(&PANELS)?);
    let confidence = analysis.options.confidence;
    let columns = vec![
        label("rule", "Rule", "rule", "Which agreement gives the answer"),
        count(
            "panels",
            "Panels",
            "rule",
            "Panels whose task has an expected answer: runs of a task are one cluster of the intervals",
        ),
        share("decided", "Decided", "decided", "Share of them in which the rule gives an answer"),
        share("right", "Right where decided", "decided", "Share of expected answers among those"),
        share("accuracy", "Accuracy", "accuracy", "Share of expected answers; no answer counts as inconclusive"),
        interval(
            "ci",
            &confidence_title(analysis),
            "accuracy",
            3,
            "Interval of the accuracy, robust against runs of one task",
        ),
    ];
    let mut rows = Vec::new();
    for (summary, panels) in cells(analysis, panels) {
        let marked: Vec<(&Panel, &str)> =
            panels.iter().filter_map(|panel| Some((panel, panel.expected.as_deref()?))).collect();
        if marked.is_empty() {
            continue;
        }
        for (name, given) in RULES {
            let decided = || marked.iter().filter(|(panel, _)| given(&panel.ruled).is_some());
            let right = decided().filter(|(panel, expected)| given(&panel.ruled) == Some(*expected)).count() as u64;
            let is_right = |(panel, expected): &(&Panel, &str)| given(&panel.ruled).unwrap_or(UNDECIDED) == *expected;
            let clusters = marked.iter().map(|one| (one.0.task.as_str(), one.0.run, is_right(one)));
            let accuracy = Proportion::clustered(clusters, confidence);
            let row = vec![
                Cell::text(name),
                Cell::count(marked.len() as u64),
                Cell::share(ratio(decided().count() as u64, marked.len() as u64)),
                Cell::share(ratio(right, decided().count() as u64)),
                Cell::share(accuracy.map(|found| found.share)),
                Cell::interval(accuracy.and_then(|found| found.told())),
            ];
            rows.push((summary, row));
        }
    }
    let notes = vec![
        "All three rules are read from the same answers, whichever of them the panel followed.".to_owned(),
        "single is the first member: what one model alone gives.".to_owned(),
        "Accuracy is over all panels: one that its rule does not decide counts as inconclusive, and is right where that is expected.".to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}
