//! F4, F26 to F29: what it costs.

use gimbal_analysis::profile::CellTrace;
use gimbal_analysis::{Interval, metrics, win_share};
use gimbal_view::figure::frontier;
use gimbal_view::kit::lines::{self, Series};
use gimbal_view::kit::looks::{
    BELOW, Frame, Key, Look, bottom_axis, left_axis, legend, look, mark, plain, stand, tick_words,
};
use gimbal_view::kit::panels::Panels;
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::{Scale, tick_label};
use gimbal_view::kit::scatter::{self, Dot};
use gimbal_view::kit::stacked::{self, Stack, StackPart};
use gimbal_view::kit::svg::{Anchor, INK, LABEL, RULE, SMALL, Svg, WIDTH, n, width_of, wrapped};

use super::scene::Scene;

/// F4: tokens against mean return, a panel a model, with what no other configuration beats.
pub fn frontiers(scene: &Scene<'_>) -> Drawn {
    let mut only = scene.grids.analysis.clone();
    only.comparisons.clear();
    // The same cells as in every other figure: none with faults beside the same one without.
    let ids: Vec<&str> =
        scene.grid.cells().chain(scene.grid.references.iter().copied()).map(|cell| cell.info.id.as_str()).collect();
    only.cells.retain(|cell| ids.contains(&cell.info.id.as_str()));
    let drawn = frontier::picture(&only).ok_or_else(|| "no model cell with tokens and returns".to_owned())?;
    Ok(Picture { caption: format!("{}{}", drawn.caption, gimbal_view::figure::robust(&only)), ..drawn })
}

/// F26: tokens an episode by configuration, cheapest first.
pub fn ladder(scene: &Scene<'_>) -> Drawn {
    const PITCH: f64 = 9.0;
    let mut steps: Vec<(f64, &str)> = scene
        .grid
        .configurations
        .iter()
        .filter_map(|entry| {
            let tokens: Vec<f64> =
                scene.models().filter_map(|(model, ..)| Some(scene.kilotokens(&entry.name, model)?.0)).collect();
            // Models differ by factors, so the mean is taken of the logarithms.
            let mean = metrics::mean(&tokens.iter().map(|tokens| tokens.ln()).collect::<Vec<_>>())?;
            Some((mean.exp(), entry.name.as_str()))
        })
        .collect();
    if steps.is_empty() {
        return Err("no cell with tokens".to_owned());
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut svg = Svg::new();
    let entries: Vec<(Key, Look, String)> =
        scene.models().map(|(_, name, look)| (Key::Mark, look, name.to_owned())).collect();
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let names = steps.iter().map(|(_, name)| width_of(name, LABEL.size)).fold(60.0, f64::max);
    let left = (names + 20.0).min(230.0);
    let right = WIDTH - 70.0;
    let row = PITCH * scene.grid.models.len() as f64 + 16.0;
    let frame = Frame { left, top: top + 4.0, right, bottom: top + 4.0 + row * steps.len() as f64 };
    let all = || {
        steps.iter().flat_map(|(_, name)| scene.models().filter_map(move |(model, ..)| scene.kilotokens(name, model)))
    };
    let values: Vec<f64> = all().map(|tokens| tokens.0).collect();
    let intervals: Vec<Interval> = all().filter_map(|tokens| tokens.1).collect();
    let x = Scale::amounts(&values, &intervals, left, right);
    bottom_axis(&mut svg, frame, &x, "agent tokens an episode (thousands)");
    for (place, (mean, name)) in steps.iter().enumerate() {
        let y = frame.top + row * place as f64;
        let lines = wrapped(name, LABEL.size, left - 12.0, (row / 14.0) as usize);
        stand(&mut svg, left - 10.0, y + row / 2.0, Anchor::End, LABEL, &lines);
        svg.line((x.at(*mean), y + 4.0), (x.at(*mean), y + row - 4.0), "axis", INK, 2.4, "");
        svg.text(right + 12.0, y + row / 2.0 + 4.0, Anchor::Start, SMALL, &plain(*mean, 1));
        if place > 0 {
            svg.line((0.0, y), (right, y), "rule", RULE, 0.6, "");
        }
        for (number, (model, _, look)) in scene.models().enumerate() {
            let Some((tokens, ends)) = scene.kilotokens(name, model) else { continue };
            let at = y + 8.0 + PITCH * (number as f64 + 0.5);
            if let Some(ends) = ends {
                svg.whisker(&x, ends, at, (look.class, look.colour, 1.2, 3.0));
            }
            mark(&mut svg, (x.at(tokens), at), look, true);
        }
    }
    let caption = format!(
        "Prompt and completion tokens of the agent's roles, cheapest configuration on top. Upright bar and number: geometric mean over models. Whiskers: {}{}.",
        scene.interval(),
        if x.is_logarithmic() { "; logarithmic axis" } else { "" }
    );
    Ok(Picture { svg, height: frame.bottom + BELOW, caption })
}

/// F27: prompt and completion tokens of anchor and full deliberation.
pub fn profile(scene: &Scene<'_>) -> Drawn {
    let looks = [look(0), look(1)];
    let mut stacks = Vec::new();
    for (model, name, _) in scene.models() {
        let Some((base, other)) = scene.pairing(model) else {
            continue;
        };
        for configuration in [base, other] {
            let cell = scene.grid.cell(configuration, model);
            let tokens = cell.and_then(|cell| Some((cell.tokens_in?, cell.tokens_out?, cell.tokens?)));
            let tokens = tokens.filter(|(.., all)| all.mean > 0.0);
            let (parts, remark) = tokens.map_or_else(Default::default, |(prompt, completion, all)| {
                let kilo = |tokens: f64| tokens / 1000.0;
                let ratio = metrics::prompt_completion_ratio(prompt.mean, completion.mean);
                let half = all.half_width.map(|half| format!(" ± {}", plain(kilo(half), 1))).unwrap_or_default();
                let ratio = ratio.map(|ratio| format!(", {}:1", plain(ratio, 1))).unwrap_or_default();
                let part = |size: f64, look| StackPart { size, look, words: plain(size, 1) };
                let parts = vec![part(kilo(prompt.mean), looks[0]), part(kilo(completion.mean), looks[1])];
                (parts, format!("{}{half}{ratio}", plain(kilo(all.mean), 1)))
            });
            stacks.push(Stack { group: name.to_owned(), name: configuration.to_owned(), parts, remark });
        }
    }
    if stacks.iter().all(|stack| stack.parts.is_empty()) {
        let (base, other) = scene.pairing_names();
        return Err(format!("no model with tokens of both {base} and {other}"));
    }
    let mut svg = Svg::new();
    let entries = [(Key::Bar, looks[0], "prompt".to_owned()), (Key::Bar, looks[1], "completion".to_owned())];
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let caption = format!(
        "Mean tokens an episode as called. At the right: both together, half width of the {}, and prompt tokens per completion token.",
        scene.interval()
    );
    Ok(stacked::draw(svg, &stacks, ("tokens an episode (thousands)", "total, ratio"), top, caption))
}

/// F28: tokens from the first step on, by level of deliberation, a panel a model; without trajectories, tokens by level.
pub fn growth(scene: &Scene<'_>) -> Drawn {
    let ladder = scene.protocol().ladder();
    let trace = |level: &str, model: &str| -> Option<&CellTrace> {
        scene.traces?.cell(&scene.grid.cell(level, model)?.info.id).filter(|trace| !trace.steps.is_empty())
    };
    let shown: Vec<(&str, &str)> = scene
        .models()
        .filter(|(model, ..)| ladder.iter().any(|level| trace(level, model).is_some()))
        .map(|(model, name, _)| (model, name))
        .collect();
    if shown.is_empty() {
        return by_level(scene, &ladder);
    }
    let mut svg = Svg::new();
    let entries: Vec<(Key, Look, String)> =
        ladder.iter().enumerate().map(|(place, level)| (Key::Line, look(place), (*level).to_owned())).collect();
    let top = legend(&mut svg, 62.0, 0.0, &entries);
    let confidence = scene.grids.analysis.options.confidence;
    let points = |level: &str, model: &str| -> Vec<(f64, f64, Option<Interval>)> {
        let steps = trace(level, model).map(|trace| trace.steps.as_slice()).unwrap_or_default();
        let value = |(index, step): (usize, &gimbal_analysis::profile::StepSums)| {
            let ends = step.tokens_so_far.interval(confidence);
            let kilo = ends.map(|ends| Interval { low: (ends.low / 1000.0).max(0.0), high: ends.high / 1000.0 });
            Some(((index + 1) as f64, step.tokens_so_far.mean()? / 1000.0, kilo))
        };
        steps.iter().enumerate().filter_map(value).collect()
    };
    let all = || shown.iter().flat_map(|(model, _)| ladder.iter().flat_map(|level| points(level, model)));
    let most = all().map(|point| point.1).fold(0.0, f64::max);
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let panels = Panels::new(shown.len(), 3, 190.0, top);
    for (place, (model, name)) in shown.iter().enumerate() {
        let frame = panels.frame(place);
        panels.title(&mut svg, place, name);
        let y = Scale::from_nought(most * 1.06, frame.bottom, frame.top);
        if panels.is_first(place) {
            left_axis(&mut svg, frame, &y, "tokens so far (thousands)");
        } else {
            panels.grid(&mut svg, frame, &y);
        }
        let x = Scale::from_nought(last, frame.left, frame.right - 6.0);
        let ticks: Vec<f64> = x.ticks(4).into_iter().filter(|tick| tick.fract() == 0.0).collect();
        let told = ticks.iter().map(|tick| (x.at(*tick), tick_label(*tick, &ticks)));
        tick_words(&mut svg, &told.collect::<Vec<_>>(), frame.bottom + 15.0);
        svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
        svg.text((frame.left + frame.right) / 2.0, frame.bottom + 31.0, Anchor::Middle, SMALL, "step");
        for (number, level) in ladder.iter().enumerate() {
            curve(&mut svg, &points(level, model), (&x, &y), look(number));
        }
    }
    let caption = format!(
        "Mean tokens of the agent's roles from the first step to each, over the episodes that got this far, with {} as bands. A missing line: not played.",
        scene.interval()
    );
    Ok(Picture { svg, height: panels.bottom() + BELOW, caption })
}

fn curve(svg: &mut Svg, points: &[(f64, f64, Option<Interval>)], (x, y): (&Scale, &Scale), look: Look) {
    let band: Vec<(f64, Interval)> = points.iter().filter_map(|(step, _, ends)| Some((*step, (*ends)?))).collect();
    if band.len() > 1 {
        let upper = band.iter().map(|(step, ends)| format!("{},{}", n(x.at(*step)), n(y.at(ends.high))));
        let lower = band.iter().rev().map(|(step, ends)| format!("{},{}", n(x.at(*step)), n(y.at(ends.low))));
        let corners: Vec<String> = upper.chain(lower).collect();
        svg.raw(&format!(
            "<polygon points=\"{}\" class=\"{} area\" fill=\"{}\" fill-opacity=\"0.18\" stroke=\"none\"/>",
            corners.join(" "),
            look.class,
            look.colour
        ));
    }
    let path: Vec<String> =
        points.iter().map(|(step, value, _)| format!("{},{}", n(x.at(*step)), n(y.at(*value)))).collect();
    if path.len() == 1 {
        mark(svg, (x.at(points[0].0), y.at(points[0].1)), look, true);
    } else if !path.is_empty() {
        let dash = if look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", look.dash) };
        svg.raw(&format!(
            "<polyline points=\"{}\" class=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{dash}/>",
            path.join(" "),
            look.class,
            look.colour
        ));
    }
}

/// Tokens an episode by level, a line a model.
fn by_level(scene: &Scene<'_>, ladder: &[&str]) -> Drawn {
    let series: Vec<Series> = scene
        .models()
        .map(|(model, name, look)| Series {
            name: name.to_owned(),
            look,
            points: ladder.iter().map(|level| scene.kilotokens(level, model)).collect(),
        })
        .filter(|series| series.points.iter().any(Option::is_some))
        .collect();
    if series.is_empty() {
        return Err(format!("no tokens of {}", ladder.join(", ")));
    }
    let places: Vec<String> = ladder.iter().map(|level| (*level).to_owned()).collect();
    let chart = lines::Chart {
        places: &places,
        series: &series,
        axis: "tokens an episode (thousands)",
        beneath: "level of deliberation, each on top of the one before",
        downwards: false,
        amounts: true,
        height: 320.0,
    };
    let caption = format!(
        "Mean agent tokens an episode with {}. No trajectory was read, so growth within an episode is not shown.",
        scene.interval()
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}

/// F29: how many times the anchor's tokens against how often it wins.
pub fn against_wins(scene: &Scene<'_>) -> Drawn {
    let (base_name, other_name) = scene.pairing_names();
    let dot = |(model, name, look): (&str, &str, Look)| {
        let (base, other) = scene.pairing(model)?;
        let multiplier =
            metrics::token_multiplier(scene.kilotokens(base, model)?.0, scene.kilotokens(other, model)?.0)?;
        let (first, second) = scene.grid.sides(other, base, model);
        let share = win_share(first, second, scene.grids.analysis.options.confidence)?;
        let ends = share.told().map(|ends| Interval { low: 100.0 * ends.low, high: 100.0 * ends.high });
        Some(Dot {
            x: multiplier,
            y: 100.0 * share.share,
            x_ends: None,
            y_ends: ends,
            name: name.to_owned(),
            look,
            from: None,
            open: false,
        })
    };
    let dots: Vec<Dot> = scene.models().filter_map(dot).collect();
    if dots.is_empty() {
        return Err(format!("no model with tokens and seeds in common of {base_name} and {other_name}"));
    }
    let chart = scatter::Chart {
        dots: &dots,
        x_axis: &format!("tokens of {other_name} as a multiple of {base_name}'s"),
        y_axis: &format!("pairs won by {other_name} (%)"),
        x_lines: &[1.0],
        y_lines: &[50.0],
        amounts: false,
        height: 340.0,
    };
    let caption = format!(
        "Matched by environment, task and run; ties (to 0.1) are not wins. Whiskers: {}. Dashed: as many tokens, and half of the seeds.",
        scene.share_interval()
    );
    Ok(scatter::draw(Svg::new(), &chart, 0.0, caption))
}
