//! The cells of a run by environment, configuration and model.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;

use gimbal_analysis::{Analysis, CellDecoding, CellInfo, CellSummary, EpisodeRow, Rows, metrics};

use super::protocol::{Protocol, Side};

/// A configuration of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Label.
    pub name: String,
    /// Axis, by the protocol, else as the cell says; `None` where nobody says.
    pub axis: Option<String>,
}

/// All cells of one environment that a model plays.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    /// Environment as the cells call it.
    pub environment: &'a str,
    /// Models in the order of the study; a grammar's mask is part of the name, since it changes what a model can do.
    pub models: Vec<String>,
    /// Configurations that the environment's cells have: those of the protocol in its order, then others.
    pub configurations: Vec<Entry>,
    /// Cells of policies without a model: what returns are worth is read off them.
    pub references: Vec<&'a CellSummary>,
    /// Cells that are left out: those whose model hardly acted, those with injected faults beside the same cell
    /// without, and repetitions of a configuration and model under other settings.
    pub left_out: Vec<&'a CellSummary>,
    /// Who is who.
    pub protocol: &'a Protocol,
    cells: BTreeMap<(String, String), (&'a CellSummary, Vec<&'a EpisodeRow>)>,
}

/// The grids of a run, one an environment, with the analysis that they stand on.
#[derive(Clone, Debug)]
pub struct Grids<'a> {
    /// Environments in the order of the study.
    pub grids: Vec<Grid<'a>>,
    /// Summaries and options.
    pub analysis: &'a Analysis,
    /// Who is who.
    pub protocol: &'a Protocol,
}

impl<'a> Grids<'a> {
    /// Sorts the cells of a run. `analysis` must be made from `rows`.
    #[must_use]
    pub fn new(rows: &'a Rows, analysis: &'a Analysis, protocol: &'a Protocol) -> Self {
        let mut episodes = analysis.episodes(rows);
        let mut grids: Vec<Grid<'a>> = Vec::new();
        // Cells without faults first: they are what a configuration is, and the same cell with faults is apart.
        let faulty = |summary: &CellSummary| !summary.info.faults.is_empty();
        let mut cells: Vec<_> = analysis.cells.iter().zip(&mut episodes).collect();
        cells.sort_by_key(|(summary, _)| faulty(summary));
        for (summary, episodes) in cells {
            let environment = summary.info.environment.as_str();
            let place = grids.iter().position(|grid| grid.environment == environment).unwrap_or_else(|| {
                grids.push(Grid::empty(environment, protocol));
                grids.len() - 1
            });
            grids[place].add(summary, std::mem::take(episodes));
        }
        for grid in &mut grids {
            grid.sort();
        }
        Self { grids, analysis, protocol }
    }

    /// What tables and figures of these grids leave out, and what they have with faults only.
    #[must_use]
    pub fn left_out_notes(&self) -> Vec<String> {
        self.grids.iter().flat_map(|grid| grid.left_out_notes(self.several_environments())).collect()
    }

    /// Whether tables must say which environment a row is of.
    #[must_use]
    pub fn several_environments(&self) -> bool {
        self.grids.len() > 1
    }

    /// Models of all environments, in order of first appearance.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        for model in self.grids.iter().flat_map(|grid| &grid.models) {
            if !models.contains(&model.as_str()) {
                models.push(model);
            }
        }
        models
    }
}

/// The model's name in a grid.
fn name(info: &CellInfo) -> String {
    use CellDecoding::{Constrained, Mixed};
    match info.decoding {
        Constrained | Mixed => format!("{} ({})", info.model_label(), info.decoding.label()),
        _ => info.model_label(),
    }
}

impl<'a> Grid<'a> {
    fn empty(environment: &'a str, protocol: &'a Protocol) -> Self {
        let (models, configurations) = (Vec::new(), Vec::new());
        let (references, left_out) = (Vec::new(), Vec::new());
        Self { environment, models, configurations, references, left_out, protocol, cells: BTreeMap::new() }
    }

    fn add(&mut self, summary: &'a CellSummary, episodes: Vec<&'a EpisodeRow>) {
        let info = &summary.info;
        if info.models.is_empty() {
            let known = |other: &&CellSummary| other.info.configuration == info.configuration;
            if info.faults.is_empty() || !self.references.iter().any(known) {
                self.references.push(summary);
            } else {
                self.left_out.push(summary);
            }
            return;
        }
        let model = name(info);
        if !self.models.contains(&model) {
            self.models.push(model.clone());
        }
        if !self.configurations.iter().any(|entry| entry.name == info.configuration) {
            let known = self.protocol.axis_of(&info.configuration).map(|axis| axis.name.clone());
            let axis = known.or_else(|| info.axis.clone());
            self.configurations.push(Entry { name: info.configuration.clone(), axis });
        }
        // A study may hold a configuration twice under other settings; the first one is the one of that name.
        // What its model did not play cannot stand for the configuration: the place stays empty, and a note says why.
        if summary.hardly_acted() {
            self.left_out.push(summary);
            return;
        }
        match self.cells.entry((info.configuration.clone(), model)) {
            Slot::Vacant(place) => {
                place.insert((summary, episodes));
            }
            Slot::Occupied(_) => self.left_out.push(summary),
        }
    }

    /// What is left out, and what is included only with faults; `placed` names the environment.
    #[must_use]
    pub fn left_out_notes(&self, placed: bool) -> Vec<String> {
        let place = if placed { format!(" on {}", self.environment) } else { String::new() };
        let told = |cells: &[&CellSummary]| {
            let mut names: Vec<&str> = Vec::new();
            for cell in cells {
                if !cell.info.faults.is_empty() && !names.contains(&cell.info.faults.as_str()) {
                    names.push(&cell.info.faults);
                }
            }
            let episodes: usize = cells.iter().map(|cell| cell.episodes + cell.cuts()).sum();
            let s = |count: usize| if count == 1 { "" } else { "s" };
            let (cells, names) = (cells.len(), names.join(", "));
            (format!("{episodes} episode{} of {cells} cell{}", s(episodes), s(cells)), names)
        };
        let (hardly, acted): (Vec<&CellSummary>, Vec<&CellSummary>) =
            self.left_out.iter().partition(|cell| cell.hardly_acted());
        let (faulty, others): (Vec<&CellSummary>, Vec<&CellSummary>) =
            acted.into_iter().partition(|cell| !cell.info.faults.is_empty());
        let only: Vec<&CellSummary> = self.cells().filter(|cell| !cell.info.faults.is_empty()).collect();
        let mut notes = Vec::new();
        if !hardly.is_empty() {
            let (count, _) = told(&hardly);
            notes
                .push(format!("Left out here{place}: {count} whose model hardly acted; the table `cells` shows them."));
        }
        if !faulty.is_empty() {
            let (count, names) = told(&faulty);
            notes.push(format!("Left out here{place}: {count} with injected faults ({names}); the tables `cells` and `faults` show them."));
        }
        if !others.is_empty() {
            let (count, _) = told(&others);
            notes.push(format!("Left out here{place}: {count} whose configuration and model stand here under other settings; the table `cells` shows them."));
        }
        if !only.is_empty() {
            let (count, names) = told(&only);
            notes.push(format!(
                "With injected faults{place}, since the run has no such cells without: {count} ({names})."
            ));
        }
        notes
    }

    fn sort(&mut self) {
        let order = self.protocol.configurations();
        let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(usize::MAX);
        self.configurations.sort_by_key(|entry| place(&entry.name));
    }

    /// The cell of a configuration on a model; `None` where the run has none.
    #[must_use]
    pub fn cell(&self, configuration: &str, model: &str) -> Option<&'a CellSummary> {
        self.cells.get(&(configuration.to_owned(), model.to_owned())).map(|(summary, _)| *summary)
    }

    /// All cells of the grid, in a fixed order.
    pub fn cells(&self) -> impl Iterator<Item = &'a CellSummary> {
        self.cells.values().map(|(summary, _)| *summary)
    }

    /// Its episodes in a fixed order, those lost to infrastructure too; empty where the run has none.
    #[must_use]
    pub fn episodes(&self, configuration: &str, model: &str) -> &[&'a EpisodeRow] {
        self.cells.get(&(configuration.to_owned(), model.to_owned())).map_or(&[], |(_, episodes)| episodes)
    }

    /// Mean return.
    #[must_use]
    pub fn mean(&self, configuration: &str, model: &str) -> Option<f64> {
        Some(self.cell(configuration, model)?.returns?.mean)
    }

    /// SD of the return.
    #[must_use]
    pub fn sd(&self, configuration: &str, model: &str) -> Option<f64> {
        self.cell(configuration, model)?.returns?.sd
    }

    /// Thousand tokens an episode.
    #[must_use]
    pub fn kilotokens(&self, configuration: &str, model: &str) -> Option<f64> {
        Some(self.cell(configuration, model)?.tokens?.mean / 1000.0)
    }

    /// Return per thousand tokens against the protocol's baseline on the same model (BOG-163); none for the baseline.
    #[must_use]
    pub fn rpts(&self, configuration: &str, model: &str) -> Option<f64> {
        if configuration == self.protocol.baseline {
            return None;
        }
        let baseline = self.mean(&self.protocol.baseline, model)?;
        metrics::rpts(self.mean(configuration, model)?, baseline, self.kilotokens(configuration, model)?)
    }

    /// The configuration with the highest mean return, the earlier of equals; `None` where none was played.
    #[must_use]
    pub fn best<'n>(&self, candidates: &[&'n str], model: &str) -> Option<(&'n str, f64)> {
        self.extreme(candidates, model, |new, old| new > old)
    }

    /// The configuration with the lowest mean return, the earlier of equals.
    #[must_use]
    pub fn worst<'n>(&self, candidates: &[&'n str], model: &str) -> Option<(&'n str, f64)> {
        self.extreme(candidates, model, |new, old| new < old)
    }

    fn extreme<'n>(&self, candidates: &[&'n str], model: &str, better: fn(f64, f64) -> bool) -> Option<(&'n str, f64)> {
        let mut found: Option<(&str, f64)> = None;
        for &candidate in candidates {
            let Some(mean) = self.mean(candidate, model) else { continue };
            if found.is_none_or(|(_, best)| better(mean, best)) {
                found = Some((candidate, mean));
            }
        }
        found
    }

    /// The candidates whose mean return is exactly this, in their order.
    #[must_use]
    pub fn at<'n>(&self, candidates: &[&'n str], model: &str, mean: f64) -> Vec<&'n str> {
        candidates.iter().copied().filter(|name| self.mean(name, model) == Some(mean)).collect()
    }

    /// The configuration that a side names on a model, by mean return; `None` where none was played.
    #[must_use]
    pub fn resolve<'n>(&self, side: &'n Side, model: &str) -> Option<&'n str>
    where
        'a: 'n,
    {
        let protocol: &'a Protocol = self.protocol;
        self.best(&protocol.candidates(side), model).map(|(name, _)| name)
    }

    /// Labels of the protocol that this environment has a cell of on any model.
    #[must_use]
    pub fn known(&self) -> Vec<&'a str> {
        let protocol: &'a Protocol = self.protocol;
        let held = |name: &&str| self.configurations.iter().any(|entry| entry.name == *name);
        protocol.configurations().into_iter().filter(held).collect()
    }

    /// Episodes that two configurations both met may be compared: those of each side that count.
    #[must_use]
    pub fn sides(&self, first: &str, second: &str, model: &str) -> (&[&'a EpisodeRow], &[&'a EpisodeRow]) {
        (self.episodes(first, model), self.episodes(second, model))
    }
}
