//! F5, F16, F24, F25: how badly and how surely.

use gimbal_view::kit::looks::{Key, QUIET, legend, look, plain};
use gimbal_view::kit::matrix::{self, Matrix, Tile};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scatter::{self, Dot};
use gimbal_view::kit::stacked::{self, Stack, StackPart};
use gimbal_view::kit::svg::Svg;

use super::scene::{Scene, in_percent};

/// F5: share of catastrophic episodes.
pub fn catastrophic(scene: &Scene<'_>) -> Drawn {
    let rows: Vec<String> = scene.grid.configurations.iter().map(|entry| entry.name.clone()).collect();
    let tiles: Vec<Vec<Option<Tile>>> = rows
        .iter()
        .map(|row| {
            let tile = |model: &String| {
                let share = scene.grid.cell(row, model)?.catastrophic?;
                Some(Tile {
                    // Light is good in every matrix.
                    share: 1.0 - share.share,
                    value: format!("{}%", in_percent(share.share)),
                    small: share
                        .told()
                        .map(|ends| format!("{} to {}", in_percent(ends.low), in_percent(ends.high)))
                        .unwrap_or_default(),
                })
            };
            scene.grid.models.iter().map(tile).collect()
        })
        .collect();
    if tiles.iter().flatten().all(Option::is_none) {
        return Err("no episode, or no threshold of catastrophe in the brief".to_owned());
    }
    let limit = threshold(scene, |thresholds| thresholds.catastrophic_below);
    let matrix = Matrix {
        rows: &rows,
        columns: &scene.names,
        tiles: &tiles,
        scale: matrix::ColourScale::new("100%", "0%", "catastrophic"),
        missing: "not played",
    };
    let below = limit.map_or_else(String::new, |limit| format!(" (return below {})", plain(limit, 0)));
    let caption = format!(
        "Share of catastrophic episodes{below}, and its {} in percent. Lighter is better. Hatched: not played.",
        scene.share_interval()
    );
    Ok(matrix::draw(Svg::new(), &matrix, 0.0, caption))
}

/// A threshold in units, where all cells agree on it.
pub fn threshold(scene: &Scene<'_>, of: fn(&gimbal_analysis::Thresholds) -> Option<i64>) -> Option<f64> {
    let entries = scene.grid.configurations.iter();
    let cells =
        entries.flat_map(|entry| scene.grid.models.iter().filter_map(|model| scene.grid.cell(&entry.name, model)));
    let mut limits = cells.filter_map(|cell| of(&cell.info.thresholds));
    let first = limits.next()?;
    limits.all(|limit| limit == first).then_some(first as f64 / 1000.0)
}

/// A row of [`levels`].
pub struct LevelRow<'a> {
    /// Mean return of the anchor, by which rows are ordered.
    pub strength: f64,
    /// The model.
    pub model: &'a str,
    /// Its name in figures.
    pub name: &'a str,
}

/// F16's matrix: models from the strongest anchor down, their means along the levels, the peak named.
pub fn levels(scene: &Scene<'_>, ladder: &[&str], rows: &[LevelRow<'_>]) -> Picture {
    let digits = scene.digits();
    let names: Vec<String> = rows.iter().map(|row| row.name.to_owned()).collect();
    let columns: Vec<String> = ladder.iter().map(|level| (*level).to_owned()).collect();
    let tiles: Vec<Vec<Option<Tile>>> = rows
        .iter()
        .map(|LevelRow { model, .. }| {
            let means: Vec<Option<f64>> = ladder.iter().map(|level| scene.grid.mean(level, model)).collect();
            let known = || means.iter().flatten().copied();
            let (low, high) = known().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), m| (l.min(m), h.max(m)));
            let peak = means.iter().position(|mean| *mean == Some(high));
            let tile = |(place, mean): (usize, &Option<f64>)| {
                let mean = (*mean)?;
                let open = peak.is_some_and(|peak| {
                    place != peak
                        && scene
                            .paired(ladder[peak], ladder[place], model)
                            .is_some_and(|paired| paired.excludes_zero != Some(true))
                });
                let small = if Some(place) == peak {
                    "peak"
                } else if open {
                    "open"
                } else {
                    ""
                };
                let share = if high > low { (mean - low) / (high - low) } else { 1.0 };
                Some(Tile { share, value: plain(mean, digits), small: small.to_owned() })
            };
            means.iter().enumerate().map(tile).collect()
        })
        .collect();
    let matrix = Matrix {
        rows: &names,
        columns: &columns,
        tiles: &tiles,
        scale: matrix::ColourScale::new("worst", "best level", "of the model"),
        missing: "not played",
    };
    let caption = format!(
        "Mean return along the levels, models from the strongest anchor ({}) down; shades within a row. Peak: the highest mean. Open: the paired difference from the peak is not distinguished from 0 at {}%.",
        scene.protocol().anchor,
        scene.percent()
    );
    matrix::draw(Svg::new(), &matrix, 0.0, caption)
}

/// F24: what deliberation does to mean and spread.
pub fn risk(scene: &Scene<'_>) -> Drawn {
    let (base_name, other_name) = scene.pairing_names();
    let mut dots = Vec::new();
    for (model, name, look) in scene.models() {
        let Some((base, other)) = scene.pairing(model) else { continue };
        let place = |configuration: &str| {
            let returns = scene.returns(configuration, model)?;
            Some((returns.sd?, returns.mean, returns.interval()))
        };
        let (Some(from), Some(to)) = (place(base), place(other)) else { continue };
        let tail = Dot {
            x: from.0,
            y: from.1,
            x_ends: None,
            y_ends: from.2,
            name: String::new(),
            look,
            from: None,
            open: true,
        };
        let head = Dot {
            x: to.0,
            y: to.1,
            x_ends: None,
            y_ends: to.2,
            name: name.to_owned(),
            look,
            from: Some((from.0, from.1)),
            open: false,
        };
        dots.extend([tail, head]);
    }
    if dots.is_empty() {
        return Err(format!("no model with two or more episodes of both {base_name} and {other_name}"));
    }
    let chart = scatter::Chart {
        dots: &dots,
        x_axis: "standard deviation of the return (left: steadier)",
        y_axis: "mean return",
        x_lines: &[],
        y_lines: &[],
        amounts: false,
        height: 380.0,
    };
    let caption = format!(
        "From {base_name} (open) to {other_name} (filled); up and left is better and steadier. Whiskers: {} of the means.",
        scene.interval()
    );
    Ok(scatter::draw(Svg::new(), &chart, 0.0, caption))
}

/// F25: success, mediocre and catastrophic episodes of the full deliberation.
pub fn split(scene: &Scene<'_>) -> Drawn {
    let (_, other_name) = scene.pairing_names();
    let looks = [look(2), QUIET, look(1)];
    let stacks: Vec<Stack> = scene
        .models()
        .map(|(model, name, _)| {
            let cell = scene.pairing(model).and_then(|(_, other)| scene.grid.cell(other, model));
            let shares = cell.and_then(|cell| Some((cell.success?, cell.catastrophic?, cell.episodes)));
            let (parts, remark) = match shares {
                None => (Vec::new(), String::new()),
                Some((success, lost, episodes)) => {
                    let sizes = [success.share, (1.0 - success.share - lost.share).max(0.0), lost.share];
                    let parts = sizes.iter().zip(looks).map(|(size, look)| StackPart {
                        size: 100.0 * size,
                        look,
                        words: format!("{}%", in_percent(*size)),
                    });
                    let ends =
                        lost.told().map(|ends| format!(" ({} to {})", in_percent(ends.low), in_percent(ends.high)));
                    let remark = format!("{}%{}, n={episodes}", in_percent(lost.share), ends.unwrap_or_default());
                    (parts.collect(), remark)
                }
            };
            Stack { group: String::new(), name: name.to_owned(), parts, remark }
        })
        .collect();
    if stacks.iter().all(|stack| stack.parts.is_empty()) {
        return Err(format!("no episode of {other_name}, or no thresholds in the brief"));
    }
    let limits =
        threshold(scene, |limits| limits.success_above).zip(threshold(scene, |limits| limits.catastrophic_below));
    let (above, below) = limits.map_or_else(Default::default, |(success, lost)| {
        (format!(" (above {})", plain(success, 0)), format!(" (below {})", plain(lost, 0)))
    });
    let mut svg = Svg::new();
    let entries = [
        (Key::Bar, looks[0], format!("success{above}")),
        (Key::Bar, looks[1], "mediocre".to_owned()),
        (Key::Bar, looks[2], format!("catastrophic{below}")),
    ];
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let caption = format!(
        "Episodes of {other_name} by the thresholds of the brief. At the right the catastrophic share with its {}.",
        scene.share_interval()
    );
    Ok(stacked::draw(svg, &stacks, ("episodes (%)", "catastrophic"), top, caption))
}
