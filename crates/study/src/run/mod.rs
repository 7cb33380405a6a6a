//! Run folders: what a study leaves behind.
//!
//! ```text
//! runs/<study>/
//!   study.yaml      the study as resolved: versions, hashes, the price table in force
//!   index.sqlite    one row an episode; it is finished when its row is there (rebuilt from the rest when it is lost)
//!   ledger/N.log    every request and answer, N for each process that worked here; each names the one before it
//!   journals/N.seg  frames of events
//!   texts/N.pack    long texts by SHA-256
//!   lock            held by the one writer
//! ```

pub mod check;
pub mod error;
pub mod folder;
pub mod frame;
pub mod health;
pub mod index;
pub mod journal;
pub mod ledger;
pub mod ledgers;
mod presence;
pub(crate) mod rebuild;
pub mod spend;
pub mod store;
pub mod texts;
pub mod writable;

pub use crate::stage::Outcome;
pub use error::RunError;
pub use folder::{AttemptPlace, RunFolder};
pub use health::Health;
pub use index::{EpisodeId, FORMAT, Failed, Finished, Index, Place};
pub use ledger::LedgerRead;
pub use rebuild::Rebuilt;
pub use spend::{LimitReached, Spend, Spending, StudyLimits};
pub use store::{EpisodeRecorder, RunStore, StoredAttempt};
pub use writable::Writable;

/// Name of the index.
pub const INDEX: &str = "index.sqlite";

/// Name of the study as resolved.
pub const STUDY: &str = "study.yaml";
