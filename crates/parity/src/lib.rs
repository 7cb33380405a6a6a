//! What it takes to repeat, to the last bit, a simulator that was written in Python: its generator of random numbers,
//! and a reader of recordings that keeps the order of keys and every digit.
//!
//! Worlds of this workspace stand on it; it knows none of them.

pub mod json;
pub mod lines;
pub mod mersenne;
mod seed;

pub use json::{Json, JsonError};
pub use lines::{Line, Lines, ReadError};
pub use mersenne::Mersenne;
pub use seed::Seed;
