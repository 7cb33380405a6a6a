//! F21 to F23: whole distributions.

use gimbal_analysis::{Interval, Summary};
use gimbal_view::kit::looks::{
    BELOW, BESIDE, Frame, Key, Look, NOTE, bottom_axis, half, haloed, left_axis, legend, look, mark, plain, tick_words,
};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, HEAD, INK, MUTED, SMALL, Svg, WIDTH, fit_head, n, width_of};

use super::outcomes::threshold;
use super::scene::Scene;

/// The returns of an axis, all models together, and its mean with an interval.
struct Pool {
    name: String,
    look: Look,
    /// Smallest first.
    values: Vec<f64>,
    /// Over models where there are several: episodes of one model depend on one another.
    mean: Option<Summary>,
}

/// Fewer models than this carry no interval over their means.
const FEW_MODELS: usize = 4;

fn pools(scene: &Scene<'_>) -> Result<Vec<Pool>, String> {
    let confidence = scene.grids.analysis.options.confidence;
    let mut pools = Vec::new();
    for (place, axis) in scene.protocol().axes.iter().enumerate() {
        let by_model: Vec<Vec<f64>> = scene
            .grid
            .models
            .iter()
            .map(|model| {
                let labels = scene.protocol().axis(&axis.name);
                let cells = labels.into_iter().filter_map(|label| scene.grid.cell(label, model));
                cells.flat_map(|cell| cell.values.iter().copied()).collect::<Vec<f64>>()
            })
            .filter(|values: &Vec<f64>| !values.is_empty())
            .collect();
        let mut values: Vec<f64> = by_model.iter().flatten().copied().collect();
        if values.is_empty() {
            continue;
        }
        values.sort_by(f64::total_cmp);
        let mean = if by_model.len() > 1 {
            let means: Vec<f64> =
                by_model.iter().map(|values| values.iter().sum::<f64>() / values.len() as f64).collect();
            // From two or three models an interval reaches beyond every return that there can be.
            Summary::of(&means, confidence)
                .map(|mean| if means.len() < FEW_MODELS { Summary { half_width: None, ..mean } } else { mean })
        } else {
            Summary::of(&values, confidence)
        };
        pools.push(Pool { name: axis.name.clone(), look: look(place), values, mean });
    }
    if pools.is_empty() { Err("no episode of any axis of the protocol".to_owned()) } else { Ok(pools) }
}

/// Lines where outcomes change their name, with their values above.
fn limits(svg: &mut Svg, scene: &Scene<'_>, x: &Scale, frame: Frame) {
    let known = [threshold(scene, |limits| limits.catastrophic_below), threshold(scene, |limits| limits.success_above)];
    let mut told = Vec::new();
    for limit in known.into_iter().flatten().filter(|limit| (x.low..=x.high).contains(limit)) {
        let at = x.at(limit);
        svg.line((at, frame.top), (at, frame.bottom), "muted-line", MUTED, 1.2, "5 4");
        told.push((at, plain(limit, 0)));
    }
    told.sort_by(|a, b| a.0.total_cmp(&b.0));
    tick_words(svg, &told, frame.top - 4.0);
}

/// F21: share of episodes at or below each return.
pub fn cumulative(scene: &Scene<'_>) -> Drawn {
    let pools = pools(scene)?;
    let mut svg = Svg::new();
    let entries: Vec<(Key, Look, String)> =
        pools.iter().map(|pool| (Key::Line, pool.look, format!("{} (n={})", pool.name, pool.values.len()))).collect();
    let top = legend(&mut svg, BESIDE, 0.0, &entries) + 14.0;
    let frame = Frame { left: BESIDE, top, right: WIDTH - 14.0, bottom: top + 300.0 };
    let x = Scale::linear(pools.iter().flat_map(|pool| pool.values.iter().copied()), frame.left, frame.right);
    let y = Scale::from_nought(100.0, frame.bottom, frame.top);
    left_axis(&mut svg, frame, &y, "episodes at or below (%)");
    bottom_axis(&mut svg, frame, &x, "episode return");
    limits(&mut svg, scene, &x, frame);
    for pool in &pools {
        let count = pool.values.len() as f64;
        let mut path = format!("M{} {}", n(x.at(x.low)), n(y.at(0.0)));
        let mut done = 0;
        for chunk in pool.values.chunk_by(|a, b| a == b) {
            done += chunk.len();
            path.push_str(&format!("H{}V{}", n(x.at(chunk[0])), n(y.at(100.0 * done as f64 / count))));
        }
        path.push_str(&format!("H{}", n(x.at(x.high))));
        let dash =
            if pool.look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", pool.look.dash) };
        svg.raw(&format!(
            "<path d=\"{path}\" class=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{dash}/>",
            pool.look.class, pool.look.colour
        ));
    }
    let caption = "All episodes of an axis, all models together; a curve further right is better. Dashed: thresholds of the brief. Axes hold different numbers of configurations.".to_owned();
    Ok(Picture { svg, height: frame.bottom + BELOW, caption })
}

/// Density of a sample at points between two ends, by Gaussian kernels of Silverman's width; nothing below five values
/// or without spread. Not normalised: the highest point is 1.
fn density(values: &[f64], (low, high): (f64, f64)) -> Option<Vec<(f64, f64)>> {
    const POINTS: usize = 96;
    let summary = Summary::of(values, 0.95)?;
    let sd = summary.sd.filter(|sd| values.len() >= 5 && *sd > 0.0)?;
    let quartiles = (summary.upper_quartile - summary.lower_quartile) / 1.34;
    let spread = if quartiles > 0.0 { sd.min(quartiles) } else { sd };
    let width = (0.9 * spread * (values.len() as f64).powf(-0.2)).max((high - low) * 1e-3);
    let points = (0..=POINTS).map(|point| low + (high - low) * point as f64 / POINTS as f64);
    let heights: Vec<(f64, f64)> = points
        .map(|at| (at, values.iter().map(|value| (-0.5 * ((at - value) / width).powi(2)).exp()).sum::<f64>()))
        .collect();
    let most = heights.iter().map(|point| point.1).fold(0.0, f64::max);
    (most > 0.0).then(|| heights.into_iter().map(|(at, height)| (at, height / most)).collect())
}

/// F22: density, quartiles, median and mean of each axis.
pub fn violins(scene: &Scene<'_>) -> Drawn {
    const ROW: f64 = 92.0;
    let pools = pools(scene)?;
    let digits = scene.digits();
    let names = pools.iter().map(|pool| width_of(&pool.name, HEAD.wide())).fold(60.0, f64::max);
    let left = (names + 22.0).min(200.0);
    let told = |pool: &Pool| {
        let mean = pool.mean.map(|mean| format!("mean {}{}", plain(mean.mean, digits), half(mean.interval(), digits)));
        mean.unwrap_or_default()
    };
    let widest = pools.iter().map(|pool| width_of(&told(pool), NOTE.size)).fold(126.0, f64::max);
    let right = WIDTH - widest - 24.0;
    let mut svg = Svg::new();
    let top = 18.0;
    let frame = Frame { left, top, right, bottom: top + ROW * pools.len() as f64 };
    let intervals: Vec<Interval> = pools.iter().filter_map(|pool| pool.mean?.interval()).collect();
    let ends: Vec<f64> = pools.iter().flat_map(|pool| [pool.values[0], pool.values[pool.values.len() - 1]]).collect();
    let x = Scale::with_intervals(&ends, &intervals, left, right);
    bottom_axis(&mut svg, frame, &x, "episode return");
    limits(&mut svg, scene, &x, frame);
    for (place, pool) in pools.iter().enumerate() {
        let middle = top + ROW * (place as f64 + 0.5);
        svg.text(left - 12.0, middle + 4.0, Anchor::End, HEAD, &fit_head(&pool.name, HEAD.wide(), left - 14.0));
        let (low, high) = (pool.values[0], pool.values[pool.values.len() - 1]);
        match density(&pool.values, (low, high)) {
            Some(points) => {
                let upper = points.iter().map(|(at, height)| format!("{},{}", n(x.at(*at)), n(middle - 34.0 * height)));
                let lower =
                    points.iter().rev().map(|(at, height)| format!("{},{}", n(x.at(*at)), n(middle + 34.0 * height)));
                let corners: Vec<String> = upper.chain(lower).collect();
                svg.raw(&format!(
                    "<polygon points=\"{}\" class=\"{} area\" fill=\"{}\" fill-opacity=\"0.24\" stroke=\"{}\" stroke-width=\"1.2\"/>",
                    corners.join(" "),
                    pool.look.class,
                    pool.look.colour,
                    pool.look.colour
                ));
            }
            None => {
                for value in &pool.values {
                    mark(&mut svg, (x.at(*value), middle), pool.look, true);
                }
            }
        }
        let Some(all) = Summary::of(&pool.values, 0.95) else { continue };
        svg.line((x.at(all.lower_quartile), middle), (x.at(all.upper_quartile), middle), "axis", INK, 5.0, "");
        svg.line((x.at(all.median), middle - 11.0), (x.at(all.median), middle + 11.0), "axis", INK, 2.2, "");
        if let Some(mean) = pool.mean {
            let below = middle + 24.0;
            if let Some(ends) = mean.interval() {
                svg.whisker(&x, ends, below, ("axis", INK, 1.5, 4.0));
            }
            mark(
                &mut svg,
                (x.at(mean.mean), below),
                Look { shape: gimbal_view::kit::colour::Shape::Diamond, ..pool.look },
                false,
            );
            svg.text(right + 14.0, middle - 4.0, Anchor::Start, NOTE, &format!("median {}", plain(all.median, digits)));
            svg.text(right + 14.0, middle + 12.0, Anchor::Start, NOTE, &told(pool));
            svg.text(right + 14.0, middle + 28.0, Anchor::Start, SMALL, &format!("n={}", pool.values.len()));
        }
    }
    let models = scene.grid.models.len();
    let diamond = match models {
        1 => format!("Diamond: mean with its {}% Student t interval over episodes, each for itself.", scene.percent()),
        few if few < FEW_MODELS => {
            format!(
                "Diamond: mean over the models' means; an interval from fewer than {FEW_MODELS} models would say nothing."
            )
        }
        _ => format!("Diamond: mean with its {}% Student t interval over the models' means.", scene.percent()),
    };
    let caption = format!(
        "Density of all episodes of an axis (Gaussian kernels, Silverman's width; single marks below five episodes). Bar: quartiles; line: median. {diamond}"
    );
    Ok(Picture { svg, height: frame.bottom + BELOW, caption })
}

/// F23: densities of anchor and full deliberation, a row a model.
pub fn ridges(scene: &Scene<'_>) -> Drawn {
    const ROW: f64 = 74.0;
    let (base_name, other_name) = scene.pairing_names();
    let digits = scene.digits();
    let rows: Vec<(&str, [Option<&gimbal_analysis::CellSummary>; 2])> = scene
        .models()
        .map(|(model, name, _)| {
            let pair = scene.pairing(model);
            let base = pair.and_then(|(base, _)| scene.grid.cell(base, model));
            let other = pair.and_then(|(_, other)| scene.grid.cell(other, model));
            (name, [base, other].map(|cell| cell.filter(|cell| cell.episodes > 0)))
        })
        .filter(|(_, pair)| pair.iter().any(Option::is_some))
        .collect();
    if rows.is_empty() {
        return Err(format!("no model with {base_name} and {other_name}"));
    }
    let looks = [look(0), look(1)];
    let mut svg = Svg::new();
    let names = rows.iter().map(|(name, _)| width_of(name, HEAD.wide())).fold(60.0, f64::max);
    let left = (names + 22.0).min(220.0);
    let told = |cell: &gimbal_analysis::CellSummary| {
        let returns = cell.returns?;
        Some(format!("{}{}", plain(returns.mean, digits), half(returns.interval(), digits)))
    };
    let all = rows.iter().flat_map(|(_, pair)| pair.iter().flatten()).filter_map(|cell| told(cell));
    let right = WIDTH - all.map(|words| width_of(&words, NOTE.size)).fold(100.0, f64::max) - 20.0;
    let entries = [(Key::Line, looks[0], base_name.clone()), (Key::Line, looks[1], other_name.clone())];
    let top = legend(&mut svg, left, 0.0, &entries) + 14.0;
    let frame = Frame { left, top, right, bottom: top + ROW * rows.len() as f64 };
    let cells = || rows.iter().flat_map(|(_, pair)| pair.iter().flatten());
    let ends: Vec<f64> = cells().flat_map(|cell| [cell.values[0], cell.values[cell.values.len() - 1]]).collect();
    let intervals: Vec<Interval> = cells().filter_map(|cell| cell.returns?.interval()).collect();
    let x = Scale::with_intervals(&ends, &intervals, left, right);
    bottom_axis(&mut svg, frame, &x, "episode return");
    limits(&mut svg, scene, &x, frame);
    for (place, (name, pair)) in rows.iter().enumerate() {
        let base_line = top + ROW * (place as f64 + 1.0) - 24.0;
        svg.text(left - 12.0, base_line, Anchor::End, HEAD, &fit_head(name, HEAD.wide(), left - 14.0));
        svg.line((left, base_line), (right, base_line), "rule", "#c9ced6", 1.0, "");
        for (side, (cell, look)) in pair.iter().zip(looks).enumerate() {
            let Some(cell) = cell else { continue };
            // No density where nothing was seen.
            let (low, high) = (cell.values[0], cell.values[cell.values.len() - 1]);
            match density(&cell.values, (low, high)) {
                Some(points) => {
                    let mut corners: Vec<String> = points
                        .iter()
                        .map(|(at, height)| format!("{},{}", n(x.at(*at)), n(base_line - 44.0 * height)))
                        .collect();
                    corners.push(format!("{},{}", n(x.at(high)), n(base_line)));
                    corners.insert(0, format!("{},{}", n(x.at(low)), n(base_line)));
                    let dash = if look.dash.is_empty() {
                        String::new()
                    } else {
                        format!(" stroke-dasharray=\"{}\"", look.dash)
                    };
                    svg.raw(&format!(
                        "<polygon points=\"{}\" class=\"{} area\" fill=\"{}\" fill-opacity=\"0.2\" stroke=\"{}\" stroke-width=\"1.5\"{dash}/>",
                        corners.join(" "),
                        look.class,
                        look.colour,
                        look.colour
                    ));
                }
                None => {
                    for value in &cell.values {
                        mark(&mut svg, (x.at(*value), base_line - 8.0 - 12.0 * side as f64), look, side == 0);
                    }
                }
            }
            let Some(returns) = cell.returns else { continue };
            let below = base_line + 7.0 + 9.0 * side as f64;
            if let Some(ends) = returns.interval() {
                svg.whisker(&x, ends, below, (look.class, look.colour, 1.4, 3.0));
            }
            mark(&mut svg, (x.at(returns.mean), below), look, side == 0);
            let words = told(cell).unwrap_or_default();
            haloed(&mut svg, (right + 12.0, base_line - 10.0 + 15.0 * side as f64), Anchor::Start, NOTE, &words);
        }
    }
    let caption = format!(
        "Densities of the return (Gaussian kernels, Silverman's width, each scaled to the same height; single marks below five episodes). Beneath: means with {}, {base_name} above {other_name}, numbers at the right in the same order.",
        scene.interval()
    );
    Ok(Picture { svg, height: frame.bottom + BELOW, caption })
}
