//! Distribution of returns by cell: every episode, quartiles, mean with its interval.

use gimbal_analysis::{Analysis, CellSummary, Interval, tables};

use super::speaker;
use crate::kit::looks::tick_words;
use crate::kit::picture::Figure;
use crate::kit::scale::{Scale, tick_label};
use crate::kit::svg::{Anchor, GRID, HEAD, INK, LABEL, MUTED, PAPER, RULE, SMALL, Svg, WIDTH, fit_head, n, width_of};

const ROW: f64 = 40.0;
const RADIUS: f64 = 2.5;
/// From so many episodes on a cell is drawn as an outline instead of single dots.
const MANY: usize = 150;

pub(super) fn draw(analysis: &Analysis) -> Option<Figure> {
    let drawn: Vec<&CellSummary> = analysis.cells.iter().filter(|cell| cell.episodes > 0).collect();
    if drawn.is_empty() {
        return None;
    }
    let several = super::environments(analysis).len() > 1;
    let group = |cell: &CellSummary| {
        let model = if cell.info.models.is_empty() { "policies".to_owned() } else { speaker(analysis, &cell.info) };
        if several { format!("{model}, {}", cell.info.environment) } else { model }
    };
    let groups = super::grouped(drawn.iter().map(|cell| group(cell)));
    let names = drawn.iter().map(|cell| width_of(&named(cell), LABEL.size)).fold(60.0, f64::max);
    let left = (names + 20.0).min(270.0);
    let right = WIDTH - 46.0;
    let values: Vec<f64> =
        drawn.iter().flat_map(|cell| cell.values.first().into_iter().chain(cell.values.last())).copied().collect();
    let intervals: Vec<Interval> = drawn.iter().filter_map(|cell| cell.returns?.interval()).collect();
    let x = Scale::with_intervals(&values, &intervals, left, right);
    let height = 22.0 + groups.len() as f64 * 24.0 + drawn.len() as f64 * ROW + 4.0;
    let mut svg = Svg::new();
    let ticks = x.ticks(8);
    for tick in &ticks {
        let at = x.at(*tick);
        svg.line((at, 20.0), (at, height), "grid", GRID, 1.0, "");
    }
    let told = ticks.iter().map(|tick| (x.at(*tick), tick_label(*tick, &ticks)));
    tick_words(&mut svg, &told.collect::<Vec<_>>(), height + 16.0);
    let limits = super::unique(drawn.iter().filter_map(|cell| cell.info.thresholds.catastrophic_below));
    if let [limit] = limits.as_slice() {
        let at = x.at(*limit as f64 / 1000.0);
        if (x.low..=x.high).contains(&(*limit as f64 / 1000.0)) {
            svg.line((at, 18.0), (at, height), "muted-line", MUTED, 1.2, "5 4");
            let above = format!("at {} or above", tick_label(*limit as f64 / 1000.0, &[*limit as f64 / 1000.0]));
            // Both words stay in the picture, the line between them where there is room.
            let from = (at + 5.0).min(WIDTH - width_of(&above, SMALL.size));
            svg.text((at - 5.0).min(from - 10.0), 14.0, Anchor::End, SMALL, "catastrophic");
            svg.text(from, 14.0, Anchor::Start, SMALL, &above);
        }
    }
    svg.line((left, height), (right, height), "rule", RULE, 1.0, "");
    svg.text((left + right) / 2.0, height + 33.0, Anchor::Middle, SMALL, "episode return");
    let mut y = 22.0;
    for (name, members) in &groups {
        svg.text(0.0, y + 15.0, Anchor::Start, HEAD, &fit_head(name, HEAD.wide(), left.max(220.0)));
        y += 24.0;
        for cell in members.iter().map(|at| drawn[*at]) {
            row(&mut svg, cell, y, (left, right), &x);
            y += ROW;
        }
    }
    let percent = analysis.options.percent();
    let title = "Distribution of returns".to_owned();
    let caption = format!(
        "One dot an episode (an outline from {MANY} episodes on). Diamond and bar: mean with its {percent}% Student t interval (an arrow head: it goes on). Box: quartiles and median, from 5 episodes on. n at the right."
    );
    Some(Figure::new("distribution", title, super::with_cut(analysis, caption), (&svg, height + 42.0)))
}

fn row(svg: &mut Svg, cell: &CellSummary, top: f64, (left, right): (f64, f64), x: &Scale) {
    let Some(returns) = cell.returns else { return };
    let name = named(cell);
    svg.text(left - 12.0, top + 19.0, Anchor::End, LABEL, &fit_head(&name, LABEL.size, left - 14.0));
    svg.text(right + 10.0, top + 19.0, Anchor::Start, SMALL, &format!("n={}", cell.episodes));
    let middle = top + 14.0;
    if cell.episodes >= 5 {
        let (low, high) = (x.at(returns.lower_quartile), x.at(returns.upper_quartile));
        svg.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\" rx=\"2\" class=\"box\" fill=\"#dfe6ef\"/>",
            n(low),
            n(middle - 11.0),
            n((high - low).max(0.8))
        ));
        svg.line((x.at(returns.median), middle - 11.0), (x.at(returns.median), middle + 11.0), "axis", MUTED, 1.6, "");
    }
    if cell.episodes < MANY {
        dots(svg, &cell.values, middle, x)
    } else {
        outline(svg, &cell.values, middle, x)
    }
    let below = top + 31.0;
    if let Some(ends) = returns.interval() {
        svg.whisker(x, ends, below, ("axis", INK, 1.6, 0.0));
    }
    let at = x.at(returns.mean);
    svg.raw(&format!(
        "<polygon points=\"{},{} {},{} {},{} {},{}\" class=\"ink ring\" fill=\"{INK}\" stroke=\"{PAPER}\" stroke-width=\"1\"/>",
        n(at - 5.0), n(below), n(at), n(below - 5.0), n(at + 5.0), n(below), n(at), n(below + 5.0)
    ));
}

/// Dots that make way for one another: each takes the free place nearest the middle line.
fn dots(svg: &mut Svg, values: &[f64], middle: f64, x: &Scale) {
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for value in values {
        let at = x.at(*value);
        let free = |offset: f64| {
            placed
                .iter()
                .rev()
                .take(60)
                .all(|dot| (dot.0 - at).powi(2) + (dot.1 - offset).powi(2) >= (1.7 * RADIUS).powi(2))
        };
        let offset = (0..14)
            .map(|step| f64::from((step + 1) / 2) * 1.5 * if step % 2 == 0 { 1.0 } else { -1.0 })
            .find(|offset| free(*offset));
        // Where a pile is full, dots lie on one another: they are half transparent, so the pile still darkens.
        placed.push((at, offset.unwrap_or(0.0)));
    }
    for (at, offset) in placed {
        svg.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"dot\" fill=\"#0061a4\" fill-opacity=\"0.62\"/>",
            n(at),
            n(middle + offset),
            n(RADIUS)
        ));
    }
}

/// A histogram mirrored about the middle line.
fn outline(svg: &mut Svg, values: &[f64], middle: f64, x: &Scale) {
    const BINS: usize = 60;
    let (Some(low), Some(high)) = (values.first(), values.last()) else { return };
    let span = (high - low).max(1e-9);
    let mut counts = [0_usize; BINS];
    for value in values {
        counts[(((value - low) / span * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let half = 12.0 * *count as f64 / most;
        let (from, to) =
            (x.at(low + span * index as f64 / BINS as f64), x.at(low + span * (index + 1) as f64 / BINS as f64));
        svg.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"dot\" fill=\"#0061a4\" fill-opacity=\"0.62\"/>",
            n(from),
            n(middle - half),
            n((to - from).max(0.6)),
            n(2.0 * half)
        ));
    }
}

fn named(cell: &CellSummary) -> String {
    let mark = tables::mark(&cell.info);
    if mark.is_empty() || mark == "policy" {
        cell.info.configuration.clone()
    } else {
        format!("{} · {mark}", cell.info.configuration)
    }
}
