//! The deliberation cascade within an episode (BOG-220).

use super::{Steps, remedied, runs};
use gimbal_analysis::profile::{ActionFacts, Profile};

pub(super) const RULE: &str = "cascade: two or more steps in a row at or below the floor without a remedy, in which \
     agents deliberate more a step than they did before the run; shown are the steps of the run with deliberation. \
     Judged where the brief states a floor and an agent deliberates.";

/// Fewest steps of a run.
const RUN: usize = 2;

/// The steps of each run of at least [`RUN`] steps at the floor without a remedy in which an agent deliberates, where
/// the mean number of deliberation calls a step is higher than over all steps before the run.
pub(super) fn look(profile: &Profile, facts: &ActionFacts) -> Option<Steps> {
    facts.floor?;
    if profile.steps.iter().all(|step| step.deliberated() == 0) {
        return None;
    }
    let lost: Vec<bool> = profile
        .steps
        .iter()
        .map(|step| step.action.is_some() && facts.at_floor(step.reward) == Some(true) && !remedied(step, facts))
        .collect();
    let mut shown = Vec::new();
    for run in runs(&lost).into_iter().filter(|run| run.len() >= RUN) {
        let total = |range: std::ops::Range<usize>| -> u64 {
            profile.steps[range].iter().map(|step| u64::from(step.deliberated())).sum()
        };
        let (before, within) = (total(0..run.start), total(run.clone()));
        // Compared without division: within / length > before / start.
        let rises = if run.start == 0 { within > 0 } else { within * run.start as u64 > before * run.len() as u64 };
        if rises {
            shown.extend(profile.steps[run].iter().filter(|step| step.deliberated() > 0).map(|step| step.step));
        }
    }
    Some(shown)
}
