//! Figures over triaged packets: confidence by round, verdicts, reliability, flips, and cost against accuracy.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_analysis::calibration::reliability;
use gimbal_analysis::tables::no_evidence;
use gimbal_analysis::{CellSummary, Interval, Proportion};
use gimbal_evidence::judge::Verdict;
use gimbal_view::Output;
use gimbal_view::kit::looks::{Key, Look, hatchings, legend, look, plain};
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::svg::Svg;
use gimbal_view::kit::{lines, matrix, scatter, stacked};
use gimbal_view::work::{Context, Item, Undeclared};

use crate::cases::{Case, Side};
use crate::tables::frame::Frame;
use crate::tables::verdicts::forecasts;

/// Most cells of a figure with a line for each.
const LINES: usize = 6;
/// Most cells of a figure with rows for each.
const ROWS: usize = 12;
/// Bins of the figure of reliability.
const BINS: usize = 5;

/// A cell with its cases.
type Played<'a> = (&'a CellSummary, &'a [Case]);

/// Draws a figure of a run.
pub fn whole(
    context: &Context<'_>,
    item: &Item,
    draw: fn(&[Played<'_>], f64) -> Drawn,
) -> Result<Vec<Output>, Undeclared> {
    let frame = Frame::of(context, item)?;
    let cells: Vec<Played<'_>> = frame.cells().collect();
    let environments: BTreeSet<&str> = cells.iter().map(|(summary, _)| summary.info.environment.as_str()).collect();
    let environment = environments.into_iter().collect::<Vec<_>>().join(", ");
    let said = no_evidence(cells.iter().map(|(summary, _)| &summary.info));
    let names = (item.title.to_owned(), item.key.to_owned(), environment);
    Ok(vec![Output::of(item.key, names, draw(&cells, frame.confidence()), said)])
}

/// Name of a cell: its configuration, and its model where there is one.
fn name((summary, _): &Played<'_>) -> String {
    let info = &summary.info;
    if info.models.is_empty() {
        return info.configuration_label();
    }
    format!("{}, {}", info.configuration_label(), info.model_label())
}

/// At most `most` cells: of each configuration its first, then of each its second, and so on, in the study's order.
fn chosen<'c, 'a>(cells: &'c [Played<'a>], most: usize) -> Vec<&'c Played<'a>> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, usize)> = Vec::with_capacity(cells.len());
    for (place, (summary, _)) in cells.iter().enumerate() {
        let turn = met.entry(summary.info.configuration_label()).or_default();
        ranked.push((*turn, place));
        *turn += 1;
    }
    ranked.sort_unstable();
    ranked.truncate(most);
    ranked.sort_unstable_by_key(|(_, place)| *place);
    ranked.into_iter().map(|(_, place)| &cells[place]).collect()
}

/// What a figure that does not show all cells says of the others.
fn rest(all: usize, shown: usize) -> String {
    if all > shown { format!(" {shown} of {all} cells; the table has all.") } else { String::new() }
}

/// Confidence of both sides by round.
pub fn rounds(cells: &[Played<'_>], _confidence: f64) -> Drawn {
    let held: Vec<Played<'_>> =
        cells.iter().filter(|(_, cases)| cases.iter().any(|case| case.rounds() > 1)).copied().collect();
    if held.is_empty() {
        return Err("no debate of more than one round".to_owned());
    }
    let shown = chosen(&held, LINES / 2);
    let most = shown.iter().flat_map(|(_, cases)| *cases).map(Case::rounds).max().unwrap_or(1);
    let places: Vec<String> = (1..=most).map(|round| round.to_string()).collect();
    let mut series = Vec::new();
    for cell in &shown {
        for side in Side::BOTH {
            let point = |round: u32| {
                let stands = cell.1.iter().flat_map(|case| &case.stands);
                let own: Vec<f64> = stands
                    .filter(|stand| stand.side == side && stand.round == round && stand.vote == 0)
                    .map(|stand| stand.confidence.to_f64())
                    .collect();
                (!own.is_empty()).then(|| (own.iter().sum::<f64>() / own.len() as f64, None))
            };
            let named = format!("{}: {}", side.name(), name(cell));
            series.push(lines::Series {
                name: named,
                look: look(series.len()),
                points: (1..=most).map(point).collect(),
            });
        }
    }
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis: "mean confidence",
        beneath: "round",
        downwards: false,
        amounts: false,
        height: 220.0,
    };
    let caption = format!(
        "Mean confidence by round: of the Architect that there is a threat, of the Skeptic that there is none. Debates that stop early are \
         in the first rounds only.{}",
        rest(held.len(), shown.len())
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}

/// Given verdicts by expected verdict.
pub fn confusion(cells: &[Played<'_>], _confidence: f64) -> Drawn {
    if cells.is_empty() {
        return Err("no triaged packet".to_owned());
    }
    let words = |verdict: Verdict| verdict.name().to_lowercase().replace('_', " ");
    let columns: Vec<String> = Verdict::ALL.map(words).into_iter().chain(["no verdict".to_owned()]).collect();
    let given: Vec<Option<Verdict>> = Verdict::ALL.map(Some).into_iter().chain([None]).collect();
    let (mut rows, mut tiles) = (Vec::new(), Vec::new());
    let shown = chosen(cells, ROWS / 3);
    for cell in &shown {
        for expected in Verdict::ALL {
            let own: Vec<&Case> = cell.1.iter().filter(|case| case.marking.expected == expected).collect();
            if own.is_empty() {
                continue;
            }
            rows.push(format!("{}: {} expected", name(cell), words(expected)));
            let tile = |verdict: &Option<Verdict>| {
                let count = own.iter().filter(|case| case.marking.given == *verdict).count();
                let share = count as f64 / own.len() as f64;
                Some(matrix::Tile {
                    share,
                    value: format!("{:.0}%", 100.0 * share),
                    small: format!("{count} of {}", own.len()),
                })
            };
            tiles.push(given.iter().map(tile).collect());
        }
    }
    let drawn = matrix::Matrix {
        rows: &rows,
        columns: &columns,
        tiles: &tiles,
        scale: matrix::ColourScale::new("0%", "100%", "share of the row"),
        missing: "none",
    };
    let caption = format!("Given verdicts, by the expected one.{}", rest(cells.len(), shown.len()));
    Ok(matrix::draw(Svg::new(), &drawn, 0.0, caption))
}

/// How often verdicts are right, by the confidence that was stated.
pub fn reliable(cells: &[Played<'_>], confidence: f64) -> Drawn {
    let stated: Vec<Played<'_>> = cells.iter().filter(|(_, cases)| !forecasts(cases).is_empty()).copied().collect();
    if stated.is_empty() {
        return Err("no verdict with a confidence".to_owned());
    }
    let width = 1.0 / BINS as f64;
    let edge = |bin: usize| plain(width * bin as f64, 1);
    let places: Vec<String> = (0..BINS).map(|bin| format!("{} to {}", edge(bin), edge(bin + 1))).collect();
    let middle = (0..BINS).map(|bin| Some((width * (bin as f64 + 0.5), None))).collect();
    let mut series = vec![lines::Series { name: "as stated".to_owned(), look: look(0), points: middle }];
    let shown = chosen(&stated, LINES - 1);
    for cell in &shown {
        let bins = reliability(&forecasts(cell.1), BINS, confidence);
        let point = |bin: usize| -> Option<(f64, Option<Interval>)> {
            let found = bins.iter().find(|found| (found.from - width * bin as f64).abs() < width / 2.0)?;
            Some((found.observed.share, found.observed.told()))
        };
        series.push(lines::Series {
            name: name(cell),
            look: look(series.len()),
            points: (0..BINS).map(point).collect(),
        });
    }
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis: "share of right verdicts",
        beneath: "stated confidence",
        downwards: false,
        amounts: false,
        height: 240.0,
    };
    let caption = format!(
        "Share of right verdicts by stated confidence, with Wilson's intervals. On the line \"as stated\" confidence is what it \
         says.{}",
        rest(stated.len(), shown.len())
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}

/// What became of the verdict after the first round.
pub fn flips(cells: &[Played<'_>], _confidence: f64) -> Drawn {
    let parts: [(&str, bool, bool); 4] = [
        ("stays right", true, true),
        ("bad flip", true, false),
        ("good flip", false, true),
        ("stays wrong", false, false),
    ];
    let (mut stacks, mut drawn) = (Vec::new(), Vec::new());
    for cell in cells {
        let known = |case: &Case| Some((case.first()? == case.marking.expected, case.is_right()));
        let pairs: Vec<(bool, bool)> =
            cell.1.iter().filter(|case| case.rounds() > 1 || case.gated.is_some()).filter_map(known).collect();
        if pairs.is_empty() {
            continue;
        }
        let part = |(place, (_, before, after)): (usize, &(&str, bool, bool))| {
            let count = pairs.iter().filter(|pair| **pair == (*before, *after)).count();
            let size = 100.0 * count as f64 / pairs.len() as f64;
            stacked::StackPart { size, look: look(place), words: count.to_string() }
        };
        drawn.push((cell.0.info.configuration_label(), cell.1));
        stacks.push(stacked::Stack {
            group: String::new(),
            name: name(cell),
            parts: parts.iter().enumerate().map(part).collect(),
            remark: pairs.len().to_string(),
        });
    }
    if stacks.is_empty() {
        return Err("no debate that went on after its first round".to_owned());
    }
    let all = stacks.len();
    stacks.truncate(ROWS);
    drawn.truncate(ROWS);
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let keys: Vec<(Key, Look, String)> =
        parts.iter().enumerate().map(|(place, (words, ..))| (Key::Bar, look(place), (*words).to_owned())).collect();
    let top = legend(&mut svg, 0.0, 0.0, &keys) + 12.0;
    let caption = format!(
        "What becomes of the verdict after the first round, in which {}. On a part: episodes.{}",
        crate::first_round::words(drawn),
        rest(all, ROWS)
    );
    Ok(stacked::draw(svg, &stacks, ("% of episodes", "episodes"), top, caption))
}

/// Accuracy against dollars where every pipeline that asked a model has a price above 0, else against tokens.
pub fn cost(cells: &[Played<'_>], confidence: f64) -> Drawn {
    let mut dots = Vec::new();
    let asked: Vec<Played<'_>> =
        cells.iter().filter(|(summary, _)| summary.tokens.is_some_and(|tokens| tokens.mean > 0.0)).copied().collect();
    let dollars = |(summary, _): &Played<'_>| summary.cost.as_ref().map(|cost| cost.mean).filter(|cost| *cost > 0.0);
    let is_priced = asked.iter().all(|cell| dollars(cell).is_some());
    let shown = chosen(&asked, ROWS);
    for cell in &shown {
        let spent = if is_priced { dollars(cell) } else { cell.0.tokens.as_ref().map(|tokens| tokens.mean) };
        let Some(spent) = spent else { continue };
        let right = cell.1.iter().map(|case| (case.task.as_str(), case.run, case.is_right()));
        let Some(accuracy) = Proportion::clustered(right, confidence) else { continue };
        let percent = |ends: Interval| Interval { low: 100.0 * ends.low, high: 100.0 * ends.high };
        dots.push(scatter::Dot {
            x: spent,
            y: 100.0 * accuracy.share,
            x_ends: None,
            y_ends: accuracy.told().map(percent),
            name: name(cell),
            look: look(dots.len()),
            from: None,
            open: !cell.0.info.is_evidence(),
        });
    }
    if dots.is_empty() {
        return Err("no pipeline that asked a model".to_owned());
    }
    let chart = scatter::Chart {
        dots: &dots,
        x_axis: if is_priced { "dollars an episode" } else { "agent tokens an episode" },
        y_axis: "accuracy (%)",
        x_lines: &[],
        y_lines: &[],
        amounts: true,
        height: 300.0,
    };
    let caption = format!(
        "Accuracy against {}; runs of one scenario are a cluster of the interval.{}{}",
        if is_priced { "dollars" } else { "tokens" },
        if is_priced { "" } else { " Not every pipeline has a price above 0, so that dollars are not shown." },
        rest(asked.len(), shown.len())
    );
    Ok(scatter::draw(Svg::new(), &chart, 0.0, caption))
}
