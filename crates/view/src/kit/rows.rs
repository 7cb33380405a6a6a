//! Charts of rows: groups of bars or marks with their intervals, a remark at the right.

use gimbal_analysis::Interval;

use super::looks::{BELOW, Frame, Look, NOTE, bar, bottom_axis, haloed, hatchings, mark};
use super::picture::Picture;
use super::scale::Scale;
use super::svg::{Anchor, HEAD, INK, MUTED, SMALL, Svg, WIDTH, fit_head, width_of};

/// One line.
pub struct Line {
    /// Name of the line.
    pub name: String,
    /// Colour and mark.
    pub look: Look,
    /// Value and interval; `None` where nothing was played.
    pub value: Option<(f64, Option<Interval>)>,
    /// At the right.
    pub remark: String,
}

/// Lines under a heading.
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// How values are drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    /// Bars from 0.
    Bars,
    /// Marks, on an axis that need not contain 0.
    Marks,
}

/// What is drawn.
pub struct Chart {
    /// Groups from top to bottom.
    pub groups: Vec<Group>,
    /// How values are drawn.
    pub style: Style,
    /// Title of the axis.
    pub axis: String,
    /// Heading of the remarks.
    pub remarks: String,
    /// Where the first group begins (below a legend, if any).
    pub top: f64,
}

const ROW: f64 = 21.0;
const HEADING: f64 = 21.0;

/// Draws the chart; the legend is the caller's.
pub fn draw(mut svg: Svg, chart: &Chart, caption: String) -> Picture {
    hatchings(&mut svg);
    let lines = || chart.groups.iter().flat_map(|group| &group.lines);
    let one_each = chart.groups.iter().all(|group| group.lines.len() == 1 && group.lines[0].name.is_empty());
    let names = if one_each {
        chart.groups.iter().map(|group| width_of(&group.name, HEAD.wide())).fold(40.0, f64::max)
    } else {
        lines().map(|line| width_of(&line.name, NOTE.size)).fold(40.0, f64::max)
    };
    let left = (names + 22.0).clamp(70.0, 240.0);
    let remarks = lines().map(|line| width_of(&line.remark, NOTE.size)).chain([width_of(&chart.remarks, SMALL.size)]);
    let missing = lines().any(|line| line.value.is_none());
    let remarks = remarks.fold(if missing { width_of("not played", SMALL.size) } else { 0.0 }, f64::max);
    let right = WIDTH - if remarks > 0.0 { (remarks + 22.0).min(270.0) } else { 14.0 };
    let values: Vec<f64> = lines().filter_map(|line| Some(line.value?.0)).collect();
    let intervals: Vec<Interval> = lines().filter_map(|line| line.value?.1).collect();
    let top = chart.top + if chart.remarks.is_empty() { 4.0 } else { 20.0 };
    let rows = lines().count() as f64;
    let headings = if one_each { 0.0 } else { chart.groups.len() as f64 };
    let bottom = top + rows * ROW + headings * HEADING + 6.0;
    let scale = match chart.style {
        Style::Bars => {
            let with_zero: Vec<f64> = values.iter().copied().chain([0.0]).collect();
            Scale::with_intervals(&with_zero, &intervals, left, right)
        }
        Style::Marks => Scale::with_intervals(&values, &intervals, left, right),
    };
    bottom_axis(&mut svg, Frame { left, top: top - 2.0, right, bottom }, &scale, &chart.axis);
    let zero = (scale.low..=scale.high).contains(&0.0).then(|| scale.at(0.0));
    if let Some(at) = zero {
        svg.line((at, top - 2.0), (at, bottom), "axis", MUTED, 1.3, "");
    }
    if !chart.remarks.is_empty() {
        svg.text(
            right + 14.0,
            top - 8.0,
            Anchor::Start,
            SMALL,
            &fit_head(&chart.remarks, SMALL.size, WIDTH - right - 14.0),
        );
    }
    let mut y = top;
    for group in &chart.groups {
        if !one_each {
            haloed(&mut svg, (0.0, y + 14.0), Anchor::Start, HEAD, &fit_head(&group.name, HEAD.wide(), right));
            y += HEADING;
        }
        for line in &group.lines {
            let middle = y + ROW / 2.0 - 1.0;
            if one_each {
                svg.text(
                    left - 12.0,
                    middle + 4.0,
                    Anchor::End,
                    HEAD,
                    &fit_head(&group.name, HEAD.wide(), left - 14.0),
                );
            } else {
                svg.text(left - 12.0, middle + 4.0, Anchor::End, NOTE, &fit_head(&line.name, NOTE.size, left - 14.0));
            }
            let Some((value, interval)) = line.value else {
                let at = if remarks > 0.0 { right + 14.0 } else { left + 6.0 };
                svg.text(at, middle + 4.0, Anchor::Start, SMALL, "not played");
                y += ROW;
                continue;
            };
            let at = scale.at(value);
            if chart.style == Style::Bars {
                let from = zero.unwrap_or(left);
                bar(&mut svg, (at.min(from), middle - 7.0), ((at - from).abs(), 14.0), line.look);
            }
            if let Some(ends) = interval {
                // On paper of its own, so that it shows on a dark bar as well.
                svg.line((scale.at(ends.low), middle), (scale.at(ends.high), middle), "paper-line", "#ffffff", 3.0, "");
                svg.whisker(&scale, ends, middle, ("axis", INK, 1.6, 4.0));
            }
            if chart.style != Style::Bars {
                mark(&mut svg, (at, middle), line.look, true);
            }
            if !line.remark.is_empty() {
                svg.text(
                    right + 14.0,
                    middle + 4.0,
                    Anchor::Start,
                    NOTE,
                    &fit_head(&line.remark, NOTE.size, WIDTH - right - 14.0),
                );
            }
            y += ROW;
        }
    }
    Picture { svg, height: bottom + BELOW, caption }
}
