//! The figures of a report: dark on light, legible in print and in grey, the same bytes for the same rows.
//!
//! Every element carries plain colours and a class; alone a figure is a finished picture, inside the page the style
//! sheet recolours the classes for dark screens.

mod distribution;
mod forest;
pub mod frontier;
mod heatmap;

use gimbal_analysis::{Analysis, tables};

use crate::kit::picture::Figure;
use crate::kit::unique;

/// That intervals are robust against clusters, where they are.
#[must_use]
pub fn robust(analysis: &Analysis) -> &'static str {
    if analysis.cells.iter().any(|cell| cell.returns.is_some_and(|returns| returns.clusters.is_some())) {
        " Intervals are robust against clusters (runs of one task and instance)."
    } else {
        ""
    }
}

/// A caption with what its intervals take together and the episodes that a limit cut, where there are any.
fn with_cut(analysis: &Analysis, caption: String) -> String {
    let played = || analysis.cells.iter().filter(|cell| cell.episodes > 0).map(|cell| &cell.info);
    let models = played().filter(|info| !info.models.is_empty());
    let said = [robust(analysis), tables::no_evidence(models), &tables::by_construction(played())].concat();
    let caption = format!("{caption}{said}");
    let few = gimbal_analysis::few_note(&analysis.cells);
    let notes = few.into_iter().chain(tables::acted_note(&analysis.cells)).chain(tables::cut_note(&analysis.cells));
    notes.fold(caption, |caption, note| format!("{caption} {note}"))
}

/// The figures that the rows allow, in reading order: heat map, frontier, paired differences, distribution.
#[must_use]
pub fn all(analysis: &Analysis) -> Vec<Figure> {
    let named = named_apart(analysis);
    let analysis = named.as_ref().unwrap_or(analysis);
    [heatmap::draw(analysis), frontier::draw(analysis), forest::draw(analysis), distribution::draw(analysis)]
        .into_iter()
        .flatten()
        .collect()
}

/// The analysis with the injected faults in the names of configurations, where the study has any: cells that differ in
/// them alone must not fall on one place.
fn named_apart(analysis: &Analysis) -> Option<Analysis> {
    analysis.cells.iter().any(|cell| !cell.info.faults.is_empty()).then(|| {
        let mut named = analysis.clone();
        for cell in &mut named.cells {
            cell.info.configuration = cell.info.configuration_label();
        }
        named
    })
}

/// Environments in the study's order, without repeats.
fn environments(analysis: &Analysis) -> Vec<&str> {
    unique(analysis.cells.iter().map(|cell| cell.info.environment.as_str()))
}

/// Names in the order in which they come first, each with the places that bear it.
fn grouped(names: impl Iterator<Item = String>) -> Vec<(String, Vec<usize>)> {
    let mut places: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, name) in names.enumerate() {
        let group = *places.entry(name).or_insert_with_key(|name| {
            groups.push((name.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(at);
    }
    groups
}

/// A value with so many digits after the point, as the tables show it, with a real minus sign.
fn shown(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    crate::escape::minus(if text.trim_start_matches(['-', '0', '.']).is_empty() {
        text.trim_start_matches('-')
    } else {
        &text
    })
}

/// Model and, where the study has both kinds, decoding.
fn speaker(analysis: &Analysis, info: &gimbal_analysis::CellInfo) -> String {
    let mut decodings =
        analysis.cells.iter().filter(|cell| !cell.info.models.is_empty()).map(|cell| cell.info.decoding);
    let first = decodings.next();
    if decodings.any(|other| Some(other) != first) && !info.models.is_empty() {
        format!("{} · {}", info.model_label(), info.decoding.label())
    } else {
        info.model_label()
    }
}
