//! F1: what a system of this protocol is made of, drawn from the protocol and from the cells of the run.

use crate::axes::Configuration;
use gimbal_view::kit::looks::{NOTE, STRONG, look, mark};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::svg::{
    self, Anchor, GRID, HEAD, INK, LABEL, MUTED, PAPER, RULE, SMALL, Svg, Type, WIDTH, Words, fit, fit_head, n,
    width_of,
};

use super::scene::Scene;

/// F1: the way of one step through the parts, the layers, and the switches of each configuration.
pub fn architecture(scene: &Scene<'_>) -> Drawn {
    let protocol = scene.protocol();
    if protocol.axes.is_empty() {
        return Err("no axis in its protocol".to_owned());
    }
    let mut svg = Svg::new();
    svg.raw("<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 0.6L7.4 4L0 7.4Z\" class=\"ink\" fill=\"#16181d\"/></marker></defs>");
    let below = flow(&mut svg, scene);
    let below = layers(&mut svg, scene, below + 24.0);
    let height = switches(&mut svg, scene, below + 26.0);
    let caption = "One step from the left to the right: what the environment shows passes through parts without a model into a prompt; an agent decides, alone or with sub-agents; an action is checked before it is taken. Dashed: only in configurations that switch it on. Beneath: the layers, and the switches of each configuration (filled: on; a configuration in grey has no cell in this run).".to_owned();
    Ok(Picture { svg, height, caption })
}

/// Titles of the switches by what they change: what is shown, how it deliberates, who works.
struct Parts<'a> {
    blocks: Vec<&'a str>,
    deliberation: Vec<&'a str>,
    delegation: Vec<&'a str>,
}

/// A switch belongs to the first axis in which some configuration has it.
fn parts<'a>(scene: &Scene<'a>) -> Parts<'a> {
    let protocol = scene.protocol();
    let mut parts = Parts { blocks: Vec::new(), deliberation: Vec::new(), delegation: Vec::new() };
    for flag in &protocol.flags {
        let has = |entry: &Configuration| entry.flags.contains(&flag.name);
        let Some(place) = protocol.axes.iter().position(|axis| axis.configurations.iter().any(has)) else { continue };
        match place {
            0 => parts.blocks.push(&flag.title),
            1 => parts.deliberation.push(&flag.title),
            _ => parts.delegation.push(&flag.title),
        }
    }
    parts
}

struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

fn flow(svg: &mut Svg, scene: &Scene<'_>) -> f64 {
    const TOP: f64 = 26.0;
    const HIGH: f64 = 108.0;
    let parts = parts(scene);
    let boxes = [
        ("Environment", vec![scene.grid.environment.to_owned(), "observation, reward".to_owned()], 124.0, false),
        (
            "Tracker",
            vec!["belief from the".to_owned(), "agent's own view;".to_owned(), "no model".to_owned()],
            118.0,
            false,
        ),
        ("Context", parts.blocks.iter().map(|title| (*title).to_owned()).collect(), 104.0, false),
        ("Agent (ReAct)", parts.deliberation.iter().map(|title| (*title).to_owned()).collect(), 150.0, false),
        (
            "Check",
            vec!["grammar, legal".to_owned(), "actions, retries,".to_owned(), "safe fallback".to_owned()],
            124.0,
            false,
        ),
    ];
    let total: f64 = boxes.iter().map(|entry| entry.2).sum();
    let gap = (WIDTH - 4.0 - total) / (boxes.len() - 1) as f64;
    svg.text(0.0, 14.0, Anchor::Start, HEAD, "One step");
    let mut x = 2.0;
    let mut places: Vec<Place> = Vec::new();
    for (title, lines, width, _) in &boxes {
        let place = Place { x, y: TOP, width: *width, height: HIGH };
        draw_box(svg, &place, title, lines, false);
        places.push(place);
        x += width + gap;
    }
    let middle = TOP + HIGH / 2.0;
    for pair in places.windows(2) {
        arrow(svg, &[(pair[0].x + pair[0].width, middle), (pair[1].x, middle)], false);
    }
    // Sub-agents beneath the agent, where the protocol has any.
    let agent = &places[3];
    let mut bottom = TOP + HIGH;
    if !parts.delegation.is_empty() {
        let y = TOP + HIGH + 44.0;
        let lane = ["Analyst", "Chooser"];
        let lines = [["assesses one", "subject"], ["ranks up to", "three actions"]];
        let each = 104.0;
        let left = agent.x + agent.width / 2.0 - each - 8.0;
        for (place, (name, lines)) in lane.iter().zip(lines).enumerate() {
            let spot = Place { x: left + place as f64 * (each + 16.0), y, width: each, height: 62.0 };
            draw_box(svg, &spot, name, &lines.map(str::to_owned), true);
            let centre = spot.x + each / 2.0;
            arrow_both(svg, (centre.clamp(agent.x + 10.0, agent.x + agent.width - 10.0), TOP + HIGH), (centre, y));
        }
        let words = format!("switched on by: {}", parts.delegation.join(", "));
        svg.text(left - 12.0, y + 34.0, Anchor::End, SMALL, &fit_head(&words, SMALL.size, left - 30.0));
        bottom = y + 62.0;
    }
    // The action returns to the environment beneath everything.
    let (check, environment) = (&places[4], &places[0]);
    let back = bottom + 18.0;
    arrow(
        svg,
        &[
            (check.x + check.width / 2.0, TOP + HIGH),
            (check.x + check.width / 2.0, back),
            (environment.x + environment.width / 2.0, back),
            (environment.x + environment.width / 2.0, TOP + HIGH),
        ],
        false,
    );
    svg.text(environment.x + environment.width / 2.0 + 10.0, back - 6.0, Anchor::Start, SMALL, "action");
    back + 4.0
}

fn draw_box(svg: &mut Svg, place: &Place, title: &str, lines: &[String], dashed: bool) {
    let dash = if dashed { " stroke-dasharray=\"5 3\"" } else { "" };
    svg.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" class=\"card\" fill=\"#f4f6f9\" stroke=\"{INK}\" stroke-width=\"1.2\"{dash}/>",
        n(place.x),
        n(place.y),
        n(place.width),
        n(place.height)
    ));
    let centre = place.x + place.width / 2.0;
    svg.text(centre, place.y + 19.0, Anchor::Middle, HEAD, &fit(title, HEAD.wide(), place.width - 8.0));
    let room = ((place.height - 26.0) / 14.0) as usize;
    for (index, line) in lines.iter().take(room).enumerate() {
        let words = fit(line, NOTE.size, place.width - 8.0);
        svg.text(centre, place.y + 37.0 + 14.0 * index as f64, Anchor::Middle, NOTE, &words);
    }
}

fn arrow(svg: &mut Svg, corners: &[(f64, f64)], both: bool) {
    let points: Vec<String> = corners.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect();
    let start = if both { " marker-start=\"url(#head)\"" } else { "" };
    svg.raw(&format!(
        "<polyline points=\"{}\" class=\"axis\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.3\" marker-end=\"url(#head)\"{start}/>",
        points.join(" ")
    ));
}

fn arrow_both(svg: &mut Svg, from: (f64, f64), to: (f64, f64)) {
    arrow(svg, &[from, to], true);
}

fn layers(svg: &mut Svg, scene: &Scene<'_>, top: f64) -> f64 {
    let layers = &scene.protocol().layers;
    if layers.is_empty() {
        return top - 20.0;
    }
    svg.text(0.0, top, Anchor::Start, HEAD, "Layers");
    let mut y = top + 10.0;
    for layer in layers {
        let room = WIDTH - 134.0;
        let muted = Type { fill: MUTED, ..SMALL };
        let mut lines: Vec<(Type, Words)> = Vec::new();
        for (style, words) in [
            (NOTE, layer.parts.clone()),
            (NOTE, layer.does.clone()),
            (muted, format!("a study sets: {}", layer.configured_by)),
        ] {
            lines.extend(svg::lines(&words, style.size, room).into_iter().map(|line| (style, line)));
        }
        let height = 14.0 * lines.len() as f64 + 11.0;
        svg.raw(&format!(
            "<rect x=\"1\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"card\" fill=\"#f4f6f9\" stroke=\"{GRID}\"/>",
            n(y),
            n(WIDTH - 2.0),
            n(height)
        ));
        svg.text(12.0, y + 17.0, Anchor::Start, STRONG, &fit(&layer.name, STRONG.wide(), 100.0));
        for (index, (style, line)) in lines.iter().enumerate() {
            svg.text(118.0, y + 17.0 + 14.0 * index as f64, Anchor::Start, *style, line);
        }
        y += height + 6.0;
    }
    y
}

fn switches(svg: &mut Svg, scene: &Scene<'_>, top: f64) -> f64 {
    const ROW: f64 = 20.0;
    let protocol = scene.protocol();
    svg.text(0.0, top, Anchor::Start, HEAD, "Switches of each configuration");
    let names = protocol.configurations().iter().map(|name| width_of(name, LABEL.size)).fold(60.0, f64::max);
    let left = (names + 24.0).min(220.0) + 12.0;
    let step = ((WIDTH - left) / protocol.flags.len().max(1) as f64).min(84.0);
    let column = |place: usize| left + step * (place as f64 + 0.5);
    let mut y = top + 22.0;
    for (place, flag) in protocol.flags.iter().enumerate() {
        // In turns on two heights: titles are longer than the columns are wide.
        let down = if place % 2 == 0 { 0.0 } else { 14.0 };
        let title = fit(&flag.title, SMALL.size, 2.0 * step - 12.0);
        let half = width_of(&title, SMALL.size) / 2.0;
        svg.text(column(place).min(WIDTH - half), y + down, Anchor::Middle, SMALL, &title);
    }
    y += 24.0;
    for (number, axis) in protocol.axes.iter().enumerate() {
        svg.line((0.0, y), (WIDTH, y), "rule", RULE, 0.8, "");
        for entry in &axis.configurations {
            let played = scene.grid.configurations.iter().any(|known| known.name == entry.name);
            let middle = y + ROW / 2.0;
            let style = if played { LABEL } else { SMALL };
            svg.text(left - 18.0, middle + 4.0, Anchor::End, style, &fit_head(&entry.name, LABEL.size, left - 22.0));
            for (place, flag) in protocol.flags.iter().enumerate() {
                let at = (column(place), middle);
                if entry.flags.contains(&flag.name) {
                    mark(svg, at, look(number), played);
                } else {
                    svg.raw(&format!(
                        "<circle cx=\"{}\" cy=\"{}\" r=\"1.6\" class=\"grid\" fill=\"{RULE}\" stroke=\"{PAPER}\"/>",
                        n(at.0),
                        n(at.1)
                    ));
                }
            }
            y += ROW;
        }
    }
    y + 6.0
}
