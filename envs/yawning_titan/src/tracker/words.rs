//! Every word of its own that the belief state may write. What else is in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

use gimbal_env_kit::words::with_own;
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

/// All of the above, and the shared ones.
pub const ALL: [&str; 33] = with_own([STATUS, ALL_BASELINE, NODE_NAME, STATE, ATTACKED, NO_EVIDENCE]);
