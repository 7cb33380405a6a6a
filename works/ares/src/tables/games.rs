//! Tables of games of agreement: outcomes by arm, beside the published rates (ARES-121).

use std::sync::LazyLock;

use gimbal_analysis::columns::{count, interval, label, number, share, words};
use gimbal_analysis::metrics::ratio;
use gimbal_analysis::tables::{confidence_title, labelled};
use gimbal_analysis::{Analysis, Cell, CellSummary, Proportion, Table};
use gimbal_core::yaml;
use gimbal_messages::records::consensus::{Ended, Outcome};
use gimbal_view::work::{Context, Item, Undeclared};
use serde::Deserialize;

use crate::groups::{GAMES, Game, Games};

/// The published rates, as data with their source.
const TEXT: &str = include_str!("../../../../papers/consensus.yaml");

/// The published rates.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The work that is quoted.
    pub source: String,
    /// What was read of it.
    pub read: String,
    /// What is not known of it.
    pub unknown: Vec<String>,
    /// Its rates.
    pub rates: Vec<Rate>,
}

/// One published rate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// The models it is about.
    pub model: String,
    /// Agents; missing for a mean over sizes.
    pub agents: Option<u32>,
    /// Whether adversaries were mentioned; missing where both are meant or it is not said.
    pub mentioned: Option<bool>,
    /// Percent of valid agreement, without adversaries.
    pub valid: f64,
}

static PUBLISHED: LazyLock<Result<Published, String>> =
    LazyLock::new(|| yaml::read(TEXT, "papers/consensus.yaml").map_err(|error| error.to_string()));

/// The published rates, or why their file cannot be read.
///
/// # Errors
/// The message of the reader.
pub fn published() -> Result<&'static Published, String> {
    PUBLISHED.as_ref().map_err(Clone::clone)
}

/// The cells that have games, in the study's order.
pub fn cells<'a>(analysis: &'a Analysis, games: &'a Games) -> impl Iterator<Item = (&'a CellSummary, &'a [Game])> {
    let with = |summary: &'a CellSummary| (summary, games.of(&summary.info.id));
    analysis.cells.iter().map(with).filter(|(_, games)| !games.is_empty())
}

/// The share of games of an outcome.
pub fn share_of(games: &[Game], holds: impl Fn(&Ended) -> bool) -> Option<f64> {
    ratio(games.iter().filter(|game| holds(&game.ended)).count() as u64, games.len() as u64)
}

/// Outcomes by cell: validity and liveness apart.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn outcomes(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, games) = (context.analysis()?, context.fold::<Games>(&GAMES)?);
    let columns = vec![
        count("agents", "Agents", "arm", "Agents of a game"),
        count("adversaries", "Adversaries", "arm", "Those of them that did not follow the rules"),
        label("strategy", "Strategy", "arm", "What these did"),
        label("mentioned", "Mentioned", "arm", "Whether agents were told that there may be some"),
        count("games", "Games", "arm", "Games: runs of a task are one cluster of the interval"),
        share(
            "valid",
            "Valid",
            "outcome",
            "Votes ended it with one value of all honest agents that one of them had at its start",
        ),
        interval("ci", &confidence_title(analysis), "outcome", 3, "Interval of the share of valid games"),
        share("invalid", "Invalid", "outcome", "Votes ended it with anything else"),
        share("none", "None", "outcome", "The rounds were used up"),
        share("stopped", "Ended", "liveness", "Votes ended it: liveness"),
        share(
            "agreed",
            "Agreed",
            "validity",
            "All honest agents stated one value in the last round, whether it was ended or not",
        ),
        number("rounds", "Rounds", "liveness", 1, "Mean number of rounds"),
    ];
    let confidence = analysis.options.confidence;
    let rows = cells(analysis, games).map(|(summary, games)| {
        let of = |outcome: Outcome| share_of(games, |ended| ended.outcome == outcome);
        let valid = games.iter().map(|game| (game.task.as_str(), game.run, game.ended.outcome == Outcome::Valid));
        let valid = Proportion::clustered(valid, confidence);
        let rounds: f64 = games.iter().map(|game| f64::from(game.ended.rounds)).sum();
        let arm = games.first().map(|game| &game.ended);
        let row = vec![
            Cell::count(arm.map_or(0, |ended| u64::from(ended.agents))),
            Cell::count(arm.map_or(0, |ended| u64::from(ended.adversaries))),
            Cell::text(arm.map_or("", |ended| ended.strategy.as_str())),
            Cell::text(if arm.is_some_and(|ended| ended.mentioned) { "yes" } else { "no" }),
            Cell::count(games.len() as u64),
            Cell::share(valid.map(|found| found.share)),
            Cell::interval(valid.and_then(|found| found.told())),
            Cell::share(of(Outcome::Invalid)),
            Cell::share(of(Outcome::None)),
            Cell::share(share_of(games, |ended| ended.stopped)),
            Cell::share(share_of(games, |ended| ended.agreed)),
            Cell::number(Some(rounds / games.len() as f64)),
        ];
        (summary, row)
    });
    let rows = rows.collect();
    let notes = vec![
        "No algorithm can promise a valid value where an adversary acts like an honest agent with another start; phase-king (below a quarter of \
         adversaries) and EIG (below a third) promise agreement and an end."
            .to_owned(),
    ];
    Ok(labelled(analysis, (item.key, item.title), columns, rows, notes))
}

/// The published rates, and beside each the least and the most that cells of this run reach on the same arm.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn beside(context: &Context<'_>, item: &Item) -> Result<Table, Undeclared> {
    let (analysis, games) = (context.analysis()?, context.fold::<Games>(&GAMES)?);
    let columns = vec![
        label("model", "Published model", "published", "The models that the rate is about"),
        words("agents", "Agents", "published", "Agents of a game; all sizes for a mean over them"),
        words("mentioned", "Mentioned", "published", "Whether adversaries were mentioned"),
        number("valid", "Published valid", "published", 1, "Percent of valid agreement without adversaries").unit("%"),
        count("cells", "Cells", "ours", "Cells of this run on the same arm"),
        share("least", "Least here", "ours", "Smallest share of valid games among them"),
        share("most", "Most here", "ours", "Largest share of valid games among them"),
    ];
    let is_any = cells(analysis, games).next().is_some();
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    if !is_any {
        notes.push("This run has no games of agreement that could be compared with published rates: `studies/consensus.yaml` plays them.".to_owned());
    }
    match published() {
        Err(problem) => notes.push(format!("The published rates cannot be read: {problem}")),
        Ok(published) => {
            for rate in published.rates.iter().filter(|_| is_any) {
                let fits = |ended: &Ended| {
                    ended.adversaries == 0
                        && rate.agents.is_none_or(|agents| agents == ended.agents)
                        && rate.mentioned.is_none_or(|mentioned| mentioned == ended.mentioned)
                };
                let ours: Vec<f64> = cells(analysis, games)
                    .filter(|(_, games)| games.first().is_some_and(|game| fits(&game.ended)))
                    .filter_map(|(_, games)| share_of(games, |ended| ended.outcome == Outcome::Valid))
                    .collect();
                let end = |pick: fn(f64, f64) -> f64| ours.iter().copied().reduce(pick);
                rows.push(vec![
                    Cell::text(&rate.model),
                    Cell::text(rate.agents.map_or_else(|| "all sizes".to_owned(), |agents| agents.to_string())),
                    Cell::text(match rate.mentioned {
                        None => "-",
                        Some(true) => "yes",
                        Some(false) => "no",
                    }),
                    Cell::number(Some(rate.valid)),
                    Cell::count(ours.len() as u64),
                    Cell::share(end(f64::min)),
                    Cell::share(end(f64::max)),
                ]);
            }
            notes.push(format!("Published: {}; read: {}.", published.source, published.read));
            notes.extend(published.unknown.iter().cloned());
        }
    }
    notes.push(
        "The cells of this run that are policies, noisy experts or readers are not language models: their rates stand beside the published ones and \
         replicate none of them."
            .to_owned(),
    );
    Ok(Table { key: item.key, title: item.title.to_owned(), columns, rows, notes })
}
