//! The work's tables and figures of a made-up study.
#![allow(dead_code, unused_imports, clippy::unwrap_used, missing_docs)]

#[path = "../../../testing.rs"]
pub mod testing;

use gimbal_analysis::Table;
use gimbal_analysis::work_folds::FoldStates;
use gimbal_cyc::Cyc;
use gimbal_cyc::cyclic::{Board, CYCLES, Cycles};
use gimbal_view::Output;
use gimbal_view::work::Inputs;

/// What items are made from, of cells that a test made.
pub fn of_cycles(cycles: &Cycles) -> Inputs {
    let folds = FoldStates::default().with(&CYCLES, Board::new(cycles.clone()));
    Inputs { folds, ..Inputs::default() }
}

pub fn table(key: &str, cycles: &Cycles) -> Option<Table> {
    testing::table(&Cyc, key, &of_cycles(cycles))
}

pub fn figures(cycles: &Cycles) -> Vec<Output> {
    testing::figures(&Cyc, &of_cycles(cycles))
}

pub fn figure(key: &str, cycles: &Cycles) -> Vec<Output> {
    figures(cycles).into_iter().filter(|output| output.key == key).collect()
}
