//! cyc-f1: nodes on an ellipse, transitions as wide as they were used.

use std::collections::{BTreeMap, BTreeSet};

use crate::cyclic::{CellCycles, Graph, Use};
use gimbal_view::kit::labels::Box2;
use gimbal_view::kit::looks::{Key, NOTE, QUIET, STRONG, haloed, legend, look};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::svg::{Anchor, INK, PAPER, RULE, SMALL, Svg, WIDTH, fit, n, width_of};

use super::Scene;

/// More nodes than this are drawn as numbers, with their names beneath.
const NAMED: usize = 12;
/// More nodes than this are left out.
const MOST: usize = 40;
/// Transitions that carry their count.
const COUNTED: usize = 16;

/// Where a node is, and half its size.
#[derive(Clone, Copy)]
struct Spot {
    at: (f64, f64),
    half: (f64, f64),
}

pub fn draw(scene: &Scene<'_>) -> Drawn {
    let (cell, graph, uses) = chosen(scene).ok_or_else(|| "no episode that walked over a graph".to_owned())?;
    let most = uses.values().map(|used| used.all).max().unwrap_or(1).max(1);
    let (names, left_out) = nodes(graph, &uses);
    let (count, numbered) = (names.len(), names.len() > NAMED);
    let mut svg = Svg::new();
    let entries = [
        (Key::Line, look(0), "taken, also in won episodes".to_owned()),
        (Key::Line, look(1), "taken in lost episodes only".to_owned()),
        (Key::Line, QUIET, "never taken".to_owned()),
    ];
    let top = legend(&mut svg, 0.0, 0.0, &entries);
    let (rx, ry) = if count > 8 { (270.0, 190.0) } else { (235.0, 140.0) };
    let middle = (WIDTH / 2.0, top + ry + 66.0);
    let half = if numbered { (13.0, 13.0) } else { ((1050.0 / count.max(1) as f64).clamp(44.0, 78.0), 14.0) };
    let spot = |place: usize| {
        let turn = std::f64::consts::TAU * place as f64 / count as f64 - std::f64::consts::FRAC_PI_2;
        Spot { at: (middle.0 + rx * turn.cos(), middle.1 + ry * turn.sin()), half }
    };
    let place_of: BTreeMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    // Ways that were never taken lie beneath: one line for two subtasks, where at least one of the directions was not.
    let mut untaken: BTreeSet<(usize, usize)> = BTreeSet::new();
    for edge in graph.edges.iter().filter(|edge| !uses.contains_key(&(edge.from.clone(), edge.to.clone()))) {
        if let Some((&from, &to)) = place_of.get(edge.from.as_str()).zip(place_of.get(edge.to.as_str())) {
            untaken.insert((from.min(to), from.max(to)));
        }
    }
    for (from, to) in untaken {
        if from == to {
            let (data, _) = round(spot(from), middle);
            svg.raw(&format!(
                "<path d=\"{data}\" fill=\"none\" class=\"grid\" stroke=\"{RULE}\" stroke-width=\"0.8\" stroke-dasharray=\"{}\"/>",
                QUIET.dash
            ));
        } else {
            svg.line(spot(from).at, spot(to).at, "grid", RULE, 0.8, QUIET.dash);
        }
    }
    let mut ways: Vec<(&(String, String), &Use)> = uses.iter().collect();
    ways.sort_by_key(|(way, used)| (std::cmp::Reverse(used.all), *way));
    let mut labels: Vec<((f64, f64), u64)> = Vec::new();
    // Numbers cover neither one another nor a subtask.
    let mut taken: Vec<Box2> = (0..count).map(|place| around(spot(place).at, spot(place).half)).collect();
    for ((from, to), used) in ways {
        let Some((&start, &end)) = place_of.get(from.as_str()).zip(place_of.get(to.as_str())) else { continue };
        let places = if start == end {
            vec![own_loop(&mut svg, spot(start), middle, used, most)]
        } else {
            arrow(&mut svg, spot(start), spot(end), used, most)
        };
        let wide = width_of(&used.all.to_string(), STRONG.wide()) / 2.0 + 1.5;
        let free = |at: &(f64, f64)| !taken.iter().any(|area| area.overlaps(&around(*at, (wide, 6.5))));
        if let Some(at) = places.into_iter().find(free).filter(|_| labels.len() < COUNTED) {
            taken.push(around(at, (wide, 6.5)));
            labels.push((at, used.all));
        }
    }
    for (place, name) in names.iter().enumerate() {
        let entry = *name == graph.entry;
        node(&mut svg, spot(place), if numbered { (place + 1).to_string() } else { (*name).to_owned() }, entry);
    }
    for (at, count) in labels {
        haloed(&mut svg, (at.0, at.1 + 4.0), Anchor::Middle, STRONG, &count.to_string());
    }
    let mut bottom = middle.1 + ry + 66.0;
    if numbered {
        for (place, name) in names.iter().enumerate() {
            let (column, row) = (place % 3, place / 3);
            let words = fit(&format!("{}  {name}", place + 1), NOTE.size, WIDTH / 3.0 - 12.0);
            svg.text(column as f64 * WIDTH / 3.0, bottom + 16.0 * row as f64, Anchor::Start, NOTE, &words);
        }
        bottom += 16.0 * count.div_ceil(3) as f64;
    }
    if left_out > 0 {
        svg.text(0.0, bottom, Anchor::Start, SMALL, &format!("{left_out} subtasks that were used less are left out"));
        bottom += 18.0;
    }
    let taken: u64 = uses.values().map(|used| used.all).sum();
    let stays: u64 = uses.iter().filter(|((from, to), _)| from == to).map(|(_, used)| used.all).sum();
    let caption = format!(
        "Graph {} of {} ({}): {} subtasks, {taken} routing decisions, {stays} of them self-loops, {} of {} transitions taken. The heavy frame is the entry; width and number: how often a transition was taken; dashed: in no won episode.",
        graph.id,
        cell.info.configuration,
        cell.condition.models(),
        graph.nodes.len(),
        uses.len(),
        graph.edges.len().max(uses.len()),
    );
    Ok(Picture { svg, height: bottom, caption })
}

type Uses = BTreeMap<(String, String), Use>;

/// The graph of this environment over which most decisions were taken.
fn chosen<'s>(scene: &'s Scene<'_>) -> Option<(&'s CellCycles, &'s Graph, Uses)> {
    let mut best: Option<(u64, &CellCycles, &Graph)> = None;
    for entry in scene.entries().filter(|entry| entry.measures.condition.control.is_cyclic()) {
        let cell = &scene.board.cycles.cells[entry.place];
        for (id, graph) in &cell.graphs {
            let of = cell.transitions.iter().filter(|(way, _)| way.graph == *id);
            let taken: u64 = of.map(|(_, used)| used.all).sum();
            if taken > 0 && best.is_none_or(|(most, _, _)| taken > most) {
                best = Some((taken, cell, graph));
            }
        }
    }
    let (_, cell, graph) = best?;
    let own = cell.transitions.iter().filter(|(way, _)| way.graph == graph.id);
    Some((cell, graph, own.map(|(way, used)| ((way.from.clone(), way.to.clone()), *used)).collect()))
}

/// Names in the order of the graph, those that are used most where there are too many; how many are left out.
fn nodes<'g>(graph: &'g Graph, uses: &Uses) -> (Vec<&'g str>, usize) {
    let used = |name: &str| -> u64 {
        uses.iter().filter(|((from, to), _)| from == name || to == name).map(|(_, used)| used.all).sum()
    };
    let mut order: Vec<(usize, &str)> = graph.nodes.iter().map(|node| node.name.as_str()).enumerate().collect();
    order.sort_by_key(|(place, name)| (std::cmp::Reverse(used(name)), *place));
    order.truncate(MOST);
    order.sort_unstable();
    (order.into_iter().map(|(_, name)| name).collect(), graph.nodes.len().saturating_sub(MOST))
}

fn node(svg: &mut Svg, spot: Spot, name: String, entry: bool) {
    let ((x, y), (wide, high)) = (spot.at, spot.half);
    let width = if entry { 2.6 } else { 1.2 };
    svg.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\" class=\"paper axis\" fill=\"{PAPER}\" stroke=\"{INK}\" stroke-width=\"{width}\"/>",
        n(x - wide),
        n(y - high),
        n(2.0 * wide),
        n(2.0 * high)
    ));
    let style = if entry { STRONG } else { NOTE };
    svg.text(x, y + 4.0, Anchor::Middle, style, &fit(&name, style.wide(), 2.0 * wide - 8.0));
}

/// Look and width of a way.
fn stroke(used: &Use, most: u64) -> (gimbal_view::kit::looks::Look, f64) {
    (look(usize::from(used.won == 0)), 1.0 + 5.0 * used.all as f64 / most as f64)
}

fn path(svg: &mut Svg, data: &str, used: &Use, most: u64) {
    let (look, width) = stroke(used, most);
    let dash = if used.won == 0 { " stroke-dasharray=\"6 3\"" } else { "" };
    svg.raw(&format!(
        "<path d=\"{data}\" fill=\"none\" class=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{dash}/>",
        look.class,
        look.colour,
        n(width)
    ));
}

fn head(svg: &mut Svg, (x, y): (f64, f64), angle: f64, used: &Use, most: u64) {
    let (look, width) = stroke(used, most);
    let (long, wide) = (8.0 + width, 3.5 + 0.6 * width);
    let back = (x - long * angle.cos(), y - long * angle.sin());
    let side = (wide * -angle.sin(), wide * angle.cos());
    let points = [(x, y), (back.0 + side.0, back.1 + side.1), (back.0 - side.0, back.1 - side.1)];
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect();
    svg.raw(&format!(
        "<polygon points=\"{}\" class=\"{} solid\" fill=\"{}\"/>",
        points.join(" "),
        look.class,
        look.colour
    ));
}

/// The box about a point.
fn around((x, y): (f64, f64), (wide, high): (f64, f64)) -> Box2 {
    Box2 { left: x - wide, top: y - high, right: x + wide, bottom: y + high }
}

/// A bent arrow, so that both directions show; returns where its number may stand, the best place first.
fn arrow(svg: &mut Svg, from: Spot, to: Spot, used: &Use, most: u64) -> Vec<(f64, f64)> {
    let (dx, dy) = (to.at.0 - from.at.0, to.at.1 - from.at.1);
    let long = dx.hypot(dy).max(1.0);
    let bend = (0.13 * long).min(34.0);
    let control =
        ((from.at.0 + to.at.0) / 2.0 - bend * 2.0 * dy / long, (from.at.1 + to.at.1) / 2.0 + bend * 2.0 * dx / long);
    let start = border(from, control);
    let end = border(to, control);
    path(
        svg,
        &format!("M{} {}Q{} {} {} {}", n(start.0), n(start.1), n(control.0), n(control.1), n(end.0), n(end.1)),
        used,
        most,
    );
    head(svg, end, (end.1 - control.1).atan2(end.0 - control.0), used, most);
    // A little before the middle, where the two directions are farthest from other arrows of the same node.
    let along = |t: f64, a: f64, b: f64, c: f64| (1.0 - t).powi(2) * a + 2.0 * t * (1.0 - t) * b + t * t * c;
    let at = |t: f64| (along(t, start.0, control.0, end.0), along(t, start.1, control.1, end.1));
    [0.42, 0.34, 0.5, 0.27, 0.58, 0.66].map(at).to_vec()
}

/// Where the line from a node's middle towards a point leaves its frame.
fn border(spot: Spot, towards: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (towards.0 - spot.at.0, towards.1 - spot.at.1);
    let scale = [(dx, spot.half.0), (dy, spot.half.1)]
        .into_iter()
        .filter(|(delta, _)| delta.abs() > 1e-9)
        .map(|(delta, half)| half / delta.abs())
        .fold(f64::INFINITY, f64::min);
    let scale = if scale.is_finite() { scale } else { 0.0 };
    (spot.at.0 + dx * scale, spot.at.1 + dy * scale)
}

/// A loop on the outer side of a node; returns where its number is.
fn own_loop(svg: &mut Svg, spot: Spot, middle: (f64, f64), used: &Use, most: u64) -> (f64, f64) {
    let (data, side) = round(spot, middle);
    let edge = spot.at.1 + side * spot.half.1;
    path(svg, &data, used, most);
    head(svg, (spot.at.0 + 11.0, edge), (-side * 40.0).atan2(-14.0), used, most);
    (spot.at.0, edge + side * 30.0)
}

/// The line of such a loop, and on which side it lies: -1 above, 1 below.
fn round(spot: Spot, middle: (f64, f64)) -> (String, f64) {
    let side = if spot.at.1 <= middle.1 { -1.0 } else { 1.0 };
    let edge = spot.at.1 + side * spot.half.1;
    let (left, right, far) = (spot.at.0 - 11.0, spot.at.0 + 11.0, edge + side * 40.0);
    let data = format!(
        "M{} {}C{} {} {} {} {} {}",
        n(left),
        n(edge),
        n(left - 14.0),
        n(far),
        n(right + 14.0),
        n(far),
        n(right),
        n(edge)
    );
    (data, side)
}
