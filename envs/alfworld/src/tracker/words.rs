//! Every word of its own that the belief state may write. What else stands in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

pub use gimbal_worlds::words::{ACTION, COMPARED, HISTORY, JUSTIFICATION, NO_STEPS, QUIET, STEP, STEPS};

/// Above the latest observation.
pub const OBSERVATION: &str = "Latest observation:";
/// Above the list of receptacles that something is known of.
pub const STATUS: &str = "Receptacles that are not in their baseline state:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Every receptacle is in its baseline state: nothing is known of what they hold.";
/// Above the agent's own state.
pub const SELF: &str = "You:";

/// Nothing is known of a receptacle.
pub const BASELINE: &str = "baseline";
/// Something was taken from it or put there.
pub const CHANGED: &str = "changed";
/// It was seen, and it is closed.
pub const UNKNOWN: &str = "unknown";
/// What it holds was seen; the number of the step follows.
pub const ANALYSED: &str = "analysed at step";
/// In the log: what it holds was seen.
pub const SEEN: &str = "analysed";
/// The receptacle appears in the latest observation.
pub const CURRENT: &str = "Current";
/// It does not.
pub const PAST: &str = "Past";
/// Nothing was done to it; nothing is carried.
pub const NONE: &str = "none";
/// Between the actions on a receptacle.
pub const ARROW: &str = "->";

/// Key: where the agent is.
pub const HERE: &str = "location";
/// Key: what the agent carries.
pub const CARRIED: &str = "carried";
/// Key: name of a receptacle.
pub const RECEPTACLE_NAME: &str = "receptacle_name";
/// Key: its status.
pub const CURRENT_STATUS: &str = "current_status";
/// Key: recency.
pub const TIME_OF_UPDATE: &str = "time_of_update";
/// Key: the record of what was done.
pub const APPLIED: &str = "applied_actions_so_far";
/// Key: where a state comes from.
pub const SOURCE: &str = "source";
/// Key: the step that a state was seen in.
pub const AT_STEP: &str = "step";
/// Key: what a receptacle is seen or held to contain.
pub const HOLDS: &str = "holds";
/// Key: whether it stands open.
pub const DOOR: &str = "door";
/// Key: a remark in place of a state.
pub const NOTICE: &str = "notice";
/// Key: what it held when it was first seen.
pub const BASELINE_STATE: &str = "baseline_state";

/// Source: the latest observation.
pub const FROM_OBSERVATION: &str = "current observation";
/// Source: an earlier observation, with what the agent did since.
pub const FROM_RECORD: &str = "last recorded change";
/// Notice: it was seen closed.
pub const CLOSED: &str = "it is closed, and what it holds has not been seen";
/// Notice: it was never seen.
pub const NO_EVIDENCE: &str = "it has not been seen; this is the baseline";

/// All of the above, and the words of doors.
pub const ALL: [&str; 40] = [
    OBSERVATION,
    STATUS,
    ALL_BASELINE,
    SELF,
    HISTORY,
    NO_STEPS,
    STEP,
    STEPS,
    QUIET,
    BASELINE,
    CHANGED,
    UNKNOWN,
    ANALYSED,
    SEEN,
    CURRENT,
    PAST,
    NONE,
    ARROW,
    HERE,
    CARRIED,
    RECEPTACLE_NAME,
    CURRENT_STATUS,
    COMPARED,
    TIME_OF_UPDATE,
    APPLIED,
    ACTION,
    JUSTIFICATION,
    SOURCE,
    AT_STEP,
    HOLDS,
    DOOR,
    NOTICE,
    BASELINE_STATE,
    FROM_OBSERVATION,
    FROM_RECORD,
    CLOSED,
    NO_EVIDENCE,
    "open",
    "closed",
    "plain",
];
