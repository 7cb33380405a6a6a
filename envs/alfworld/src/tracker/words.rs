//! Every word of its own that the belief state may write. What else is in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

use gimbal_env_kit::words::with_own;
pub use gimbal_env_kit::words::{
    ACTION, ANALYSED, APPLIED, ARROW, AT_STEP, BASELINE, BASELINE_STATE, CHANGED, COMPARED, CURRENT, CURRENT_STATUS,
    FROM_OBSERVATION, FROM_RECORD, HISTORY, JUSTIFICATION, NO_STEPS, NONE, NOTICE, OBSERVATION, PAST, QUIET, SOURCE,
    STEP, STEPS, TIME_OF_UPDATE, UNKNOWN,
};

/// Above the list of receptacles that something is known of.
pub const STATUS: &str = "Receptacles whose status is not baseline:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Nothing is known yet of what any receptacle holds.";
/// Above the agent's own state.
pub const SELF: &str = "The agent:";

/// In the log: what it holds was seen.
pub const SEEN: &str = "analysed";

/// Key: where the agent is.
pub const HERE: &str = "location";
/// Key: what the agent carries.
pub const CARRIED: &str = "carried";
/// Key: name of a receptacle.
pub const RECEPTACLE_NAME: &str = "receptacle_name";
/// Key: what a receptacle is seen or held to contain.
pub const HOLDS: &str = "holds";
/// Key: whether it is open.
pub const DOOR: &str = "door";

/// Notice: it was seen closed.
pub const CLOSED: &str = "it is closed, and what it holds has not been seen";
/// Notice: it was never seen.
pub const NO_EVIDENCE: &str = "it has not been seen; this is the baseline";

/// All of the above with the words of doors, and the shared ones.
pub const ALL: [&str; 40] = with_own([
    STATUS,
    ALL_BASELINE,
    SELF,
    SEEN,
    HERE,
    CARRIED,
    RECEPTACLE_NAME,
    HOLDS,
    DOOR,
    CLOSED,
    NO_EVIDENCE,
    "open",
    "closed",
]);
