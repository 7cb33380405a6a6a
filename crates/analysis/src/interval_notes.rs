//! How the intervals of an analysis are made, in words for tables and figures.

use crate::cells::{Analysis, CellSummary};
use crate::describe::FEWEST;

/// How the intervals of an analysis are made, for the notes of every table that prints one.
#[must_use]
pub fn interval_note(analysis: &Analysis) -> String {
    let clustered = |cell: &CellSummary| cell.returns.is_some_and(|returns| returns.clusters.is_some());
    let percent = analysis.options.percent();
    let (means, shares) = if analysis.cells.iter().any(clustered) {
        let whole = analysis.cells.iter().filter(|cell| cell.episodes > 0).all(clustered);
        let scope = if whole { "" } else { " in cells with several runs of a task or instance" };
        (
            format!(
                "Student t robust against clusters{scope}: the runs of one task and instance depend on one another, and there is one degree of freedom less than clusters"
            ),
            "Wilson, with the number of episodes that the clusters are worth (none or all: the number of clusters)",
        )
    } else {
        ("Student t with n−1 degrees of freedom, every episode for itself".to_owned(), "Wilson")
    };
    let few = few_note(&analysis.cells).map(|note| format!(" {note}")).unwrap_or_default();
    let cut = analysis.cells.iter().any(|cell| cell.returns.is_some_and(|returns| returns.is_cut()));
    let cut = if cut { " They end where a return cannot lie." } else { "" };
    format!("{percent}% intervals. Means and paired differences: {means}. Shares: {shares}.{cut}{few}")
}

/// What is left out where a cell has too few episodes, or returned the same in all of them, for the legends of tables and figures;
/// `None` where nothing is left out.
#[must_use]
pub fn few_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    let (mut few, mut same) = (false, false);
    for cell in cells {
        few |= cell.has_few();
        same |= cell.returned_the_same();
    }
    let few = few.then(|| format!("Fewer than {FEWEST} episodes have no interval and no Pareto mark."));
    let same = same.then(|| EQUAL_NOTE.to_owned());
    let notes: Vec<String> = few.into_iter().chain(same).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Why a cell of many episodes has no interval.
pub const EQUAL_NOTE: &str = "Where all episodes of a cell returned the same there is no interval and no Pareto mark: equal returns measure no spread.";
