//! Tables of the work.

pub(crate) mod debates;
pub(crate) mod frame;
pub(crate) mod games;
pub(crate) mod judges;
pub(crate) mod panels;
mod sweep;
mod timeline;
pub(crate) mod verdicts;

pub use sweep::{Asked, NamedRanges, sweep};
pub use timeline::timeline;
