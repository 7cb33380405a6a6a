//! Curves of what was earned: success by step (Fig. 7(a)), and the return against the competence of noisy experts, constrained beside unconstrained.

use gimbal_analysis::tables::no_evidence;
use gimbal_analysis::{BaselineChoice, CellInfo, CellSummary, EpisodeRow, Interval, Proportion};
use gimbal_view::Output;
use gimbal_view::kit::lines;
use gimbal_view::kit::looks::look;
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::svg::Svg;
use gimbal_view::work::{Context, Item, Undeclared};

use crate::failures::{label, output};
use crate::hierarchy::cells;

/// Key of the figure of success by step.
pub const BY_STEP: &str = "ctha-f7a";
/// Key of the figure of returns by competence.
pub const NOISE: &str = "ctha-noise";

/// Most curves of success in a figure: each has intervals.
const MOST: usize = 6;
/// Most places along such a curve.
const PLACES: u32 = 10;
/// Most configurations where the study names no baseline.
const SIDES: usize = 4;

/// A value and its interval at one place of a curve.
type Point = Option<(f64, Option<Interval>)>;

/// The steps at which success is told: at most ten, the last one the longest episode's.
#[must_use]
pub fn places(longest: u32) -> Vec<u32> {
    let wide = longest.div_ceil(PLACES).max(1);
    (1..=longest.div_ceil(wide)).map(|place| (place * wide).min(longest)).collect()
}

/// The share of episodes that were over and above a return, in thousandths, at each of these steps. Runs of one task are a cluster.
#[must_use]
pub fn success_by_step(rows: &[&EpisodeRow], above: i64, steps: &[u32], confidence: f64) -> Vec<Point> {
    let at = |step: &u32| {
        let won = |row: &&EpisodeRow| row.steps <= *step && row.return_thousandths > above;
        let members = rows
            .iter()
            .enumerate()
            .map(|(place, row)| (row.task.as_str(), u32::try_from(place).unwrap_or(u32::MAX), won(row)));
        let share = Proportion::clustered(members, confidence)?;
        let ends = share.told().map(|ends| Interval { low: 100.0 * ends.low, high: 100.0 * ends.high });
        Some((100.0 * share.share, ends))
    };
    steps.iter().map(at).collect()
}

/// The competence of the noisy experts that play a cell, where all its roles have the same; `None` where anyone else plays.
#[must_use]
pub fn competence(info: &CellInfo) -> Option<f64> {
    let of = |model: &str| model.strip_prefix("noisy/")?.parse::<f64>().ok();
    let first = of(&info.models.first()?.model)?;
    info.models.iter().all(|role| of(&role.model) == Some(first)).then_some(first)
}

/// Success by step, for each environment that says what success is one.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn by_step(context: &Context<'_>, item: &Item) -> Result<Vec<Output>, Undeclared> {
    let ((analysis, cells), rows) = (cells(context)?, context.rows()?);
    let all: Vec<&CellSummary> = cells.into_iter().map(|(summary, _)| summary).collect();
    let with = |summary: &&CellSummary| summary.info.thresholds.success_above.is_some();
    let own: Vec<&CellSummary> = all.into_iter().filter(with).collect();
    if own.is_empty() {
        let why = "no layers were asked in an environment that says what success is";
        return Ok(vec![output(item, "", Err(why.to_owned()), "")]);
    }
    Ok(by_environment(item, &own, |own| {
        let of_cell = |summary: &CellSummary| -> Vec<&EpisodeRow> {
            let id = summary.info.id.as_str();
            rows.episodes.iter().filter(|row| row.cell.as_str() == id && row.counts()).collect()
        };
        let shown: Vec<(&CellSummary, Vec<&EpisodeRow>)> =
            own.iter().take(MOST).map(|summary| (*summary, of_cell(summary))).collect();
        let longest = shown.iter().flat_map(|(_, rows)| rows).map(|row| row.steps).max().unwrap_or(0);
        let steps = places(longest);
        let series = shown.iter().enumerate().map(|(number, (summary, rows))| {
            let above = summary.info.thresholds.success_above.unwrap_or(i64::MAX);
            let points = success_by_step(rows, above, &steps, analysis.options.confidence);
            lines::Series { name: label(&summary.info), look: look(number), points }
        });
        let left = own.len().saturating_sub(MOST);
        let more = if left > 0 { format!(" {left} more cells are not drawn.") } else { String::new() };
        let caption = format!(
            "Share of all episodes that were over at each step with a return above the environment's threshold of success; where an episode always has \
             the same length, that is at its last step. Whiskers are intervals of \
             {}%, with runs of one task as a cluster.{more}",
            (100.0 * analysis.options.confidence).round()
        );
        chart(&steps, series.collect(), ("success so far (%)", "step"), caption)
    }))
}

/// Returns by competence, for each environment one.
///
/// # Errors
/// When the item does not declare what it reads.
pub fn noise(context: &Context<'_>, item: &Item) -> Result<Vec<Output>, Undeclared> {
    let (analysis, cells) = cells(context)?;
    let noisy = |summary: &&CellSummary| competence(&summary.info).is_some() && summary.info.faults.is_empty();
    let own: Vec<&CellSummary> = cells.into_iter().map(|(summary, _)| summary).filter(noisy).collect();
    let levels = levels(&own);
    if levels.len() < 2 {
        let why = "no hierarchy was played by noisy experts of several competences";
        return Ok(vec![output(item, "", Err(why.to_owned()), "")]);
    }
    Ok(by_environment(item, &own, |own| {
        let levels = self::levels(own);
        let names = sides(own, analysis.options.baseline.as_ref());
        let series = names.iter().enumerate().map(|(number, name)| {
            let point = |level: &f64| {
                let at = own.iter().find(|summary| {
                    summary.info.configuration_label() == *name && competence(&summary.info) == Some(*level)
                })?;
                let returns = at.returns.as_ref()?;
                Some((returns.mean, returns.interval()))
            };
            lines::Series { name: name.clone(), look: look(number), points: levels.iter().map(point).collect() }
        });
        let caption = format!(
            "Mean return by the competence of the noisy experts that play every layer: the share of answers that are right. Whiskers are intervals of {}% \
             of each mean; the paired differences, which tell more, are in the table `paired`.",
            (100.0 * analysis.options.confidence).round()
        );
        chart(&levels, series.collect(), ("mean return", "competence of the experts"), caption)
    }))
}

/// The competences of cells, the highest first.
fn levels(own: &[&CellSummary]) -> Vec<f64> {
    let mut levels: Vec<f64> = own.iter().filter_map(|summary| competence(&summary.info)).collect();
    levels.sort_by(|one, other| other.total_cmp(one));
    levels.dedup();
    levels
}

/// The configurations that are drawn: the first one of the study and its baseline, or the first four where it names none.
fn sides(own: &[&CellSummary], baseline: Option<&BaselineChoice>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut least: Option<String> = None;
    for summary in own {
        let name = summary.info.configuration_label();
        let chosen = match baseline {
            Some(BaselineChoice::Configuration(configuration)) => summary.info.configuration == *configuration,
            Some(BaselineChoice::Cell(id)) => summary.info.id == *id,
            None => false,
        };
        if chosen {
            least.get_or_insert(name.clone());
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match least {
        Some(least) => {
            names.retain(|name| *name != least);
            names.into_iter().take(1).chain([least]).collect()
        }
        None => names.into_iter().take(SIDES).collect(),
    }
}

/// A figure for each environment, in the order of the study.
fn by_environment(item: &Item, all: &[&CellSummary], draw: impl Fn(&[&CellSummary]) -> Drawn) -> Vec<Output> {
    let mut environments: Vec<&str> = Vec::new();
    for summary in all {
        if !environments.contains(&summary.info.environment.as_str()) {
            environments.push(&summary.info.environment);
        }
    }
    let several = environments.len() > 1;
    let drawn = environments.into_iter().map(|environment| {
        let own: Vec<&CellSummary> =
            all.iter().copied().filter(|summary| summary.info.environment == environment).collect();
        let said = no_evidence(own.iter().map(|summary| &summary.info));
        output(item, if several { environment } else { "" }, draw(&own), said)
    });
    drawn.collect()
}

fn chart<T: ToString>(
    places: &[T],
    series: Vec<lines::Series>,
    (axis, beneath): (&str, &str),
    caption: String,
) -> Drawn {
    if places.is_empty() {
        return Err("no episode counts".to_owned());
    }
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis,
        beneath,
        downwards: false,
        amounts: false,
        height: 280.0,
    };
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}
