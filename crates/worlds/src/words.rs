//! Every word of its own that the log writes. Belief states list them among theirs, so that no advice can slip in
//! (BOG-089).

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
/// Key: what the comparison says of a subject whose status tells of an action instead (BOG-R17); in the log, of the
/// subjects that it gave news of.
pub const COMPARED: &str = "compared_with_baseline";
