//! F6, F11, F18 to F20: axes and models against one another.

use gimbal_analysis::{Interval, metrics, win_share, win_tie_loss};
use gimbal_view::kit::lines::{self, Series};
use gimbal_view::kit::looks::{Frame, Key, Look, QUIET, STRONG, half, haloed, legend, look, mark, plain};
use gimbal_view::kit::matrix::{self, Matrix, Tile};
use gimbal_view::kit::panels::Panels;
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::rows::{self, Chart, Group, Line, Style};
use gimbal_view::kit::stacked::{self, Stack, StackPart};
use gimbal_view::kit::svg::{Anchor, GRID, RULE, SMALL, Svg, n};

use super::scene::{Scene, in_percent};

/// F6: the best of each axis beside the anchor.
pub fn best_per_axis(scene: &Scene<'_>) -> Drawn {
    let protocol = scene.protocol();
    let digits = scene.digits();
    let mut groups = Vec::new();
    for (model, name, _) in scene.models() {
        let mut lines = Vec::new();
        let mut push = |title: String, configuration: Option<&str>, look: Look| {
            let value = configuration.and_then(|configuration| scene.mean(configuration, model));
            let mean = value.map(|(mean, ends)| format!("{}{}  ", plain(mean, digits), half(ends, digits)));
            let remark = mean.map(|mean| format!("{mean}{}", configuration.unwrap_or_default())).unwrap_or_default();
            lines.push(Line { name: title, look, value, remark });
        };
        push("anchor".to_owned(), Some(&protocol.anchor), QUIET);
        for (place, axis) in protocol.axes.iter().enumerate() {
            let best = scene.grid.best(&protocol.axis(&axis.name), model).map(|(name, _)| name);
            push(format!("best {}", axis.name), best, look(place));
        }
        if lines.iter().any(|line| line.value.is_some()) {
            groups.push(Group { name: name.to_owned(), lines });
        }
    }
    if groups.is_empty() {
        return Err("no configuration of the protocol".to_owned());
    }
    let chart = Chart {
        groups,
        style: Style::Bars,
        axis: "mean return".to_owned(),
        remarks: "mean, configuration".to_owned(),
        top: 0.0,
    };
    let caption = format!(
        "Mean return with its {} (an arrow head: it goes on). The best of an axis was picked after the fact, which flatters it.",
        scene.interval()
    );
    Ok(rows::draw(Svg::new(), &chart, caption))
}

/// An axis of a fingerprint: its name, and how far up the model gets with its interval.
type AxisScore = (String, Option<(f64, Option<Interval>)>);

/// F11: how far up each model gets on each axis, between the worst and the best cell of all.
pub fn fingerprints(scene: &Scene<'_>) -> Drawn {
    let axes = &scene.protocol().axes;
    let all: Vec<f64> = scene
        .protocol()
        .configurations()
        .into_iter()
        .flat_map(|name| scene.grid.models.iter().filter_map(move |model| scene.grid.mean(name, model)))
        .collect();
    let (low, high) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), mean| (l.min(*mean), h.max(*mean)));
    if all.is_empty() || high <= low || axes.is_empty() {
        return Err("no two cells of the protocol with different returns".to_owned());
    }
    let share = |value: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
    let mut svg = Svg::new();
    let panels = Panels::new(scene.grid.models.len(), 3, 178.0, 0.0);
    for (place, (model, name, look)) in scene.models().enumerate() {
        let frame = panels.frame(place);
        panels.title(&mut svg, place, name);
        let spokes: Vec<AxisScore> = axes
            .iter()
            .map(|axis| {
                let best = scene.grid.best(&scene.protocol().axis(&axis.name), model);
                let value = best.and_then(|(name, _)| scene.mean(name, model)).map(|(mean, ends)| {
                    (share(mean), ends.map(|ends| Interval { low: share(ends.low), high: share(ends.high) }))
                });
                (axis.name.clone(), value)
            })
            .collect();
        radar(&mut svg, frame, &spokes, look);
    }
    let caption = format!(
        "Best mean return of each axis, 0 at the worst and 1 at the best cell of all models; bars along the spokes: {}. A spoke without a mark: not played.",
        scene.interval()
    );
    Ok(Picture { svg, height: panels.bottom() + 26.0, caption })
}

fn radar(svg: &mut Svg, frame: Frame, spokes: &[AxisScore], look: Look) {
    let (x, y) = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0 + 12.0);
    let radius = 72.0;
    let at = |place: usize, share: f64| {
        let angle = std::f64::consts::TAU * place as f64 / spokes.len() as f64 - std::f64::consts::FRAC_PI_2;
        (x + radius * share * angle.cos(), y + radius * share * angle.sin())
    };
    for ring in [0.5, 1.0] {
        svg.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"grid\" fill=\"none\" stroke=\"{GRID}\"/>",
            n(x),
            n(y),
            n(radius * ring)
        ));
    }
    let known: Vec<(usize, f64)> =
        spokes.iter().enumerate().filter_map(|(place, spoke)| Some((place, spoke.1?.0))).collect();
    let corners: Vec<String> = known
        .iter()
        .map(|(place, share)| {
            let corner = at(*place, *share);
            format!("{},{}", n(corner.0), n(corner.1))
        })
        .collect();
    if corners.len() > 2 {
        svg.raw(&format!(
            "<polygon points=\"{}\" class=\"{} area\" fill=\"{}\" fill-opacity=\"0.22\" stroke=\"{}\" stroke-width=\"1.6\"/>",
            corners.join(" "),
            look.class,
            look.colour,
            look.colour
        ));
    }
    for (place, (name, value)) in spokes.iter().enumerate() {
        let end = at(place, 1.0);
        svg.line((x, y), end, "rule", RULE, 1.0, "");
        let name_at = at(place, 1.12);
        let (anchor, down) = match () {
            () if (name_at.0 - x).abs() < 4.0 => (Anchor::Middle, if name_at.1 < y { -1.0 } else { 11.0 }),
            () if name_at.0 > x => (Anchor::Start, 8.0),
            () => (Anchor::End, 8.0),
        };
        // Names of the lower spokes stand beneath them, so that they stay in the panel.
        let name_at = if matches!(anchor, Anchor::Middle) { name_at } else { (end.0, end.1 + 8.0) };
        let anchor = if matches!(anchor, Anchor::Middle) { anchor } else { Anchor::Middle };
        svg.text(name_at.0, name_at.1 + down, anchor, SMALL, name);
        let Some((share, ends)) = value else { continue };
        if let Some(ends) = ends {
            svg.line(at(place, ends.low), at(place, ends.high), look.class, look.colour, 3.0, "");
        }
        let point = at(place, *share);
        mark(svg, point, look, true);
        let side = if point.0 < x - 4.0 { (Anchor::End, -9.0) } else { (Anchor::Start, 9.0) };
        haloed(svg, (point.0 + side.1, point.1 + 4.0), side.0, STRONG, &plain(*share, 2));
    }
}

/// F18: who wins in matched seeds.
pub fn win_rates(scene: &Scene<'_>) -> Drawn {
    let (base_name, other_name) = scene.pairing_names();
    let looks = [look(0), QUIET, look(1)];
    let stacks: Vec<Stack> = scene
        .models()
        .map(|(model, name, _)| {
            let outcome = scene.pairing(model).map(|(base, other)| {
                let (first, second) = scene.grid.sides(other, base, model);
                win_tie_loss(first, second)
            });
            let outcome = outcome.filter(|outcome| outcome.total() > 0);
            let parts = outcome.map_or_else(Vec::new, |outcome| {
                let share = |count: u64| 100.0 * count as f64 / outcome.total() as f64;
                [outcome.losses, outcome.ties, outcome.wins]
                    .iter()
                    .zip(looks)
                    .map(|(count, look)| StackPart { size: share(*count), look, words: count.to_string() })
                    .collect()
            });
            let remark = outcome.and(scene.pairing(model)).and_then(|(base, other)| won(scene, (other, base), model));
            let remark = remark.unwrap_or_default();
            Stack { group: String::new(), name: name.to_owned(), parts, remark }
        })
        .collect();
    if stacks.iter().all(|stack| stack.parts.is_empty()) {
        return Err(format!("no model that played the same seeds with {base_name} and {other_name}"));
    }
    let mut svg = Svg::new();
    let entries = [
        (Key::Bar, looks[0], format!("{base_name} wins")),
        (Key::Bar, looks[1], "tie".to_owned()),
        (Key::Bar, looks[2], format!("{other_name} wins")),
    ];
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let caption = format!(
        "Matched by environment, task and run; returns equal after rounding to 0.1 are ties. At the right the share that {other_name} wins, with its {}.",
        scene.share_interval()
    );
    let axis = ("matched episodes (%)", format!("{other_name} wins"));
    Ok(stacked::draw(svg, &stacks, (axis.0, &axis.1), top, caption))
}

/// `74% (60 to 84)`; of too few environments without an interval.
fn won(scene: &Scene<'_>, (first, second): (&str, &str), model: &str) -> Option<String> {
    let (first, second) = scene.grid.sides(first, second, model);
    let share = win_share(first, second, scene.grids.analysis.options.confidence)?;
    let ends = share.told().map(|ends| format!(" ({} to {})", in_percent(ends.low), in_percent(ends.high)));
    Some(format!("{}%{}", in_percent(share.share), ends.unwrap_or_default()))
}

/// F19: the best configuration of every model against that of every other, environment by environment.
pub fn head_to_head(scene: &Scene<'_>) -> Drawn {
    let all = scene.protocol().configurations();
    let known = if scene.grid.known().is_empty() {
        scene.grid.configurations.iter().map(|entry| entry.name.as_str()).collect()
    } else {
        all
    };
    let best: Vec<Option<&str>> =
        scene.grid.models.iter().map(|model| scene.grid.best(&known, model).map(|(name, _)| name)).collect();
    if best.iter().flatten().count() < 2 {
        return Err("fewer than two models to set against one another".to_owned());
    }
    let rows: Vec<String> = scene
        .names
        .iter()
        .zip(&best)
        .map(|(name, best)| best.map_or_else(|| name.clone(), |best| format!("{name} · {best}")))
        .collect();
    let tiles: Vec<Vec<Option<Tile>>> = scene
        .grid
        .models
        .iter()
        .zip(&best)
        .map(|(model, mine)| {
            let versus = |(other, theirs): (&String, &Option<&str>)| {
                let (mine, theirs) = ((*mine)?, (*theirs)?);
                if model == other {
                    return None;
                }
                let outcome = win_tie_loss(scene.grid.episodes(mine, model), scene.grid.episodes(theirs, other));
                let total = outcome.total();
                (total > 0).then(|| Tile {
                    share: outcome.wins as f64 / total as f64,
                    value: format!("{}%", plain(100.0 * outcome.wins as f64 / total as f64, 0)),
                    small: format!("{}/{}/{}", outcome.wins, outcome.ties, outcome.losses),
                })
            };
            scene.grid.models.iter().zip(&best).map(versus).collect()
        })
        .collect();
    let matrix = Matrix {
        rows: &rows,
        columns: &scene.names,
        tiles: &tiles,
        scale: matrix::ColourScale::new("0%", "100%", "won by the row"),
        missing: "",
    };
    let caption = "Share of matched seeds that the row's model wins against the column's, and won/tied/lost (equal after rounding to 0.1 is a tie). Each plays the configuration with its highest mean return, picked after the fact. Hatched: itself, or no environment in common.".to_owned();
    Ok(matrix::draw(Svg::new(), &matrix, 0.0, caption))
}

/// F20: the rank of each model by its best configuration on each axis.
pub fn ranks(scene: &Scene<'_>) -> Drawn {
    let axes: Vec<(&str, Vec<&str>)> = scene
        .protocol()
        .axes
        .iter()
        .map(|axis| (axis.name.as_str(), scene.protocol().axis(&axis.name)))
        .filter(|(_, labels)| {
            labels.iter().any(|label| scene.grid.models.iter().any(|model| scene.grid.mean(label, model).is_some()))
        })
        .collect();
    if axes.is_empty() || scene.grid.models.len() < 2 {
        return Err("fewer than two models on an axis of the protocol".to_owned());
    }
    let places: Vec<Vec<Option<usize>>> = axes
        .iter()
        .map(|(_, labels)| {
            let best = |model: &String| scene.grid.best(labels, model).map(|(_, mean)| mean);
            metrics::places(&scene.grid.models.iter().map(best).collect::<Vec<_>>())
        })
        .collect();
    let series: Vec<Series> = scene
        .models()
        .enumerate()
        .map(|(number, (_, name, look))| Series {
            name: name.to_owned(),
            look,
            points: places.iter().map(|axis| axis[number].map(|place| (place as f64, None))).collect(),
        })
        .filter(|series| series.points.iter().any(Option::is_some))
        .collect();
    let names: Vec<String> = axes.iter().map(|(name, _)| (*name).to_owned()).collect();
    let chart = lines::Chart {
        places: &names,
        series: &series,
        axis: "rank (1: highest mean return)",
        beneath: "axis, by the best configuration of each model",
        downwards: true,
        amounts: false,
        height: (42.0 * series.len() as f64 + 24.0).max(192.0),
    };
    let caption = "Rank of each model by the highest mean return of an axis; equal means share the better rank. Ranks carry no interval: neighbours may be told apart by less than the spread of their means.".to_owned();
    Ok(lines::draw(Svg::new(), &chart, 0.0, caption))
}
