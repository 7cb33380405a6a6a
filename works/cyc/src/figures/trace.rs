//! cyc-f5 to cyc-f8: one episode as a timeline of segments by node, with faults, loops and the end.

use crate::cyclic::detect::Signal;
use crate::cyclic::{Act, CellCycles, Effect, Sample, SampleKind, Segment};
use gimbal_analysis::Stop;
use gimbal_view::kit::looks::{
    Frame, Key, Look, NOTE, QUIET, STRONG, haloed, hatchings, legend, look, mark, tick_words,
};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, GRID, HEAD, INK, MUTED, PAPER, RULE, SMALL, Svg, WIDTH, fit, n, width_of};

use super::Scene;

const ROW: f64 = 30.0;
const BAR: f64 = 14.0;
const LINE: f64 = 16.0;
/// Segments of the list beneath.
const LISTED: usize = 14;

/// How a call looks.
fn look_of(effect: Effect) -> Look {
    match effect {
        Effect::New => look(0),
        Effect::Back => look(1),
        Effect::Nothing | Effect::Rejected => QUIET,
    }
}

pub fn draw(scene: &Scene<'_>, kind: SampleKind) -> Drawn {
    let found = scene.entries().filter_map(|entry| {
        let cell = &scene.board.cycles.cells[entry.place];
        cell.samples.get(&kind).map(|sample| (cell, sample))
    });
    let mut best: Option<(&CellCycles, &Sample)> = None;
    for (cell, sample) in found {
        if best.is_none_or(|(_, known)| sample.score > known.score) {
            best = Some((cell, sample));
        }
    }
    let (cell, sample) = best.ok_or_else(|| kind.missing().to_owned())?;
    Ok(picture(cell, sample))
}

/// Where a segment lies along the calls of its episode. One without a call has a little room of its own.
fn spans(segments: &[Segment]) -> Vec<(f64, f64)> {
    let mut at = 0.0;
    let each = segments.iter().map(|segment| {
        let from = at;
        at += f64::from(segment.calls).max(0.4);
        (from, at)
    });
    each.collect()
}

fn picture(cell: &CellCycles, sample: &Sample) -> Picture {
    let walk = &sample.trajectory;
    let segments = &walk.segments;
    let mut names: Vec<&str> = Vec::new();
    if let Some(graph) = walk.graph() {
        names.extend(graph.nodes.iter().map(|node| node.name.as_str()));
    }
    names.retain(|name| segments.iter().any(|segment| segment.node == *name));
    for segment in segments {
        if !names.contains(&segment.node.as_str()) {
            names.push(&segment.node);
        }
    }
    let mut svg = Svg::new();
    hatchings(&mut svg);
    let fault = look(3);
    let entries = [
        (Key::Bar, look_of(Effect::New), "call to a new state".to_owned()),
        (Key::Bar, look_of(Effect::Back), "back to a state seen".to_owned()),
        (Key::Bar, look_of(Effect::Nothing), "without effect or refused".to_owned()),
        (Key::Mark, fault, "fault diverts the router".to_owned()),
    ];
    let top = legend(&mut svg, 0.0, 0.0, &entries) + 16.0;
    let signals_shown = sample.findings.iter().map(|finding| width_of(finding.signal.key(), SMALL.size));
    let widest = names.iter().map(|name| width_of(name, NOTE.size)).chain(signals_shown).fold(60.0, f64::max);
    let left = (widest + 16.0).min(190.0);
    let spans = spans(segments);
    let total = spans.last().map_or(1.0, |span| span.1);
    let end = end_words(walk.won, walk.stop);
    let right = WIDTH - (width_of(&end, STRONG.wide()) + 26.0).clamp(60.0, 150.0);
    let frame = Frame { left, top, right, bottom: top + ROW * names.len() as f64 };
    let scale = Scale::from_nought(total, left, right);
    calls_axis(&mut svg, frame, &scale, segments, &spans);
    let row = |name: &str| {
        let place = names.iter().position(|known| *known == name).unwrap_or(0);
        top + ROW * (place as f64 + 0.5)
    };
    for name in &names {
        let y = row(name);
        svg.line((left, y + ROW / 2.0), (right, y + ROW / 2.0), "grid", GRID, 1.0, "");
        svg.text(left - 10.0, y + 4.0, Anchor::End, NOTE, &fit(name, NOTE.size, left - 12.0));
    }
    for (place, segment) in segments.iter().enumerate() {
        let (from, to) = spans[place];
        let y = row(&segment.node);
        stay(&mut svg, &scale, (from, to), y, segment);
        let x = scale.at(to);
        if let Some(next) = segments.get(place + 1) {
            let faulted = segment.routed.as_ref().is_some_and(|routed| routed.faulted);
            let colour = if faulted { fault.colour } else { INK };
            let class = if faulted { fault.class } else { "axis" };
            let dash = if faulted { "4 2" } else { "" };
            let other = row(&next.node);
            if next.node == segment.node {
                svg.raw(&format!(
                    "<path d=\"M{} {}c-10 -13 10 -13 0 0\" fill=\"none\" class=\"{class}\" stroke=\"{colour}\" stroke-width=\"1.4\"/>",
                    n(x),
                    n(y - BAR / 2.0)
                ));
            } else {
                let side = if other > y { 1.0 } else { -1.0 };
                svg.line((x, y + side * BAR / 2.0), (x, other - side * BAR / 2.0), class, colour, 1.3, dash);
            }
            if faulted {
                mark(&mut svg, (x, (y + other) / 2.0), fault, true);
            }
            if segment.routed.as_ref().is_some_and(|routed| !routed.valid) {
                haloed(&mut svg, (x, y - BAR / 2.0 - 3.0), Anchor::Middle, STRONG, "?");
            }
        } else {
            svg.line((x, y - BAR), (x, y + BAR), "axis", INK, 2.4, "");
            let words = fit(&end, STRONG.wide(), WIDTH - x - 8.0);
            svg.text(x + 6.0, y + 4.0, Anchor::Start, STRONG, &words);
        }
    }
    let mut y = frame.bottom + 50.0;
    y = signals(&mut svg, sample, &scale, &spans, (left, y));
    y = list(&mut svg, segments, y + 6.0);
    let faults = segments.iter().filter(|segment| segment.routed.as_ref().is_some_and(|routed| routed.faulted)).count();
    let faults = if faults > 0 { format!(", {faults} diverted decisions") } else { String::new() };
    let caption = format!(
        "Task {}, run {} of {} ({}, {}): {end}, {} segments, {} tool calls{faults}. Each box is a call at the subtask of its row; a small loop is a self-loop, `?` a choice that names no subtask.",
        walk.task,
        walk.run,
        cell.info.configuration_label(),
        cell.condition.label(),
        cell.condition.models(),
        segments.len(),
        walk.tool_calls,
    );
    Picture { svg, height: y, caption }
}

fn end_words(won: bool, stop: Stop) -> String {
    if won { "won".to_owned() } else { format!("lost ({})", stop.name().replace('_', " ")) }
}

/// An axis that counts calls: a segment without a call has room, and no part in the count.
fn calls_axis(svg: &mut Svg, frame: Frame, scale: &Scale, segments: &[Segment], spans: &[(f64, f64)]) {
    // Where the call of that number ends.
    let at = |number: u32| {
        let mut before = 0;
        for (segment, (from, to)) in segments.iter().zip(spans) {
            if number <= before + segment.calls && segment.calls > 0 {
                return from + (to - from) * f64::from(number - before) / f64::from(segment.calls);
            }
            before += segment.calls;
        }
        spans.last().map_or(0.0, |span| span.1)
    };
    let calls: u32 = segments.iter().map(|segment| segment.calls).sum();
    let wanted = (((frame.right - frame.left) / 80.0) as usize).clamp(2, 8);
    let even = Scale::from_nought(f64::from(calls), frame.left, frame.right);
    let ticks = even.ticks(wanted).into_iter().filter(|tick| tick.fract() == 0.0).map(|tick| tick as u32);
    let mut told = Vec::new();
    for number in ticks.filter(|number| *number <= calls) {
        let x = scale.at(at(number));
        svg.line((x, frame.top), (x, frame.bottom), "grid", GRID, 1.0, "");
        told.push((x, number.to_string()));
    }
    tick_words(svg, &told, frame.bottom + 15.0);
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
    let middle = (frame.left + frame.right) / 2.0;
    svg.text(middle, frame.bottom + 32.0, Anchor::Middle, SMALL, "tool calls since the start");
}

/// A segment: a frame with a box for every call.
fn stay(svg: &mut Svg, scale: &Scale, (from, to): (f64, f64), y: f64, segment: &Segment) {
    let (x, end) = (scale.at(from), scale.at(to));
    svg.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\" rx=\"2\" class=\"paper axis\" fill=\"{PAPER}\" stroke=\"{INK}\" stroke-width=\"1\"/>",
        n(x),
        n(y - BAR / 2.0),
        n((end - x).max(1.0))
    ));
    // Calls that the journal does not tell apart leave their part of the frame empty.
    let wide = (end - x) / f64::from(segment.calls).max(segment.acts.len() as f64).max(1.0);
    for (place, act) in segment.acts.iter().enumerate() {
        let look = look_of(act.effect);
        let fill = if look.hatch == 0 { look.colour.to_owned() } else { format!("url(#hatch-{})", look.hatch) };
        svg.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"0.8\"/>",
            n(x + wide * place as f64 + 0.6),
            n(y - BAR / 2.0 + 2.0),
            n((wide - 1.2).max(0.4)),
            n(BAR - 4.0),
            if look.hatch == 0 { format!("{} solid", look.class) } else { "hatched".to_owned() },
            look.colour
        ));
    }
}

/// What was found, as bars beneath the timeline; returns where the next thing may begin.
fn signals(svg: &mut Svg, sample: &Sample, scale: &Scale, spans: &[(f64, f64)], (left, top): (f64, f64)) -> f64 {
    let segments = &sample.trajectory.segments;
    let place = |index: u32| segments.iter().position(|segment| segment.index == index);
    let mut y = top;
    for signal in Signal::ALL {
        let own: Vec<_> = sample.findings.iter().filter(|finding| finding.signal == signal).collect();
        if own.is_empty() {
            continue;
        }
        svg.text(left - 10.0, y + 4.0, Anchor::End, SMALL, signal.key());
        for finding in own {
            let Some((first, last)) = place(finding.first).zip(place(finding.last)) else { continue };
            let (from, to) = (scale.at(spans[first].0), scale.at(spans[last].1));
            svg.line((from + 1.0, y), ((to - 1.0).max(from + 2.0), y), "axis", MUTED, 4.0, "");
        }
        y += LINE;
    }
    y
}

/// The segments in words: node, calls, what was called, where control went.
fn list(svg: &mut Svg, segments: &[Segment], top: f64) -> f64 {
    let columns = [0.0, 30.0, 180.0, 226.0, 590.0];
    svg.line((0.0, top), (WIDTH, top), "rule", RULE, 1.0, "");
    let mut y = top + LINE;
    for (x, words) in columns.into_iter().zip(["#", "subtask", "calls", "what was called", "router chose"]) {
        svg.text(x, y, Anchor::Start, HEAD, words);
    }
    for segment in segments.iter().take(LISTED) {
        y += LINE;
        let routed = segment.routed.as_ref().map_or_else(
            || "–".to_owned(),
            |routed| match (routed.valid, routed.faulted) {
                (false, _) => format!("? stays at {}", routed.to),
                (_, true) => format!("{}, diverted to {}", routed.wanted, routed.to),
                _ => routed.to.clone(),
            },
        );
        let acts = told(&segment.acts);
        let cells = [segment.index.to_string(), segment.node.clone(), segment.calls.to_string(), acts, routed];
        let rooms = [26.0, 146.0, 40.0, 358.0, WIDTH - 592.0];
        for ((x, words), room) in columns.into_iter().zip(cells).zip(rooms) {
            svg.text(x, y, Anchor::Start, NOTE, &fit(&words, NOTE.size, room));
        }
    }
    if segments.len() > LISTED {
        y += LINE;
        svg.text(30.0, y, Anchor::Start, SMALL, &format!("and {} segments more", segments.len() - LISTED));
    }
    y + 10.0
}

/// Calls in a line; the same call again and again is told once.
fn told(acts: &[Act]) -> String {
    let mut parts: Vec<(String, u32)> = Vec::new();
    for act in acts {
        let words = act.shown();
        match parts.last_mut().filter(|(last, _)| *last == words) {
            Some((_, count)) => *count += 1,
            None => parts.push((words, 1)),
        }
    }
    let told = parts.into_iter().map(|(words, count)| if count > 1 { format!("{words} ×{count}") } else { words });
    told.collect::<Vec<String>>().join("; ")
}
