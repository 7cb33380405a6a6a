//! What the named figures are drawn from: the cells of one environment, by configuration and model.

use gimbal_analysis::profile::Traces;
use gimbal_analysis::{FEWEST, Interval, PairedDifference, Summary, paired_difference, tables};
use gimbal_view::kit::looks::{Look, look, plain};

use crate::axes::{Grid, Grids, Protocol};

/// A share in whole percent, without the sign.
pub(super) fn in_percent(share: f64) -> String {
    plain(100.0 * share, 0)
}

/// The cells of one environment.
pub struct Scene<'a> {
    pub grid: &'a Grid<'a>,
    pub grids: &'a Grids<'a>,
    pub traces: Option<&'a Traces>,
    /// Models as figures name them, in the grid's order.
    pub names: Vec<String>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(grids: &'a Grids<'a>, grid: &'a Grid<'a>, traces: Option<&'a Traces>) -> Self {
        let short: Vec<String> = grid.models.iter().map(|name| short(name, &grid.models)).collect();
        let names = grid.models.iter().zip(short).map(|(model, name)| match mark_of(grid, model) {
            "" => name,
            mark => format!("{name} · {mark}"),
        });
        Self { grid, grids, traces, names: names.collect() }
    }

    pub(super) fn protocol(&self) -> &'a Protocol {
        self.grids.protocol
    }

    pub(super) fn percent(&self) -> f64 {
        self.grids.analysis.options.percent()
    }

    /// What the intervals of means and differences are, in words.
    pub(super) fn interval(&self) -> String {
        let of = |cell: &gimbal_analysis::CellSummary| cell.returns.is_some_and(|returns| returns.clusters.is_some());
        let robust =
            if self.grid.cells().any(of) { " robust against clusters (runs of one task and instance)" } else { "" };
        format!("{}% Student t interval{robust}{}", self.percent(), self.few())
    }

    /// Which cells have no interval, where there are such.
    fn few(&self) -> String {
        let few = self.grid.cells().any(gimbal_analysis::CellSummary::has_few);
        let same = self.grid.cells().any(gimbal_analysis::CellSummary::returned_the_same);
        let few = few.then(|| format!("of fewer than {FEWEST} episodes"));
        let same = same.then(|| "where all episodes returned the same".to_owned());
        let none: Vec<String> = few.into_iter().chain(same).collect();
        if none.is_empty() { String::new() } else { format!(" (none {})", none.join(", none ")) }
    }

    /// What the intervals of shares are, in words.
    pub(super) fn share_interval(&self) -> String {
        let of = |cell: &gimbal_analysis::CellSummary| cell.returns.is_some_and(|returns| returns.clusters.is_some());
        let robust =
            if self.grid.cells().any(of) { " robust against clusters (runs of one task and instance)" } else { "" };
        format!("{}% Wilson interval{robust}{}", self.percent(), self.few())
    }

    /// Models with their names and looks.
    pub(super) fn models(&self) -> impl Iterator<Item = (&str, &str, Look)> {
        let named = self.grid.models.iter().zip(&self.names).enumerate();
        named.map(|(place, (model, name))| (model.as_str(), name.as_str(), look(place)))
    }

    pub(super) fn returns(&self, configuration: &str, model: &str) -> Option<Summary> {
        self.grid.cell(configuration, model)?.returns
    }

    /// Mean and interval of the return.
    pub(super) fn mean(&self, configuration: &str, model: &str) -> Option<(f64, Option<Interval>)> {
        let returns = self.returns(configuration, model)?;
        Some((returns.mean, returns.interval()))
    }

    /// Mean and interval of thousand tokens an episode.
    pub(super) fn kilotokens(&self, configuration: &str, model: &str) -> Option<(f64, Option<Interval>)> {
        let tokens = self.grid.cell(configuration, model)?.tokens.filter(|tokens| tokens.mean > 0.0)?;
        let ends = tokens.interval().map(|ends| Interval { low: ends.low / 1000.0, high: ends.high / 1000.0 });
        Some((tokens.mean / 1000.0, ends))
    }

    /// First minus second over the seeds that both played.
    pub(super) fn paired(&self, first: &str, second: &str, model: &str) -> Option<PairedDifference> {
        let (first, second) = self.grid.sides(first, second, model);
        let options = &self.grids.analysis.options;
        paired_difference(first, second, options.confidence, options.seed)
    }

    /// Labels of the two configurations of win rates and token profiles, as they stand on a model: (base, other).
    pub(super) fn pairing(&self, model: &str) -> Option<(&'a str, &'a str)> {
        let pairing = &self.protocol().pairing;
        Some((self.grid.resolve(&pairing.second, model)?, self.grid.resolve(&pairing.first, model)?))
    }

    /// What the two are called: (base, other).
    pub(super) fn pairing_names(&self) -> (String, String) {
        let pairing = &self.protocol().pairing;
        (pairing.second.label(), pairing.first.label())
    }

    /// The axis with the levels that build on the anchor.
    pub(super) fn ladder_axis(&self) -> Option<&'a str> {
        self.protocol().axes.iter().find(|axis| axis.ladder).map(|axis| axis.name.as_str())
    }

    /// Digits after the point for returns: those of the tables, so that a figure and a table show one number in one form.
    pub(super) fn digits(&self) -> usize {
        tables::return_digits(self.grids.analysis)
    }
}

/// The last part of a model's name, where no other model has the same.
fn short(name: &str, all: &[String]) -> String {
    let tail = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let mine = tail(name);
    // Several roles are several names; a bare number says nothing.
    let telling = mine.chars().any(char::is_alphabetic) && !name.contains('=');
    if telling && all.iter().filter(|other| tail(other) == mine).count() == 1 { mine } else { name.to_owned() }
}

/// What keeps a model's rows from being evidence, where all of them carry the same mark.
fn mark_of(grid: &Grid<'_>, model: &str) -> &'static str {
    let mut marks =
        grid.configurations.iter().filter_map(|entry| Some(tables::mark(&grid.cell(&entry.name, model)?.info)));
    let first = marks.next().unwrap_or("");
    if marks.all(|mark| mark == first) { first } else { "" }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn names_are_shortened_only_where_they_stay_apart() {
        let all = ["a/large", "b/large", "b/small", "noisy/0.9"].map(str::to_owned);
        let shown: Vec<String> = all.iter().map(|name| short(name, &all)).collect();
        assert_eq!(shown, ["a/large", "b/large", "small", "noisy/0.9"]);
    }
}
