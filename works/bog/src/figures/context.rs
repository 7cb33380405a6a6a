//! F2, F7 to F10: the axis of context.

use gimbal_analysis::{Interval, metrics};
use gimbal_view::kit::looks::{
    Frame, Key, QUIET, STRONG, bar, half, haloed, hatchings, left_axis, legend, look, plain, signed,
};
use gimbal_view::kit::matrix::{self, Matrix, Tile};
use gimbal_view::kit::panels::Panels;
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::rows::{self, Chart, Group, Line, Style};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, INK, MUTED, NOTE_SMALL, Svg, wrapped};

use super::scene::Scene;

/// F2: mean returns of the first axis.
pub fn heat_map(scene: &Scene<'_>) -> Drawn {
    let Some(axis) = scene.protocol().axes.first() else { return Err("no axis in its protocol".to_owned()) };
    let labels = scene.protocol().axis(&axis.name);
    let rows: Vec<String> =
        labels.iter().filter(|name| scene.grid.known().contains(name)).map(|name| (*name).to_owned()).collect();
    let means: Vec<f64> =
        rows.iter().flat_map(|row| scene.grid.models.iter().filter_map(|model| scene.grid.mean(row, model))).collect();
    if means.is_empty() {
        return Err(format!("no episode of the axis `{}` ({})", axis.name, labels.join(", ")));
    }
    let (low, high) = means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), m| (l.min(*m), h.max(*m)));
    let digits = scene.digits();
    let tiles: Vec<Vec<Option<Tile>>> = rows
        .iter()
        .map(|row| {
            let tile = |model: &String| {
                let returns = scene.returns(row, model)?;
                let share = if high > low { (returns.mean - low) / (high - low) } else { 0.5 };
                let small = format!("{} n={}", half(returns.interval(), digits).trim_start(), returns.n);
                Some(Tile { share, value: plain(returns.mean, digits), small: small.trim_start().to_owned() })
            };
            scene.grid.models.iter().map(tile).collect()
        })
        .collect();
    let matrix = Matrix {
        rows: &rows,
        columns: &scene.names,
        tiles: &tiles,
        scale: matrix::ColourScale::new(&plain(low, digits), &plain(high, digits), "mean return"),
        missing: "not played",
    };
    let caption = format!(
        "Mean episode return (lighter is higher), half width of its {}, and episodes n. Hatched: not played.",
        scene.interval()
    );
    Ok(matrix::draw(Svg::new(), &matrix, 0.0, caption))
}

/// F7: what each change of context does to the return of each model, in percent.
pub fn marginal(scene: &Scene<'_>) -> Drawn {
    let mut groups = Vec::new();
    for change in &scene.protocol().transitions {
        let lines: Vec<Line> = scene
            .models()
            .map(|(model, name, look)| {
                let value = (|| {
                    let (old, new) = (scene.grid.mean(&change.from, model)?, scene.grid.mean(&change.to, model)?);
                    let percent = metrics::marginal_percent(old, new)?;
                    // The paired difference in percent of the same old mean, set about the percentage that is shown.
                    let ends = scene.paired(&change.to, &change.from, model).and_then(|paired| {
                        let reach = 100.0 * paired.difference.half_width? / old.abs();
                        let centre = 100.0 * paired.difference.mean / old.abs();
                        Some(Interval { low: centre - reach, high: centre + reach })
                    });
                    Some((percent, ends))
                })();
                let remark = value.map(|(percent, _)| format!("{}%", signed(percent, 1))).unwrap_or_default();
                Line { name: name.to_owned(), look, value, remark }
            })
            .collect();
        if lines.iter().any(|line| line.value.is_some()) {
            groups.push(Group { name: format!("{} to {}: {}", change.from, change.to, change.change), lines });
        }
    }
    if groups.is_empty() {
        return Err("no two contexts that the protocol compares".to_owned());
    }
    let chart = Chart {
        groups,
        style: Style::Marks,
        axis: "change of the mean return, percent of the old one (right: better)".to_owned(),
        remarks: String::new(),
        top: 0.0,
    };
    let caption = format!(
        "100 × (new − old) / |old|. Whiskers: {} of the paired difference over seeds that both played, in percent of the same old mean.",
        scene.interval()
    );
    Ok(rows::draw(Svg::new(), &chart, caption))
}

/// F8: the anchor against the baseline of raw observations.
pub fn raw_penalty(scene: &Scene<'_>) -> Drawn {
    let (baseline, anchor) = (&scene.protocol().baseline, &scene.protocol().anchor);
    let digits = scene.digits();
    let groups: Vec<Group> = scene
        .models()
        .map(|(model, name, look)| {
            let paired = scene.paired(anchor, baseline, model);
            let value = paired.map(|paired| (paired.difference.mean, paired.difference.interval()));
            let means = scene.grid.mean(baseline, model).zip(scene.grid.mean(anchor, model));
            let remark = match (value, means) {
                (Some((difference, ends)), Some((from, to))) => format!(
                    "{}{} ({} to {})",
                    signed(difference, digits),
                    half(ends, digits),
                    plain(from, digits),
                    plain(to, digits)
                ),
                _ => String::new(),
            };
            Group { name: name.to_owned(), lines: vec![Line { name: String::new(), look, value, remark }] }
        })
        .collect();
    if groups.iter().all(|group| group.lines[0].value.is_none()) {
        return Err(format!("no model with both `{anchor}` and `{baseline}`"));
    }
    let chart = Chart {
        groups,
        style: Style::Bars,
        axis: format!("return of {anchor} minus {baseline} (right: structure is better)"),
        remarks: "gap (means)".to_owned(),
        top: 0.0,
    };
    let caption = format!(
        "Mean paired difference over seeds that both played, with its {} (an arrow head: it goes on).",
        scene.interval()
    );
    Ok(rows::draw(Svg::new(), &chart, caption))
}

/// F9: from raw observations to all of the context, step by step, a panel a model.
pub fn waterfall(scene: &Scene<'_>) -> Drawn {
    let chain = chain(scene);
    let shown: Vec<(&str, &str)> = scene
        .models()
        .filter(|(model, ..)| chain.iter().filter(|name| scene.mean(name, model).is_some()).count() > 1)
        .map(|(model, name, _)| (model, name))
        .collect();
    if shown.is_empty() {
        return Err(format!("no model with two of {}", chain.join(", ")));
    }
    let all = || shown.iter().flat_map(|(model, _)| chain.iter().filter_map(|name| scene.mean(name, model)));
    let values: Vec<f64> = all().map(|value| value.0).chain([0.0]).collect();
    let intervals: Vec<Interval> = all().filter_map(|value| value.1).collect();
    let digits = scene.digits();
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let (better, worse) = (look(2), look(1));
    let entries = [
        (Key::Bar, QUIET, "mean return of the first".to_owned()),
        (Key::Bar, better, "better by".to_owned()),
        (Key::Bar, worse, "worse by".to_owned()),
    ];
    let top = legend(&mut svg, 62.0, 0.0, &entries);
    let panels = Panels::new(shown.len(), 3, 210.0, top);
    for (place, (model, name)) in shown.iter().enumerate() {
        let frame = panels.frame(place);
        // Room for the numbers of the deepest and the highest bars.
        let y = Scale::with_intervals(&values, &intervals, frame.bottom - 16.0, frame.top + 20.0);
        panels.title(&mut svg, place, name);
        if panels.is_first(place) {
            left_axis(&mut svg, frame, &y, "mean return");
        } else {
            panels.grid(&mut svg, frame, &y);
        }
        steps(&mut svg, scene, model, &chain, (frame, &y), digits);
    }
    let caption = format!(
        "Grey: the return of the first that was played. Each further bar runs from the mean before to the mean with more context; whiskers: {} of the means. A missing bar was not played.",
        scene.interval()
    );
    Ok(Picture { svg, height: panels.bottom() + 44.0, caption })
}

fn steps(svg: &mut Svg, scene: &Scene<'_>, model: &str, chain: &[&str], (frame, y): (Frame, &Scale), digits: usize) {
    let width = (frame.right - frame.left) / chain.len() as f64;
    let zero = y.at(0.0);
    let mut before: Option<f64> = None;
    for (index, configuration) in chain.iter().enumerate() {
        let x = frame.left + index as f64 * width;
        let middle = x + width / 2.0;
        for (number, line) in wrapped(configuration, NOTE_SMALL.size, width - 4.0, 3).iter().enumerate() {
            svg.text(middle, frame.bottom + 15.0 + 11.0 * number as f64, Anchor::Middle, NOTE_SMALL, line);
        }
        let Some((mean, ends)) = scene.mean(configuration, model) else { continue };
        let (from, look) = match before {
            None => (zero, QUIET),
            Some(old) => (y.at(old), if mean >= old { look(2) } else { look(1) }),
        };
        let at = y.at(mean);
        bar(svg, (x + width * 0.18, at.min(from)), (width * 0.64, (at - from).abs().max(1.0)), look);
        if let Some(ends) = ends {
            svg.upright_whisker(y, ends, middle, ("axis", INK, 1.3, 3.0));
        }
        let words = before.map_or_else(|| plain(mean, digits), |old| signed(mean - old, digits));
        let above = ends.map_or(at.min(from), |ends| y.at(ends.high).min(at).min(from));
        let label = if above - 6.0 > frame.top + 10.0 {
            above - 6.0
        } else {
            ends.map_or(at.max(from), |ends| y.at(ends.low).max(at).max(from)) + 14.0
        };
        haloed(svg, (middle, label.min(frame.bottom - 3.0)), Anchor::Middle, STRONG, &words);
        before = Some(mean);
    }
    svg.line((frame.left, zero), (frame.right, zero), "axis", MUTED, 1.1, "");
}

/// From the baseline along the protocol's changes as long as each adds a switch and takes none away.
fn chain<'a>(scene: &Scene<'a>) -> Vec<&'a str> {
    let protocol = scene.protocol();
    let flags = |name: &str| {
        protocol
            .axes
            .iter()
            .flat_map(|axis| &axis.configurations)
            .find(|entry| entry.name == name)
            .map(|entry| &entry.flags)
    };
    let mut chain = vec![protocol.baseline.as_str()];
    while let Some(next) = chain.last().and_then(|last| {
        protocol.transitions.iter().filter(|change| change.from == *last).find(|change| {
            let (Some(old), Some(new)) = (flags(&change.from), flags(&change.to)) else { return false };
            old.len() < new.len() && old.iter().all(|flag| new.contains(flag))
        })
    }) {
        if chain.contains(&next.to.as_str()) {
            break;
        }
        chain.push(&next.to);
    }
    chain
}

/// F10: two contexts alone and together.
pub fn interaction(scene: &Scene<'_>) -> Drawn {
    let synergies = &scene.protocol().synergies;
    let digits = scene.digits();
    let mut groups = Vec::new();
    for synergy in synergies {
        for (model, name, _) in scene.models() {
            let parts = [&synergy.first, &synergy.second, &synergy.combined];
            let values = parts.map(|part| scene.mean(part, model));
            if values.iter().all(Option::is_none) {
                continue;
            }
            let gain = match values {
                [Some((first, _)), Some((second, _)), Some((combined, _))] => metrics::synergy(combined, first, second),
                _ => None,
            };
            let lines = parts
                .iter()
                .zip(values)
                .enumerate()
                .map(|(place, (part, value))| {
                    let mean = value.map(|(mean, ends)| format!("{}{}", plain(mean, digits), half(ends, digits)));
                    let gain = gain.filter(|_| place == 2).map(|gain| format!(", Δ {}", signed(gain, digits)));
                    Line {
                        name: (*part).clone(),
                        look: look(place),
                        value,
                        remark: format!("{}{}", mean.unwrap_or_default(), gain.unwrap_or_default()),
                    }
                })
                .collect();
            groups.push(Group { name: name.to_owned(), lines });
        }
    }
    if groups.is_empty() {
        return Err("none of the contexts whose interaction the protocol asks for".to_owned());
    }
    let chart = Chart {
        groups,
        style: Style::Marks,
        axis: "mean return".to_owned(),
        remarks: "mean, synergy Δ".to_owned(),
        top: 0.0,
    };
    let caption = format!(
        "Mean return with its {}. Δ: both together minus the better of each alone; above 0, both together are better than the better one alone.",
        scene.interval()
    );
    Ok(rows::draw(Svg::new(), &chart, caption))
}
