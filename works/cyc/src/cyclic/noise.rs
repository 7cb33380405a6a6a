//! What becomes of each controller as its player errs more: rates and costs by error rate, with and without faults.
//!
//! The error rate is a factor of the cell ([`Condition::error`]); a cell whose player has no known one is in no curve.

use super::Condition;
use super::fold::{CellCycles, Cycles, Record};
use gimbal_analysis::Proportion;
use gimbal_analysis::Summary;
use gimbal_analysis::{EpisodePlace, Grouping};

/// Confidence of the intervals: what the rest of a report has unless it is told otherwise.
pub const CONFIDENCE: f64 = 0.95;

/// How the intervals are made.
pub const INTERVALS: &str = "95% intervals; of shares: Wilson, with the number of episodes that the clusters are worth; of means: Student t robust against clusters. Clusters are tasks and instances; where each was played once, every episode is a cluster of its own.";

/// One cell on a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisePoint {
    /// Chance that an answer of the player is not the competent one, 0 to 1.
    pub error: f64,
    /// Place of the cell in the study.
    pub place: usize,
    /// Share of won episodes.
    pub success: Proportion,
    /// Tool calls of won episodes; `None` where none was won.
    pub calls: Option<Summary>,
    /// Tokens of won episodes.
    pub tokens: Option<Summary>,
    /// Tool calls of all episodes.
    pub all_calls: Option<Summary>,
}

/// The cells of one controller in one environment under one kind of faults, by error rate.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseCurve {
    /// Environment.
    pub environment: String,
    /// Controller, and its configuration where the controller alone does not tell curves apart.
    pub name: String,
    /// Injected faults; empty for none.
    pub faults: String,
    /// Points by error rate.
    pub points: Vec<NoisePoint>,
}

/// The curves of a run, in the study's order; empty without a cell of known error rate.
#[must_use]
pub fn noise_curves(cycles: &Cycles, confidence: f64) -> Vec<NoiseCurve> {
    let known = || cycles.cells.iter().enumerate().filter(|(_, cell)| cell.condition.error.is_some());
    let mut curves: Vec<(&CellCycles, NoiseCurve)> = Vec::new();
    for (place, cell) in known() {
        let Some(point) = point(place, cell, confidence) else { continue };
        let same = |(first, _): &&mut (&CellCycles, NoiseCurve)| {
            without_rate(&first.condition) == without_rate(&cell.condition)
                && first.info.configuration == cell.info.configuration
        };
        if let Some((_, curve)) = curves.iter_mut().find(same) {
            curve.points.push(point);
            continue;
        }
        let curve = NoiseCurve {
            environment: cell.info.environment.clone(),
            name: cell.condition.label(),
            faults: cell.info.faults.clone(),
            points: vec![point],
        };
        curves.push((cell, curve));
    }
    let labels: Vec<(String, String, String)> =
        curves.iter().map(|(_, curve)| (curve.environment.clone(), curve.name.clone(), curve.faults.clone())).collect();
    let named = curves.into_iter().zip(&labels).map(|((cell, mut curve), own)| {
        if labels.iter().filter(|label| *label == own).count() > 1 {
            curve.name.clone_from(&cell.info.configuration);
        }
        curve.points.sort_by(|one, other| one.error.total_cmp(&other.error));
        curve
    });
    named.collect()
}

/// What a cell plays, without its player.
fn without_rate(condition: &Condition) -> Condition {
    Condition { error: None, planner: None, executor: None, router: None, ..condition.clone() }
}

fn point(place: usize, cell: &CellCycles, confidence: f64) -> Option<NoisePoint> {
    if cell.hardly_acted() {
        return None;
    }
    let records: Vec<Seen<'_>> = cell.records.iter().map(|record| (0, record)).collect();
    let won: Vec<Seen<'_>> = records.iter().copied().filter(|(_, record)| record.won).collect();
    Some(NoisePoint {
        error: f64::from(cell.condition.error?) / 1e6,
        place,
        success: success(&records, confidence)?,
        calls: summary(&won, confidence, |record| f64::from(record.tool_calls)),
        tokens: summary(&won, confidence, |record| record.spent.tokens() as f64),
        all_calls: summary(&records, confidence, |record| f64::from(record.tool_calls)),
    })
}

/// An episode, and the number of its cell where several are taken together.
pub(super) type Seen<'r> = (u32, &'r Record);

/// Where episodes depend on one another: those of one task and instance, also from different cells.
pub(super) fn grouping(seen: &[Seen<'_>]) -> Grouping {
    let cells = seen.iter().map(|(cell, _)| cell + 1).max().unwrap_or(1);
    let places = seen.iter().map(|(cell, record)| EpisodePlace {
        environment: &record.environment,
        task: &record.task,
        // Another cell in the same environment is as another run of it.
        run: record.run.saturating_mul(cells).saturating_add(*cell),
        trial: record.trial,
        instance: record.instance,
    });
    Grouping::of_places(&places.collect::<Vec<EpisodePlace<'_>>>())
}

/// The share of won episodes, its interval robust against what episodes of one task and instance share.
pub(super) fn success(seen: &[Seen<'_>], confidence: f64) -> Option<Proportion> {
    let holds: Vec<bool> = seen.iter().map(|(_, record)| record.won).collect();
    Proportion::of(&holds, &grouping(seen), confidence)
}

/// A mean over episodes, its interval robust in the same way.
pub(super) fn summary(seen: &[Seen<'_>], confidence: f64, value: impl Fn(&Record) -> f64) -> Option<Summary> {
    let values: Vec<f64> = seen.iter().map(|(_, record)| value(record)).collect();
    let summary = Summary::of(&values, confidence)?;
    Some(grouping(seen).summary(summary, &values, confidence))
}
