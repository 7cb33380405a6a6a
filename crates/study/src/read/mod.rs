//! Reading run folders: no environment, no model, no network.
//!
//! [`Episodes`] goes through the finished episodes once and passes each to folds, which know no run folder and live where
//! their tables are. [`read()`] adds rows and books from the same pass over the index and one over the ledger. All else is
//! for commands that need one thing alone.

mod accounts;
mod bill;
mod digest;
mod episodes;
mod layers;
mod reading;
mod rows;
mod scan;
mod spending;
mod story;
pub mod trace;
mod verify;
mod walks;

pub use digest::digest;
pub use episodes::{Episodes, Fold};
pub(crate) use episodes::{LazyTexts, Walk};
pub use reading::{Books, Reading, load_rows, read};
pub use spending::{spending, spending_of_episodes};
pub use verify::{Report, verify};
pub use walks::{
    cycles, cycles_fold, each_record, has_graphs, plan_fold, profiles, recovery_fold, results, trace_fold,
    trajectories, walk_of,
};
