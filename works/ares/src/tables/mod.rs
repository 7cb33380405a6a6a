//! Tables of the work.

pub(crate) mod debates;
pub(crate) mod frame;
mod sweep;
mod timeline;
pub(crate) mod verdicts;

pub use sweep::{Asked, sweep};
pub use timeline::timeline;
