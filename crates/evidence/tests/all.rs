//! One binary for all tests of this crate.

mod by_rule;
mod claims;
mod graphs;
mod judges;
mod packets;
#[cfg(feature = "extract")]
mod selection;
