//! Sigma rules at the terminal: `--rules DIR` and `gimbal evidence rules`. Without the feature `sigma` both say how to build with it.

#[cfg(feature = "sigma")]
mod with;
#[cfg(not(feature = "sigma"))]
mod without;

#[cfg(feature = "sigma")]
pub use with::{Rules, compare};
#[cfg(not(feature = "sigma"))]
pub use without::{Rules, compare};

/// How events are read for rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Starts of processes in the Security log count as process creation.
    WithMaps,
    /// They do not.
    #[cfg_attr(not(feature = "sigma"), allow(dead_code, reason = "nothing is read for rules without the engine"))]
    AsWritten,
}
