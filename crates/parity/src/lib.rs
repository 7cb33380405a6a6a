//! What it takes to repeat, to the last bit, a simulator that was written in Python: its generator of random numbers,
//! and a reader of recordings that keeps the order of keys and every digit. It also has the fast generator, which
//! environments use where no original must be repeated.
//!
//! Environments of this workspace use it; it depends on none of them.

mod checksum;
mod fast;
pub mod json;
pub mod lines;
pub mod mersenne;
mod seed;
pub mod tape;

pub use checksum::Checksum;
pub use fast::Fast;
pub use json::{Json, JsonError};
pub use lines::{Line, Lines, ReadError};
pub use mersenne::Mersenne;
pub use seed::Seed;
