//! The words that belief states share: those of the log, and keys and values of what they render. Each belief state
//! lists the ones that it writes among its own, so that no advice can slip in (BOG-089).

/// Above the log of steps.
pub const HISTORY: &str = "Steps so far:";
/// Instead of an empty log.
pub const NO_STEPS: &str = "No step has been taken yet.";
/// Begins the line of one step.
pub const STEP: &str = "Step";
/// Begins the line of a run of steps.
pub const STEPS: &str = "Steps";
/// Ends the line of quiet steps.
pub const QUIET: &str = "no status change";
/// Key: a step's action.
pub const ACTION: &str = "action";
/// Key: why the agent did so, in its own words.
pub const JUSTIFICATION: &str = "justification";
/// Key: what the comparison says of a subject whose status reports an action instead (BOG-R17); in the log, of the
/// subjects that it gave news of.
pub const COMPARED: &str = "compared_with_baseline";

/// Above the latest observation.
pub const OBSERVATION: &str = "Latest observation:";
/// Instead of an observation before the first step (BOG-037).
pub const NO_OBSERVATION: &str = "No observation has been made yet.";
/// Status: nothing is known to differ from what is expected.
pub const BASELINE: &str = "baseline";
/// Status: something differs from what is expected.
pub const CHANGED: &str = "changed";
/// Status: cannot be derived from what is known.
pub const UNKNOWN: &str = "unknown";
/// Status, before a step: the subject was looked into, and nothing differed.
pub const ANALYSED: &str = "analysed at step";
/// Recency: the latest observation or call is about the subject.
pub const CURRENT: &str = "Current";
/// Recency: it is not.
pub const PAST: &str = "Past";
/// Nothing was done with a subject.
pub const NONE: &str = "none";
/// Between the actions of a subject.
pub const ARROW: &str = "->";
/// Key: status of a subject.
pub const CURRENT_STATUS: &str = "current_status";
/// Key: recency of a subject.
pub const TIME_OF_UPDATE: &str = "time_of_update";
/// Key: what was done with a subject.
pub const APPLIED: &str = "applied_actions_so_far";
/// Key: where a state comes from.
pub const SOURCE: &str = "source";
/// Key: the step that a state was seen in.
pub const AT_STEP: &str = "step";
/// Key: a remark with a state or in place of one.
pub const NOTICE: &str = "notice";
/// Key: what is expected of a subject.
pub const BASELINE_STATE: &str = "baseline_state";
/// Source: the latest observation.
pub const FROM_OBSERVATION: &str = "current observation";
/// Source: an earlier observation.
pub const FROM_RECORD: &str = "last recorded change";

/// All of the above: the words of a belief state about subjects with a baseline.
pub const SHARED: [&str; 27] = [
    HISTORY,
    NO_STEPS,
    STEP,
    STEPS,
    QUIET,
    ACTION,
    JUSTIFICATION,
    COMPARED,
    OBSERVATION,
    NO_OBSERVATION,
    BASELINE,
    CHANGED,
    UNKNOWN,
    ANALYSED,
    CURRENT,
    PAST,
    NONE,
    ARROW,
    CURRENT_STATUS,
    TIME_OF_UPDATE,
    APPLIED,
    SOURCE,
    AT_STEP,
    NOTICE,
    BASELINE_STATE,
    FROM_OBSERVATION,
    FROM_RECORD,
];

/// The words that are shared, and behind them those of one environment. `ALL` is the number of both.
#[must_use]
pub const fn with_own<const OWN: usize, const ALL: usize>(own: [&'static str; OWN]) -> [&'static str; ALL] {
    assert!(SHARED.len() + OWN == ALL, "the number of all words is that of the shared ones and the own ones");
    let mut all = [""; ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < SHARED.len() { SHARED[at] } else { own[at - SHARED.len()] };
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{SHARED, with_own};

    #[test]
    fn own_words_follow_the_shared_ones() {
        const ALL: [&str; SHARED.len() + 2] = with_own(["one", "two"]);
        assert_eq!(ALL[..SHARED.len()], SHARED);
        assert_eq!(ALL[SHARED.len()..], ["one", "two"]);
    }
}
