//! Figures as SVG of our own: dark on light, legible in print and in grey, the same bytes for the same rows.
//!
//! Every element carries plain colours and a class; alone a figure is a finished picture, inside the page the style
//! sheet recolours the classes for dark screens.

pub mod bog;
mod colour;
pub mod cyc;
mod distribution;
mod forest;
mod frontier;
mod heatmap;
mod labels;
pub mod routing;
mod scale;
mod svg;

use gimbal_analysis::{Analysis, tables};

use svg::Svg;

/// A finished figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Machine name, good for a file.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// What it shows and how to read it.
    pub caption: String,
    /// The picture, a whole SVG document without an XML declaration, for a page that shows the caption beside it.
    pub svg: String,
    /// The same with title and caption written beneath, for a file that stands alone.
    pub alone: String,
}

impl Figure {
    fn new(name: &'static str, title: String, caption: String, (svg, height): (&Svg, f64)) -> Self {
        let alone = svg.finish_alone(height, &title, &caption);
        Self { name, svg: svg.finish(height, &title), alone, title, caption }
    }
}

/// That intervals are robust against clusters, where they are.
fn robust(analysis: &Analysis) -> &'static str {
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

fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

/// A value with one digit where the scale reaches tens, three otherwise, with a real minus sign.
fn shown(value: f64, largest: f64) -> String {
    let text = if largest >= 10.0 { format!("{value:.1}") } else { format!("{value:.3}") };
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
