//! ares-f7: accuracy against the competence of noisy experts, a panel for each pipeline with the single turn beside it.

use std::collections::BTreeSet;

use gimbal_analysis::{CellInfo, CellSummary, Interval, Kind, Proportion};
use gimbal_view::kit::curves::{Curve, Panel, Point};
use gimbal_view::kit::looks::{BESIDE, Frame, Key, QUIET, legend, look, upright};
use gimbal_view::kit::picture::{Drawn, Picture};
use gimbal_view::kit::scale::Scale;
use gimbal_view::kit::svg::{Anchor, LABEL, SMALL, Svg, WIDTH, fit_head};
use gimbal_view::kit::unique;

use crate::cases::Case;
use crate::tables::debates::is_single_turn;

/// Panels side by side.
const SIDE: usize = 4;
/// Most panels.
const PANELS: usize = 24;
const GAP: f64 = 16.0;
const HIGH: f64 = 104.0;
/// Above a row of panels: their names.
const HEADING: f64 = 26.0;

/// One pipeline in one environment.
struct Pipeline {
    environment: String,
    name: String,
    is_single: bool,
    points: Vec<Point>,
}

/// Draws the figure.
pub fn draw(cells: &[(&CellSummary, &[Case])], confidence: f64) -> Drawn {
    let mut pipelines = pipelines(cells, confidence);
    pipelines.retain(|pipeline| pipeline.points.len() > 1);
    let single = |environment: &str| {
        pipelines.iter().position(|pipeline| pipeline.environment == environment && pipeline.is_single)
    };
    let shown: Vec<(usize, Option<usize>)> = (0..pipelines.len())
        .map(|place| (place, single(&pipelines[place].environment)))
        .filter(|(place, single)| *single != Some(*place))
        .collect();
    if shown.is_empty() {
        return Err(
            "no pipeline beside a single turn that was played by noisy experts of several competences".to_owned()
        );
    }
    let all = shown.len();
    let shown = &shown[..all.min(PANELS)];
    let several = unique(shown.iter().map(|(place, _)| pipelines[*place].environment.as_str())).len() > 1;
    let percents: Vec<f64> = unique(pipelines.iter().flat_map(|pipeline| &pipeline.points).map(|point| point.at));
    let (low, high) = percents.iter().fold((100.0_f64, 0.0_f64), |(low, high), at| (low.min(*at), high.max(*at)));
    let mut svg = Svg::new();
    let keys =
        [(Key::Mark, look(0), "the pipeline named above".to_owned()), (Key::Mark, QUIET, "single turn".to_owned())];
    let mut top = legend(&mut svg, 0.0, 0.0, &keys) + 8.0;
    let wide = (WIDTH - BESIDE - 4.0 - GAP * (SIDE - 1) as f64) / SIDE as f64;
    let rows = shown.chunks(SIDE).count();
    for (row, panels) in shown.chunks(SIDE).enumerate() {
        top += HEADING;
        for (column, (place, single)) in panels.iter().enumerate() {
            let pipeline = &pipelines[*place];
            let left = BESIDE + column as f64 * (wide + GAP);
            let frame = Frame { left, top, right: left + wide, bottom: top + HIGH };
            let x = Scale::linear([low, high].into_iter(), frame.left + 14.0, frame.right - 14.0);
            let y = Scale::linear([0.0, 100.0].into_iter(), frame.bottom, frame.top);
            let name =
                if several { format!("{}, {}", pipeline.name, pipeline.environment) } else { pipeline.name.clone() };
            svg.text(left, top - 8.0, Anchor::Start, LABEL, &fit_head(&name, LABEL.size, wide));
            let panel = Panel { frame, x: &x, y: &y };
            panel.grid(&mut svg, column == 0);
            // Beneath the last panel of each column.
            panel.axis(
                &mut svg,
                &percents,
                row + 1 == rows
                    || (row + 2 == rows && !shown.len().is_multiple_of(SIDE) && column >= shown.len() % SIDE),
            );
            if column == 0 {
                upright(&mut svg, (12.0, top + HIGH / 2.0), "accuracy (%)", HIGH);
            }
            if let Some(single) = single {
                let points = pipelines[*single].points.clone();
                panel.curve(&mut svg, &Curve { look: QUIET, aside: -2.5, points });
            }
            panel.curve(&mut svg, &Curve { look: look(0), aside: 2.5, points: pipeline.points.clone() });
        }
        top += HIGH;
    }
    svg.text(
        f64::midpoint(BESIDE, WIDTH),
        top + 36.0,
        Anchor::Middle,
        SMALL,
        "competence of the noisy experts: answers that are those of the rules (%)",
    );
    let rest = if all > shown.len() { format!(" {} of {all} pipelines.", shown.len()) } else { String::new() };
    let caption = format!(
        "Accuracy of each pipeline against the competence of the noisy experts that play its roles; whiskers are intervals with runs of one \
         scenario as a cluster. An expert answers as the rules do and does not read what the other side wrote, so that pipelines that differ in \
         this alone are equal.{rest}"
    );
    Ok(Picture { svg, height: top + 44.0, caption })
}

/// Cells that differ in their players alone, by competence.
fn pipelines(cells: &[(&CellSummary, &[Case])], confidence: f64) -> Vec<Pipeline> {
    let mut pipelines: Vec<Pipeline> = Vec::new();
    for (summary, cases) in cells {
        let Some(competence) = competence(&summary.info) else { continue };
        let right = cases.iter().map(|case| (case.task.as_str(), case.run, case.is_right()));
        let Some(accuracy) = Proportion::clustered(right, confidence) else { continue };
        let percent = |ends: Interval| Interval { low: 100.0 * ends.low, high: 100.0 * ends.high };
        let point = Point { at: 100.0 * competence, value: 100.0 * accuracy.share, ends: accuracy.told().map(percent) };
        let (environment, name) = (&summary.info.environment, summary.info.configuration_label());
        let found = pipelines.iter_mut().find(|one| one.environment == *environment && one.name == name);
        match found {
            Some(pipeline) => {
                pipeline.points.push(point);
                pipeline.is_single &= is_single_turn(cases);
            }
            None => pipelines.push(Pipeline {
                environment: environment.clone(),
                name,
                is_single: is_single_turn(cases),
                points: vec![point],
            }),
        }
    }
    for pipeline in &mut pipelines {
        pipeline.points.sort_by(|one, other| one.at.total_cmp(&other.at));
    }
    pipelines
}

/// The competence of the players of a cell, 0 to 1; `None` unless all of them are noisy experts of the same one.
fn competence(info: &CellInfo) -> Option<f64> {
    if info.kind != Kind::NoisyExpert {
        return None;
    }
    let models: BTreeSet<&str> = info.models.iter().map(|model| model.model.as_str()).collect();
    let mut models = models.into_iter();
    let (only, None) = (models.next()?, models.next()) else { return None };
    only.strip_prefix("noisy/")?.split(',').next()?.parse().ok()
}
