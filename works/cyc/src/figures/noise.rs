//! cyc-noise: success and calls against the player's error rate, a column an environment, a row a measure and kind of faults.

use crate::cyclic::{Board, CONFIDENCE, INTERVALS};
use crate::cyclic::{Control, NoiseCurve, NoisePoint, noise_curves};
use gimbal_analysis::Interval;
use gimbal_view::kit::curves::{Curve, Panel, Point};
use gimbal_view::kit::looks::{BESIDE, Frame, Key, Look, legend, look, upright};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, HEAD, SMALL, Svg, WIDTH, Words, fit_head, wrapped};
use gimbal_view::kit::unique;

/// Environments side by side.
const SIDE: usize = 3;
const GAP: f64 = 18.0;
const HIGH: f64 = 132.0;
/// Between rows of panels: the heading of the lower one.
const HEADING: f64 = 30.0;

/// What a row of panels shows.
#[derive(Clone, Copy)]
enum Measure {
    Success,
    Calls,
}

impl Measure {
    const fn axis(self) -> &'static str {
        match self {
            Self::Success => "success rate (%)",
            Self::Calls => "tool calls when won",
        }
    }

    fn of(self, point: &NoisePoint) -> Option<(f64, Option<Interval>)> {
        match self {
            Self::Success => {
                let ends = point.success.told();
                let ends = ends.map(|ends| Interval { low: 100.0 * ends.low, high: 100.0 * ends.high });
                Some((100.0 * point.success.share, ends))
            }
            Self::Calls => point.calls.map(|calls| {
                let floor = |ends: Interval| Interval { low: ends.low.max(0.0), ..ends };
                (calls.mean, calls.interval().map(floor))
            }),
        }
    }
}

pub fn draw(board: &Board) -> Drawn {
    let mut curves = noise_curves(&board.cycles, CONFIDENCE);
    curves.retain(|curve| curve.points.len() > 1);
    if curves.is_empty() {
        return Err("no controller that was played with players of several known error rates".to_owned());
    }
    let environments = unique(curves.iter().map(|curve| curve.environment.as_str()));
    let faults = unique(curves.iter().map(|curve| curve.faults.as_str()));
    let names = unique(curves.iter().map(|curve| curve.name.as_str()));
    let look_of = |name: &str| look(names.iter().position(|known| *known == name).unwrap_or(0));
    let mut svg = Svg::new();
    let keys: Vec<(Key, Look, String)> =
        names.iter().map(|name| (Key::Mark, look_of(name), (*name).to_owned())).collect();
    let mut top = legend(&mut svg, 0.0, 0.0, &keys) + 6.0;
    let rates: Vec<f64> = curves.iter().flat_map(|curve| &curve.points).map(|point| 100.0 * point.error).collect();
    let ends = rates.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
    let ticks = unique(rates.iter().copied());
    for block in environments.chunks(SIDE) {
        let columns = block.len().max(2) as f64;
        let wide = (WIDTH - BESIDE - 4.0 - GAP * (columns - 1.0)) / columns;
        let titles: Vec<Vec<Words>> = block.iter().map(|name| wrapped(name, HEAD.wide(), wide - 4.0, 3)).collect();
        let deepest = titles.iter().map(Vec::len).max().unwrap_or(1);
        let rows: Vec<(Measure, &str)> = [Measure::Success, Measure::Calls]
            .into_iter()
            .flat_map(|measure| faults.iter().map(move |faults| (measure, *faults)))
            .collect();
        for (number, (measure, kind)) in rows.iter().enumerate() {
            let first = number == 0;
            let top_of = top + if first { 40.0 + 14.0 * (deepest - 1) as f64 } else { HEADING };
            let last = number + 1 == rows.len();
            let own = |environment: &str| -> Vec<&NoiseCurve> {
                let here = |curve: &&NoiseCurve| curve.environment == environment && curve.faults == *kind;
                let mut own: Vec<&NoiseCurve> = curves.iter().filter(here).collect();
                // One agent routes nothing: what diverts others leaves its cells as they are, and they are played once.
                let agent = |curve: &&NoiseCurve| {
                    let plain = curve.environment == environment && curve.faults.is_empty();
                    plain && curve.name.starts_with(Control::React.title())
                };
                if !own.is_empty() && !own.iter().any(|curve| curve.name.starts_with(Control::React.title())) {
                    own.extend(curves.iter().filter(agent));
                    own.sort_by_key(|curve| names.iter().position(|known| *known == curve.name));
                }
                own
            };
            // One scale for a measure, so that faults and environments compare.
            let values: Vec<(f64, Option<Interval>)> = curves
                .iter()
                .filter(|curve| block.contains(&curve.environment.as_str()))
                .flat_map(|curve| curve.points.iter().filter_map(|point| measure.of(point)))
                .collect();
            let most = match measure {
                Measure::Success => 100.0,
                Measure::Calls => {
                    // A wide interval of few won episodes must not press all else flat: its whisker goes on.
                    let highest = values.iter().map(|(mean, _)| *mean).fold(1.0, f64::max);
                    let ends = values.iter().map(|(mean, ends)| ends.map_or(*mean, |ends| ends.high));
                    ends.fold(1.0, f64::max).min(1.3 * highest)
                }
            };
            for (column, environment) in block.iter().enumerate() {
                let left = BESIDE + column as f64 * (wide + GAP);
                let frame = Frame { left, top: top_of, right: left + wide, bottom: top_of + HIGH };
                let y = match measure {
                    Measure::Success => Scale::linear([0.0, 100.0].into_iter(), frame.bottom, frame.top),
                    Measure::Calls => Scale::from_nought(most, frame.bottom, frame.top),
                };
                let x = Scale::linear([ends.0, ends.1].into_iter(), frame.left + 14.0, frame.right - 14.0);
                if first {
                    for (number, line) in titles[column].iter().rev().enumerate() {
                        svg.text(left, top_of - 24.0 - 14.0 * number as f64, Anchor::Start, HEAD, line);
                    }
                }
                let with = if kind.is_empty() { "without faults" } else { kind };
                svg.text(left, top_of - 7.0, Anchor::Start, SMALL, &fit_head(with, SMALL.size, wide));
                let panel = Panel { frame, x: &x, y: &y };
                panel.grid(&mut svg, column == 0);
                if column == 0 {
                    upright(&mut svg, (12.0, (frame.top + frame.bottom) / 2.0), measure.axis(), HIGH);
                }
                panel.axis(&mut svg, &ticks, last);
                let own = own(environment);
                if own.is_empty() {
                    let middle = ((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
                    svg.text(middle.0, middle.1, Anchor::Middle, SMALL, "not played");
                }
                for curve in own {
                    let place = names.iter().position(|known| *known == curve.name).unwrap_or(0);
                    // Side by side, so that no whisker hides another.
                    let aside = (place as f64 - (names.len() - 1) as f64 / 2.0) * 3.4;
                    panel.curve(&mut svg, &drawn(curve, *measure, look_of(&curve.name), aside));
                }
            }
            top = top_of + HIGH + if last { 18.0 } else { 0.0 };
        }
        svg.text(
            (BESIDE + WIDTH) / 2.0,
            top + 16.0,
            Anchor::Middle,
            SMALL,
            "error rate of the player: answers that are not the competent one (%)",
        );
        top += 34.0;
    }
    let caption = format!(
        "Each mark is one cell; marks of one error rate stand side by side. Whiskers (an arrow head: it goes on): {} A mark is missing where no episode was won.{}",
        INTERVALS,
        if lent(&curves) {
            " One agent routes nothing and is not diverted: its marks are the same in every row of a measure."
        } else {
            ""
        }
    );
    Ok(Picture { svg, height: top - 8.0, caption })
}

/// Whether one agent has no cell of its own under some faults.
fn lent(curves: &[NoiseCurve]) -> bool {
    let is_agent = |curve: &&NoiseCurve| curve.name.starts_with(Control::React.title());
    let agent = curves.iter().any(|curve| is_agent(&curve));
    agent
        && !curves.iter().filter(is_agent).any(|curve| !curve.faults.is_empty())
        && curves.iter().any(|curve| !curve.faults.is_empty())
}

/// What a panel shows of a curve.
fn drawn(curve: &NoiseCurve, measure: Measure, look: Look, aside: f64) -> Curve {
    let point = |point: &NoisePoint| {
        let (value, ends) = measure.of(point)?;
        Some(Point { at: 100.0 * point.error, value, ends })
    };
    Curve { look, aside, points: curve.points.iter().filter_map(point).collect() }
}
