//! Frontier: tokens against mean return, intervals on both axes, a panel for each model and decoding.
//!
//! The axes of an environment's panels fit its models: a policy that plays far better or worse would squeeze them flat,
//! so it is named at the edge with its value.

use gimbal_analysis::{Analysis, CellSummary, Interval};

use crate::kit::labels::{Box2, Obstacles, place};
use crate::kit::looks::{Look, look, mark, name_beneath, tick_words};
use crate::kit::picture::{Figure, Picture};
use crate::kit::scale::{Scale, tick_label};
use crate::kit::svg::{
    Anchor, GRID, HEAD, INK, LABEL, MUTED, PAPER, RULE, SMALL, Svg, Type, WIDTH, Words, fit, fit_head, n, width_of,
};
use crate::kit::unique;

const GAP: f64 = 26.0;
const AXIS: f64 = 60.0;
/// Most room for the names of policies.
const MARGIN: f64 = 200.0;
/// Half the length of the bar at an interval's end.
const CAP: f64 = 3.5;
const NAME: Type = Type { size: 11.0, bold: false, class: "ink", fill: INK };

/// One model under one decoding on one environment.
struct Panel<'a> {
    title: String,
    environment: &'a str,
    cells: Vec<&'a CellSummary>,
    policies: Vec<&'a CellSummary>,
}

/// Where a panel is drawn.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

pub(super) fn draw(analysis: &Analysis) -> Option<Figure> {
    let Picture { svg, height, caption } = picture(analysis)?;
    let title = "Return against tokens".to_owned();
    Some(Figure::new("frontier", title, super::with_cut(analysis, caption), (&svg, height)))
}

/// The picture, its height and how to read it; `None` without a model cell that has tokens and returns.
pub fn picture(analysis: &Analysis) -> Option<Picture> {
    let panels = panels(analysis);
    let points = || panels.iter().flat_map(|panel| &panel.cells);
    points().next()?;
    let axes = unique(points().map(|cell| cell.info.axis.as_deref()));
    let series =
        |cell: &CellSummary| series_look(axes.iter().position(|axis| *axis == cell.info.axis.as_deref()).unwrap_or(0));
    let names = panels.iter().flat_map(|panel| &panel.policies).map(|cell| width_of(&beyond_name(cell), SMALL.size));
    let longest = names.fold(0.0, f64::max);
    let has_policies = longest > 0.0;
    let margin = if has_policies { (longest + 14.0).min(MARGIN) } else { 12.0 };
    let rows = rows(&panels);
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(1);
    let width = (WIDTH - AXIS - margin - GAP * (columns - 1) as f64) / columns as f64;
    let height = if columns == 1 { 340.0 } else { 264.0 };
    let mut svg = Svg::new();
    let mut top = legend(&mut svg, &axes);
    let (mut logarithmic, mut outside) = (false, false);
    for row in &rows {
        let extent = Extent::of(&panels, row.first().map_or("", |panel| panel.environment));
        let mut beneath = 0.0_f64;
        for (column, panel) in row.iter().enumerate() {
            let left = AXIS + column as f64 * (width + GAP);
            let frame = Frame { left, top: top + 24.0, right: left + width, bottom: top + 24.0 + height };
            let (x, y) = extent.scales(frame);
            svg.text(left, top + 14.0, Anchor::Start, HEAD, &fit_head(&panel.title, HEAD.wide(), width));
            grid(&mut svg, frame, &x, &y, column == 0);
            outside |= policies(&mut svg, panel, frame, &y, column + 1 == row.len() && has_policies);
            let unnamed = draw_panel(&mut svg, panel, frame, (&x, &y), &series);
            logarithmic |= x.is_logarithmic();
            let room = name_beneath(&mut svg, &unnamed, (frame.left, frame.right), frame.bottom + 48.0);
            beneath = beneath.max(room);
        }
        top += 24.0 + height + 46.0 + beneath;
    }
    let percent = analysis.options.percent();
    let caption = format!(
        "Mean return against agent tokens an episode{}; whiskers are {percent}% Student t intervals on both axes (an arrow head: the interval goes on; none to be seen: it is smaller than the mark). The stepped line joins configurations that no other of the same model and decoding beats on both. Open marks: scripted, noisy expert, reader or plumbing rows, no evidence about models. {}",
        if logarithmic { " (logarithmic)" } else { "" },
        match (has_policies, outside) {
            (false, _) => "",
            (true, false) => "Dashed lines: policies that spend no tokens.",
            (true, true) =>
                "Dashed lines: policies that spend no tokens; a triangle at the edge: one that lies beyond, with its mean.",
        }
    );
    Some(Picture { svg, height: top, caption: format!("{}{}", caption.trim_end(), unplayed(analysis)) })
}

/// Models that have cells and no point, since no episode of theirs counts or none has tokens.
fn unplayed(analysis: &Analysis) -> String {
    let drawn = |cell: &CellSummary| cell.returns.is_some() && kilotokens(cell).is_some();
    let speakers = |wanted: bool| {
        unique(
            analysis
                .cells
                .iter()
                .filter(|cell| !cell.info.models.is_empty() && (drawn(cell) || !wanted))
                .map(|cell| super::speaker(analysis, &cell.info)),
        )
    };
    let shown = speakers(true);
    let missing: Vec<String> = speakers(false).into_iter().filter(|name| !shown.contains(name)).collect();
    if missing.is_empty() {
        String::new()
    } else {
        format!(" Not drawn, since no episode with tokens counts: {}.", missing.join(", "))
    }
}

fn panels(analysis: &Analysis) -> Vec<Panel<'_>> {
    let several = super::environments(analysis).len() > 1;
    // Where the fallback played, return and tokens are not a point of the model's.
    let drawable = |cell: &&CellSummary| cell.returns.is_some() && kilotokens(cell).is_some() && !cell.hardly_acted();
    let keys = unique(
        analysis
            .cells
            .iter()
            .filter(|cell| !cell.info.models.is_empty())
            .filter(drawable)
            .map(|cell| (&cell.info.environment, &cell.info.models, cell.info.decoding)),
    );
    let mut panels: Vec<Panel<'_>> = keys
        .into_iter()
        .map(|(environment, models, decoding)| {
            let here: Vec<&CellSummary> =
                analysis.cells.iter().filter(|cell| cell.info.environment == *environment).collect();
            let cells: Vec<&CellSummary> = here
                .iter()
                .copied()
                .filter(|cell| cell.info.models == *models && cell.info.decoding == decoding)
                .filter(drawable)
                .collect();
            let name = cells.first().map(|cell| super::speaker(analysis, &cell.info)).unwrap_or_default();
            Panel {
                environment,
                title: if several { format!("{name}, {environment}") } else { name },
                policies: here
                    .into_iter()
                    .filter(|cell| cell.info.models.is_empty() && cell.returns.is_some())
                    .collect(),
                cells,
            }
        })
        .collect();
    // Panels of one environment stand together, in the order in which the environments come.
    let order = unique(panels.iter().map(|panel| panel.environment));
    panels.sort_by_key(|panel| order.iter().position(|name| *name == panel.environment));
    panels
}

/// Panels of one environment, which share their axes, at most two side by side.
fn rows<'a, 'b>(panels: &'b [Panel<'a>]) -> Vec<&'b [Panel<'a>]> {
    panels.chunk_by(|one, next| one.environment == next.environment).flat_map(|group| group.chunks(2)).collect()
}

/// What the axes of an environment must hold.
struct Extent {
    returns: (Vec<f64>, Vec<Interval>),
    tokens: (Vec<f64>, Vec<Interval>),
}

impl Extent {
    fn of(panels: &[Panel<'_>], environment: &str) -> Self {
        let cells = || panels.iter().filter(|panel| panel.environment == environment).flat_map(|panel| &panel.cells);
        Self {
            returns: (
                cells().filter_map(|cell| Some(cell.returns?.mean)).collect(),
                cells().filter_map(|cell| cell.returns?.interval()).collect(),
            ),
            tokens: (
                cells().filter_map(|cell| Some(kilotokens(cell)?.0)).collect(),
                cells().filter_map(|cell| kilotokens(cell)?.1).collect(),
            ),
        }
    }

    fn scales(&self, frame: Frame) -> (Scale, Scale) {
        (
            Scale::amounts(&self.tokens.0, &self.tokens.1, frame.left + 4.0, frame.right - 4.0),
            Scale::with_intervals(&self.returns.0, &self.returns.1, frame.bottom - 4.0, frame.top + 4.0),
        )
    }
}

/// The name of a policy that lies beyond the axis, with its mean.
fn beyond_name(cell: &CellSummary) -> String {
    let mean = cell.returns.map_or(0.0, |returns| returns.mean);
    format!("{} · {}", cell.info.configuration, crate::escape::minus(&format!("{mean:.1}")))
}

/// Mean and interval of tokens an episode, in thousands; `None` without tokens.
fn kilotokens(cell: &CellSummary) -> Option<(f64, Option<Interval>)> {
    let tokens = cell.tokens.filter(|tokens| tokens.mean > 0.0)?;
    let ends = tokens.interval().map(|ends| Interval { low: ends.low / 1000.0, high: ends.high / 1000.0 });
    Some((tokens.mean / 1000.0, ends))
}

/// The look of an axis by its place; past the fourth they repeat.
fn series_look(place: usize) -> Look {
    look(place % 4)
}

fn legend(svg: &mut Svg, axes: &[Option<&str>]) -> f64 {
    if axes.len() < 2 {
        return 4.0;
    }
    let (mut x, mut y) = (AXIS, 12.0);
    for (index, axis) in axes.iter().enumerate() {
        let name = fit(axis.unwrap_or("other"), LABEL.size, 160.0);
        let width = 16.0 + width_of(&name, LABEL.size) + 22.0;
        if x > AXIS && x + width > WIDTH {
            (x, y) = (AXIS, y + 20.0);
        }
        mark(svg, (x + 5.0, y), series_look(index), true);
        svg.text(x + 16.0, y + 4.0, Anchor::Start, LABEL, &name);
        x += width;
    }
    y + 18.0
}

fn grid(svg: &mut Svg, frame: Frame, x: &Scale, y: &Scale, first: bool) {
    let (ticks_x, ticks_y) = (x.ticks(5), y.ticks(6));
    for tick in &ticks_y {
        let at = y.at(*tick);
        svg.line((frame.left, at), (frame.right, at), "grid", GRID, 1.0, "");
        if first {
            svg.text(frame.left - 7.0, at + 4.0, Anchor::End, SMALL, &tick_label(*tick, &ticks_y));
        }
    }
    for tick in &ticks_x {
        let at = x.at(*tick);
        svg.line((at, frame.bottom), (at, frame.bottom + 4.0), "rule", RULE, 1.0, "");
    }
    let told = ticks_x.iter().map(|tick| (x.at(*tick), tick_label(*tick, &ticks_x)));
    tick_words(svg, &told.collect::<Vec<_>>(), frame.bottom + 16.0);
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
    svg.text(
        (frame.left + frame.right) / 2.0,
        frame.bottom + 32.0,
        Anchor::Middle,
        SMALL,
        "tokens an episode (thousands)",
    );
    if first {
        let (at_x, at_y) = (frame.left - AXIS + 12.0, (frame.top + frame.bottom) / 2.0);
        svg.raw(&format!(
            "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" font-size=\"{}\" class=\"muted\" fill=\"{MUTED}\">mean return</text>",
            n(at_x), n(at_y), n(SMALL.size)
        ));
    }
}

/// Dashed lines for policies, named in the right margin with names kept apart. One that lies beyond the axis has a
/// triangle at the edge and its mean beside its name. Returns whether there is such a one.
fn policies(svg: &mut Svg, panel: &Panel<'_>, frame: Frame, y: &Scale, named: bool) -> bool {
    let mut lines: Vec<(f64, &CellSummary)> =
        panel.policies.iter().filter_map(|cell| Some((cell.returns?.mean, *cell))).collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut below = f64::NEG_INFINITY;
    let room = frame.bottom - 13.0 * lines.len() as f64;
    let mut edges: Vec<f64> = Vec::new();
    for (index, (mean, cell)) in lines.iter().enumerate() {
        let beyond = y.beyond(*mean);
        let at = match (beyond, *mean > y.high) {
            (true, true) => frame.top,
            (true, false) => frame.bottom,
            _ => y.at(*mean),
        };
        if !beyond {
            svg.line((frame.left, at), (frame.right, at), "muted-line", "#8b92a0", 1.1, "5 4");
        } else if !edges.contains(&at) {
            edges.push(at);
            let out = if at < frame.bottom { -1.0 } else { 1.0 };
            let corners = [(-4.5, -8.0), (4.5, -8.0), (0.0, -1.0)];
            let list: Vec<String> =
                corners.iter().map(|(dx, dy)| format!("{},{}", n(frame.right - 7.0 + dx), n(at + out * dy))).collect();
            svg.raw(&format!("<polygon points=\"{}\" class=\"beyond\" fill=\"#8b92a0\"/>", list.join(" ")));
        }
        if named {
            let text = at.max(below + 13.0).min(room + 13.0 * (index + 1) as f64);
            below = text;
            svg.line((frame.right, at), (frame.right + 7.0, text), "muted-line", "#8b92a0", 0.8, "");
            let space = WIDTH - frame.right - 11.0;
            let name = if beyond {
                fit_head(&beyond_name(cell), SMALL.size, space)
            } else {
                fit(&cell.info.configuration, SMALL.size, space)
            };
            svg.text(frame.right + 10.0, text + 3.8, Anchor::Start, SMALL, &name);
        }
    }
    !edges.is_empty()
}

fn draw_panel(
    svg: &mut Svg,
    panel: &Panel<'_>,
    frame: Frame,
    (x, y): (&Scale, &Scale),
    series: &dyn Fn(&CellSummary) -> Look,
) -> Vec<String> {
    let mut taken = Vec::new();
    let mut lines = Vec::new();
    let mut points = Vec::new();
    let mut efficient = Vec::new();
    for cell in &panel.cells {
        let (Some(returns), Some((mean, tokens))) = (cell.returns, kilotokens(cell)) else { continue };
        let (px, py) = (x.at(mean), y.at(returns.mean));
        let Look { class, colour, .. } = series(cell);
        if let Some(ends) = tokens {
            svg.whisker(x, ends, py, (class, colour, 1.5, CAP));
            lines.push(Box2 {
                left: x.at(ends.low) - 1.0,
                top: py - 1.5,
                right: x.at(ends.high) + 1.0,
                bottom: py + 1.5,
            });
        }
        if let Some(ends) = returns.interval() {
            svg.upright_whisker(y, ends, px, (class, colour, 1.5, CAP));
            lines.push(Box2 { left: px - 1.5, top: y.at(ends.high), right: px + 1.5, bottom: y.at(ends.low) });
        }
        taken.push(Box2 { left: px - 6.0, top: py - 6.0, right: px + 6.0, bottom: py + 6.0 });
        points.push((px, py));
        if cell.efficient == Some(true) {
            efficient.push((px, py));
        }
    }
    efficient.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    lines.extend(stepped(svg, &efficient, frame));
    lines.extend(panel.policies.iter().filter_map(|cell| {
        let mean = cell.returns?.mean;
        let at = y.at(mean);
        (!y.beyond(mean)).then_some(Box2 { left: frame.left, top: at - 1.0, right: frame.right, bottom: at + 1.0 })
    }));
    let names: Vec<Words> =
        panel.cells.iter().map(|cell| fit(&cell.info.configuration, 1.1 * NAME.size, 150.0)).collect();
    let bounds = Box2 { left: frame.left, top: frame.top, right: frame.right, bottom: frame.bottom };
    let placed = place(
        &points,
        &names,
        &Obstacles { points: &taken, lines: &lines },
        bounds,
        Type { bold: true, ..NAME }.wide(),
    );
    for ((point, label), (cell, name)) in points.iter().zip(&placed).zip(panel.cells.iter().zip(&names)) {
        let Some(label) = label else { continue };
        if let Some(end) = label.leader {
            svg.line(*point, end, "muted-line", "#8b92a0", 0.8, "");
        }
        let style = Type { bold: cell.efficient == Some(true), ..NAME };
        // A halo of paper keeps grid and dashed lines out of the letters.
        svg.raw(&format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"halo\" fill=\"none\" stroke=\"{PAPER}\" stroke-width=\"3\" stroke-linejoin=\"round\"{}>{}</text>",
            n(label.x), n(label.y), n(style.size), if style.bold { " font-weight=\"600\"" } else { "" }, crate::escape::html(name)
        ));
        svg.text(label.x, label.y, Anchor::Start, style, name);
    }
    for (cell, point) in panel.cells.iter().zip(&points) {
        mark(svg, *point, series(cell), cell.info.is_evidence());
    }
    let all = panel.cells.iter().zip(&placed).zip(&points);
    let unnamed = all.filter(|((_, label), _)| label.is_none()).map(|((cell, _), _)| {
        let at = cell.returns.map_or(0.0, |returns| returns.mean);
        let tokens = kilotokens(cell).map_or(0.0, |(mean, _)| mean);
        let at = crate::escape::minus(&format!("{at:.1}"));
        format!("{} ({tokens:.1} kTok, {at})", gimbal_analysis::printable(&cell.info.configuration))
    });
    unnamed.collect()
}

/// What can be had for so many tokens: level until the next efficient point, then up. Returns where the line runs.
fn stepped(svg: &mut Svg, efficient: &[(f64, f64)], frame: Frame) -> Vec<Box2> {
    let Some(first) = efficient.first() else { return Vec::new() };
    let mut path = format!("M{} {}", n(first.0), n(first.1));
    let mut runs = Vec::new();
    let mut last = *first;
    let level = |from: (f64, f64), to: f64| Box2 { left: from.0, top: from.1 - 1.5, right: to, bottom: from.1 + 1.5 };
    for point in &efficient[1..] {
        path.push_str(&format!("H{}V{}", n(point.0), n(point.1)));
        runs.push(level(last, point.0));
        runs.push(Box2 {
            left: point.0 - 1.5,
            top: point.1.min(last.1),
            right: point.0 + 1.5,
            bottom: point.1.max(last.1),
        });
        last = *point;
    }
    path.push_str(&format!("H{}", n(frame.right)));
    runs.push(level(last, frame.right));
    svg.raw(&format!(
        "<path d=\"{path}\" class=\"front\" fill=\"none\" stroke=\"#3c424d\" stroke-width=\"1.2\" stroke-opacity=\"0.55\"/>"
    ));
    runs
}
