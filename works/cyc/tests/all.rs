//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod cyc_by_hand;
mod cyclic;
#[path = "../../../crates/view/tests/support/mod.rs"]
mod drawn;
mod figures;
#[path = "support/made.rs"]
mod made;
mod papers_cyc;
mod plans;
mod support;
