//! Charts of points with intervals on both axes and names that keep apart.

use gimbal_analysis::Interval;

use super::labels::{Box2, Obstacles, place};
use super::looks::{BELOW, BESIDE, Frame, Look, NOTE, bottom_axis, haloed, left_axis, mark, name_beneath};
use super::picture::Picture;
use super::scale::Scale;
use super::svg::{Anchor, MUTED, Svg, WIDTH, Words, fit_head, n};

/// A point.
pub struct Dot {
    /// Value on the horizontal axis.
    pub x: f64,
    /// Value on the vertical axis.
    pub y: f64,
    /// Interval of the horizontal value.
    pub x_ends: Option<Interval>,
    /// Interval of the vertical value.
    pub y_ends: Option<Interval>,
    /// Name beside the point.
    pub name: String,
    /// Colour and mark.
    pub look: Look,
    /// Where an arrow to this point begins.
    pub from: Option<(f64, f64)>,
    /// Drawn hollow.
    pub open: bool,
}

/// What is drawn.
pub struct Chart<'a> {
    /// The points.
    pub dots: &'a [Dot],
    /// Title of the horizontal axis.
    pub x_axis: &'a str,
    /// Title of the vertical axis.
    pub y_axis: &'a str,
    /// Values that the axes must show: lines of reference.
    pub x_lines: &'a [f64],
    /// Values with a horizontal rule.
    pub y_lines: &'a [f64],
    /// Whether x is for amounts above 0, logarithmic where they differ much.
    pub amounts: bool,
    /// Height of the plot area in pixels.
    pub height: f64,
}

/// Draws the points from `top` on.
pub fn draw(mut svg: Svg, chart: &Chart<'_>, top: f64, caption: String) -> Picture {
    let frame = Frame { left: BESIDE, top: top + 6.0, right: WIDTH - 12.0, bottom: top + 6.0 + chart.height };
    let dots = chart.dots;
    let collect = |of: &dyn Fn(&Dot) -> Option<f64>| dots.iter().filter_map(of).collect::<Vec<f64>>();
    let ends = |of: &dyn Fn(&Dot) -> Option<Interval>| dots.iter().filter_map(of).collect::<Vec<Interval>>();
    let mut xs = collect(&|dot| Some(dot.x));
    xs.extend(collect(&|dot| Some(dot.from?.0)));
    xs.extend(chart.x_lines);
    let mut ys = collect(&|dot| Some(dot.y));
    ys.extend(collect(&|dot| Some(dot.from?.1)));
    ys.extend(chart.y_lines);
    let x = if chart.amounts {
        Scale::amounts(&xs, &ends(&|dot| dot.x_ends), frame.left + 10.0, frame.right - 10.0)
    } else {
        Scale::with_intervals(&xs, &ends(&|dot| dot.x_ends), frame.left + 10.0, frame.right - 10.0)
    };
    let y = Scale::with_intervals(&ys, &ends(&|dot| dot.y_ends), frame.bottom - 10.0, frame.top + 10.0);
    left_axis(&mut svg, frame, &y, chart.y_axis);
    bottom_axis(&mut svg, frame, &x, chart.x_axis);
    for value in chart.x_lines {
        svg.line((x.at(*value), frame.top), (x.at(*value), frame.bottom), "muted-line", MUTED, 1.2, "5 4");
    }
    for value in chart.y_lines {
        svg.line((frame.left, y.at(*value)), (frame.right, y.at(*value)), "muted-line", MUTED, 1.2, "5 4");
    }
    let mut lines: Vec<Box2> = Vec::new();
    let mut taken: Vec<Box2> = Vec::new();
    let around = |(px, py): (f64, f64)| Box2 { left: px - 7.0, top: py - 7.0, right: px + 7.0, bottom: py + 7.0 };
    for dot in dots {
        let at = (x.at(dot.x), y.at(dot.y));
        if let Some(ends) = dot.x_ends {
            svg.whisker(&x, ends, at.1, (dot.look.class, dot.look.colour, 1.3, 3.5));
            lines.push(Box2 { left: x.at(ends.low), top: at.1 - 1.5, right: x.at(ends.high), bottom: at.1 + 1.5 });
        }
        if let Some(ends) = dot.y_ends {
            svg.upright_whisker(&y, ends, at.0, (dot.look.class, dot.look.colour, 1.3, 3.5));
            lines.push(Box2 { left: at.0 - 1.5, top: y.at(ends.high), right: at.0 + 1.5, bottom: y.at(ends.low) });
        }
        taken.push(around(at));
        if let Some(from) = dot.from {
            let from = (x.at(from.0), y.at(from.1));
            arrow(&mut svg, from, at, dot.look);
            taken.push(around(from));
            // Beads along the arrow keep names off it.
            let length = (at.0 - from.0).hypot(at.1 - from.1);
            let beads = (length / 7.0) as u32;
            for bead in 1..beads {
                let share = f64::from(bead) / f64::from(beads);
                let (px, py) = (from.0 + (at.0 - from.0) * share, from.1 + (at.1 - from.1) * share);
                taken.push(Box2 { left: px - 3.0, top: py - 3.0, right: px + 3.0, bottom: py + 3.0 });
            }
        }
    }
    let points: Vec<(f64, f64)> = dots.iter().map(|dot| (x.at(dot.x), y.at(dot.y))).collect();
    let names: Vec<Words> = dots.iter().map(|dot| fit_head(&dot.name, NOTE.size, 200.0)).collect();
    let bounds = Box2 { left: frame.left, top: frame.top, right: frame.right, bottom: frame.bottom };
    let placed = place(&points, &names, &Obstacles { points: &taken, lines: &lines }, bounds, NOTE.size);
    for ((dot, point), (label, name)) in dots.iter().zip(&points).zip(placed.iter().zip(&names)) {
        if let Some(label) = label.as_ref().filter(|_| !name.is_empty()) {
            if let Some(end) = label.leader {
                svg.line(*point, end, "muted-line", "#8b92a0", 0.8, "");
            }
            haloed(&mut svg, (label.x, label.y), Anchor::Start, NOTE, name);
        }
        mark(&mut svg, *point, dot.look, !dot.open);
    }
    let all = dots.iter().zip(&placed).filter(|(dot, label)| label.is_none() && !dot.name.is_empty());
    let unnamed: Vec<String> = all.map(|(dot, _)| dot.name.clone()).collect();
    let beneath = name_beneath(&mut svg, &unnamed, (frame.left, frame.right), frame.bottom + BELOW + 6.0);
    Picture { svg, height: frame.bottom + BELOW + beneath, caption }
}

/// A line with a head a little before its end, so that the mark there stays whole.
fn arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64), look: Look) {
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    if length < 16.0 {
        return;
    }
    let (ux, uy) = ((to.0 - from.0) / length, (to.1 - from.1) / length);
    let tip = (to.0 - 8.0 * ux, to.1 - 8.0 * uy);
    svg.line((from.0 + 6.0 * ux, from.1 + 6.0 * uy), tip, look.class, look.colour, 1.6, "");
    let back = (tip.0 - 8.0 * ux, tip.1 - 8.0 * uy);
    svg.raw(&format!(
        "<polygon points=\"{},{} {},{} {},{}\" class=\"{} solid\" fill=\"{}\"/>",
        n(tip.0),
        n(tip.1),
        n(back.0 - 3.6 * uy),
        n(back.1 + 3.6 * ux),
        n(back.0 + 3.6 * uy),
        n(back.1 - 3.6 * ux),
        look.class,
        look.colour
    ));
}
