//! The capability floor (BOG-225): a model that cannot keep to the form cannot be judged by its decisions.

use super::Steps;
use gimbal_analysis::profile::{Profile, StepProfile};

/// An episode shows it when at least one of so many attempts is invalid.
const INVALID_OF: u64 = 2;
/// An episode shows it when at least one of so many steps is the fallback's.
const FALLBACK_OF: u64 = 10;
/// An episode shows it when at least one of so many messages under a contract falls to the default.
const DEFAULT_OF: u64 = 2;

pub(super) fn rule() -> String {
    format!(
        "capability-floor: at least 1 of {INVALID_OF} attempts at an action is invalid, or at least 1 of {FALLBACK_OF} \
         steps is the fallback's, or at least 1 of {DEFAULT_OF} messages under a contract falls to the default; shown are \
         the steps with an invalid attempt, the fallback or such a default. Judged where a model is asked."
    )
}

/// The steps with a refused call, a call without a whole answer, the fallback or a message that fell to the default, in
/// episodes in which invalid attempts make at least one in [`INVALID_OF`], fallback steps at least one in [`FALLBACK_OF`],
/// or defaults at least one in [`DEFAULT_OF`] messages.
pub(super) fn look(profile: &Profile) -> Option<Steps> {
    if profile.steps.iter().all(|step| step.calls.is_empty()) {
        return None;
    }
    let (mut invalid, mut attempts, mut fallbacks, mut steps) = (0_u64, 0_u64, 0_u64, 0_u64);
    for step in &profile.steps {
        let wrong = u64::from(step.rejected) + u64::from(step.failed);
        let taken = u64::from(step.action.is_some());
        invalid += wrong;
        // The fallback's own call is the scaffolding's and no attempt.
        attempts += wrong + if step.fallbacks > 0 { 0 } else { taken };
        fallbacks += u64::from(step.fallbacks > 0);
        steps += taken;
    }
    let messages: u64 = profile.steps.iter().map(|step| u64::from(step.messages_read)).sum();
    let unread: u64 = profile.steps.iter().map(|step| u64::from(step.messages_replaced)).sum();
    let shows = (invalid > 0 && invalid * INVALID_OF >= attempts)
        || (fallbacks > 0 && fallbacks * FALLBACK_OF >= steps)
        || (unread > 0 && unread * DEFAULT_OF >= messages);
    let wrong =
        |step: &&StepProfile| step.fallbacks > 0 || step.rejected + step.failed > 0 || step.messages_replaced > 0;
    let marked = profile.steps.iter().filter(wrong);
    Some(if shows { marked.map(|step| step.step).collect() } else { Vec::new() })
}
