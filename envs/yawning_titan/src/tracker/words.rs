//! Every word of its own that the belief state may write. What else is in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

pub use gimbal_env_kit::words::{
    ACTION, ANALYSED, APPLIED, ARROW, AT_STEP, BASELINE, BASELINE_STATE, CHANGED, COMPARED, CURRENT, CURRENT_STATUS,
    FROM_OBSERVATION, FROM_RECORD, HISTORY, JUSTIFICATION, NO_OBSERVATION, NO_STEPS, NONE, NOTICE, OBSERVATION, PAST,
    QUIET, SOURCE, STEP, STEPS, TIME_OF_UPDATE, UNKNOWN,
};

/// Above the list of nodes with another status than the baseline: changed, unknown, or analysed.
pub const STATUS: &str = "Nodes whose status is not baseline:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Every node is in its baseline state.";

/// Key: name of a node.
pub const NODE_NAME: &str = "node_name";
/// Key: the state of a node.
pub const STATE: &str = "state";

/// Notice: the node was attacked, and whether it held is not known.
pub const ATTACKED: &str = "an attack on it was detected and its outcome is not known";
/// Notice: nothing but the baseline is known.
pub const NO_EVIDENCE: &str = "no evidence of a change; this is the baseline";

/// All of the above.
pub const ALL: [&str; 33] = [
    OBSERVATION,
    NO_OBSERVATION,
    STATUS,
    ALL_BASELINE,
    HISTORY,
    NO_STEPS,
    STEP,
    STEPS,
    QUIET,
    BASELINE,
    CHANGED,
    UNKNOWN,
    ANALYSED,
    CURRENT,
    PAST,
    NONE,
    ARROW,
    NODE_NAME,
    CURRENT_STATUS,
    COMPARED,
    TIME_OF_UPDATE,
    APPLIED,
    ACTION,
    JUSTIFICATION,
    SOURCE,
    AT_STEP,
    STATE,
    NOTICE,
    BASELINE_STATE,
    FROM_OBSERVATION,
    FROM_RECORD,
    ATTACKED,
    NO_EVIDENCE,
];
