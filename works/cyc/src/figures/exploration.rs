//! cyc-f4: differences of situations met, episode by episode.

use crate::cyclic::{Exploration, Moments, exploration};
use gimbal_view::kit::looks::{BESIDE, Frame, bar, hatchings, left_axis, look, signed};
use gimbal_view::kit::panels::Panels;
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, MUTED, SMALL, Svg};

use super::Scene;

/// Panels side by side.
const SIDE: usize = 2;
/// Panels at most.
const MOST: usize = 6;

pub fn draw(scene: &Scene<'_>) -> Drawn {
    let mut panels: Vec<(String, Vec<i64>)> = Vec::new();
    for entry in scene.plain().filter(|entry| entry.measures.condition.control.is_cyclic()) {
        let condition = &entry.measures.condition;
        let Some(agent) = scene.board.agent(condition) else { continue };
        let cells = &scene.board.cycles.cells;
        let pairs = exploration(&cells[agent.place], &cells[entry.place]);
        let mut differences: Vec<i64> = pairs.iter().map(Exploration::difference).collect();
        differences.sort_unstable_by_key(|value| std::cmp::Reverse(*value));
        if !differences.is_empty() {
            panels.push((format!("{}, {}", condition.label(), scene.board.name(entry)), differences));
        }
    }
    if panels.is_empty() {
        return Err("no environment in which both ReAct and a cyclic graph counted their situations".to_owned());
    }
    let more = panels.len().saturating_sub(MOST);
    panels.truncate(MOST);
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let ends = panels.iter().flat_map(|(_, values)| values).map(|value| *value as f64).chain([-1.0, 1.0]);
    let ends: Vec<f64> = ends.collect();
    let frames = Panels::new(panels.len(), SIDE, 190.0, 2.0);
    for (place, (name, values)) in panels.iter().enumerate() {
        let frame: Frame = frames.frame(place);
        frames.title(&mut svg, place, name);
        let scale = Scale::linear(ends.iter().copied(), frame.bottom, frame.top);
        if frames.is_first(place) {
            left_axis(&mut svg, frame, &scale, "situations, cyclic − ReAct");
        } else {
            frames.grid(&mut svg, frame, &scale);
        }
        let zero = scale.at(0.0);
        let step = (frame.right - frame.left - 8.0) / values.len() as f64;
        let wide = (step * 0.8).min(26.0);
        for (number, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
            let at = scale.at(*value as f64);
            let x = frame.left + 4.0 + step * (number as f64 + 0.5) - wide / 2.0;
            bar(&mut svg, (x, at.min(zero)), (wide, (at - zero).abs()), look(usize::from(*value < 0)));
        }
        svg.line((frame.left, zero), (frame.right, zero), "axis", MUTED, 1.2, "");
        let all: Vec<f64> = values.iter().map(|value| *value as f64).collect();
        if let Some(moments) = Moments::of(&all) {
            let at = scale.at(moments.mean);
            svg.line((frame.left, at), (frame.right, at), "axis", MUTED, 1.4, "7 3");
            let words = format!("mean {} over {} seeds", signed(moments.mean, 1), values.len());
            svg.text((frame.left + frame.right) / 2.0, frame.bottom + 18.0, Anchor::Middle, SMALL, &words);
        }
    }
    let mut bottom = frames.bottom() + 30.0;
    if more > 0 {
        svg.text(BESIDE, bottom, Anchor::Start, SMALL, &format!("{more} more cells in the table cyc-exploration"));
        bottom += 16.0;
    }
    let caption = "One bar an environment that both met, sorted: distinct situations of the cyclic graph minus those of ReAct with the executor's model. Above zero the graph explored more. Dashed: mean.".to_owned();
    Ok(Picture { svg, height: bottom, caption })
}
