//! cyc-f2: success, success per call and calls, task-specific graphs above benchmark-generic ones.

use crate::cyclic::Entry;
use crate::cyclic::{Control, Moments};
use gimbal_view::kit::looks::{BELOW, Frame, Key, Look, NOTE, bar, bottom_axis, hatchings, legend, look, plain, stand};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, HEAD, INK, SMALL, Svg, WIDTH, width_of, wrapped};

use super::Scene;

const ROW: f64 = 22.0;
const GAP: f64 = 58.0;

/// A column: axis, digits, value with its spread.
type Measure = (&'static str, usize, fn(&Entry<'_>) -> Option<(f64, f64)>);

const MEASURES: [Measure; 3] = [
    ("success rate SR (%)", 1, |entry| spread(entry.measures.success)),
    ("SR per tool call (% a call)", 1, |entry| entry.measures.success_to_calls.map(|value| (value, 0.0))),
    ("tool calls of won episodes TC", 1, |entry| spread(entry.measures.won.calls)),
];

fn spread(moments: Option<Moments>) -> Option<(f64, f64)> {
    moments.map(|moments| (moments.mean, moments.population_sd))
}

const CONTROLS: [Control; 5] = [Control::Spec, Control::Gen, Control::Cyclic, Control::React, Control::Dag];

fn look_of(control: Control) -> Look {
    look(CONTROLS.iter().position(|known| *known == control).unwrap_or(CONTROLS.len()))
}

pub fn draw(scene: &Scene<'_>) -> Drawn {
    let entries: Vec<Entry<'_>> = scene.plain().collect();
    let regime = |wanted: &[Control]| -> Vec<Entry<'_>> {
        let own = |entry: &&Entry<'_>| wanted.contains(&entry.measures.condition.control);
        entries.iter().filter(own).copied().collect()
    };
    let baselines = regime(&[Control::React, Control::Dag]);
    let blocks: Vec<(&str, Vec<Entry<'_>>)> = [
        ("Task-specific graphs (Spec-Cyc)", regime(&[Control::Spec])),
        ("Benchmark-generic graphs (Gen-Cyc)", regime(&[Control::Gen])),
        ("Graphs of unknown origin", regime(&[Control::Cyclic])),
    ]
    .into_iter()
    .filter(|(_, own)| !own.is_empty())
    .collect();
    if blocks.is_empty() {
        return Err("no cell of cyclic control without faults".to_owned());
    }
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let met =
        CONTROLS.into_iter().filter(|control| entries.iter().any(|entry| entry.measures.condition.control == *control));
    let keys: Vec<(Key, Look, String)> =
        met.map(|control| (Key::Bar, look_of(control), control.title().to_owned())).collect();
    let mut top = legend(&mut svg, 0.0, 0.0, &keys) + 20.0;
    let name = |entry: &Entry<'_>| {
        let condition = &entry.measures.condition;
        let mut name = scene.board.name(*entry);
        if matches!(condition.control, Control::React | Control::Dag) {
            name = format!("{} {name}", condition.control.title());
        }
        if condition.specialists {
            name.push_str(", spec.");
        }
        if condition.shots > 0 {
            name.push_str(&format!(", {}-shot", condition.shots));
        }
        name
    };
    let names = entries.iter().map(|entry| width_of(&name(entry), NOTE.size)).fold(60.0, f64::max);
    let left = (names + 14.0).min(200.0);
    let row_high = if names + 14.0 > left { ROW + 6.0 } else { ROW };
    let wide = (WIDTH - left - 2.0 * GAP - 44.0) / 3.0;
    // One scale a measure, so that both regimes compare.
    let most = |value: fn(&Entry<'_>) -> Option<(f64, f64)>| {
        entries.iter().filter_map(value).map(|(mean, sd)| mean + sd).fold(0.0, f64::max)
    };
    for (title, own) in &blocks {
        svg.text(0.0, top, Anchor::Start, HEAD, *title);
        let rows: Vec<Entry<'_>> = own.iter().chain(&baselines).copied().collect();
        let frame_top = top + 10.0;
        let bottom = frame_top + rows.len() as f64 * row_high + 4.0;
        for (row, entry) in rows.iter().enumerate() {
            let y = frame_top + (row as f64 + 0.5) * row_high + 2.0;
            stand(&mut svg, left - 10.0, y, Anchor::End, NOTE, &wrapped(&name(entry), NOTE.size, left - 12.0, 2));
        }
        for (column, (axis, digits, value)) in MEASURES.iter().enumerate() {
            let from = left + column as f64 * (wide + GAP);
            let frame = Frame { left: from, top: frame_top, right: from + wide, bottom };
            let scale = Scale::from_nought(most(*value), frame.left, frame.right);
            bottom_axis(&mut svg, frame, &scale, axis);
            for (row, entry) in rows.iter().enumerate() {
                let y = frame_top + (row as f64 + 0.5) * row_high + 2.0;
                let Some((mean, sd)) = value(entry) else {
                    svg.text(frame.left + 5.0, y + 4.0, Anchor::Start, SMALL, "none won");
                    continue;
                };
                let at = scale.at(mean);
                bar(
                    &mut svg,
                    (frame.left, y - 7.0),
                    (at - frame.left, 14.0),
                    look_of(entry.measures.condition.control),
                );
                if sd > 0.0 {
                    let ends = (scale.at((mean - sd).max(0.0)), scale.at(mean + sd));
                    svg.line((ends.0, y), (ends.1, y), "paper-line", "#ffffff", 3.0, "");
                    svg.line((ends.0, y), (ends.1, y), "axis", INK, 1.4, "");
                }
                svg.text(frame.right + 5.0, y + 4.0, Anchor::Start, SMALL, &plain(mean, *digits));
            }
        }
        top = bottom + BELOW + 26.0;
    }
    let caption = "Names: planner/executor/router, one name where all are the same. Whiskers: one population SD, of SR over runs, of TC over won episodes. SR per call: SR in percent over TC.".to_owned();
    Ok(Picture { svg, height: top - 22.0, caption })
}
