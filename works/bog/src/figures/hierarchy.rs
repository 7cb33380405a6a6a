//! F3, F12, F13: the hierarchy with and without deliberation.

use gimbal_analysis::metrics;
use gimbal_view::kit::lines::{self, Series};
use gimbal_view::kit::looks::{Key, half, legend, look, plain, signed};
use gimbal_view::kit::picture::Drawn;
use gimbal_view::kit::rows::{self, Chart, Group, Line, Style};
use gimbal_view::kit::svg::Svg;

use super::scene::Scene;

/// F3: mean returns of both, with the degradation ratio.
pub fn cascade(scene: &Scene<'_>) -> Drawn {
    let pair = &scene.protocol().hierarchy;
    let digits = scene.digits();
    let sides = [(&pair.plain, look(0)), (&pair.deliberating, look(1))];
    let groups: Vec<Group> = scene
        .models()
        .map(|(model, name, _)| {
            // A ratio of returns of different signs, or of gains, says nothing about degradation.
            let ratio = scene
                .grid
                .mean(&pair.plain, model)
                .zip(scene.grid.mean(&pair.deliberating, model))
                .filter(|(plain, deliberating)| *plain < 0.0 && *deliberating < 0.0)
                .and_then(|(plain, deliberating)| metrics::degradation_ratio(plain, deliberating));
            let lines = sides.iter().enumerate().map(|(place, (configuration, look))| {
                let value = scene.mean(configuration, model);
                let mean = value.map(|(mean, ends)| format!("{}{}", plain(mean, digits), half(ends, digits)));
                let ratio = ratio.filter(|_| place == 1).map(|ratio| format!(", ×{}", plain(ratio, 2)));
                let remark = format!("{}{}", mean.unwrap_or_default(), ratio.unwrap_or_default());
                Line { name: (*configuration).clone(), look: *look, value, remark }
            });
            Group { name: name.to_owned(), lines: lines.collect() }
        })
        .filter(|group: &Group| group.lines.iter().any(|line| line.value.is_some()))
        .collect();
    if groups.is_empty() {
        return Err(format!("neither `{}` nor `{}`", pair.plain, pair.deliberating));
    }
    let ratios = groups.iter().flat_map(|group| &group.lines).any(|line| line.remark.contains('×'));
    let mut svg = Svg::new();
    let entries = sides.map(|(name, look)| (Key::Bar, look, name.clone()));
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let chart = Chart {
        groups,
        style: Style::Bars,
        axis: "mean return".to_owned(),
        remarks: if ratios { "mean, degradation ratio ×" } else { "mean" }.to_owned(),
        top,
    };
    let ratio = match ratios {
        true => format!(
            " ×: mean of {} over mean of {}, where both are penalties; above 1 is worse.",
            pair.deliberating, pair.plain
        ),
        false => " No degradation ratio: returns are not negative on both sides, so that a ratio would say nothing."
            .to_owned(),
    };
    let caption = format!("Mean episode return with its {} (an arrow head: it goes on).{ratio}", scene.interval());
    Ok(rows::draw(svg, &chart, caption))
}

/// F12: from the best level of one deliberating agent to the deliberating hierarchy.
pub fn slope(scene: &Scene<'_>) -> Drawn {
    let Some(axis) = scene.ladder_axis() else { return Err("no axis of deliberation in its protocol".to_owned()) };
    let deliberating = scene.protocol().hierarchy.deliberating.as_str();
    let levels = scene.protocol().axis(axis);
    let mut picked = Vec::new();
    let series: Vec<Series> = scene
        .models()
        .filter_map(|(model, name, look)| {
            let (best, _) = scene.grid.best(&levels, model)?;
            let points = vec![scene.mean(best, model), scene.mean(deliberating, model)];
            let both = points.iter().all(Option::is_some);
            if both {
                picked.push(format!("{name}: {best}"));
            }
            both.then(|| Series { name: name.to_owned(), look, points })
        })
        .collect();
    if series.is_empty() {
        return Err(format!("no model with `{deliberating}` and one of {}", levels.join(", ")));
    }
    let chart = lines::Chart {
        places: &["one agent, its best level".to_owned(), deliberating.to_owned()],
        series: &series,
        axis: "mean return",
        beneath: "who deliberates",
        downwards: false,
        amounts: false,
        height: 300.0,
    };
    let caption = format!(
        "Mean return with its {}; a line that falls is a loss. The level was picked after the fact ({}), which flatters the left side.",
        scene.interval(),
        picked.join(", ")
    );
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}

/// F13: the paired difference of both hierarchies.
pub fn degradation(scene: &Scene<'_>) -> Drawn {
    let pair = &scene.protocol().hierarchy;
    let digits = scene.digits();
    let groups: Vec<Group> = scene
        .models()
        .map(|(model, name, look)| {
            let paired = scene.paired(&pair.deliberating, &pair.plain, model);
            let value = paired.map(|paired| (paired.difference.mean, paired.difference.interval()));
            let remark = paired
                .map(|paired| {
                    let outcome = paired.outcome;
                    format!(
                        "{}{}, {}/{}/{}",
                        signed(paired.difference.mean, digits),
                        half(paired.difference.interval(), digits),
                        outcome.wins,
                        outcome.ties,
                        outcome.losses
                    )
                })
                .unwrap_or_default();
            Group { name: name.to_owned(), lines: vec![Line { name: String::new(), look, value, remark }] }
        })
        .collect();
    if groups.iter().all(|group| group.lines[0].value.is_none()) {
        return Err(format!("no model that played the same seeds with `{}` and `{}`", pair.deliberating, pair.plain));
    }
    let chart = Chart {
        groups,
        style: Style::Bars,
        axis: format!("return of {} minus {} (left: deliberation harms)", pair.deliberating, pair.plain),
        remarks: "difference, won/tied/lost".to_owned(),
        top: 0.0,
    };
    let caption = format!(
        "Mean paired difference over seeds that both played, with its {} (an arrow head: it goes on).",
        scene.interval()
    );
    Ok(rows::draw(Svg::new(), &chart, caption))
}
