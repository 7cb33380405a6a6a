//! One summary a cell, and the comparisons against a baseline.

use std::collections::BTreeMap;

use gimbal_core::Stop;
use serde::{Deserialize, Serialize};

use crate::acted::{CellActs, EpisodeActs};
use crate::clusters::{Grouping, Place, place};
use crate::compare::{Comparison, PairedDifference, one_to_one, paired_with};
use crate::describe::{FEWEST, Interval, Summary, quantile};
use crate::error::AnalysisError;
use crate::failures::CallFailures;
use crate::frontier::{Point, pareto};
use crate::hypothesis::holm;
use crate::marks::{CellMark, CellMarks};
use crate::metrics::{self, OutcomeSplit};
use crate::options::{BaselineChoice, Options};
use crate::paired::cluster_sums;
use crate::proportion::Proportion;
use crate::rate::Rate;
use crate::resample::Bootstrap;
use crate::role_costs::{RoleCost, by_role, first_runs};
use crate::row::{CellDecoding, CellInfo, EpisodeRow, Loss, Rows, TokenUse};
use crate::trials::{TrialReturns, by_trial};

/// Mean tokens of one role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleSummary {
    /// Role name.
    pub role: String,
    /// Whether the environment asked for it (judge, reader, user).
    pub environment: bool,
    /// Mean prompt tokens an episode.
    pub input: f64,
    /// Mean completion tokens an episode.
    pub output: f64,
}

/// One cell in numbers. Episodes that were lost, and those that a limit of the episode cut, are counted apart; they enter
/// what was billed, the stops and the failures of calls, and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellSummary {
    /// The cell's labels.
    pub info: CellInfo,
    /// Episodes that count as the agent's outcome.
    pub episodes: usize,
    /// Episodes lost to infrastructure.
    pub infrastructure: usize,
    /// Episodes that a limit of the study or the cell ended, or that were called off.
    #[serde(default)]
    pub withheld: usize,
    /// Episodes that a limit of the episode cut, by stop, most frequent first ([`EpisodeRow::is_cut`]).
    #[serde(default)]
    pub cut: Vec<(Stop, u64)>,
    /// Returns, in units, smallest first: what distributions are drawn from.
    pub values: Vec<f64>,
    /// Returns in numbers; `None` without episodes.
    pub returns: Option<Summary>,
    /// Returns by number of the trial in its session, from 0; empty where no session has a second trial.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_trial: Vec<TrialReturns>,
    /// Share of episodes below the brief's threshold (BOG-164); `None` where the brief states none.
    pub catastrophic: Option<Proportion>,
    /// Share of episodes above the brief's success threshold.
    pub success: Option<Proportion>,
    /// Steps an episode.
    pub steps: Option<Summary>,
    /// Agent tokens an episode, prompt and completion (BOG-160).
    pub tokens: Option<Summary>,
    /// Agent prompt tokens an episode (BOG-161).
    pub tokens_in: Option<Summary>,
    /// Agent completion tokens an episode (BOG-161).
    pub tokens_out: Option<Summary>,
    /// Agent tokens over all episodes.
    pub called: TokenUse,
    /// Tokens of roles that the environment asked for, over all episodes.
    pub environment_called: TokenUse,
    /// Tokens billed over all episodes, all roles; those lost to infrastructure were billed too.
    pub billed: TokenUse,
    /// Tokens by role, in order of role name.
    pub roles: Vec<RoleSummary>,
    /// Calls whose tokens are not a provider's count, of all: estimates, or calls that reported none.
    pub tokens_estimated: Rate,
    /// Model calls over all episodes.
    pub model_calls: u64,
    /// Attempts of unknown cost over all episodes, infrastructure ones included.
    pub unknown_attempts: u64,
    /// Calls that gave no whole answer over all episodes, infrastructure ones included.
    pub failures: CallFailures,
    /// Why episodes were lost, most frequent first: the words of the last failure of each, and how many were lost to it.
    #[serde(default)]
    pub lost_because: Vec<(String, u64)>,
    /// Attempts at an action that brought none, per attempt (BOG-225); the fallback's calls are not attempts.
    pub invalid: Rate,
    /// Fallback steps per environment step.
    pub fallback: Rate,
    /// Mean over episodes of the fallback's share of the steps: what decides whether the model acted.
    #[serde(default)]
    pub fallback_mean: Option<f64>,
    /// Mean over episodes of the share of invalid attempts: the same.
    #[serde(default)]
    pub invalid_mean: Option<f64>,
    /// Episodes in which models were asked, agents were to act, and none made a single tool call, of all.
    #[serde(default)]
    pub without_call: Rate,
    /// Messages of which nothing could be used, of all on which code acts ([`EpisodeRow::messages`]).
    #[serde(default)]
    pub unusable: Rate,
    /// Mean over episodes of the share of such messages: the same.
    #[serde(default)]
    pub unusable_mean: Option<f64>,
    /// Median latency of a model call in milliseconds.
    pub latency_p50_ms: Option<f64>,
    /// 95th percentile of the latency of a model call in milliseconds.
    pub latency_p95_ms: Option<f64>,
    /// Cost in dollars an episode; `None` unless it is known of every episode.
    pub cost: Option<Summary>,
    /// Cost in dollars of all episodes, those lost to infrastructure too; `None` unless it is known of every one.
    pub cost_total: Option<f64>,
    /// Reward per thousand tokens against the baseline (BOG-163); `None` for the baseline itself.
    pub rpts: Option<f64>,
    /// BCa bootstrap interval of RPTS over clusters of matched seeds; `None` for few or unmatched ones.
    pub rpts_interval: Option<Interval>,
    /// Shifted efficiency (BOG-166).
    pub shifted: Option<f64>,
    /// BCa bootstrap interval of the shifted efficiency.
    pub shifted_interval: Option<Interval>,
    /// Whether no other cell of the same environment, models and decoding is better on tokens and return (BOG-172);
    /// `None` without a model, for few episodes, for equal returns, and where a cell of another decoding whose
    /// returns are all equal is better.
    pub efficient: Option<bool>,
    /// Stops with their counts, most frequent first; episodes lost to infrastructure and limits, too.
    pub stops: Vec<(Stop, u64)>,
    /// Episodes by outcome (BOG-175); `None` where the brief does not state both thresholds, or without episodes.
    pub outcomes: Option<OutcomeSplit>,
    /// Model calls an episode.
    pub calls: Option<Summary>,
    /// Model calls per environment step.
    pub calls_a_step: Option<f64>,
    /// Longest chain of waiting calls per environment step, in milliseconds; `None` unless it is known of every episode.
    pub critical_path_step_ms: Option<f64>,
    /// Prompt tokens per completion token (BOG-178).
    pub prompt_completion: Option<f64>,
    /// Tokens an episode by the estimator of the first work's code: the first run of every instance alone (BOG-R10).
    #[serde(default)]
    pub first_run_tokens: Option<f64>,
    /// By role and model, in this order.
    #[serde(default)]
    pub role_costs: Vec<RoleCost>,
    /// What works mark it with in every table ([`Analysis::with_marks`]).
    #[serde(default)]
    pub marks: Vec<CellMark>,
}

impl CellSummary {
    /// Whether it has episodes, and too few of them for an interval ([`FEWEST`]).
    #[must_use]
    pub fn has_few(&self) -> bool {
        (1..FEWEST).contains(&self.episodes)
    }

    /// Whether it has enough episodes for an interval, and all of them returned the same: how sure the mean is was not measured.
    #[must_use]
    pub fn returned_the_same(&self) -> bool {
        self.returns.is_some_and(|returns| returns.is_constant())
    }

    /// Whether the model hardly acted ([`crate::acted`]): the cell is not a measurement of it. Its mean and spread are those of
    /// the fallback; it has no interval, no rate of success or catastrophe, no efficiency and no comparison.
    #[must_use]
    pub fn hardly_acted(&self) -> bool {
        let (fallback, invalid, unusable) = (self.fallback_mean, self.invalid_mean, self.unusable_mean);
        !self.info.models.is_empty()
            && CellActs { fallback, invalid, unusable, without_call: self.without_call }.is_hardly()
    }

    /// What measures the model is taken out.
    fn unmeasured(self) -> Self {
        let returns = self.returns.map(|returns| Summary { half_width: None, ..returns });
        Self {
            returns,
            catastrophic: None,
            success: None,
            shifted: None,
            shifted_interval: None,
            outcomes: None,
            ..self
        }
    }

    /// Episodes that a limit of the episode cut.
    #[must_use]
    pub fn cuts(&self) -> usize {
        self.cut.iter().map(|(_, count)| *count as usize).sum()
    }
}

/// A study's rows in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The cells in the study's order.
    pub cells: Vec<CellSummary>,
    /// Comparisons against the baseline, in the study's order.
    pub comparisons: Vec<Comparison>,
    /// For each cell the index of its own baseline for RPTS, if it has one and is not it.
    pub baseline_of: Vec<Option<usize>>,
    /// Options that it was made with.
    pub options: Options,
}

impl Analysis {
    /// The episodes of each cell, in the order of [`Analysis::cells`] and each in a fixed order that does not depend on that
    /// of the rows; empty for rows that this analysis was not made from.
    #[must_use]
    pub fn episodes<'r>(&self, rows: &'r Rows) -> Vec<Vec<&'r EpisodeRow>> {
        // Rows that name a cell twice, or an unknown one, make no analysis.
        by_cell(rows).unwrap_or_else(|_| vec![Vec::new(); self.cells.len()])
    }

    /// Analyses a study's rows.
    ///
    /// # Errors
    /// When an episode names an unknown cell, ids repeat, the baseline matches nothing, or the confidence is not a fraction.
    pub fn new(rows: &Rows, options: &Options) -> Result<Self, AnalysisError> {
        let confidence = options.confidence;
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(AnalysisError::Confidence { given: confidence.to_string() });
        }
        let episodes = by_cell(rows)?;
        let mut cells: Vec<CellSummary> =
            rows.cells.iter().zip(&episodes).map(|(info, rows)| summarise(info, rows, options)).collect();
        if let Some(choice) = &options.baseline {
            check_baseline(&rows.cells, choice)?;
        }
        let baseline_of = own_baselines(&rows.cells, options.baseline.as_ref());
        add_rpts(&mut cells, &episodes, &baseline_of, options);
        add_frontier(&mut cells);
        let comparisons = compare_all(&cells, &episodes, &baseline_of, options);
        Ok(Self { cells, comparisons, baseline_of, options: options.clone() })
    }

    /// The same with marks of works, by id of the cell: every table shows them.
    #[must_use]
    pub fn with_marks(mut self, marks: &CellMarks) -> Self {
        for cell in &mut self.cells {
            cell.marks.extend(marks.get(&cell.info.id).into_iter().flatten().cloned());
        }
        self
    }

    /// Why episodes were lost, over all cells, most frequent first: the words, and how many episodes were lost to it.
    #[must_use]
    pub fn lost_because(&self) -> Vec<(String, u64)> {
        counts(self.cells.iter().flat_map(|cell| &cell.lost_because).map(|(why, count)| (why.as_str(), *count)))
    }
}

fn by_cell(rows: &Rows) -> Result<Vec<Vec<&EpisodeRow>>, AnalysisError> {
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, cell) in rows.cells.iter().enumerate() {
        if index.insert(&cell.id, position).is_some() {
            return Err(AnalysisError::DuplicateCell { cell: cell.id.clone() });
        }
    }
    let mut episodes: Vec<Vec<&EpisodeRow>> = vec![Vec::new(); rows.cells.len()];
    for (episode, row) in rows.episodes.iter().enumerate() {
        let Some(&position) = index.get(row.cell.as_str()) else {
            return Err(AnalysisError::UnknownCell {
                episode,
                task: (&row.task).into(),
                run: row.run,
                cell: (&row.cell).into(),
            });
        };
        episodes[position].push(row);
    }
    // The order of arrival must not show, not even in the last digit of a float.
    for group in &mut episodes {
        group.sort_by(|a, b| {
            (&a.environment, &a.task, a.run, a.trial, a.seed, a.return_thousandths, a.agent_tokens().total()).cmp(&(
                &b.environment,
                &b.task,
                b.run,
                b.trial,
                b.seed,
                b.return_thousandths,
                b.agent_tokens().total(),
            ))
        });
    }
    Ok(episodes)
}

fn counted<'a>(episodes: &[&'a EpisodeRow]) -> Vec<&'a EpisodeRow> {
    episodes.iter().copied().filter(|row| row.counts()).collect()
}

fn summarise(info: &CellInfo, all: &[&EpisodeRow], options: &Options) -> CellSummary {
    let rows = counted(all);
    let cut: Vec<&EpisodeRow> = all.iter().copied().filter(|row| row.is_cut()).collect();
    let lost = |why: fn(Loss) -> bool| all.iter().filter(|row| row.loss().is_some_and(why)).count();
    let grouping = Grouping::of(&rows.iter().map(|row| place(row)).collect::<Vec<Place<'_>>>());
    let summary = |values: &[f64]| {
        let summary = Summary::of(values, options.confidence)?;
        Some(grouping.summary(summary, values, options.confidence))
    };
    let describe = |value: fn(&EpisodeRow) -> f64| summary(&rows.iter().map(|row| value(row)).collect::<Vec<_>>());
    let share = |holds: &dyn Fn(i64) -> bool| {
        let holds: Vec<bool> = rows.iter().map(|row| holds(row.return_thousandths)).collect();
        Proportion::of(&holds, &grouping, options.confidence)
    };
    let add = |value: fn(&EpisodeRow) -> u32| rows.iter().map(|row| u64::from(value(row))).sum::<u64>();
    let total =
        |value: fn(&EpisodeRow) -> TokenUse| rows.iter().fold(TokenUse::default(), |sum, row| sum.plus(&value(row)));
    let sum = |value: fn(&EpisodeRow) -> u64| rows.iter().map(|row| value(row)).sum::<u64>();
    let latencies: Vec<f64> = rows.iter().flat_map(|row| &row.call_latency_us).map(|&us| us as f64 / 1000.0).collect();
    let costs: Option<Vec<f64>> =
        rows.iter().map(|row| row.cost_microdollars.map(|micro| micro as f64 / 1e6)).collect();
    let mut values: Vec<f64> = rows.iter().map(|row| row.value()).collect();
    values.sort_by(f64::total_cmp);
    let exact: i128 = rows.iter().map(|row| i128::from(row.return_thousandths)).sum();
    let returns =
        describe(EpisodeRow::value).map(|summary| summary.with_mean(exact as f64 / (1000 * rows.len()) as f64));
    let (least, most) = info.thresholds.bounds();
    let returns = returns.map(|returns| returns.within(least, most));
    let at_least_none = |summary: Option<Summary>| summary.map(|summary| summary.within(Some(0.0), None));
    let tokens = at_least_none(describe(|row| row.agent_tokens().total() as f64));
    let called = total(EpisodeRow::agent_tokens);
    let shift = info.thresholds.shift.map(|shift| shift as f64 / 1000.0);
    let shifted = (|| metrics::shifted_efficiency(shift?, returns?.mean, tokens?.mean / 1000.0))();
    let shifted_interval = shifted.and(shift).and_then(|shift| {
        let pairs: Vec<_> = rows
            .iter()
            .map(|row| (place(row), (shift + row.value(), row.agent_tokens().total() as f64 / 1000.0)))
            .collect();
        ratio_interval(&cluster_sums(&pairs), options)
    });
    let agents_call = !info.models.is_empty() && !info.acts_by_messages;
    let acts = CellActs::of(&rows.iter().map(|row| row.acts(agents_call)).collect::<Vec<EpisodeActs>>());
    let summary = CellSummary {
        info: info.clone(),
        episodes: rows.len(),
        infrastructure: lost(|loss| loss == Loss::Infrastructure),
        withheld: lost(|loss| loss != Loss::Infrastructure),
        cut: stops(&cut),
        values,
        returns,
        by_trial: by_trial(&rows, (least, most), options.confidence),
        catastrophic: info.thresholds.catastrophic_below.and_then(|limit| share(&|value| value < limit)),
        success: info.thresholds.success_above.and_then(|limit| share(&|value| value > limit)),
        steps: at_least_none(describe(|row| f64::from(row.steps))),
        tokens,
        tokens_in: at_least_none(describe(|row| row.agent_tokens().input as f64)),
        tokens_out: at_least_none(describe(|row| row.agent_tokens().output as f64)),
        called,
        environment_called: total(EpisodeRow::environment_tokens),
        billed: all.iter().fold(TokenUse::default(), |sum, row| sum.plus(&row.billed)),
        roles: roles(&rows),
        tokens_estimated: Rate { count: sum(|row| row.tokens_estimated.count), of: sum(|row| row.tokens_estimated.of) },
        model_calls: add(|row| row.model_calls),
        failures: CallFailures::of(all),
        lost_because: counts(all.iter().map(|row| (row.lost_because.as_str(), 1)).filter(|(why, _)| !why.is_empty())),
        unknown_attempts: all.iter().map(|row| u64::from(row.unknown_attempts)).sum(),
        invalid: Rate { count: sum(EpisodeRow::invalid_attempts), of: sum(EpisodeRow::attempts) },
        fallback: Rate { count: add(|row| row.fallbacks), of: add(|row| row.steps) },
        fallback_mean: acts.fallback,
        invalid_mean: acts.invalid,
        without_call: acts.without_call,
        unusable: Rate { count: add(|row| row.unusable_messages), of: add(|row| row.messages) },
        unusable_mean: acts.unusable,
        latency_p50_ms: quantile(&latencies, 0.5),
        latency_p95_ms: quantile(&latencies, 0.95),
        cost_total: spent(all),
        cost: at_least_none(costs.and_then(|costs| summary(&costs))),
        rpts: None,
        rpts_interval: None,
        shifted,
        shifted_interval,
        efficient: None,
        outcomes: OutcomeSplit::of(rows.iter().map(|row| row.return_thousandths), &info.thresholds),
        calls: at_least_none(describe(|row| f64::from(row.model_calls))),
        calls_a_step: metrics::a_step(add(|row| row.model_calls) as f64, add(|row| row.steps)),
        critical_path_step_ms: waited(&rows),
        prompt_completion: metrics::prompt_completion_ratio(called.input as f64, called.output as f64),
        stops: stops(all),
        role_costs: by_role(all),
        first_run_tokens: first_runs(&rows),
        marks: Vec::new(),
    };
    if summary.hardly_acted() { summary.unmeasured() } else { summary }
}

/// Milliseconds of the longest chains of waiting calls per step; `None` where that of an episode is unknown.
fn waited(rows: &[&EpisodeRow]) -> Option<f64> {
    let waited = rows.iter().map(|row| row.critical_path_us).sum::<Option<u64>>()?;
    metrics::a_step(waited as f64 / 1000.0, rows.iter().map(|row| u64::from(row.steps)).sum())
}

/// Dollars of all these episodes; `None` where there are none or the cost of one is unknown.
fn spent(all: &[&EpisodeRow]) -> Option<f64> {
    let micro = all.iter().map(|row| row.cost_microdollars).sum::<Option<u64>>()?;
    (!all.is_empty()).then_some(micro as f64 / 1e6)
}

fn roles(rows: &[&EpisodeRow]) -> Vec<RoleSummary> {
    let mut sums: BTreeMap<(&str, bool), TokenUse> = BTreeMap::new();
    for usage in rows.iter().flat_map(|row| &row.usage) {
        let sum = sums.entry((&usage.role, usage.environment)).or_default();
        *sum = sum.plus(&usage.called);
    }
    let episodes = rows.len() as f64;
    sums.into_iter()
        .map(|((role, environment), sum)| RoleSummary {
            role: role.to_owned(),
            environment,
            input: sum.input as f64 / episodes,
            output: sum.output as f64 / episodes,
        })
        .collect()
}

/// How often each stop occurs, most frequent first.
fn stops(rows: &[&EpisodeRow]) -> Vec<(Stop, u64)> {
    let mut counts: BTreeMap<Stop, u64> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.stop).or_default() += 1;
    }
    let mut ordered: Vec<(Stop, u64)> = counts.into_iter().collect();
    ordered.sort_by_key(|(stop, count)| (std::cmp::Reverse(*count), stop.name()));
    ordered
}

/// How often each of these texts occurs, most frequent first; a text comes with how often it counts.
fn counts<'a>(texts: impl Iterator<Item = (&'a str, u64)>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (text, times) in texts {
        *counts.entry(text).or_default() += times;
    }
    let mut ordered: Vec<(String, u64)> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    ordered.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ordered
}

fn ratio_interval(pairs: &[(f64, f64)], options: &Options) -> Option<Interval> {
    if pairs.len() < options.bootstrap_minimum {
        return None;
    }
    let bootstrap = Bootstrap { resamples: options.resamples, seed: options.seed, confidence: options.confidence };
    bootstrap.ratio(pairs).map(|result| result.bca)
}

/// Cells that may be measured against one another have equal texts: a grammar changes what a model can do wrong, so that
/// free and constrained decoding are never mixed; nor are injected faults and none.
fn group(info: &CellInfo) -> String {
    let label = info.model_label();
    format!("{:?}", (&info.environment, info.decoding, &info.faults, info.models.is_empty(), label))
}

/// The baseline of every cell but itself. Cells are many: each is looked at once.
fn own_baselines(cells: &[CellInfo], choice: Option<&BaselineChoice>) -> Vec<Option<usize>> {
    let mut by_environment: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_group: BTreeMap<String, usize> = BTreeMap::new();
    for (at, cell) in cells.iter().enumerate() {
        match choice {
            Some(BaselineChoice::Cell(id)) if cell.id == *id => {
                by_environment.entry(&cell.environment).or_insert(at);
            }
            Some(BaselineChoice::Configuration(label)) if cell.configuration == *label => {
                by_group.entry(group(cell)).or_insert(at);
                // Where no cell of a group has the configuration, one that plays without a model is its baseline.
                if cell.models.is_empty() {
                    by_environment.entry(&cell.environment).or_insert(at);
                }
            }
            _ => {}
        }
    }
    let found =
        |cell: &CellInfo| by_group.get(&group(cell)).or_else(|| by_environment.get(cell.environment.as_str())).copied();
    let own = |(at, cell): (usize, &CellInfo)| found(cell).filter(|found| *found != at);
    cells.iter().enumerate().map(own).collect()
}

fn check_baseline(cells: &[CellInfo], choice: &BaselineChoice) -> Result<(), AnalysisError> {
    let (what, wanted, mut known): (_, _, Vec<&str>) = match choice {
        BaselineChoice::Cell(id) => ("cell", id, cells.iter().map(|cell| cell.id.as_str()).collect()),
        BaselineChoice::Configuration(label) => {
            ("configuration", label, cells.iter().map(|cell| cell.configuration.as_str()).collect())
        }
    };
    if known.contains(&wanted.as_str()) {
        return Ok(());
    }
    let mut seen = std::collections::BTreeSet::new();
    known.retain(|name| seen.insert(*name));
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(AnalysisError::UnknownBaseline { what, wanted: wanted.clone(), known })
}

fn add_rpts(
    cells: &mut [CellSummary],
    episodes: &[Vec<&EpisodeRow>],
    baseline_of: &[Option<usize>],
    options: &Options,
) {
    for cell in 0..cells.len() {
        let Some(baseline) = baseline_of[cell] else { continue };
        if cells[cell].hardly_acted() || cells[baseline].hardly_acted() {
            continue;
        }
        let ratio = (|| {
            let (returns, reference) = (cells[cell].returns?.mean, cells[baseline].returns?.mean);
            metrics::rpts(returns, reference, cells[cell].tokens?.mean / 1000.0)
        })();
        cells[cell].rpts = ratio;
        cells[cell].rpts_interval = ratio
            .and_then(|_| one_to_one(&counted(&episodes[cell]), &counted(&episodes[baseline])))
            .and_then(|pairs| ratio_interval(&cluster_sums(&pairs), options));
    }
}

fn add_frontier(cells: &mut [CellSummary]) {
    let mut groups: BTreeMap<String, Vec<(usize, Point)>> = BTreeMap::new();
    // Cells that differ in their decoding too.
    let mut wider: BTreeMap<String, Vec<(usize, Point)>> = BTreeMap::new();
    let told = |cell: &CellSummary| !cell.info.models.is_empty() && !cell.hardly_acted() && cell.episodes >= FEWEST;
    for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| told(cell)) {
        let (Some(tokens), Some(returns)) = (cell.tokens, cell.returns) else { continue };
        let point = Point { cost: tokens.mean, value: returns.mean };
        if !point.cost.is_nan() && !point.value.is_nan() {
            groups.entry(group(&cell.info)).or_default().push((at, point));
            let undecoded = CellInfo { decoding: CellDecoding::None, ..cell.info.clone() };
            wider.entry(group(&undecoded)).or_default().push((at, point));
        }
    }
    for members in groups.into_values() {
        let points: Vec<Point> = members.iter().map(|(_, point)| *point).collect();
        // A cell whose returns are all equal has no mark, because nothing says how sure its mean is. Against it others are
        // measured all the same: a mark that it would take from them must not come back.
        for ((at, _), efficient) in members.iter().zip(pareto(&points)) {
            cells[*at].efficient = (!cells[*at].returned_the_same()).then_some(efficient);
        }
    }
    // Each decoding has a frontier of its own. Where a cell of another one is cheaper and better, and has no mark to show for it because
    // its returns are all equal, the mark of the worse one would stand alone: it has none either.
    for members in wider.into_values() {
        let constant: Vec<Point> =
            members.iter().filter(|(at, _)| cells[*at].returned_the_same()).map(|(_, point)| *point).collect();
        for (at, point) in members {
            if constant.iter().any(|other| other.dominates(&point)) {
                cells[at].efficient = cells[at].efficient.filter(|efficient| !efficient);
            }
        }
    }
}

/// Every cell against its own baseline; a cell without a model against every baseline cell of its environment.
fn compare_all(
    cells: &[CellSummary],
    episodes: &[Vec<&EpisodeRow>],
    baseline_of: &[Option<usize>],
    options: &Options,
) -> Vec<Comparison> {
    let infos: Vec<&CellInfo> = cells.iter().map(|cell| &cell.info).collect();
    let mut comparisons = Vec::new();
    for (cell, info) in infos.iter().enumerate() {
        let against: Vec<usize> = match (&options.baseline, baseline_of[cell]) {
            (_, Some(baseline)) => vec![baseline],
            (Some(BaselineChoice::Configuration(label)), None)
                if info.models.is_empty() && info.configuration != *label =>
            {
                let matches = |other: &CellInfo| other.configuration == *label && other.environment == info.environment;
                (0..infos.len()).filter(|&other| matches(infos[other])).collect()
            }
            _ => Vec::new(),
        };
        for baseline in against {
            let measured = !cells[cell].hardly_acted() && !cells[baseline].hardly_acted();
            let paired = measured.then(|| paired_with(&episodes[cell], &episodes[baseline], options)).flatten();
            // A difference lies between the ends of what two returns can be apart.
            let (least, most) = cells[cell].info.thresholds.bounds();
            let apart = least.zip(most).map(|(least, most)| most - least);
            let paired = paired.map(|paired| PairedDifference {
                difference: paired.difference.within(apart.map(|apart| -apart), apart),
                ..paired
            });
            let marginal_percent =
                (|| metrics::marginal_percent(cells[baseline].returns?.mean, cells[cell].returns?.mean))();
            let marginal_percent = marginal_percent.filter(|_| measured);
            comparisons.push(Comparison { cell, against: baseline, paired, marginal_percent, p_holm: None });
        }
    }
    let tested: Vec<(usize, f64)> = comparisons
        .iter()
        .enumerate()
        .filter_map(|(index, comparison)| {
            let paired = comparison.paired.filter(|paired| paired.difference.n > 1)?;
            Some((index, paired.p_t.unwrap_or(paired.p_sign)))
        })
        .collect();
    let adjusted = holm(&tested.iter().map(|(_, p)| *p).collect::<Vec<_>>());
    for ((index, _), p) in tested.iter().zip(adjusted) {
        comparisons[*index].p_holm = Some(p);
    }
    comparisons
}
