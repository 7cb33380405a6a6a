//! Every word of its own that the belief state may write. What else is in its texts comes from observations,
//! calls, step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

use gimbal_env_kit::words::with_own;
pub use gimbal_env_kit::words::{
    ACTION, ANALYSED, APPLIED, ARROW, AT_STEP, BASELINE, BASELINE_STATE, CHANGED, COMPARED, CURRENT, CURRENT_STATUS,
    FROM_OBSERVATION, FROM_RECORD, HISTORY, JUSTIFICATION, NO_OBSERVATION, NO_STEPS, NONE, NOTICE, OBSERVATION, PAST,
    QUIET, SOURCE, STEP, STEPS, TIME_OF_UPDATE, UNKNOWN,
};

/// Above the list of hosts with another status than the baseline: changed, unknown, or analysed.
pub const STATUS: &str = "Hosts whose status is not baseline:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Every host is in its baseline state.";

/// Key: name of a host.
pub const HOST_NAME: &str = "host_name";
/// Key: the state of a host.
pub const STATE: &str = "state";
/// Key: services of the decoys that are part of the baseline.
pub const DECOYS: &str = "decoys_included";

/// Notice: the host was acted on and not seen since.
pub const NOT_SEEN: &str = "state unknown: acted on and not observed since";
/// Notice: nothing but the baseline is known.
pub const NO_EVIDENCE: &str = "no evidence of a change; this is the baseline";

/// All of the above, and the shared ones.
pub const ALL: [&str; 34] = with_own([STATUS, ALL_BASELINE, HOST_NAME, STATE, DECOYS, NOT_SEEN, NO_EVIDENCE]);
