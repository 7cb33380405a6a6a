//! Heat map: configurations by models, mean return.

use std::collections::BTreeMap;

use gimbal_analysis::{Analysis, CellSummary, tables};

use super::{environments, shown, speaker};
use crate::kit::picture::Figure;
use crate::kit::svg::{Anchor, HEAD, LABEL, SMALL, Svg, Type, WIDTH, Words, fit, fit_head, n, width_of};
use crate::kit::{colour, tiles, unique};

const ROW: f64 = 46.0;
const HEADER: f64 = 36.0;
const BAR: f64 = 62.0;

/// One block for each environment; below it the policies that spend no tokens.
pub(super) fn draw(analysis: &Analysis) -> Option<Figure> {
    let means: Vec<f64> = analysis.cells.iter().filter_map(|cell| Some(cell.returns?.mean)).collect();
    let (low, high) =
        means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), mean| (l.min(*mean), h.max(*mean)));
    if means.is_empty() {
        return None;
    }
    let digits = tables::return_digits(analysis);
    let names = analysis.cells.iter().map(|cell| width_of(&cell.info.configuration, LABEL.size)).fold(60.0, f64::max);
    let left = (names + 18.0).min(250.0);
    let share = |mean: f64| if high > low { (mean - low) / (high - low) } else { 0.5 };
    let mut svg = Svg::new();
    tiles::hatch_gaps(&mut svg);
    let mut y = 8.0;
    let all = environments(analysis);
    for environment in &all {
        let cells: Vec<&CellSummary> =
            analysis.cells.iter().filter(|cell| cell.info.environment == **environment).collect();
        if all.len() > 1 {
            svg.text(0.0, y + 12.0, Anchor::Start, HEAD, &fit(environment, HEAD.wide(), WIDTH));
            y += 22.0;
        }
        let (models, policies): (Vec<&CellSummary>, Vec<&CellSummary>) =
            cells.into_iter().partition(|cell| !cell.info.models.is_empty());
        let columns = unique(models.iter().map(|cell| speaker(analysis, &cell.info)));
        // Few models leave the right half free: policies go there.
        let beside = !policies.is_empty() && !models.is_empty() && columns.len() <= 2;
        let room = if beside { WIDTH - 2.0 * left } else { WIDTH - left };
        let width = (room / (columns.len() + usize::from(beside)).max(1) as f64).min(150.0);
        let paint = |svg: &mut Svg, cell: Option<&CellSummary>, x: f64, y: f64| {
            let look = cell.and_then(|cell| cell.returns).map(|returns| colour::sequential(share(returns.mean)));
            tile(svg, cell, look, (x, y, width), digits);
        };
        let top = y;
        if !models.is_empty() {
            for (index, column) in columns.iter().enumerate() {
                heading(&mut svg, column, left + (index as f64 + 0.5) * width, y, width - 8.0);
            }
            y += HEADER;
            // Cells are many: each is named once, and the first of a name counts.
            let mut named: BTreeMap<(&str, String), &CellSummary> = BTreeMap::new();
            for cell in &models {
                let name = (cell.info.configuration.as_str(), speaker(analysis, &cell.info));
                named.entry(name).or_insert(cell);
            }
            for configuration in unique(models.iter().map(|cell| cell.info.configuration.as_str())) {
                svg.text(
                    left - 10.0,
                    y + ROW / 2.0 + 4.0,
                    Anchor::End,
                    LABEL,
                    &fit(configuration, LABEL.size, left - 14.0),
                );
                for (index, column) in columns.iter().enumerate() {
                    let found = named.get(&(configuration, column.clone())).copied();
                    paint(&mut svg, found, left + index as f64 * width, y);
                }
                y += ROW;
            }
        }
        if !policies.is_empty() {
            let bottom = y;
            let x = if beside { 2.0 * left + columns.len() as f64 * width } else { left };
            y = if beside { top } else { y + if models.is_empty() { 0.0 } else { 10.0 } };
            heading(&mut svg, "policies/without a model", x + width / 2.0, y, width + 60.0);
            y += HEADER;
            for policy in policies {
                svg.text(
                    x - 10.0,
                    y + ROW / 2.0 + 4.0,
                    Anchor::End,
                    LABEL,
                    &fit(&policy.info.configuration, LABEL.size, left - 14.0),
                );
                paint(&mut svg, Some(policy), x, y);
                y += ROW;
            }
            y = y.max(bottom);
        }
        y += 16.0;
    }
    let ends = (shown(low, digits), shown(high, digits));
    tiles::colour_bar(&mut svg, (left, y + 4.0), 220.0, (&ends.0, &ends.1), "mean return");
    let percent = analysis.options.percent();
    let title = "Mean return by configuration and model".to_owned();
    let caption = format!(
        "Mean episode return (higher is better; lighter is higher), half width of its {percent}% Student t interval, and number of episodes n. Hatched: nothing played. One scale for the whole figure."
    );
    Some(Figure::new("heatmap", title, super::with_cut(analysis, caption), (&svg, y + BAR)))
}

/// A column's name; `vendor/model` takes two lines.
fn heading(svg: &mut Svg, name: &str, x: f64, y: f64, room: f64) {
    match name.rsplit_once('/') {
        Some((vendor, model)) => {
            svg.text(x, y + 11.0, Anchor::Middle, SMALL, &fit(vendor, SMALL.size, room));
            svg.text(x, y + 26.0, Anchor::Middle, LABEL, &fit_head(model, LABEL.size, room));
        }
        None => svg.text(x, y + 26.0, Anchor::Middle, LABEL, &fit_head(name, LABEL.size, room)),
    }
}

fn tile(
    svg: &mut Svg,
    cell: Option<&CellSummary>,
    look: Option<(String, &'static str)>,
    (x, y, width): (f64, f64, f64),
    digits: usize,
) {
    let rect = |svg: &mut Svg, fill: &str| {
        svg.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\"/>",
            n(x + 1.5),
            n(y + 1.5),
            n(width - 3.0),
            n(ROW - 3.0)
        ));
    };
    let centre = x + width / 2.0;
    let (Some(cell), Some((colour, ink))) = (cell, look) else {
        rect(svg, "url(#gap)");
        if cell.is_some() {
            svg.text(centre, y + ROW / 2.0 + 4.0, Anchor::Middle, SMALL, "no episodes");
        }
        return;
    };
    rect(svg, &colour);
    let Some(returns) = cell.returns else { return };
    let on_tile = |size: f64, bold: bool| Type { size, bold, class: "tile", fill: ink };
    svg.text(centre, y + 20.0, Anchor::Middle, on_tile(14.0, true), &shown(returns.mean, digits));
    let half = returns.half_width.map(|half| format!("±{} · ", shown(half, digits))).unwrap_or_default();
    let mark = tables::mark(&cell.info);
    let mark = if mark.is_empty() || mark == "policy" { String::new() } else { format!(" · {mark}") };
    // A mark is never left out for want of room before the interval is.
    let lines = [format!("{half}n={}{mark}", cell.episodes), format!("n={}{mark}", cell.episodes)];
    let small = on_tile(10.5, false);
    let room = width - 6.0;
    let line = lines.iter().find(|line| width_of(line, small.size) <= room);
    let line =
        line.cloned().map(Words::from).unwrap_or_else(|| fit(&format!("n={}{mark}", cell.episodes), small.size, room));
    svg.text(centre, y + 35.0, Anchor::Middle, small, &line);
}
