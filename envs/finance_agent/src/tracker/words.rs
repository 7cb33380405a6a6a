//! Every word of its own that the tracker writes, so that no advice can slip in (BOG-089).

pub use gimbal_env_kit::words::*;

/// Above the latest observation.
pub const OBSERVATION: &str = "Result of the latest call:";
/// Above the kinds of source.
pub const STATUS: &str = "Sources so far:";
/// Instead of them.
pub const ALL_BASELINE: &str = "No source has been found or stored yet.";
/// Above the stored documents.
pub const STORED_DOCUMENTS: &str = "Stored documents:";
/// Above what was found and not opened.
pub const FOUND_SOURCES: &str = "Found and not opened:";
/// Key: a stored document's key.
pub const KEY: &str = "key";
/// Key: its length.
pub const CHARACTERS: &str = "characters";
/// Key: an address.
pub const ADDRESS: &str = "url";
/// Key: what was found.
pub const NAME: &str = "name";
/// Key: keys of stored documents.
pub const KEYS: &str = "keys";
/// Key: how many were found.
pub const COUNT: &str = "found";
/// Key: what is expected of a kind of source.
pub const BASELINE_STATE: &str = "baseline";
/// Status: nothing of the kind was found.
pub const BASELINE: &str = "none found";
/// Status: found, none opened.
pub const FOUND: &str = "found, not opened";
/// Status: stored, none read.
pub const STORED: &str = "stored, not read";
/// Status: read.
pub const READ: &str = "read";
/// Replaces the tool in the log of a call that it refused.
pub const TOOL: &str = "tool";
/// The tool replied with an error.
pub const FAILED: &str = "error";
