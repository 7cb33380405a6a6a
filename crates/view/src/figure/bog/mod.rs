//! The named figures F1 to F29 of a study of three axes (BOG-193..195): one drawing a figure and environment.
//!
//! Each is drawn from the cells that a run has. Where a run lacks what a figure is about, the figure says so; it never
//! shows a number that was not measured.

mod context;
mod cost;
mod cross;
mod deliberation;
mod hierarchy;
pub(super) mod kit;
mod lines;
mod matrix;
mod outcomes;
pub(super) mod panels;
mod rows;
mod scatter;
pub(super) mod scene;
mod spread;
pub(super) mod stacked;
mod system;

use gimbal_analysis::profile::Traces;
use gimbal_analysis::{Grid, Grids, tables};

use super::Figure;
use super::svg::{Anchor, HEAD, MUTED, RULE, SMALL, Svg, Type, WIDTH};
use scene::{Drawn, Picture, Scene};

/// A named figure.
#[derive(Clone, Copy)]
pub struct Named {
    /// Its key: `f1` to `f29`.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    draw: fn(&Scene<'_>) -> Drawn,
}

/// A named figure of one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its key: `f1` to `f29`.
    pub key: &'static str,
    /// Environment that it is of.
    pub environment: String,
    /// Name of its file without the ending: the key, with the environment where there are several.
    pub file: String,
    /// The figure.
    pub figure: Figure,
    /// What the run lacks for it, if it lacks it.
    pub missing: Option<String>,
}

macro_rules! figures {
    ($($key:literal, $title:literal, $draw:path;)*) => {
        &[$(Named { key: $key, title: $title, draw: $draw }),*]
    };
}

/// Every named figure, in order.
pub const FIGURES: &[Named] = figures! {
    "f1", "What the system is made of, and what each configuration switches on", system::architecture;
    "f2", "Context: mean return by configuration and model", context::heat_map;
    "f3", "Deliberation cascade: the hierarchy without and with deliberation", hierarchy::cascade;
    "f4", "Cost and performance: Pareto frontiers", cost::frontiers;
    "f5", "Catastrophic episodes by configuration and model", outcomes::catastrophic;
    "f6", "Best configuration of each axis beside the anchor", cross::best_per_axis;
    "f7", "Marginal value of context", context::marginal;
    "f8", "What raw observations cost", context::raw_penalty;
    "f9", "Context as a waterfall", context::waterfall;
    "f10", "Interaction of context", context::interaction;
    "f11", "Fingerprints of models", cross::fingerprints;
    "f12", "From one deliberating agent to a deliberating hierarchy", hierarchy::slope;
    "f13", "What deliberation in every agent of the hierarchy changes", hierarchy::degradation;
    "f14", "Deliberation: return gained against tokens added", deliberation::roi;
    "f15", "Strength of the anchor against what deliberation gains", deliberation::correlation;
    "f16", "Ceiling of deliberation: where each model peaks", deliberation::ceiling;
    "f17", "Return along the levels of deliberation", deliberation::progression;
    "f18", "Win rates in matched seeds", cross::win_rates;
    "f19", "Models head to head, each with its best configuration", cross::head_to_head;
    "f20", "Ranks of models along the axes", cross::ranks;
    "f21", "Cumulative distributions of the return by axis", spread::cumulative;
    "f22", "Distributions of the return by axis", spread::violins;
    "f23", "Shift of the distribution by deliberation", spread::ridges;
    "f24", "Risk and reward", outcomes::risk;
    "f25", "How episodes end", outcomes::split;
    "f26", "Ladder of token cost", cost::ladder;
    "f27", "Prompt and completion tokens", cost::profile;
    "f28", "Growth of tokens along an episode", cost::growth;
    "f29", "Token cost against win rate", cost::against_wins;
};

/// The figures of this key, one an environment; `None` where there is no such key. Keys are told apart without case.
#[must_use]
pub fn named(key: &str, grids: &Grids<'_>, traces: Option<&Traces>) -> Option<Vec<Output>> {
    let figure = FIGURES.iter().find(|figure| figure.key.eq_ignore_ascii_case(key))?;
    Some(grids.grids.iter().map(|grid| output(figure, grids, grid, traces)).collect())
}

/// Every figure of every environment, in order of figure.
#[must_use]
pub fn every(grids: &Grids<'_>, traces: Option<&Traces>) -> Vec<Output> {
    let of = |figure| grids.grids.iter().map(move |grid| output(figure, grids, grid, traces));
    FIGURES.iter().flat_map(of).collect()
}

fn output(named: &Named, grids: &Grids<'_>, grid: &Grid<'_>, traces: Option<&Traces>) -> Output {
    let several = grids.several_environments();
    let title = if several { format!("{}: {}", named.title, grid.environment) } else { named.title.to_owned() };
    let drawn = if grid.models.is_empty() && named.key != "f1" {
        Err("no cell with a model in this environment".to_owned())
    } else {
        (named.draw)(&Scene::new(grids, grid, traces))
    };
    let (picture, missing) = match drawn {
        Ok(picture) => (picture, None),
        Err(missing) => (gap(&missing), Some(missing)),
    };
    let file = if several { format!("{}-{}", named.key, slug(grid.environment)) } else { named.key.to_owned() };
    let cut = tables::cut_note(grid.cells()).map(|note| format!(" {note}")).unwrap_or_default();
    let left_out: String = grid.left_out_notes(false).iter().map(|note| format!(" {note}")).collect();
    let left_out = if named.key == "f1" { String::new() } else { left_out };
    let caption = format!("{}{}{left_out}{cut}", picture.caption, evidence(grid, named.key == "f4"));
    Output {
        key: named.key,
        environment: grid.environment.to_owned(),
        file,
        figure: Figure::new(named.key, title, caption, (&picture.svg, picture.height)),
        missing,
    }
}

/// What to draw where the cells are missing: that, and nothing else.
pub(super) fn gap(missing: &str) -> Picture {
    let mut svg = Svg::new();
    svg.raw(&format!(
        "<rect x=\"1\" y=\"1\" width=\"{}\" height=\"78\" rx=\"4\" fill=\"none\" class=\"rule\" stroke=\"{RULE}\" stroke-dasharray=\"5 4\"/>",
        WIDTH - 2.0
    ));
    svg.text(WIDTH / 2.0, 36.0, Anchor::Middle, HEAD, "nothing to draw");
    let style = Type { fill: MUTED, ..SMALL };
    svg.text(WIDTH / 2.0, 56.0, Anchor::Middle, style, &super::svg::fit(missing, SMALL.size, WIDTH - 20.0));
    Picture { svg, height: 80.0, caption: format!("This run has {missing}.") }
}

/// What must be said of rows that are no evidence, and of contexts that are equal by construction; with policies where the
/// figure shows them.
fn evidence(grid: &Grid<'_>, with_policies: bool) -> String {
    let cells = grid
        .configurations
        .iter()
        .flat_map(|entry| grid.models.iter().filter_map(|model| grid.cell(&entry.name, model)));
    let played: Vec<_> = cells.filter(|cell| cell.episodes > 0).map(|cell| &cell.info).collect();
    let policies = grid.references.iter().filter(|cell| with_policies && cell.episodes > 0).map(|cell| &cell.info);
    let said = tables::no_evidence(played.iter().copied());
    format!("{said}{}", tables::by_construction(played.into_iter().chain(policies)))
}

/// Letters and digits of a name, for a file.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
