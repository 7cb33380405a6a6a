//! What hierarchies take for what they reach: messages and comparisons against what grows with the layers and with their pairs (Tab. 1, Tab. 6;
//! CTHA-095), bytes that are kept, steps and tokens for a success, trials to a rate of success, cascades against the baseline (CTHA-114,
//! CTHA-115).

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::columns::{count, number, share};
use gimbal_analysis::episode::Episode;
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::stored_records::{RecordState, StoredRecord, Takes};
use gimbal_analysis::tables::labelled;
use gimbal_analysis::work_folds::FoldSource;
use gimbal_analysis::{Cell, CellSummary, Column, ColumnKind, EpisodeRow, Summary, Table};
use gimbal_core::RecordError;
use gimbal_messages::Record;
use gimbal_messages::records::temporal::{LayerAsked, LayerDecided, LayerSent};
use gimbal_view::work::{Context, Item, Undeclared};

use crate::hierarchy::cells;
use crate::layers::CellLayers;
use crate::pairs;

/// Messages and decisions, as far as their number matters.
pub static EFFORT: FoldSource = FoldSource::of_records::<Effort>("ctha-effort");

/// The share of sessions that must succeed in a trial for the rate to be reached.
const RATE: f64 = 0.5;

/// Sums of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellEffort {
    /// Episodes and steps.
    pub episodes: u64,
    /// Steps that were decided.
    pub steps: u64,
    /// The layers that were due at some time.
    pub layers: BTreeSet<String>,
    /// Messages to one layer, and to all others.
    pub messages: (u64, u64),
    /// Pairs that were compared.
    pub comparisons: u64,
    /// Pairs that there were among the parties.
    pub pairs: u64,
    /// Most bytes that the latest messages of one episode had together: one of each sender, receiver and kind.
    pub held: u64,
    /// Bytes of all messages.
    pub bytes: u64,
}

/// All cells that have hierarchies.
#[derive(Debug, Default)]
pub struct Effort {
    cells: BTreeMap<String, CellEffort>,
    latest: BTreeMap<(String, String, String), u64>,
    held: u64,
}

impl Effort {
    /// What a cell comes to; `None` where it has no hierarchy.
    #[must_use]
    pub fn of(&self, cell: &str) -> Option<&CellEffort> {
        self.cells.get(cell)
    }
}

impl CellEffort {
    /// Messages that layers get, a step: one to all others is as many as there are others.
    #[must_use]
    pub fn deliveries(&self) -> Option<f64> {
        let others = self.layers.len().saturating_sub(1) as u64;
        ratio(self.messages.0 + self.messages.1 * others, self.steps)
    }
}

impl RecordState for Effort {
    const TAKES: Takes =
        Takes::records(&[LayerAsked::KIND, LayerSent::KIND, LayerDecided::KIND]).and_last_observation();

    fn on_record(&mut self, episode: &Episode<'_>, record: &StoredRecord<'_>) -> Result<(), RecordError> {
        match record.kind {
            LayerAsked::KIND => {
                let asked = LayerAsked::read(record.data)?;
                self.cells.entry(episode.cell.to_owned()).or_default().layers.insert(asked.layer);
            }
            LayerSent::KIND => {
                let LayerSent { from, to, kind, bytes, .. } = LayerSent::read(record.data)?;
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                let number = if to == "all" { &mut sums.messages.1 } else { &mut sums.messages.0 };
                *number += 1;
                sums.bytes += bytes;
                self.latest.insert((from, to, kind), bytes);
                self.held = self.held.max(self.latest.values().sum());
            }
            LayerDecided::KIND => {
                let LayerDecided { parties, comparisons, .. } = LayerDecided::read(record.data)?;
                let sums = self.cells.entry(episode.cell.to_owned()).or_default();
                sums.steps += 1;
                sums.comparisons += comparisons;
                let parties = u64::from(parties);
                sums.pairs += parties * parties.saturating_sub(1) / 2;
            }
            _ => {}
        }
        Ok(())
    }

    fn on_end(&mut self, episode: &Episode<'_>, _observation: &str) {
        self.latest.clear();
        let held = std::mem::take(&mut self.held);
        if let Some(sums) = self.cells.get_mut(episode.cell) {
            sums.episodes += 1;
            sums.held = sums.held.max(held);
        }
    }
}

/// Messages and comparisons against the counts of the work.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn scaling(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, effort) = (context.analysis()?, context.fold::<Effort>(&EFFORT)?);
    let columns = vec![
        count("layers", "Layers", "layers", "Layers that were due at some time: n"),
        number(
            "messages",
            "Messages",
            "messages",
            2,
            "Messages that layers get in a step: one to all others is n - 1 of them",
        ),
        count("linear", "2n - 1", "messages", "What the work counts for a constrained hierarchy (Tab. 6)"),
        count("square", "n(n - 1)", "messages", "What it counts for one in which each talks to each"),
        number(
            "compared",
            "Compared",
            "comparisons",
            2,
            "Comparisons in a step: a pair is compared once for each thing that it shares",
        ),
        number(
            "pairs",
            "All pairs",
            "comparisons",
            2,
            "Pairs that there were among the proposals and commitments of a step",
        ),
        count("few", "n + 1", "comparisons", "What the work counts for a constrained hierarchy"),
        number("bytes", "Bytes", "kept", 0, "Bytes of messages an episode"),
        count(
            "held",
            "Held",
            "kept",
            "Most bytes of the latest messages of an episode, one of each sender, receiver and kind",
        ),
        number(
            "ratio",
            "Against baseline",
            "kept",
            2,
            "Bytes an episode over those of the baseline (the work prints 3.7 for memory)",
        ),
    ];
    let a_episode = |one: &CellEffort| ratio(one.bytes, one.episodes);
    let rows = analysis.cells.iter().filter_map(|summary| {
        let own = effort.of(&summary.info.id).filter(|one| one.steps > 0)?;
        let n = own.layers.len() as u64;
        let other = pairs::baseline(analysis, &summary.info).and_then(|other| effort.of(&other.info.id));
        let against = a_episode(own).zip(other.and_then(a_episode)).filter(|(_, other)| *other > 0.0);
        Some((
            summary,
            vec![
                Cell::count(n),
                Cell::number(own.deliveries()),
                Cell::count((2 * n).saturating_sub(1)),
                Cell::count(n * n.saturating_sub(1)),
                Cell::number(ratio(own.comparisons, own.steps)),
                Cell::number(ratio(own.pairs, own.steps)),
                Cell::count(n + 1),
                Cell::number(a_episode(own)),
                Cell::count(own.held),
                Cell::number(against.map(|(own, other)| own / other)),
            ],
        ))
    });
    let rows = rows.collect();
    let notes = vec![
        "The work counts a message of each layer in every step. Here slower layers speak when they are due, so that a step has fewer.".to_owned(),
        "An index over resources leaves out pairs that share nothing, and compares a pair that shares several things once for each.".to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// What a success takes, and how soon a rate of success is reached.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn efficiency(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let ((analysis, cells), rows) = (cells(context)?, context.rows()?);
    let confidence = analysis.options.confidence;
    let interval = |key, group, help| Column::new(key, "Interval", group, ColumnKind::Interval(2), help);
    let columns = vec![
        count("episodes", "Episodes", "n", "Episodes that count"),
        share("success", "Success", "success", "Share of episodes above the environment's success threshold"),
        number("steps", "Steps", "a success", 1, "Steps of all episodes, for each that succeeds"),
        number("calls", "Calls", "a success", 1, "Model calls of all episodes, for each that succeeds"),
        number("million", "A million tokens", "a success", 1, "Successes in a million tokens (CTHA-115)"),
        count(
            "trials",
            "Trials to 50%",
            "sessions",
            "The first trial of a session in which half of the sessions succeed (CTHA-114)",
        ),
        number(
            "cascades",
            "Cascades",
            "cascades",
            2,
            "Runs of at least three failed steps that begin with a conflict, an episode (CTHA-114)",
        ),
        number("fewer", "Against baseline", "cascades", 2, "The same, minus that of the baseline in the same episodes"),
        interval("fewer_ci", "cascades", "Interval of the mean of the differences"),
        share("change", "Change", "cascades", "The same, as a share of the baseline's"),
    ];
    let mut of_cell: BTreeMap<&str, Vec<&EpisodeRow>> = BTreeMap::new();
    for row in rows.episodes.iter().filter(|row| row.counts()) {
        of_cell.entry(row.cell.as_str()).or_default().push(row);
    }
    let layers: BTreeMap<&str, &CellLayers> =
        cells.iter().map(|(summary, layers)| (summary.info.id.as_str(), *layers)).collect();
    let row = |summary: &CellSummary, own: &CellLayers| {
        let episodes = of_cell.get(summary.info.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let above = summary.info.thresholds.success_above;
        let reached = above.map(|above| episodes.iter().filter(|row| row.return_thousandths > above).count() as u64);
        let a_success = |amount: u64| reached.and_then(|reached| ratio(amount, reached));
        let (cascades, fewer) = (cascades(own), pairs::baseline(analysis, &summary.info));
        let other = fewer.and_then(|other| layers.get(other.info.id.as_str()));
        let fewer = other.and_then(|other| Summary::of(&differences(own, other), confidence));
        let others = other.and_then(|other| self::cascades(other)).filter(|others| *others > 0.0);
        vec![
            Cell::count(episodes.len() as u64),
            Cell::share(reached.and_then(|reached| ratio(reached, episodes.len() as u64))),
            Cell::number(a_success(episodes.iter().map(|row| u64::from(row.steps)).sum())),
            Cell::number(a_success(episodes.iter().map(|row| u64::from(row.model_calls)).sum())),
            Cell::number(above.and_then(|above| successes_a_million(episodes, above))),
            above.and_then(|above| trials_to(episodes, above)).map_or(Cell::Empty, Cell::count),
            Cell::number(cascades),
            Cell::number(fewer.as_ref().map(|one| one.mean)),
            Cell::interval(fewer.as_ref().and_then(Summary::interval)),
            Cell::share(cascades.zip(others).map(|(own, others)| own / others - 1.0)),
        ]
    };
    let rows = cells.iter().map(|(summary, layers)| (*summary, row(summary, layers))).collect();
    let notes = vec![
        "The work names a failure cascade and sample efficiency and defines neither; both are defined here (CTHA-114). Trials need sessions of several \
         trials, and a rate needs a success threshold of the environment."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// Number of the first trial, from 1, in which at least half of the sessions succeed; `None` without a second trial, or where no trial does.
#[must_use]
pub fn trials_to(rows: &[&EpisodeRow], above: i64) -> Option<u64> {
    let mut trials: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for row in rows {
        let (reached, of) = trials.entry(row.trial).or_default();
        *reached += u64::from(row.return_thousandths > above);
        *of += 1;
    }
    if trials.len() < 2 {
        return None;
    }
    trials
        .iter()
        .find(|(_, (reached, of))| *reached as f64 >= RATE * *of as f64)
        .map(|(trial, _)| u64::from(*trial) + 1)
}

/// Successes in a million tokens of the agent (CTHA-115); `None` without tokens. The work's own formula gives none of its table.
#[must_use]
pub fn successes_a_million(rows: &[&EpisodeRow], above: i64) -> Option<f64> {
    let tokens: u64 = rows.iter().map(|row| row.agent_tokens().total()).sum();
    let reached = rows.iter().filter(|row| row.return_thousandths > above).count();
    (tokens > 0).then(|| reached as f64 * 1e6 / tokens as f64)
}

fn cascades(layers: &CellLayers) -> Option<f64> {
    let all: u64 = layers.episodes.iter().map(|(_, _, one)| u64::from(one.cascades)).sum();
    ratio(all, layers.episodes.len() as u64)
}

/// Cascades of an episode minus those of the same episode of another cell; trials of one session in their order.
fn differences(own: &CellLayers, other: &CellLayers) -> Vec<f64> {
    let by_place = |layers: &CellLayers| {
        let mut found: BTreeMap<(String, u32), Vec<f64>> = BTreeMap::new();
        for (task, run, one) in &layers.episodes {
            found.entry((task.clone(), *run)).or_default().push(f64::from(one.cascades));
        }
        found
    };
    let (own, other) = (by_place(own), by_place(other));
    let both = own.iter().filter_map(|(place, own)| Some((own, other.get(place)?)));
    both.flat_map(|(own, other)| own.iter().zip(other).map(|(own, other)| own - other)).collect()
}
