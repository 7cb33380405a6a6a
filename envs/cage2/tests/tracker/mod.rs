//! The belief state along whole episodes: texts as they stand, determinism, its own words, growth, recordings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, missing_docs)]

mod growth;
mod play;
mod properties;
mod recordings;
mod snapshots;
mod words;
