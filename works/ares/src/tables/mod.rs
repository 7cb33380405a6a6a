//! Tables of the work.

mod sweep;

pub use sweep::{Asked, sweep};
