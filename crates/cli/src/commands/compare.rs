//! `gimbal compare`: two cells, or two episodes, against each other.

use std::collections::BTreeSet;

use gimbal_analysis::profile::{Match, Matches, Profile};
use gimbal_analysis::{CellDecoding, EpisodeRow, Options, PairedDifference, Rows, Table, paired_difference};
use gimbal_bog::agents::AGENTS;
use gimbal_study::plan::{Stored, StoredCell};
use gimbal_study::read;
use gimbal_study::run::{EpisodeId, RunFolder};
use gimbal_view::{side_by_side, wrapped};
use serde_json::{Value, json};

use super::{more_to_come, print_json, run_failure, run_folder};
use crate::args::Compare;
use crate::exit::Failure;

/// Columns of a terminal.
const WIDTH: usize = 120;

/// What is compared.
enum Side<'a> {
    /// Cells of one name: one, or several that differ in model, environment or faults.
    Cells(Vec<&'a StoredCell>),
    Episode(EpisodeId),
}

/// Prints the comparison, or one after another where the names mean several cells.
pub fn compare(options: &Compare) -> Result<(), Failure> {
    let folder = run_folder(&options.run)?;
    more_to_come(folder.in_progress());
    let stored = Stored::read(&folder).map_err(run_failure)?;
    let sides = (side(&folder, &stored, &options.first)?, side(&folder, &stored, &options.second)?);
    match sides {
        (Side::Cells(first), Side::Cells(second)) => {
            let pairs = matched(&first, &second, options)?;
            for (index, (one, other)) in pairs.iter().copied().enumerate() {
                let built = cells(&folder, &stored, (one, other), options)?;
                if !options.json && pairs.len() > 1 {
                    let gap = if index > 0 { "\n" } else { "" };
                    println!("{gap}=== {}", setting(one, other));
                }
                show(&built, Some((one, other)), options)?;
            }
            Ok(())
        }
        (Side::Episode(first), Side::Episode(second)) => {
            show(&episodes(&folder, &stored, (&first, &second))?, None, options)
        }
        _ => Err(Failure::Usage(format!(
            "`{}` and `{}`: one is a cell and the other an episode; name two cells, or two episodes",
            options.first, options.second
        ))),
    }
}

fn show(built: &Built, cells: Option<(&StoredCell, &StoredCell)>, options: &Compare) -> Result<(), Failure> {
    if !options.json {
        print!("{}", built.text(options.pairs));
        return Ok(());
    }
    let mut json = built.json(options.pairs);
    if let Some((first, second)) = cells {
        json["environment"] = json!(first.info.environment);
        json["model"] = json!(asked(first, second).info.model_label());
        json["cells"] = json!([first.info.id, second.info.id]);
    }
    print_json(&json)
}

/// Of two cells the one that asks a model, if one does.
fn asked<'a>(first: &'a StoredCell, second: &'a StoredCell) -> &'a StoredCell {
    if first.info.models.is_empty() { second } else { first }
}

/// What two compared cells share.
fn setting(first: &StoredCell, second: &StoredCell) -> String {
    let info = &asked(first, second).info;
    let mut words = vec![info.environment.clone(), info.model_label()];
    if info.decoding == CellDecoding::Constrained {
        words.push("constrained".to_owned());
    }
    if !info.faults.is_empty() {
        words.push(info.faults.clone());
    }
    words.join(" | ")
}

/// The pairs of cells that differ in what was named alone: the same environment, faults and model (a policy meets all models).
fn matched<'a>(
    first: &[&'a StoredCell],
    second: &[&'a StoredCell],
    options: &Compare,
) -> Result<Vec<(&'a StoredCell, &'a StoredCell)>, Failure> {
    let wanted = |cell: &StoredCell| {
        let played =
            |model: &str| cell.info.model_label() == model || cell.info.models.iter().any(|one| one.model == model);
        cell.info.models.is_empty() || options.model.as_deref().is_none_or(played)
    };
    let (first_left, second_left): (Vec<_>, Vec<_>) = (
        first.iter().copied().filter(|cell| wanted(cell)).collect(),
        second.iter().copied().filter(|cell| wanted(cell)).collect(),
    );
    if let Some(model) = options.model.as_deref().filter(|_| first_left.is_empty() || second_left.is_empty()) {
        let labels = first.iter().chain(second).filter(|cell| !cell.info.models.is_empty());
        let known: BTreeSet<String> = labels.map(|cell| cell.info.model_label()).collect();
        let hint = gimbal_core::nearest::hint(model, known.iter().map(String::as_str));
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage(format!("--model: `{model}` has not played both cells{hint} (known: {known})")));
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
        let (one, other) = (&options.first, &options.second);
        return Err(Failure::Usage(format!(
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

fn listed(cells: &[&StoredCell]) -> String {
    const MOST: usize = 12;
    let ids: Vec<String> = cells.iter().take(MOST).map(|cell| format!("`{}`", cell.info.id)).collect();
    let more = cells.len().saturating_sub(ids.len());
    format!("{}{}", ids.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
}

/// A comparison and everything that is shown with it.
struct Built {
    names: (String, String),
    paired: Option<PairedDifference>,
    matches: Matches,
    shown: Option<Match>,
    traces: (Profile, Profile),
    facts: gimbal_analysis::profile::ActionFacts,
    percent: f64,
    confidence: f64,
}

impl Built {
    fn names(&self) -> (&str, &str) {
        (&self.names.0, &self.names.1)
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

    fn text(&self, pairs: usize) -> String {
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

    fn json(&self, pairs: usize) -> Value {
        json!({
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
        })
    }
}

fn cells(
    folder: &RunFolder,
    stored: &Stored,
    (first, second): (&StoredCell, &StoredCell),
    options: &Compare,
) -> Result<Built, Failure> {
    let rows = read::load_outcomes(folder).map_err(run_failure)?;
    let analysis = Options::default();
    let paired = {
        let of = |cell: &StoredCell| rows_of(&rows, &cell.info.id);
        paired_difference(&of(first), &of(second), analysis.confidence, analysis.seed)
    };
    let mut matches = Matches::new(first.actions.clone(), AGENTS);
    // A cell against itself pairs every episode with itself: both sides take each episode.
    read::profiles(folder, stored, |id| id.cell == first.info.id, |profile| matches.first(profile))
        .map_err(run_failure)?;
    read::profiles(folder, stored, |id| id.cell == second.info.id, |profile| matches.second(&profile))
        .map_err(run_failure)?;
    let shown = match &options.pair {
        None => matches.widest().cloned(),
        Some(wanted) => Some(chosen(&matches, wanted)?),
    };
    let traces = match &shown {
        None => Default::default(),
        Some(pair) => {
            let same = |id: &EpisodeId, cell: &StoredCell| {
                id.cell == cell.info.id && id.task == pair.task && id.run == pair.run && id.trial == pair.trial
            };
            (one(folder, stored, |id| same(id, first))?, one(folder, stored, |id| same(id, second))?)
        }
    };
    Ok(Built {
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

fn episodes(folder: &RunFolder, stored: &Stored, (first, second): (&EpisodeId, &EpisodeId)) -> Result<Built, Failure> {
    let facts = stored
        .cells
        .iter()
        .find(|cell| cell.info.id == first.cell)
        .map(|cell| cell.actions.clone())
        .unwrap_or_default();
    let traces = (one(folder, stored, |id| id.key == first.key)?, one(folder, stored, |id| id.key == second.key)?);
    let mut matches = Matches::new(facts.clone(), AGENTS);
    matches.pair(&traces.0, &traces.1);
    if (&traces.0.environment, &traces.0.task, traces.0.run) != (&traces.1.environment, &traces.1.task, traces.1.run) {
        eprintln!("gimbal: the two episodes played different seeds: what differs is not the design alone");
    }
    let options = Options::default();
    Ok(Built {
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

/// The trajectory that the arguments name.
fn one(folder: &RunFolder, stored: &Stored, wanted: impl FnMut(&EpisodeId) -> bool) -> Result<Profile, Failure> {
    let mut found = None;
    read::profiles(folder, stored, wanted, |profile| found = Some(profile)).map_err(run_failure)?;
    found.ok_or_else(|| {
        Failure::Usage("the episode has not been finished; attempts without an outcome cannot be compared".to_owned())
    })
}

fn rows_of<'a>(rows: &'a Rows, cell: &str) -> Vec<&'a EpisodeRow> {
    rows.episodes.iter().filter(|row| row.cell == cell).collect()
}

fn chosen(matches: &Matches, wanted: &str) -> Result<Match, Failure> {
    let all = matches.sorted();
    if let Some(pair) = all.iter().find(|pair| pair.name() == wanted) {
        return Ok((*pair).clone());
    }
    let names: Vec<String> = all.iter().map(|pair| pair.name()).collect();
    let hint = gimbal_core::nearest::hint(wanted, names.iter().map(String::as_str));
    let example = names.first().map_or("TASK/RUN", String::as_str);
    let count = names.len();
    Err(Failure::Usage(format!(
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

/// What `wanted` names.
fn side<'a>(folder: &RunFolder, stored: &'a Stored, wanted: &str) -> Result<Side<'a>, Failure> {
    let cells = &stored.cells;
    if let Some(cell) = cells.iter().find(|cell| cell.info.id == wanted) {
        return Ok(Side::Cells(vec![cell]));
    }
    // A number or a whole name is an episode's, though it may be part of a cell's id too.
    if let Ok(episode) = read::trace::find(folder, wanted)
        && (wanted.parse::<usize>().is_ok() || episode.name() == wanted)
    {
        return Ok(Side::Episode(episode.id));
    }
    let labelled: Vec<&StoredCell> = cells.iter().filter(|cell| cell.info.configuration == wanted).collect();
    if !labelled.is_empty() {
        return Ok(Side::Cells(labelled));
    }
    let parts: Vec<&StoredCell> = cells.iter().filter(|cell| cell.info.id.contains(wanted)).collect();
    match parts.as_slice() {
        [_] => return Ok(Side::Cells(parts)),
        [] => {}
        several => {
            return Err(Failure::Usage(format!(
                "`{wanted}` names several cells; write the id of one: {}",
                listed(several)
            )));
        }
    }
    match read::trace::find(folder, wanted) {
        Ok(episode) => Ok(Side::Episode(episode.id)),
        Err(_) => {
            let known = cells.iter().flat_map(|cell| [cell.info.configuration.as_str(), cell.info.id.as_str()]);
            let hint = gimbal_core::nearest::hint(wanted, known);
            let example = cells.first().map_or("cell", |cell| cell.info.id.as_str());
            Err(Failure::Usage(format!(
                "there is no cell or episode `{wanted}` in this run{hint} (`{example}` is a cell, and `gimbal trace RUN` lists the \
                 episodes, such as `{example}/TASK/RUN`)"
            )))
        }
    }
}
