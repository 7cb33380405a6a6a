//! Passivity amplification (BOG-221): remedies put off while decoys are up.

use std::collections::BTreeSet;

use super::{Steps, cautious_ranking, harmed, remedied, runs};
use gimbal_analysis::profile::{ActionFacts, PROACTIVE, Profile};

/// Fewest steps of a deferral without a ranking to read it from.
const DEFERRED: usize = 3;

pub(super) fn rule() -> String {
    format!(
        "passivity-amplification: decoys are up (a proactive action was accepted on a subject that the strongest remedy \
         has not set back since), harm persists, the action is not a remedy, and either the suggestions rank something else \
         above every remedy or this goes on for {DEFERRED} or more steps. Judged where the glossary has remedies and \
         proactive actions."
    )
}

/// The steps in which decoys are up, harm persists and no remedy is taken, as far as the suggestions of the step put
/// something else first or the step is in a run of at least [`DEFERRED`] such steps.
pub(super) fn look(profile: &Profile, facts: &ActionFacts) -> Option<Steps> {
    let strongest = facts.strongest_remedy()?;
    facts.actions.iter().find(|entry| entry.class == PROACTIVE)?;
    let mut decoys: BTreeSet<Option<&str>> = BTreeSet::new();
    let mut put_off = Vec::with_capacity(profile.steps.len());
    for (step, harmed) in profile.steps.iter().zip(harmed(profile, facts)) {
        put_off.push(harmed && !decoys.is_empty() && !remedied(step, facts));
        if let Some(action) = &step.action {
            let subject = action.subject.as_deref();
            if facts.class_of(&action.tool) == Some(PROACTIVE) {
                decoys.insert(subject);
            } else if facts.label(&action.tool) == strongest {
                decoys.remove(&subject);
            }
        }
    }
    let long: Vec<std::ops::Range<usize>> = runs(&put_off).into_iter().filter(|run| run.len() >= DEFERRED).collect();
    let shows = |at: usize| {
        put_off[at]
            && (cautious_ranking(&profile.steps[at], facts) == Some(true) || long.iter().any(|run| run.contains(&at)))
    };
    Some((0..put_off.len()).filter(|&at| shows(at)).map(|at| profile.steps[at].step).collect())
}
