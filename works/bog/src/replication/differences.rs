//! Every configuration against a baseline, whatever the study: do the models agree on the direction?

use super::judge::measure;
use super::{Replication, correct};
use crate::axes::{Expectation, Grids, Quantity};

/// Paired differences of returns of every configuration against `baseline`, by model. The direction that is asked for is
/// that of most estimates: it is read off the data, so that "replicates" says that models agree, not that a guess was
/// right. Empty where no environment has the baseline.
#[must_use]
pub fn against_baseline(grids: &Grids<'_>, baseline: &str) -> Vec<Replication> {
    let options = &grids.analysis.options;
    let mut all = Vec::new();
    for grid in &grids.grids {
        for entry in grid.configurations.iter().filter(|entry| entry.name != baseline) {
            let sides = (entry.name.as_str(), baseline);
            let measured: Vec<_> = grid
                .models
                .iter()
                .filter_map(|model| Some((model, measure(Quantity::Return, grid, sides, model, options)?)))
                .collect();
            if measured.is_empty() {
                continue;
            }
            let up = measured.iter().filter(|(_, one)| one.estimate > 0.0).count();
            let down = measured.iter().filter(|(_, one)| one.estimate < 0.0).count();
            let sum: f64 = measured.iter().map(|(_, one)| one.estimate).sum();
            let more = up > down || (up == down && sum >= 0.0);
            let expects = if more { Expectation::More } else { Expectation::Less };
            let findings = measured.into_iter().map(|(model, one)| one.finding(model, sides, expects)).collect();
            let word = if more { "more" } else { "less" };
            let says = format!("{} returns {word} than {baseline} (direction of most models)", entry.name);
            let name = format!("{} − {baseline}", entry.name);
            all.push(Replication::of(name, says, grid.environment, findings, options.confidence));
        }
    }
    correct(&mut all);
    all
}
