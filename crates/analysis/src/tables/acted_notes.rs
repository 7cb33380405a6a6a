//! Notes on cells whose model hardly acted, and on messages of which nothing could be used.

use crate::cells::CellSummary;

/// The mark of a cell whose model hardly acted.
pub const HARDLY: &str = "hardly acted";

/// How [`acted_note`] begins.
pub(super) const HARDLY_NOTE: &str = "Hardly acted";

/// Which cells are not measurements because their model hardly acted, with the shares that say so; `None` without any.
#[must_use]
pub fn acted_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    let percent = |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.0}%", 100.0 * share));
    let hardly = listed(cells.into_iter().filter(|cell| cell.hardly_acted()), 6, |cell| {
        let unusable = match cell.unusable_mean {
            Some(share) => format!(", unusable messages {}", percent(Some(share))),
            None => String::new(),
        };
        let silent = match cell.without_call {
            none if none.count == 0 => String::new(),
            some => format!(", no tool call in {} of {} episodes", some.count, some.of),
        };
        format!(": fallback {}, invalid {}{unusable}{silent}", percent(cell.fallback_mean), percent(cell.invalid_mean))
    })?;
    Some(format!(
        "{HARDLY_NOTE}, no measurement ({hardly}): {}. The returns of such a cell are those of the fallback, or of what spoke in the place of its agents: it has no interval, no rate of success or catastrophe, no efficiency, no Pareto mark and no comparison.",
        crate::acted::rule()
    ))
}

/// In which cells some of the messages on which code acts could not be used, and how many; `None` without any. No column of
/// calls shows it.
pub(super) fn unusable_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    let some = cells.into_iter().filter(|cell| cell.unusable.count > 0);
    let some = listed(some, 8, |cell| format!(" {} of {}", cell.unusable.count, cell.unusable.of))?;
    Some(format!(
        "Messages of which nothing could be used, so that a default or a rule spoke in the place of the agent: {some}."
    ))
}

/// Cells by configuration and model, each with what is to be said of it, at most so many by name; `None` without any.
fn listed<'c>(
    cells: impl Iterator<Item = &'c CellSummary>,
    most: usize,
    said: impl Fn(&CellSummary) -> String,
) -> Option<String> {
    let cells: Vec<&CellSummary> = cells.collect();
    let named = cells
        .iter()
        .take(most)
        .map(|cell| format!("{} on {}{}", cell.info.configuration_label(), cell.info.model_label(), said(cell)));
    let named = named.collect::<Vec<_>>().join("; ");
    let more = match cells.len().saturating_sub(most) {
        0 => String::new(),
        more => format!("; and {more} more cells"),
    };
    (!cells.is_empty()).then(|| named + &more)
}
