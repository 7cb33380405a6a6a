//! Every word of its own that the belief state may write. What else is in its texts comes from observations, calls,
//! step numbers and the agent's justifications, so that no advice can slip in (BOG-089).

use gimbal_env_kit::words::with_own;
pub use gimbal_env_kit::words::{
    ACTION, APPLIED, ARROW, BASELINE, BASELINE_STATE, CHANGED, COMPARED, CURRENT, CURRENT_STATUS, HISTORY,
    JUSTIFICATION, NO_STEPS, NONE, NOTICE, OBSERVATION, PAST, QUIET, SOURCE, STEP, STEPS, TIME_OF_UPDATE, UNKNOWN,
};

/// Above the list of items with another status than the baseline.
pub const STATUS: &str = "Items whose status is not baseline:";
/// Instead of an empty list.
pub const ALL_BASELINE: &str = "Nothing was got or crafted yet.";

/// Key: name of an item.
pub const ITEM_NAME: &str = "item_name";
/// Key: how many of an item are carried.
pub const CARRIED: &str = "carried";
/// Key: commands that make an item.
pub const MADE_BY: &str = "made_by";
/// Key: commands that take an item.
pub const TAKEN_BY: &str = "taken_by";

/// Source: replies to one's own commands.
pub const FROM_REPLIES: &str = "replies so far";
/// Notice: the item was asked for and is not to be had so.
pub const NOT_FOUND: &str = "it was asked for and could not be found";
/// Notice: a command for the item failed.
pub const NOT_MADE: &str = "the last command to make it failed";
/// Notice: nothing but the baseline is known.
pub const NO_EVIDENCE: &str = "no evidence of a change; this is the baseline";

/// All of the above with the verbs of commands, and the shared ones.
pub const ALL: [&str; 40] = with_own([
    STATUS,
    ALL_BASELINE,
    ITEM_NAME,
    CARRIED,
    MADE_BY,
    TAKEN_BY,
    FROM_REPLIES,
    NOT_FOUND,
    NOT_MADE,
    NO_EVIDENCE,
    "get",
    "craft",
    "inventory",
]);
