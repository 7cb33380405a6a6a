//! Tables of the work.

mod sweep;
mod timeline;

pub use sweep::{Asked, sweep};
pub use timeline::timeline;
