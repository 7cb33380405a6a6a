//! Every word of its own that the tracker writes, so that no advice can slip in (BOG-089).

pub use gimbal_env_kit::words::*;

/// Above the latest observation.
pub const OBSERVATION: &str = "Result of the latest call:";
/// Begins the status.
pub const STATUS: &str = "Facts shown so far:";
/// Instead of a number of facts.
pub const NO_FACTS: &str = "none";
/// Begins the line of the facts that were looked at on their own.
pub const LOOKED: &str = "Looked at on their own:";
/// Above the lines of facts, where all of them are there.
pub const LINES: &str = "Their lines:";
/// Above the lines of facts, where the earliest are left out.
pub const LATEST: &str = "The lines of the latest:";
/// Above the whole packet.
pub const PACKET: &str = "All facts of the evidence packet:";
/// Instead of them.
pub const EMPTY: &str = "The evidence packet has no facts.";
/// Key: an entity.
pub const ENTITY: &str = "entity";
/// Key: facts.
pub const FACTS: &str = "facts";
/// Key: how many facts were shown.
pub const COUNT: &str = "facts_shown";
/// Key: what people stated.
pub const STATED: &str = "stated";
/// What people stated, where they stated nothing.
pub const NOTHING: &str = "nothing";
