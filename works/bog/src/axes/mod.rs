//! Studies whose configurations lie on axes: which configuration is what, and the cells of a run by environment,
//! configuration and model.
//!
//! No label is written here: [`Protocol`] is data, and a work or a study brings its own.

mod grid;
mod protocol;

pub use grid::{Entry, Grid, Grids};
pub use protocol::{
    Axis, Claim, Configuration, Contrast, Expectation, Flag, HierarchyPair, Layer, Protocol, Quantity, Side, Synergy,
    Transition,
};
