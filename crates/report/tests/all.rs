//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]
// The support of each work brings the same helper.
#![allow(clippy::duplicate_mod)]

#[path = "../../../works/cyc/tests/support/mod.rs"]
mod cyc_support;
#[path = "../../../works/cyc/tests/support/made.rs"]
mod cyclic;
mod labels;
#[path = "../../../works/bog/tests/support/mod.rs"]
mod support;
