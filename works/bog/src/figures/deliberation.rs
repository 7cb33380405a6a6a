//! F14 to F17: the levels of deliberation.

use gimbal_analysis::{Interval, metrics};
use gimbal_view::kit::lines::{self, Series};
use gimbal_view::kit::looks::{Key, Look, legend, look, plain};
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::scatter::{self, Dot};
use gimbal_view::kit::svg::Svg;

use super::outcomes::LevelRow;
use super::scene::Scene;

/// The levels above the anchor.
fn levels<'a>(scene: &Scene<'a>) -> Result<Vec<&'a str>, String> {
    let levels: Vec<&str> = scene.protocol().ladder().into_iter().skip(1).collect();
    if levels.is_empty() { Err("no axis of deliberation in its protocol".to_owned()) } else { Ok(levels) }
}

/// F14: what each level gains in return and costs in tokens.
pub fn roi(scene: &Scene<'_>) -> Drawn {
    let (levels, anchor) = (levels(scene)?, &scene.protocol().anchor);
    let mut dots = Vec::new();
    for (model, _, model_look) in scene.models() {
        for (place, level) in levels.iter().enumerate() {
            let Some(paired) = scene.paired(level, anchor, model) else { continue };
            let Some(added) = added_tokens(scene, level, anchor, model) else { continue };
            dots.push(Dot {
                x: added.0,
                y: paired.difference.mean,
                x_ends: added.1,
                y_ends: paired.difference.interval(),
                name: level.trim_start_matches('+').to_owned(),
                look: Look { shape: look(place).shape, ..model_look },
                from: None,
                open: false,
            });
        }
    }
    if dots.is_empty() {
        return Err(format!("no model that played the same seeds with `{anchor}` and a level above it"));
    }
    let mut svg = Svg::new();
    let models: Vec<(Key, Look, String)> =
        scene.models().map(|(_, name, look)| (Key::Bar, Look { hatch: 0, ..look }, name.to_owned())).collect();
    let top = legend(&mut svg, 0.0, 0.0, &models);
    let marks: Vec<(Key, Look, String)> = levels
        .iter()
        .enumerate()
        .map(|(place, level)| {
            (Key::Open, Look { shape: look(place).shape, ..gimbal_view::kit::looks::QUIET }, (*level).to_owned())
        })
        .collect();
    let top = legend(&mut svg, 0.0, top - 4.0, &marks);
    // The mark names the level where there are many points.
    if dots.len() > 14 {
        dots.iter_mut().for_each(|dot| dot.name.clear());
    }
    let chart = scatter::Chart {
        dots: &dots,
        x_axis: "tokens added an episode (thousands)",
        y_axis: "return gained over the anchor",
        x_lines: &[0.0],
        y_lines: &[0.0],
        amounts: false,
        height: 380.0,
    };
    let caption = format!(
        "Against {anchor} on the same model: upper left is cheap improvement. Colour: model; mark: level. Whiskers: {}, of the paired difference upwards, of the difference of mean tokens along.",
        scene.interval()
    );
    Ok(scatter::draw(svg, &chart, top, caption))
}

/// Thousand tokens an episode that a level adds to the anchor, with the interval of the difference of the two means
/// (independent samples, the half widths added in squares).
fn added_tokens(scene: &Scene<'_>, level: &str, anchor: &str, model: &str) -> Option<(f64, Option<Interval>)> {
    let (mine, my_ends) = scene.kilotokens(level, model)?;
    let (base, base_ends) = scene.kilotokens(anchor, model)?;
    let added = mine - base;
    let ends = my_ends.zip(base_ends).map(|(mine, base)| {
        let reach = (mine.width() / 2.0).hypot(base.width() / 2.0);
        Interval { low: added - reach, high: added + reach }
    });
    Some((added, ends))
}

/// F15: the anchor's mean return against the mean gain over all levels.
pub fn correlation(scene: &Scene<'_>) -> Drawn {
    let (levels, anchor) = (levels(scene)?, &scene.protocol().anchor);
    let mut dots = Vec::new();
    for (model, name, look) in scene.models() {
        let Some((strength, ends)) = scene.mean(anchor, model) else { continue };
        let gains: Vec<f64> =
            levels.iter().filter_map(|level| Some(scene.grid.mean(level, model)? - strength)).collect();
        let Some(gain) = metrics::mean(&gains) else { continue };
        let spread = gimbal_analysis::Summary::of(&gains, scene.grids.analysis.options.confidence);
        dots.push(Dot {
            x: strength,
            y: gain,
            x_ends: ends,
            y_ends: spread
                .and_then(|spread| (gains.len() > 1).then_some(Interval { low: spread.min, high: spread.max })),
            name: name.to_owned(),
            look,
            from: None,
            open: false,
        });
    }
    if dots.is_empty() {
        return Err(format!("no model with `{anchor}` and a level above it"));
    }
    let pairs: Vec<(f64, f64)> = dots.iter().map(|dot| (dot.x, dot.y)).collect();
    let rho = metrics::spearman(&pairs);
    let chart = scatter::Chart {
        dots: &dots,
        x_axis: "mean return of the anchor (right: stronger)",
        y_axis: "mean gain over the levels",
        x_lines: &[],
        y_lines: &[0.0],
        amounts: false,
        height: 340.0,
    };
    let found = rho.map_or_else(
        || "too few models for a rank correlation".to_owned(),
        |rho| format!("Spearman's rank correlation {} over {} models", plain(rho, 2), pairs.len()),
    );
    let caption = format!(
        "{found}; with so few models it is a description and no test. Along: {} of the anchor's mean. Upwards: from the least to the largest gain of a level.",
        scene.interval()
    );
    Ok(scatter::draw(Svg::new(), &chart, 0.0, caption))
}

/// F16: the level with the highest mean return, by strength of the anchor.
pub fn ceiling(scene: &Scene<'_>) -> Drawn {
    let (ladder, anchor) = (scene.protocol().ladder(), &scene.protocol().anchor);
    levels(scene)?;
    let mut rows: Vec<LevelRow<'_>> = Vec::new();
    for (model, name, _) in scene.models() {
        let Some(strength) = scene.grid.mean(anchor, model) else { continue };
        if ladder.iter().filter(|level| scene.grid.mean(level, model).is_some()).count() > 1 {
            rows.push(LevelRow { strength, model, name });
        }
    }
    if rows.is_empty() {
        return Err(format!("no model with `{anchor}` and a level above it"));
    }
    rows.sort_by(|a, b| b.strength.total_cmp(&a.strength));
    Ok(super::outcomes::levels(scene, &ladder, &rows))
}

/// F17: mean return along the levels.
pub fn progression(scene: &Scene<'_>) -> Drawn {
    levels(scene)?;
    let ladder = scene.protocol().ladder();
    let series: Vec<Series> = scene
        .models()
        .map(|(model, name, look)| Series {
            name: name.to_owned(),
            look,
            points: ladder.iter().map(|level| scene.mean(level, model)).collect(),
        })
        .filter(|series| series.points.iter().any(Option::is_some))
        .collect();
    if series.is_empty() {
        return Err(format!("none of {}", ladder.join(", ")));
    }
    let places: Vec<String> = ladder.iter().map(|level| (*level).to_owned()).collect();
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis: "mean return",
        beneath: "level of deliberation, each on top of the one before",
        downwards: false,
        amounts: false,
        height: 330.0,
    };
    let caption = format!(
        "Mean return with its {} (an arrow head: it goes on); marks of one level stand side by side. A broken line: not played.",
        scene.interval()
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}
