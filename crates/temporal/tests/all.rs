//! All integration tests of the crate in one binary, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod arbiter;
mod authority;
mod case;
mod channel;
mod commitments;
mod conflict;
mod contracts;
mod criteria;
mod layers;
mod mathematics;
mod plans;
mod rollout;
mod support;
