//! Paired differences against the baseline with their intervals.

use gimbal_analysis::{Analysis, CellInfo, Comparison, Interval, tables};

use super::{shown, speaker};
use crate::kit::looks::tick_words;
use crate::kit::picture::Figure;
use crate::kit::scale::{Scale, tick_label};
use crate::kit::svg::{Anchor, GRID, HEAD, INK, LABEL, MUTED, PAPER, RULE, SMALL, Svg, WIDTH, fit_head, n, width_of};

const ROW: f64 = 26.0;
const RIGHT: f64 = 168.0;

pub(super) fn draw(analysis: &Analysis) -> Option<Figure> {
    let drawn: Vec<&Comparison> = analysis.comparisons.iter().filter(|entry| entry.paired.is_some()).collect();
    if drawn.is_empty() {
        return None;
    }
    let several = super::environments(analysis).len() > 1;
    let group = |entry: &Comparison| {
        let (cell, against) = (&analysis.cells[entry.cell].info, &analysis.cells[entry.against].info);
        let model = speaker(analysis, if cell.models.is_empty() { against } else { cell });
        let place = if several { format!(", {}", cell.environment) } else { String::new() };
        format!("{model}{place}: minus {}", against.configuration)
    };
    let groups = super::grouped(drawn.iter().map(|entry| group(entry)));
    let names =
        drawn.iter().map(|entry| width_of(&named(&analysis.cells[entry.cell].info), LABEL.size)).fold(60.0, f64::max);
    let left = (names + 20.0).min(270.0);
    let means: Vec<f64> = drawn.iter().filter_map(|entry| Some(entry.paired?.difference.mean)).collect();
    let intervals: Vec<Interval> = drawn.iter().filter_map(|entry| entry.paired?.difference.interval()).collect();
    let digits = tables::return_digits(analysis);
    let with_zero: Vec<f64> = means.iter().copied().chain(std::iter::once(0.0)).collect();
    let x = Scale::with_intervals(&with_zero, &intervals, left, WIDTH - RIGHT);
    let height = groups.len() as f64 * 26.0 + drawn.len() as f64 * ROW + 12.0;
    let mut svg = Svg::new();
    let ticks = x.ticks(7);
    for tick in &ticks {
        let at = x.at(*tick);
        svg.line((at, 20.0), (at, height), "grid", GRID, 1.0, "");
    }
    let told = ticks.iter().map(|tick| (x.at(*tick), tick_label(*tick, &ticks)));
    tick_words(&mut svg, &told.collect::<Vec<_>>(), height + 16.0);
    svg.line((x.at(0.0), 20.0), (x.at(0.0), height), "axis", MUTED, 1.3, "");
    svg.line((left, height), (WIDTH - RIGHT, height), "rule", RULE, 1.0, "");
    svg.text(
        (left + WIDTH - RIGHT) / 2.0,
        height + 33.0,
        Anchor::Middle,
        SMALL,
        "difference in return (right: better than the baseline)",
    );
    svg.text(WIDTH - RIGHT + 14.0, 14.0, Anchor::Start, SMALL, "difference");
    svg.text(WIDTH, 14.0, Anchor::End, SMALL, "won/tied/lost");
    let mut y = 0.0;
    for (name, members) in &groups {
        svg.text(0.0, y + 14.0, Anchor::Start, HEAD, &fit_head(name, HEAD.wide(), WIDTH - RIGHT));
        y += 26.0;
        for entry in members.iter().map(|at| &drawn[*at]) {
            row(&mut svg, analysis, entry, (y + ROW / 2.0 - 2.0, left), &x, digits);
            y += ROW;
        }
    }
    let percent = analysis.options.percent();
    let title = "Paired differences against the baseline".to_owned();
    let caption = format!(
        "Mean difference over seeds that both played, with its {percent}% Student t interval (an arrow head: it goes on). Filled: the interval excludes zero, before any correction for asking {} times.",
        drawn.len()
    );
    Some(Figure::new("differences", title, super::with_cut(analysis, caption), (&svg, height + 42.0)))
}

fn row(svg: &mut Svg, analysis: &Analysis, entry: &Comparison, (y, left): (f64, f64), x: &Scale, digits: usize) {
    let Some(paired) = entry.paired else { return };
    let info = &analysis.cells[entry.cell].info;
    let name = named(info);
    svg.text(left - 12.0, y + 4.0, Anchor::End, LABEL, &fit_head(&name, LABEL.size, left - 14.0));
    if let Some(ends) = paired.difference.interval() {
        svg.whisker(x, ends, y, ("axis", INK, 1.6, 4.0));
    }
    let (class, fill) = if paired.excludes_zero == Some(true) { ("ink", INK) } else { ("paper", PAPER) };
    svg.raw(&format!(
        "<circle cx=\"{}\" cy=\"{}\" r=\"4.6\" class=\"{class} ring\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.6\"/>",
        n(x.at(paired.difference.mean)), n(y)
    ));
    let half = paired.difference.half_width.map(|half| format!(" ± {}", shown(half, digits))).unwrap_or_default();
    let plus = if paired.difference.mean > 0.0 { "+" } else { "" };
    svg.text(
        WIDTH - RIGHT + 14.0,
        y + 4.0,
        Anchor::Start,
        LABEL,
        &format!("{plus}{}{half}", shown(paired.difference.mean, digits)),
    );
    let record = paired.outcome;
    svg.text(WIDTH, y + 4.0, Anchor::End, LABEL, &format!("{}/{}/{}", record.wins, record.ties, record.losses));
}

fn named(info: &CellInfo) -> String {
    let mark = tables::mark(info);
    if mark.is_empty() { info.configuration.clone() } else { format!("{} · {mark}", info.configuration) }
}
