//! Injected faults by cell and kind: how many, how the agent recovered, and what they cost in return.

use std::collections::BTreeMap;

use super::{confidence_title, label_cells, labels, mark_notes, return_digits};
use crate::cells::{Analysis, CellSummary};
use crate::compare::{PairedDifference, paired_difference};
use crate::proportion::Proportion;
use crate::recovery::{BEFORE, KindTally, Recoveries, Tally};
use crate::row::{CellInfo, EpisodeRow, Rows};
use crate::table::{Cell, Column, ColumnKind, Table};

/// What followed the injected faults; `None` for a study without faults. A cell in which no fault was injected has a row too.
#[must_use]
pub fn faults(analysis: &Analysis, rows: &Rows, recoveries: &Recoveries) -> Option<Table> {
    use ColumnKind::{Integer, Interval, Label, Number, Share, Text};
    let digits = return_digits(analysis);
    let ci = confidence_title(analysis);
    let column = Column::new;
    let mut columns = labels(analysis);
    columns.extend([
        column("faults", "Faults", "fault", Text, "What the study calls the rates").shown_if(false),
        column("site", "Site", "fault", Label, "Where they are injected"),
        column("kind", "Fault", "fault", Label, "What they did"),
        column("injected", "Injected", "fault", Integer, "Faults over all episodes"),
        column("episodes", "Episodes", "fault", Integer, "Episodes with at least one of them"),
        column("recovered", "Recovered", "acting", Share(0), "Faults after which the agent acted again"),
        column("recovered_ci", &ci, "acting", Interval(2), "Wilson interval of that share"),
        column("steps", "Steps", "acting", Number(1), "Median steps of the fallback before the agent acted again"),
        column("calls", "Calls", "acting", Number(1), "Median model calls before the agent acted again"),
        column("tokens", "Tokens", "acting", Number(0), "Median tokens before the agent acted again"),
        column("reward_back", "Back", "reward", Share(0), "Faults after which the reward came back, of those compared"),
        column("reward_steps", "In steps", "reward", Number(1), "Median steps until the reward was back"),
        column("pairs", "Pairs", "return", Integer, "Seeds that this cell and the same one without faults both played"),
        column(
            "difference",
            "Difference",
            "return",
            Number(digits),
            "Mean return minus that of the same cell without faults, of all faults of the cell together",
        ),
        column("difference_ci", &ci, "return", Interval(digits), "Student t interval of the mean difference"),
    ]);
    let mut episodes: BTreeMap<&str, Vec<&EpisodeRow>> = BTreeMap::new();
    for row in &rows.episodes {
        episodes.entry(&row.cell).or_default().push(row);
    }
    let mut lines = Vec::new();
    for cell in analysis.cells.iter().filter(|cell| !cell.info.faults.is_empty()) {
        let paired = against_clean(analysis, &episodes, cell);
        let mut kinds = recoveries.of(&cell.info.id).peekable();
        if kinds.peek().is_none() {
            lines.push(line(analysis, cell, None, paired.as_ref()));
        }
        lines.extend(kinds.map(|kind| line(analysis, cell, Some(kind), paired.as_ref())));
    }
    if lines.is_empty() {
        return None;
    }
    let mut notes = vec![
        "Recovered: an action of the agent's own was accepted after the fault, before the episode ended; steps, calls and tokens are those until then (tokens above 1,000 to three digits). Faults of one episode depend on one another: the Wilson interval of that share takes them one at a time, and is too narrow where they are many.".to_owned(),
        crate::interval_notes::interval_note(analysis),
        format!("Back: the reward of a step reached the mean of the {BEFORE} steps before the fault (of fewer where there were fewer); 0 steps is the very next one."),
        "Difference: over seeds that both played; the same in every row of a cell, because the faults were injected together.".to_owned(),
    ];
    notes.extend(mark_notes(analysis));
    Some(Table { key: "faults", title: "Injected faults and recovery".to_owned(), columns, rows: lines, notes })
}

fn line(
    analysis: &Analysis,
    cell: &CellSummary,
    kind: Option<KindTally<'_>>,
    paired: Option<&PairedDifference>,
) -> Vec<Cell> {
    let none = Tally::default();
    let KindTally { site, kind, tally } = kind.unwrap_or(KindTally { site: "", kind: "none injected", tally: &none });
    let confidence = analysis.options.confidence;
    let recovered = Proportion::new(tally.recovered, tally.injected, confidence);
    let back = Proportion::new(tally.reward_steps.count(), tally.compared, confidence);
    let mut row = label_cells(cell);
    row.extend([
        Cell::text(&cell.info.faults),
        Cell::text(site),
        Cell::text(kind),
        Cell::count(tally.injected),
        Cell::count(tally.episodes),
        Cell::share(recovered.map(|share| share.share)),
        Cell::interval(recovered.and_then(|share| share.told())),
        Cell::number(tally.steps.median()),
        Cell::number(tally.calls.median()),
        Cell::number(tally.tokens.median()),
        Cell::share(back.map(|share| share.share)),
        Cell::number(tally.reward_steps.median()),
        Cell::count(paired.map_or(0, |paired| paired.difference.n as u64)),
        Cell::number(paired.map(|paired| paired.difference.mean)),
        Cell::interval(paired.and_then(|paired| paired.difference.interval())),
    ]);
    row
}

/// The cell against the one that differs from it in nothing but the faults.
fn against_clean(
    analysis: &Analysis,
    episodes: &BTreeMap<&str, Vec<&EpisodeRow>>,
    cell: &CellSummary,
) -> Option<PairedDifference> {
    let mine = &cell.info;
    let clean = |other: &&CellInfo| {
        other.faults.is_empty()
            && (&other.environment, &other.configuration, &other.models, other.decoding)
                == (&mine.environment, &mine.configuration, &mine.models, mine.decoding)
    };
    let clean = analysis.cells.iter().map(|cell| &cell.info).find(clean)?;
    let of = |id: &str| episodes.get(id).map_or(&[][..], Vec::as_slice);
    paired_difference(of(&mine.id), of(&clean.id), analysis.options.confidence, analysis.options.seed)
}
