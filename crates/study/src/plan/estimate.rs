//! What a study would still take: by what its own episodes took so far, else by episodes that are played in memory with a
//! noisy expert in the place of every model. Nothing is written and no model is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimbal_core::{ChatModel, Digest, Limits, Usage, canonical};
use serde::Serialize;
use serde_json::json;

use super::cells::{Cell, Plan};
use super::error::{Problem, Problems};
use super::stored::Stored;
use crate::read::load_outcomes;
use crate::registry::ModelSource;
use crate::run::{RunError, RunFolder};
use crate::stage::EpisodeSetup;

/// The model that replaces those of the study in an estimate.
pub const STAND_IN: &str = "noisy/0.9";

/// Episodes that are played in memory for a cell.
const PLAYED: u32 = 2;

/// Model calls of an episode in memory, at most: the estimate of a cell must be there within seconds.
const CALLS: u64 = 2_000;

/// Model calls of all episodes in memory, after which a cell without episodes of its own takes those of another with the same
/// architecture on the same environment: a plan of ten thousand cells must be shown within seconds, too.
const ALL_CALLS: u64 = 8_000;

/// Where an estimate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The mean of finished episodes of the same cell in the run folder, with their number. An episode of which the ledger
    /// lacks a call is not among them.
    Measured {
        /// Episodes.
        episodes: u64,
    },
    /// So many episodes played in memory by [`STAND_IN`], tokens counted by length of text.
    Played {
        /// Episodes.
        episodes: u32,
        /// Whether one was broken off after so many calls that the rest would have taken too long: the estimate is low.
        cut: bool,
    },
    /// As [`Source::Played`], but by another cell with the same architecture on the same environment, since the plan has very
    /// many cells.
    Alike {
        /// Episodes.
        episodes: u32,
    },
    /// No model is asked.
    Free,
}

impl Source {
    /// A few words for a table.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Measured { episodes } => format!("measured on {episodes}"),
            Self::Played { episodes, cut: false } => format!("{episodes} by {STAND_IN}"),
            Self::Played { episodes, cut: true } => format!("{episodes} by {STAND_IN}, cut off: too low"),
            Self::Alike { episodes } => format!("{episodes} of a cell like it, by {STAND_IN}"),
            Self::Free => "no model".to_owned(),
        }
    }
}

/// What a cell would still take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    /// Id of the cell.
    pub cell: String,
    /// Episodes planned.
    pub episodes: u64,
    /// Those of them that are not finished yet.
    pub left: u64,
    /// Estimated input tokens of those left.
    pub input_tokens: u64,
    /// Estimated output tokens of those left.
    pub output_tokens: u64,
    /// Estimated cost of those left in millionths of a dollar; `None` where a price is unknown.
    pub cost_microdollars: Option<u64>,
    /// Tokens of one episode.
    pub tokens_an_episode: u64,
    /// Cost of one episode in millionths of a dollar; `None` where a price is unknown.
    pub cost_an_episode: Option<u64>,
    /// Where the estimate comes from.
    pub source: Source,
}

/// Sums over some episodes, money in millionths of a millionth of a dollar.
#[derive(Clone, Copy, Debug)]
struct Sample {
    episodes: u64,
    input: u64,
    output: u64,
    cost: Option<u128>,
    source: Source,
}

impl Sample {
    /// The share of `left` episodes, rounded up.
    fn scaled(&self, cell: String, episodes: u64, left: u64) -> Estimate {
        let of = |sum: u128, times: u64, unit: u128| {
            let all = sum.saturating_mul(u128::from(times)).div_ceil(u128::from(self.episodes.max(1)) * unit);
            u64::try_from(all).unwrap_or(u64::MAX)
        };
        let tokens = |sum: u64, times: u64| of(u128::from(sum), times, 1);
        Estimate {
            cell,
            episodes,
            left,
            input_tokens: tokens(self.input, left),
            output_tokens: tokens(self.output, left),
            cost_microdollars: self.cost.map(|cost| of(cost, left, 1_000_000)),
            tokens_an_episode: tokens(self.input.saturating_add(self.output), 1),
            cost_an_episode: self.cost.map(|cost| of(cost, 1, 1_000_000)),
            source: self.source,
        }
    }
}

/// Estimates every cell of a plan that was never run.
///
/// # Errors
/// When an environment cannot be opened or an episode not be played.
pub async fn estimate(plan: &Plan, models: &dyn ModelSource) -> Result<Vec<Estimate>, Problems> {
    estimate_after(plan, models, &Measured::default()).await
}

/// Estimates every cell of a plan, by its own episodes where there are some.
///
/// # Errors
/// As [`estimate`].
pub async fn estimate_after(
    plan: &Plan,
    models: &dyn ModelSource,
    measured: &Measured,
) -> Result<Vec<Estimate>, Problems> {
    let mut stand_in = None;
    // Cells that differ in the names of their models only would be played alike.
    let mut played: BTreeMap<Digest, Episodes> = BTreeMap::new();
    let (mut like, mut calls): (BTreeMap<Digest, Digest>, u64) = (BTreeMap::new(), 0);
    let mut estimates = Vec::with_capacity(plan.cells.len());
    for cell in &plan.cells {
        let episodes = plan.episodes_of(cell);
        let sample = match measured.0.get(&cell.info.id) {
            Some(own) if own.key == cell.key && own.sample.episodes > 0 => own.sample,
            _ if cell.roles.is_empty() && cell.environment.family.offers().asks.is_empty() => {
                Sample { episodes: 1, input: 0, output: 0, cost: Some(0), source: Source::Free }
            }
            _ => {
                let (alike, kind) = (alike(cell), kind(cell));
                if !played.contains_key(&alike) && (calls < ALL_CALLS || !like.contains_key(&kind)) {
                    let opened = match &stand_in {
                        Some(opened) => Arc::clone(opened),
                        None => Arc::clone(stand_in.insert(open(models)?)),
                    };
                    let own = play(plan, cell, &opened).await?;
                    calls += own.calls.len() as u64;
                    played.insert(alike, own);
                    like.entry(kind).or_insert(alike);
                }
                match (played.get(&alike), like.get(&kind).and_then(|other| played.get(other))) {
                    (Some(own), _) => own.sample(plan, cell),
                    (None, Some(other)) => {
                        Sample { source: Source::Alike { episodes: other.count }, ..other.sample(plan, cell) }
                    }
                    (None, None) => Episodes::default().sample(plan, cell),
                }
            }
        };
        let finished = measured.0.get(&cell.info.id).filter(|own| own.key == cell.key).map_or(0, |own| own.finished);
        estimates.push(sample.scaled(cell.info.id.clone(), episodes, episodes.saturating_sub(finished)));
    }
    Ok(estimates)
}

fn open(models: &dyn ModelSource) -> Result<Arc<dyn ChatModel>, Problem> {
    models.open(STAND_IN).map_err(|error| Problem::new(STAND_IN, error.to_string()))
}

/// What finished episodes of a run folder took, by cell.
#[derive(Debug, Default)]
pub struct Measured(BTreeMap<String, MeasuredCell>);

/// What finished episodes of a cell took.
#[derive(Debug)]
struct MeasuredCell {
    key: Digest,
    finished: u64,
    /// Those of them of which the ledger has every call: the tokens of the others are not known.
    sample: Sample,
}

impl Measured {
    /// Reads what a run folder holds.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn read(folder: &RunFolder) -> Result<Self, RunError> {
        let keys: BTreeMap<String, Digest> =
            Stored::read(folder)?.cells.into_iter().map(|cell| (cell.info.id, cell.key)).collect();
        let mut cells = BTreeMap::new();
        for row in load_outcomes(folder)?.episodes.into_iter().filter(|row| !row.infrastructure) {
            let Some(key) = keys.get(row.cell.as_str()) else { continue };
            let none = Sample { episodes: 0, input: 0, output: 0, cost: Some(0), source: Source::Free };
            let cell: &mut MeasuredCell =
                cells.entry(String::from(&row.cell)).or_insert(MeasuredCell { key: *key, finished: 0, sample: none });
            cell.finished += 1;
            if row.unbilled_calls > 0 {
                continue;
            }
            let sample = &mut cell.sample;
            sample.episodes += 1;
            sample.source = Source::Measured { episodes: sample.episodes };
            for used in &row.ledger {
                sample.input = sample.input.saturating_add(used.called.input);
                sample.output = sample.output.saturating_add(used.called.output);
            }
            let cost = row.cost_microdollars.map(|micro| u128::from(micro) * 1_000_000);
            sample.cost = sample.cost.zip(cost).map(|(sum, cost)| sum + cost);
        }
        Ok(Self(cells))
    }
}

/// What cells share that take about as much.
fn kind(cell: &Cell) -> Digest {
    Digest::of_parts(&[cell.environment.identity_text().as_bytes(), cell.base.as_bytes()])
}

/// What decides how that model plays a cell.
fn alike(cell: &Cell) -> Digest {
    let tasks: Vec<&str> = cell.environment.tasks.iter().take(PLAYED as usize).map(|task| task.0.as_str()).collect();
    let beside = canonical::text(&json!([tasks, cell.count.runs.min(PLAYED)]));
    Digest::of_parts(&[cell.manner().as_bytes(), beside.as_bytes()])
}

/// Episodes that were played in memory: role and tokens of every call.
#[derive(Default)]
struct Episodes {
    count: u32,
    calls: Vec<(String, Usage)>,
    cut: bool,
}

impl Episodes {
    /// What they would have cost with the models of a cell.
    fn sample(&self, plan: &Plan, cell: &Cell) -> Sample {
        let source = Source::Played { episodes: self.count, cut: self.cut };
        let mut sample = Sample { episodes: self.count.into(), input: 0, output: 0, cost: Some(0), source };
        for (role, usage) in &self.calls {
            sample.input += usage.input;
            sample.output += usage.output;
            let settings = cell.roles.get(role).or_else(|| cell.roles.get("default"));
            let facts = settings.and_then(|settings| plan.models.get(&settings.model));
            let price = facts.and_then(|facts| facts.price.as_ref());
            sample.cost = sample.cost.zip(price).map(|(cost, price)| cost + price.cost_exact(usage));
        }
        sample
    }
}

async fn play(plan: &Plan, cell: &Cell, stand_in: &Arc<dyn ChatModel>) -> Result<Episodes, Problems> {
    let fail = |what: String| Problems::from(Problem::new(&cell.info.id, what));
    let part = &cell.environment;
    if part.tasks.is_empty() {
        return Err(fail("there is no task".to_owned()));
    }
    let roles = cell.played_by(stand_in);
    let sessions = (0..cell.count.runs).flat_map(|run| part.tasks.iter().map(move |task| (run, task)));
    let mut episodes = Episodes::default();
    for (run, task) in sessions.take(PLAYED as usize) {
        let most = plan.limits.model_calls.map_or(CALLS, |limit| limit.min(CALLS));
        // Money is not at stake, and time must decide nothing.
        let change = |setup: &mut EpisodeSetup| {
            setup.faults = cell.faults.clone();
            setup.limits = Limits { model_calls: Some(most), seconds: None, cost_microdollars: None, ..plan.limits };
        };
        let played = plan.in_memory(cell, &*cell.architecture, (task, run), (Arc::clone(&roles), change)).await;
        let (outcome, recorded) = played.map_err(|halt| fail(halt.to_string()))?;
        episodes.cut |= outcome.spent.model_calls >= CALLS;
        episodes.count += 1;
        episodes.calls.extend(recorded.calls.into_iter().map(|call| (call.role, call.usage)));
    }
    Ok(episodes)
}

/// Limits of a plan that are lower than what one episode of a cell takes by its estimate, in words.
#[must_use]
pub fn too_low(plan: &Plan, estimates: &[Estimate]) -> Vec<String> {
    let study = &plan.study;
    let limits = [
        (
            "episode",
            study.episode_limits.cost_microdollars,
            study.episode_limits.tokens,
            "its episodes will be cut short",
        ),
        ("cell", study.cell_limits.cost_microdollars, study.cell_limits.tokens, "the cell will finish none"),
        ("study", study.study_limits.cost_microdollars, study.study_limits.tokens, "it will finish none"),
    ];
    let mut words = Vec::new();
    for (whose, cost, tokens, then) in limits {
        let low = |one: &&Estimate| {
            one.left > 0
                && (cost.zip(one.cost_an_episode).is_some_and(|(limit, one)| limit < one)
                    || tokens.is_some_and(|limit| limit < one.tokens_an_episode))
        };
        let mut cells = estimates.iter().filter(low);
        let Some(first) = cells.next() else { continue };
        let others = match cells.count() {
            0 => String::new(),
            count => format!(" (and {count} other cell(s))"),
        };
        let cost = first.cost_an_episode.map(|micro| format!(", ${:.6}", micro as f64 / 1e6)).unwrap_or_default();
        words.push(format!(
            "`limits.{whose}` is lower than what one episode of `{}`{others} takes by estimate ({} tokens{cost}; {}): {then}",
            first.cell,
            first.tokens_an_episode,
            first.source.words()
        ));
    }
    words
}
