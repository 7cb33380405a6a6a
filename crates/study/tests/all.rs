//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod artefacts;
mod attacks;
mod bad_models;
mod bounded_faults;
mod branches;
mod changes;
mod common;
mod cost;
mod cycles;
mod damage;
mod detectors;
mod faults;
mod in_progress;
mod kill;
mod ledger_files;
mod masks;
#[path = "../../../works/cyc/tests/support/mod.rs"]
mod of_cyc;
mod one_mask;
mod one_pass;
mod plan;
mod probe;
mod profile;
mod prompts;
mod providers;
mod published_households;
mod published_traces;
mod recited;
mod runs;
mod seams;
mod sessions;
mod trouble;
