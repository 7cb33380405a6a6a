//! Two cells, or two episodes, against each other: for `gimbal compare`.

use std::collections::BTreeSet;

use gimbal_analysis::profile::{ActionFacts, Agents, Match, Matches, Profile};
use gimbal_analysis::{CellDecoding, EpisodeRow, Options, PairedDifference, Rows, Table, paired_difference};
use gimbal_study::plan::{Stored, StoredCell};
use gimbal_study::read;
use gimbal_study::run::{EpisodeId, RunError, RunFolder};
use gimbal_view::{side_by_side, wrapped};
use serde_json::{Value, json};
use thiserror::Error;

use crate::WIDTH;

/// Why two things cannot be compared.
#[derive(Debug, Error)]
pub enum ComparisonError {
    /// The run folder cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What was asked for is not in the run.
    #[error("{0}")]
    Missing(String),
}

/// A pair of cells.
pub type CellPair<'a> = (&'a StoredCell, &'a StoredCell);

/// Compares what one run holds.
pub struct Comparer<'r> {
    /// The run.
    pub folder: &'r RunFolder,
    /// Its cells.
    pub stored: &'r Stored,
    /// The agents that a contrast always has lines for.
    pub agents: Agents,
}

/// Of two cells the one that asks a model, if one does.
fn asked<'a>(first: &'a StoredCell, second: &'a StoredCell) -> &'a StoredCell {
    if first.info.models.is_empty() { second } else { first }
}

/// What two compared cells share.
#[must_use]
pub fn setting((first, second): CellPair<'_>) -> String {
    let info = &asked(first, second).info;
    let mut words = vec![info.environment.clone(), info.model_label()];
    if matches!(info.decoding, CellDecoding::Constrained | CellDecoding::Forced) {
        words.push("constrained".to_owned());
    }
    if !info.faults.is_empty() {
        words.push(info.faults.clone());
    }
    words.join(" | ")
}

/// Cells that a user named.
#[derive(Clone, Copy, Debug)]
pub struct NamedCells<'n, 'a> {
    /// The name.
    pub name: &'n str,
    /// All that have it.
    pub cells: &'n [&'a StoredCell],
}

/// The pairs of cells that differ in what was named alone: the same environment, faults and model (a policy meets all models).
///
/// # Errors
/// When no two of them can be compared, or none was played by the model that is asked for.
pub fn matched<'a>(
    one: NamedCells<'_, 'a>,
    other: NamedCells<'_, 'a>,
    model: Option<&str>,
) -> Result<Vec<CellPair<'a>>, ComparisonError> {
    let (first, second) = (one.cells, other.cells);
    let wanted = |cell: &StoredCell| {
        let played =
            |model: &str| cell.info.model_label() == model || cell.info.models.iter().any(|one| one.model == model);
        cell.info.models.is_empty() || model.is_none_or(played)
    };
    let (first_left, second_left): (Vec<_>, Vec<_>) = (
        first.iter().copied().filter(|cell| wanted(cell)).collect(),
        second.iter().copied().filter(|cell| wanted(cell)).collect(),
    );
    if let Some(model) = model.filter(|_| first_left.is_empty() || second_left.is_empty()) {
        let labels = first.iter().chain(second).filter(|cell| !cell.info.models.is_empty());
        let known: BTreeSet<String> = labels.map(|cell| cell.info.model_label()).collect();
        let hint = gimbal_core::nearest::hint(model, known.iter().map(String::as_str));
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(ComparisonError::Missing(format!(
            "--model: `{model}` has not played both cells{hint} (known: {known})"
        )));
    }
    // Two that are named without doubt are compared whatever they differ in.
    if let ([one], [other]) = (first_left.as_slice(), second_left.as_slice()) {
        return Ok(vec![(*one, *other)]);
    }
    let pairs: Vec<_> = first_left
        .iter()
        .flat_map(|one| second_left.iter().map(|other| (*one, *other)))
        .filter(|(one, other)| alike(one, other))
        .collect();
    if pairs.is_empty() {
        let (one, other) = (one.name, other.name);
        return Err(ComparisonError::Missing(format!(
            "no cell of `{one}` shares environment, faults and model with one of `{other}`: write the ids of two cells; the first are \
             {} and {}",
            listed(&first_left),
            listed(&second_left)
        )));
    }
    Ok(pairs)
}

/// Whether two cells played the same seed and faults, and the same model where both ask one.
fn alike(one: &StoredCell, other: &StoredCell) -> bool {
    let (first, second) = (&one.info, &other.info);
    let models = first.models.is_empty()
        || second.models.is_empty()
        || (first.model_label() == second.model_label() && first.decoding == second.decoding);
    one.environment == other.environment
        && first.environment == second.environment
        && first.faults == second.faults
        && models
}

/// The ids of cells, the first ones by name.
#[must_use]
pub fn listed(cells: &[&StoredCell]) -> String {
    const MOST: usize = 12;
    let ids: Vec<String> = cells.iter().take(MOST).map(|cell| format!("`{}`", cell.info.id)).collect();
    let more = cells.len().saturating_sub(ids.len());
    format!("{}{}", ids.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
}

/// A comparison and everything that is shown with it.
pub struct Comparison {
    names: (String, String),
    paired: Option<PairedDifference>,
    matches: Matches,
    shown: Option<Match>,
    traces: (Profile, Profile),
    facts: ActionFacts,
    percent: f64,
    confidence: f64,
}

impl Comparison {
    fn names(&self) -> (&str, &str) {
        (&self.names.0, &self.names.1)
    }

    /// Whether both sides played the same seed of the same task, where two episodes are compared.
    #[must_use]
    pub fn has_one_seed(&self) -> bool {
        let (first, second) = &self.traces;
        (&first.environment, &first.task, first.run) == (&second.environment, &second.task, second.run)
    }

    fn tables(&self, pairs: usize) -> Vec<Table> {
        let mut tables = vec![self.matches.contrast(self.names(), self.confidence)];
        if self.matches.len() > 1 {
            tables.insert(0, self.matches.worst(self.names(), pairs, self.shown.as_ref()));
        }
        tables
    }

    /// The difference in a sentence.
    fn sentence(&self) -> String {
        let (first, second) = self.names();
        let cut = match self.matches.cut() {
            0 => String::new(),
            1 => "; 1 episode that a limit cut takes no part".to_owned(),
            more => format!("; {more} episodes that a limit cut take no part"),
        };
        let Some(paired) = &self.paired else {
            return match &self.shown {
                Some(pair) => format!("{first} minus {second}: {:+.1} in return", pair.difference()),
                None => format!("{first} and {second} played no seed in common: there is nothing to pair{cut}"),
            };
        };
        let (difference, outcome) = (&paired.difference, &paired.outcome);
        let interval = difference.interval().map_or_else(
            || "one pair, so no interval".to_owned(),
            |ends| format!("{}% interval {:.1} to {:.1}", self.percent, ends.low, ends.high),
        );
        let unmatched = match paired.unmatched {
            0 => String::new(),
            1 => "; 1 seed that only one of them played takes no part".to_owned(),
            more => format!("; {more} seeds that only one of them played take no part"),
        };
        format!(
            "{first} minus {second}: {:+.1} in return over {} matched episodes ({interval}); won {}, tied {}, lost {}{unmatched}{cut}",
            difference.mean, difference.n, outcome.wins, outcome.ties, outcome.losses
        )
    }

    /// Where the shown pair parts, in a sentence.
    fn parting(&self) -> Option<String> {
        let pair = self.shown.as_ref()?;
        let step = |step: Option<u32>| step.map_or("never".to_owned(), |step| format!("at step {step}"));
        Some(format!(
            "Pair {}: returns {:.1} and {:.1}; the actions part {}, the environments {}",
            pair.name(),
            pair.first.episode_return,
            pair.second.episode_return,
            step(pair.divergence.action),
            step(pair.divergence.state)
        ))
    }

    /// For a terminal, with so many pairs in the list.
    #[must_use]
    pub fn text(&self, pairs: usize) -> String {
        let mut out = wrapped(&self.sentence(), WIDTH);
        if self.matches.is_empty() {
            return out;
        }
        for table in self.tables(pairs) {
            out.push('\n');
            out.push_str(&table.to_text(WIDTH));
        }
        if let Some(parting) = self.parting() {
            out.push('\n');
            out.push_str(&wrapped(&parting, WIDTH));
            out.push('\n');
            let (first, second) = &self.traces;
            out.push_str(&side_by_side((first, second), self.names(), &self.facts, WIDTH));
        }
        out
    }

    /// For a program; of two cells, with what they share.
    #[must_use]
    pub fn json(&self, pairs: usize, cells: Option<CellPair<'_>>) -> Value {
        let mut json = json!({
            "first": self.names.0,
            "second": self.names.1,
            "paired": self.paired,
            "tables": self.tables(pairs).iter().map(Table::to_json).collect::<Vec<_>>(),
            "pairs": self.matches.sorted().iter().map(|pair| json!({
                "task": pair.task, "run": pair.run, "trial": pair.trial, "difference": pair.difference(),
                "first": pair.first, "second": pair.second, "divergence": pair.divergence,
            })).collect::<Vec<_>>(),
            "shown": self.shown.as_ref().map(Match::name),
            "traces": if self.shown.is_some() { json!([self.traces.0, self.traces.1]) } else { json!([]) },
        });
        if let Some((first, second)) = cells {
            json["environment"] = json!(first.info.environment);
            json["model"] = json!(asked(first, second).info.model_label());
            json["cells"] = json!([first.info.id, second.info.id]);
        }
        json
    }
}

impl Comparer<'_> {
    /// Two cells, over all seeds that both played; `pair` names the pair whose trajectories are shown, else it is the widest.
    ///
    /// # Errors
    /// When the run cannot be read, or there is no such pair.
    pub fn cells(&self, (first, second): CellPair<'_>, pair: Option<&str>) -> Result<Comparison, ComparisonError> {
        let (folder, stored) = (self.folder, self.stored);
        let rows = read::load_outcomes(folder)?;
        let analysis = Options::default();
        let paired = {
            let of = |cell: &StoredCell| rows_of(&rows, &cell.info.id);
            paired_difference(&of(first), &of(second), analysis.confidence, analysis.seed)
        };
        let mut matches = Matches::new(first.actions.clone(), self.agents);
        // A cell against itself pairs every episode with itself: both sides take each episode.
        read::profiles(folder, stored, |id| id.cell == first.info.id, |profile| matches.first(profile))?;
        read::profiles(folder, stored, |id| id.cell == second.info.id, |profile| matches.second(&profile))?;
        let shown = match pair {
            None => matches.widest().cloned(),
            Some(wanted) => Some(chosen(&matches, wanted)?),
        };
        let traces = match &shown {
            None => Default::default(),
            Some(pair) => {
                let same = |id: &EpisodeId, cell: &StoredCell| {
                    id.cell == cell.info.id && id.task == pair.task && id.run == pair.run && id.trial == pair.trial
                };
                (self.one(|id| same(id, first))?, self.one(|id| same(id, second))?)
            }
        };
        Ok(Comparison {
            names: distinct(first, second),
            paired,
            matches,
            shown,
            traces,
            facts: first.actions.clone(),
            percent: analysis.percent(),
            confidence: analysis.confidence,
        })
    }

    /// Two episodes.
    ///
    /// # Errors
    /// When the run cannot be read, or one of them is not finished.
    pub fn episodes(&self, first: &EpisodeId, second: &EpisodeId) -> Result<Comparison, ComparisonError> {
        let cell = self.stored.cells.iter().find(|cell| cell.info.id == first.cell);
        let facts = cell.map(|cell| cell.actions.clone()).unwrap_or_default();
        let traces = (self.one(|id| id.key == first.key)?, self.one(|id| id.key == second.key)?);
        let mut matches = Matches::new(facts.clone(), self.agents);
        matches.pair(&traces.0, &traces.1);
        let options = Options::default();
        Ok(Comparison {
            names: (traces.0.name(), traces.1.name()),
            paired: None,
            shown: matches.widest().cloned(),
            matches,
            traces,
            facts,
            percent: options.percent(),
            confidence: options.confidence,
        })
    }

    /// The trajectory of a finished episode.
    fn one(&self, wanted: impl FnMut(&EpisodeId) -> bool) -> Result<Profile, ComparisonError> {
        let mut found = None;
        read::profiles(self.folder, self.stored, wanted, |profile| found = Some(profile))?;
        found.ok_or_else(|| {
            ComparisonError::Missing(
                "the episode has not been finished; attempts without an outcome cannot be compared".to_owned(),
            )
        })
    }
}

fn rows_of<'a>(rows: &'a Rows, cell: &str) -> Vec<&'a EpisodeRow> {
    rows.episodes.iter().filter(|row| row.cell == cell).collect()
}

fn chosen(matches: &Matches, wanted: &str) -> Result<Match, ComparisonError> {
    let all = matches.sorted();
    if let Some(pair) = all.iter().find(|pair| pair.name() == wanted) {
        return Ok((*pair).clone());
    }
    let names: Vec<String> = all.iter().map(|pair| pair.name()).collect();
    let hint = gimbal_core::nearest::hint(wanted, names.iter().map(String::as_str));
    let example = names.first().map_or("TASK/RUN", String::as_str);
    let count = names.len();
    Err(ComparisonError::Missing(format!(
        "--pair: there is no matched pair `{wanted}`{hint} ({count} are known, such as `{example}`)"
    )))
}

/// Configurations where these distinguish the cells, else ids.
fn distinct(first: &StoredCell, second: &StoredCell) -> (String, String) {
    if first.info.configuration == second.info.configuration {
        (first.info.id.clone(), second.info.id.clone())
    } else {
        (first.info.configuration.clone(), second.info.configuration.clone())
    }
}
