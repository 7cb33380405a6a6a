//! Notes on cells whose model hardly acted, and on messages of which nothing could be used.

use crate::cells::CellSummary;

/// The mark of a cell whose model hardly acted.
pub const HARDLY: &str = "hardly acted";

/// How [`acted_note`] begins.
pub(super) const HARDLY_NOTE: &str = "Hardly acted";

/// Which cells are not measurements because their model hardly acted, with both shares; `None` without any.
#[must_use]
pub fn acted_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    const SHOWN: usize = 6;
    let hardly: Vec<&CellSummary> = cells.into_iter().filter(|cell| cell.hardly_acted()).collect();
    let percent = |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.0}%", 100.0 * share));
    let named = hardly.iter().take(SHOWN).map(|cell| {
        let (name, model) = (cell.info.configuration_label(), cell.info.model_label());
        let unusable = match cell.unusable_mean {
            Some(share) => format!(", unusable messages {}", percent(Some(share))),
            None => String::new(),
        };
        let (fallback, invalid) = (percent(cell.fallback_mean), percent(cell.invalid_mean));
        format!("{name} on {model}: fallback {fallback}, invalid {invalid}{unusable}")
    });
    let named = named.collect::<Vec<_>>().join("; ");
    let more = if hardly.len() > SHOWN { format!("; and {} more cells", hardly.len() - SHOWN) } else { String::new() };
    (!hardly.is_empty()).then(|| {
        format!(
            "{HARDLY_NOTE}, no measurement ({named}{more}): {}. The returns of such a cell are those of the fallback, or of what spoke in the place of its agents: it has no interval, no rate of success or catastrophe, no efficiency, no Pareto mark and no comparison.",
            crate::acted::rule()
        )
    })
}

/// Where code acts on messages: in which cells some of them could not be used, and how many; `None` without any. No column of
/// calls shows it.
#[must_use]
pub fn unusable_note<'c>(cells: impl IntoIterator<Item = &'c CellSummary>) -> Option<String> {
    const SHOWN: usize = 8;
    let some: Vec<&CellSummary> = cells.into_iter().filter(|cell| cell.unusable.count > 0).collect();
    let named = some.iter().take(SHOWN).map(|cell| {
        let (name, model) = (cell.info.configuration_label(), cell.info.model_label());
        format!("{name} on {model} {} of {}", cell.unusable.count, cell.unusable.of)
    });
    let named = named.collect::<Vec<_>>().join("; ");
    let more = if some.len() > SHOWN { format!("; and {} more cells", some.len() - SHOWN) } else { String::new() };
    (!some.is_empty()).then(|| {
        format!("Messages of which nothing could be used, so that a default or a rule spoke in the place of the agent: {named}{more}.")
    })
}
