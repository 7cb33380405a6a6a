//! One of several panels with curves over a factor that was set, such as an error rate: marks with whiskers at the values that were played,
//! joined by lines.

use gimbal_analysis::Interval;

use super::looks::{Frame, Look, mark, tick_words};
use super::scale::{Scale, tick_label};
use super::svg::{Anchor, GRID, RULE, SMALL, Svg, n};

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The factor, in the unit of the panel's horizontal scale.
    pub at: f64,
    /// What was measured, in the unit of its vertical scale.
    pub value: f64,
    /// Its interval, where there is one.
    pub ends: Option<Interval>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its look.
    pub look: Look,
    /// How far its marks are moved to the right, in pixels, so that no whisker hides another.
    pub aside: f64,
    /// Its points, by factor.
    pub points: Vec<Point>,
}

/// Where curves are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// The plot area.
    pub frame: Frame,
    /// Scale of the factor.
    pub x: &'a Scale,
    /// Scale of what was measured.
    pub y: &'a Scale,
}

impl Panel<'_> {
    /// Horizontal lines and the left edge, with numbers where `labelled`.
    pub fn grid(&self, svg: &mut Svg, labelled: bool) {
        let Self { frame, y, .. } = self;
        let ticks = y.ticks(4);
        for tick in &ticks {
            let at = y.at(*tick);
            if at < frame.top - 0.5 || at > frame.bottom + 0.5 {
                continue;
            }
            svg.line((frame.left, at), (frame.right, at), "grid", GRID, 1.0, "");
            if labelled {
                svg.text(frame.left - 7.0, at + 4.0, Anchor::End, SMALL, &tick_label(*tick, &ticks));
            }
        }
        svg.line((frame.left, frame.top), (frame.left, frame.bottom), "rule", RULE, 1.0, "");
    }

    /// The lower edge with ticks at the values that were played, and their numbers where `labelled`.
    pub fn axis(&self, svg: &mut Svg, played: &[f64], labelled: bool) {
        let Self { frame, x, .. } = self;
        svg.line((frame.left, frame.bottom), (frame.right, frame.bottom), "rule", RULE, 1.0, "");
        let mut sorted = played.to_vec();
        sorted.sort_by(f64::total_cmp);
        for value in &sorted {
            svg.line((x.at(*value), frame.bottom), (x.at(*value), frame.bottom + 4.0), "rule", RULE, 1.0, "");
        }
        if labelled {
            let told: Vec<(f64, String)> =
                sorted.iter().map(|value| (x.at(*value), tick_label(*value, &[*value]))).collect();
            tick_words(svg, &told, frame.bottom + 16.0);
        }
    }

    /// A curve.
    pub fn curve(&self, svg: &mut Svg, curve: &Curve) {
        let Curve { look, aside, points } = curve;
        let place = |point: &Point| (self.x.at(point.at) + aside, self.y.at(point.value));
        let path: Vec<String> = points
            .iter()
            .enumerate()
            .map(|(number, point)| {
                let (x, y) = place(point);
                format!("{}{} {}", if number == 0 { "M" } else { "L" }, n(x), n(y))
            })
            .collect();
        let dash = if look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", look.dash) };
        svg.raw(&format!(
            "<path d=\"{}\" class=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{dash}/>",
            path.join(""),
            look.class,
            look.colour
        ));
        for point in points {
            let (x, y) = place(point);
            if let Some(ends) = point.ends {
                svg.upright_whisker(self.y, ends, x, (look.class, look.colour, 1.0, 2.0));
            }
            mark(svg, (x, y), *look, true);
        }
    }
}
