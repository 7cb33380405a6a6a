//! Every word of its own that the belief state may write. What else stands in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

pub use gimbal_worlds::words::{ACTION, COMPARED, HISTORY, JUSTIFICATION, NO_STEPS, QUIET, STEP, STEPS};

/// Above the latest observation.
pub const OBSERVATION: &str = "Latest observation:";
/// Above the list of nodes that are not in their baseline state.
pub const STATUS: &str = "Nodes that are not in their baseline state:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Every node is in its baseline state.";

/// A node is as it was at first, but for what was done to it on purpose.
pub const BASELINE: &str = "baseline";
/// A node shows what its baseline does not hold.
pub const CHANGED: &str = "changed";
/// What holds on a node cannot be told.
pub const UNKNOWN: &str = "unknown";
/// A node was looked into; the number of the step follows.
pub const ANALYSED: &str = "analysed at step";
/// The node appears in the latest observation.
pub const CURRENT: &str = "Current";
/// The node does not appear in the latest observation.
pub const PAST: &str = "Past";
/// Nothing was done to the node.
pub const NONE: &str = "none";
/// Between the actions of a node.
pub const ARROW: &str = "->";

/// Key: name of a node.
pub const NODE_NAME: &str = "node_name";
/// Key: status of a node.
pub const CURRENT_STATUS: &str = "current_status";
/// Key: recency of a node.
pub const TIME_OF_UPDATE: &str = "time_of_update";
/// Key: the action record of a node.
pub const APPLIED: &str = "applied_actions_so_far";
/// Key: where a state comes from.
pub const SOURCE: &str = "source";
/// Key: the step that a state was seen in.
pub const AT_STEP: &str = "step";
/// Key: the state of a node.
pub const STATE: &str = "state";
/// Key: a remark in place of or beside a state.
pub const NOTICE: &str = "notice";
/// Key: the baseline of a node, with what was done to it on purpose.
pub const BASELINE_STATE: &str = "baseline_state";

/// Source: the latest observation.
pub const FROM_OBSERVATION: &str = "current observation";
/// Source: an earlier observation.
pub const FROM_RECORD: &str = "last recorded change";
/// Notice: the node was attacked, and whether it held is not known.
pub const ATTACKED: &str = "an attack on it was detected and its outcome is not known";
/// Notice: nothing but the baseline is known.
pub const NO_EVIDENCE: &str = "no evidence of a change; this is the baseline";

/// All of the above.
pub const ALL: [&str; 32] = [
    OBSERVATION,
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
