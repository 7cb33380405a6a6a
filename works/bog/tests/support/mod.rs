//! Studies shaped like the work's own, and the work's tables and figures of them.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[path = "../../../../crates/view/tests/support/mod.rs"]
pub mod drawn;
pub mod paper;
pub mod published;
#[path = "../../../../crates/analysis/tests/support/mod.rs"]
mod small;
#[path = "../../../testing.rs"]
pub mod testing;

use gimbal_analysis::profile::Traces;
use gimbal_analysis::work_folds::FoldStates;
use gimbal_analysis::{Analysis, Rows, Table};
use gimbal_bog::Bog;
use gimbal_bog::handled::{HANDLED, HandledByCell};
use gimbal_view::Output;
use gimbal_view::work::Inputs;

pub use small::*;

/// A table of the work, of a run without trajectories.
pub fn table(key: &str, rows: &Rows, analysis: &Analysis) -> Table {
    table_of(key, rows, analysis, &Traces::default())
}

pub fn table_of(key: &str, rows: &Rows, analysis: &Analysis, traces: &Traces) -> Table {
    table_with(key, rows, analysis, (traces, &HandledByCell::default()))
}

/// A table of the work with what its records say of messages.
pub fn table_with(key: &str, rows: &Rows, analysis: &Analysis, (traces, handled): (&Traces, &HandledByCell)) -> Table {
    let folds = FoldStates::default().with(&HANDLED, handled.clone());
    testing::table(&Bog, key, &Inputs { folds, ..testing::of_rows(rows, analysis, traces) }).unwrap()
}

/// Every figure of the work.
pub fn figures(rows: &Rows, analysis: &Analysis, traces: &Traces) -> Vec<Output> {
    testing::figures(&Bog, &testing::of_rows(rows, analysis, traces))
}
