//! What routing costs against the number of subtasks (CYC-069, CYC-097).

use gimbal_view::Figure;
use gimbal_view::kit::looks::{BELOW, BESIDE, Frame, Key, Look, bottom_axis, left_axis, legend, look, mark};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, HEAD, Svg, WIDTH};

/// One way of routing.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// What was measured, by the number of subtasks.
    pub points: Vec<Point>,
}

/// What routing over one graph costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Subtasks of the graph.
    pub subtasks: f64,
    /// Mean prompt tokens of a decision.
    pub a_decision: f64,
    /// Mean prompt tokens of an episode.
    pub an_episode: f64,
}

/// What a panel shows of a point.
type Measure = fn(&Point) -> f64;

/// Two panels, all axes logarithmic: tokens of a decision, and of an episode.
#[must_use]
pub fn draw(title: &str, caption: &str, lines: &[Line]) -> Figure {
    let mut svg = Svg::new();
    let looks: Vec<(Look, &Line)> = lines.iter().enumerate().map(|(place, line)| (look(place), line)).collect();
    let entries: Vec<(Key, Look, String)> =
        looks.iter().map(|(look, line)| (Key::Mark, *look, line.name.clone())).collect();
    let top = legend(&mut svg, BESIDE, 0.0, &entries) + 22.0;
    let half = (WIDTH - BESIDE) / 2.0;
    let bottom = top + 300.0;
    let panels: [(&str, Measure); 2] = [
        ("Prompt tokens of a decision", |point| point.a_decision),
        ("Prompt tokens of an episode", |point| point.an_episode),
    ];
    for (place, (name, of)) in panels.into_iter().enumerate() {
        let left = BESIDE + place as f64 * (half + 16.0);
        let frame = Frame { left, top, right: left + half - 44.0, bottom };
        let all = || looks.iter().flat_map(|(_, line)| &line.points);
        let counts: Vec<f64> = all().map(|point| point.subtasks).collect();
        // A logarithmic axis has no 0: an episode without a call of the router is at its lower end.
        let amounts: Vec<f64> = all().map(|point| of(point).max(1.0)).collect();
        let x = Scale::logarithmic(counts.into_iter(), frame.left, frame.right);
        let y = Scale::logarithmic(amounts.into_iter(), frame.bottom, frame.top);
        svg.text(frame.left, top - 8.0, Anchor::Start, HEAD, name);
        bottom_axis(&mut svg, frame, &x, "subtasks of the graph");
        left_axis(&mut svg, frame, &y, if place == 0 { "tokens" } else { "" });
        for (look, line) in &looks {
            let places: Vec<(f64, f64)> =
                line.points.iter().map(|point| (x.at(point.subtasks), y.at(of(point).max(1.0)))).collect();
            for pair in places.windows(2) {
                svg.line(pair[0], pair[1], look.class, look.colour, 2.0, look.dash);
            }
            for at in places {
                mark(&mut svg, at, *look, true);
            }
        }
    }
    Figure::new("routing", title.to_owned(), caption.to_owned(), (&svg, bottom + BELOW))
}

#[cfg(test)]
mod tests {
    use super::{Line, Point, draw};

    #[test]
    fn every_line_has_its_name_and_its_marks_and_nothing_to_show_is_no_panic() {
        let point = |subtasks, a_decision, an_episode| Point { subtasks, a_decision, an_episode };
        let line = |name: &str, factor: f64| Line {
            name: name.to_owned(),
            points: [5.0, 50.0, 200.0].map(|n| point(n, 300.0 + factor * n, 3000.0 + 10.0 * factor * n)).to_vec(),
        };
        let figure = draw("Routing", "How.", &[line("complete", 40.0), line("top 8 <", 0.0)]);
        assert!(figure.svg.contains(">complete</text>") && figure.svg.contains("top 8 &lt;"));
        assert!(figure.svg.contains(">200</text>"), "the axis names its ends");
        assert_eq!(figure.svg, draw("Routing", "How.", &[line("complete", 40.0), line("top 8 <", 0.0)]).svg);
        assert!(draw("Routing", "", &[]).svg.starts_with("<svg"));
        let none = Line { name: "none".to_owned(), points: vec![point(5.0, 0.0, 0.0)] };
        assert!(!draw("Routing", "", &[none]).svg.contains("NaN"));
    }
}
