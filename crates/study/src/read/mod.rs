//! Reading run folders: no environment, no model, no network.
//!
//! [`Episodes`] goes through the finished episodes once and passes each to folds, which know no run folder and live where
//! their tables are. [`read()`] adds rows and books from the same pass over the index and one over the ledger. All else is
//! for commands that need one thing alone.

mod accounts;
mod bill;
mod digest;
mod episodes;
mod folds;
mod gaps;
mod listed;
mod reading;
mod rows;
mod scan;
mod spending;
mod story;
pub mod trace;
mod verify;

pub use digest::digest;
pub use episodes::{Episodes, Fold};
pub(crate) use episodes::{LazyTexts, Walk};
pub use folds::{each_record, profiles, recovery_fold, run_cells, trace_fold};
pub use listed::{DigestOfRun, EpisodeRow};
pub use reading::{Books, Reading, load_outcomes, load_rows, read};
pub use spending::{spending, spending_and_gaps, spending_of_episodes};
pub use verify::{Report, verify};
