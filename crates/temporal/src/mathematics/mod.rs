//! The mathematics of the temporal hierarchy: maps between layers, their projection, and how signals and errors grow through them (Sec. 3;
//! CTHA-020 to 030).
//!
//! Floating-point numbers of 64 bits, with one order of summation, so that the same input gives the same bits on one machine. What the maps do to
//! a hierarchy whose layers exchange texts is not said here and not assumed: they are mathematics of vectors (CTHA-031).

mod composite;
mod error;
mod gains;
mod maps;
mod matrix;
mod sinkhorn;
mod spectral;

pub use composite::composite;
pub use error::{amplification, propagate};
pub use gains::{Family, Gains, Growth, Spread, gains, growth};
pub use maps::{GATE, Maps, Parameters, Projections, Switches, normalised};
pub use matrix::{Matrix, ShapeError};
pub use sinkhorn::{ITERATIONS, deviation, doubly_stochastic};
pub use spectral::spectral_norm;
