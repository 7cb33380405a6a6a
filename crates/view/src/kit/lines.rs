//! Charts of lines over ordered places, one line a series, named at its right end.

use gimbal_analysis::Interval;

use super::looks::{BESIDE, Frame, Look, NOTE, apart, left_axis, mark, upright};
use super::picture::Picture;
use super::scale::Scale;
use super::svg::{Anchor, LABEL, RULE, SMALL, Svg, WIDTH, fit_head, n, width_of, wrapped};

/// Between names at the right.
const NAME_PITCH: f64 = 14.0;
/// Between lines of the name of a place.
const LINE: f64 = 14.0;

/// A line.
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour, mark and dashes.
    pub look: Look,
    /// Value and interval at each place; `None` where nothing was played: the line is broken there.
    pub points: Vec<Option<(f64, Option<Interval>)>>,
}

/// What is drawn.
pub struct Chart<'a> {
    /// Names of the places on the horizontal axis.
    pub places: &'a [String],
    /// The lines.
    pub series: &'a [Series],
    /// Title of the vertical axis.
    pub axis: &'a str,
    /// Title of the horizontal axis.
    pub beneath: &'a str,
    /// Whether higher values stand lower, as with ranks.
    pub downwards: bool,
    /// Whether the axis is for amounts above 0, logarithmic where they differ much.
    pub amounts: bool,
    /// Height of the plot area in pixels.
    pub height: f64,
}

/// Least room of a place whose name is always written, in pixels: longer names go over several lines there.
const NAMED: f64 = 30.0;

/// Of so many places one is named, where each has `step` pixels and names have these widths.
fn named_places(widths: &[f64], step: f64) -> usize {
    if step >= NAMED {
        return 1;
    }
    let widest = widths.iter().copied().fold(0.0, f64::max);
    (((widest + 10.0) / step.max(1.0)).ceil() as usize).max(1)
}

/// Draws the lines from `top` on.
pub fn draw(mut svg: Svg, chart: &Chart<'_>, top: f64, caption: String) -> Picture {
    let names = chart.series.iter().map(|series| width_of(&series.name, NOTE.size)).fold(30.0, f64::max);
    let right = WIDTH - (names + 30.0).clamp(60.0, 230.0);
    // Every name at the right has a line of its own.
    let height = chart.height.max(NAME_PITCH * chart.series.len() as f64 + 8.0);
    let frame = Frame { left: BESIDE, top: top + 8.0, right, bottom: top + 8.0 + height };
    let all = || chart.series.iter().flat_map(|series| series.points.iter().flatten());
    let values: Vec<f64> = all().map(|point| point.0).collect();
    let intervals: Vec<Interval> = all().filter_map(|point| point.1).collect();
    let (from, to) = if chart.downwards { (frame.top + 12.0, frame.bottom - 12.0) } else { (frame.bottom, frame.top) };
    let y = if chart.amounts {
        Scale::amounts(&values, &intervals, from, to)
    } else {
        Scale::with_intervals(&values, &intervals, from, to)
    };
    if chart.downwards {
        // Ranks are whole.
        let last = values.iter().copied().fold(1.0, f64::max) as usize;
        for rank in 1..=last {
            svg.text(frame.left - 9.0, y.at(rank as f64) + 4.0, Anchor::End, SMALL, &rank.to_string());
        }
        upright(&mut svg, (12.0, (frame.top + frame.bottom) / 2.0), chart.axis, height);
    } else {
        left_axis(&mut svg, frame, &y, chart.axis);
    }
    let step = (frame.right - frame.left) / chart.places.len().max(1) as f64;
    let place = |index: usize| frame.left + (index as f64 + 0.5) * step;
    let mut deepest = 1;
    let every = named_places(&chart.places.iter().map(|name| width_of(name, LABEL.size)).collect::<Vec<_>>(), step);
    for (index, name) in chart.places.iter().enumerate() {
        let x = place(index);
        svg.line((x, frame.bottom), (x, frame.bottom + 4.0), "rule", RULE, 1.0, "");
        if (index + 1) % every != 0 {
            continue;
        }
        let lines = wrapped(name, LABEL.size, step * every as f64 - 8.0, 3);
        for (number, line) in lines.iter().enumerate() {
            svg.text(x, frame.bottom + 17.0 + LINE * number as f64, Anchor::Middle, LABEL, line);
        }
        deepest = deepest.max(lines.len());
    }
    let beneath = frame.bottom + LINE * (deepest - 1) as f64;
    svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
    let words = fit_head(chart.beneath, SMALL.size, WIDTH - 8.0);
    let half = width_of(&words, SMALL.size) / 2.0;
    let middle = ((frame.left + frame.right) / 2.0).clamp(half + 2.0, WIDTH - half - 2.0);
    svg.text(middle, beneath + 35.0, Anchor::Middle, SMALL, &words);
    // Marks of one place stand side by side, so that none hides another.
    let dodge = |series: usize| {
        let wide = (step * 0.5).min(9.0 * chart.series.len() as f64);
        if chart.series.len() < 2 || chart.downwards {
            0.0
        } else {
            (series as f64 / (chart.series.len() - 1) as f64 - 0.5) * wide
        }
    };
    for (number, series) in chart.series.iter().enumerate() {
        let at = |index: usize, value: f64| (place(index) + dodge(number), y.at(value));
        let mut path = String::new();
        let mut broken = true;
        for (index, point) in series.points.iter().enumerate() {
            let Some((value, _)) = point else {
                broken = true;
                continue;
            };
            let (x, y) = at(index, *value);
            path.push_str(&format!("{}{} {}", if broken { "M" } else { "L" }, n(x), n(y)));
            broken = false;
        }
        let dash = if series.look.dash.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", series.look.dash)
        };
        svg.raw(&format!(
            "<path d=\"{path}\" class=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\"{dash}/>",
            series.look.class, series.look.colour
        ));
        for (index, point) in series.points.iter().enumerate() {
            let Some((value, interval)) = point else { continue };
            let (x, at_y) = at(index, *value);
            if let Some(ends) = interval {
                svg.upright_whisker(&y, *ends, x, (series.look.class, series.look.colour, 1.2, 3.0));
            }
            mark(&mut svg, (x, at_y), series.look, true);
        }
    }
    name_ends(&mut svg, chart, frame, &y, &|index, number| place(index) + dodge(number));
    Picture { svg, height: beneath + 46.0, caption }
}

/// Names at the right, each joined to the last point of its line.
fn name_ends(svg: &mut Svg, chart: &Chart<'_>, frame: Frame, y: &Scale, x: &dyn Fn(usize, usize) -> f64) {
    let last = |series: &Series| series.points.iter().rposition(Option::is_some);
    let ends: Vec<(usize, usize, f64)> = chart
        .series
        .iter()
        .enumerate()
        .filter_map(|(number, series)| {
            let index = last(series)?;
            Some((number, index, y.at(series.points[index]?.0)))
        })
        .collect();
    let wanted: Vec<f64> = ends.iter().map(|end| end.2).collect();
    let placed = apart(&wanted, NAME_PITCH, (frame.top + 4.0, frame.bottom - 4.0));
    for ((number, index, at), text) in ends.iter().zip(placed) {
        let series = &chart.series[*number];
        svg.line(
            (x(*index, *number) + 7.0, *at),
            (frame.right + 8.0, text),
            series.look.class,
            series.look.colour,
            0.8,
            "1 3",
        );
        svg.text(
            frame.right + 12.0,
            text + 4.0,
            Anchor::Start,
            NOTE,
            &fit_head(&series.name, NOTE.size, WIDTH - frame.right - 14.0),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::named_places;

    #[test]
    fn names_are_left_out_where_places_are_narrow() {
        assert_eq!(named_places(&[200.0, 40.0], 80.0), 1, "names go over several lines");
        assert_eq!(named_places(&[18.0; 50], 10.5), 3);
        assert_eq!(named_places(&[], 0.0), 10);
    }
}
