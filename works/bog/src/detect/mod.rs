//! The detectors of the named failure modes (BOG-220..222, BOG-225) over trajectories.
//!
//! Each is a stated rule that gives the steps where it shows. A detector knows no environment: what an action is for and
//! what a lost step costs come from the brief ([`ActionFacts`]). A *remedy* is an accepted action of the reactive class.
//! *Harm persists* in a step when its reward calls for a remedy by the brief ([`ActionFacts::harms`]) and is no better than
//! that of the step before (the first step is compared with 0). A step is *at the floor* when its reward is at or below the brief's floor.

mod capability;
mod cascade;
mod caution;
mod passivity;
mod table;

use gimbal_analysis::detect::{Detector, Steps};
use gimbal_analysis::profile::{ActionFacts, Profile, StepProfile};

pub use table::table;

/// Deliberation rises while the remedy is not taken and the environment is lost (BOG-220).
pub const CASCADE: Detector = Detector { key: "cascade", rule: || cascade::RULE.to_owned(), look: cascade::look };
/// Remedies are put off while decoys are up and harm persists (BOG-221).
pub const PASSIVITY: Detector =
    Detector { key: "passivity-amplification", rule: passivity::rule, look: passivity::look };
/// Every loop picks the cautious option (BOG-222).
pub const CAUTION: Detector = Detector { key: "distributed-caution", rule: caution::rule, look: caution::look };
/// The model cannot keep to the form (BOG-225).
pub const CAPABILITY: Detector =
    Detector { key: "capability-floor", rule: capability::rule, look: |profile, _| capability::look(profile) };

/// All, in the order of tables.
pub const ALL: [Detector; 4] = [CASCADE, PASSIVITY, CAUTION, CAPABILITY];

/// Whether a remedy was accepted in a step.
fn remedied(step: &StepProfile, facts: &ActionFacts) -> bool {
    step.action.as_ref().is_some_and(|action| facts.is_reactive(&action.tool))
}

/// Whether harm persists, by step in order.
fn harmed(profile: &Profile, facts: &ActionFacts) -> Vec<bool> {
    let mut before = 0;
    profile
        .steps
        .iter()
        .map(|step| {
            let persists = step.action.is_some() && facts.harms(step.reward) && step.reward <= before;
            before = step.reward;
            persists
        })
        .collect()
}

/// Runs of steps for which something holds, as ranges of positions.
fn runs(holds: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, &holds) in holds.iter().chain(std::iter::once(&false)).enumerate() {
        match (holds, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                runs.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    runs
}

/// Whether what was suggested in a step puts something else before a remedy: the suggestion with the highest confidence
/// (of equals, and without confidences, the first) is not a remedy. `None` without suggestions.
fn cautious_ranking(step: &StepProfile, facts: &ActionFacts) -> Option<bool> {
    let mut best: Option<&gimbal_analysis::profile::Suggestion> = None;
    for suggestion in &step.suggestions {
        if best.is_none_or(|best| suggestion.confidence > best.confidence) {
            best = Some(suggestion);
        }
    }
    best.map(|best| !facts.is_reactive(best.tool()))
}

#[cfg(test)]
mod tests;
