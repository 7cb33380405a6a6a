//! Studies of three axes (context, deliberation, hierarchy), as the first work lays them out: which configuration is
//! what, and the cells of a run by environment, configuration and model.
//!
//! Nothing here knows a label by heart: [`Protocol`] is data, and a study with other labels brings its own.

mod grid;
mod protocol;

pub use grid::{Entry, Grid, Grids};
pub use protocol::{
    Axis, Claim, Configuration, Contrast, Expectation, Flag, HierarchyPair, Layer, Protocol, Quantity, Side, Synergy,
    Transition,
};
