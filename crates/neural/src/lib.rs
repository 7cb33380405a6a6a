//! Small learned parts: the network of the temporal hierarchy's arbiter (CTHA-077 to 082), the hashed embedder, and the classifier of authority
//! (CTHA-064).
//!
//! A conflict among layers is a few parties, each a row of numbers. The network gives each party a score and a chance that things turn out
//! well; a candidate, a set of parties that is kept, has the sum of the scores of its parties. Conflicts, with what each candidate was worth
//! when it was simulated, are read from a file ([`data`]).
//!
//! Inference is plain Rust with one order of summation, in f32 or in blocks of 8-bit integers, so that the same weights give the same thousandths
//! on every machine. Training needs candle and is behind the feature `train`. Nothing here reads a file: callers hand over bytes.

pub mod authority;
pub mod data;
mod embed;
pub mod eval;
pub mod kernels;
pub mod math;
pub mod net;
pub mod preset;
pub mod spec;
#[cfg(feature = "train")]
pub mod train;
pub mod tune;
pub mod weights;

pub use data::Dataset;
pub use embed::Hashed;
pub use net::{Net, NetFacts};
pub use preset::{Preset, Settings};
pub use spec::{Body, Spec};
pub use weights::{File, WeightsError};
