//! The work's tables and figures of a made-up study.
#![allow(dead_code, unused_imports, clippy::unwrap_used, missing_docs)]

#[path = "../../../testing.rs"]
pub mod testing;

use gimbal_analysis::Table;
use gimbal_analysis::cyclic::Cycles;
use gimbal_cyc::Cyc;
use gimbal_view::Output;

pub fn table(key: &str, cycles: &Cycles) -> Option<Table> {
    testing::table(&Cyc, key, &testing::of_cycles(cycles), None)
}

pub fn figures(cycles: &Cycles) -> Vec<Output> {
    testing::figures(&Cyc, &testing::of_cycles(cycles), None)
}

pub fn figure(key: &str, cycles: &Cycles) -> Vec<Output> {
    figures(cycles).into_iter().filter(|output| output.key == key).collect()
}
