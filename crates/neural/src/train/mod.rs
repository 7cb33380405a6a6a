//! Training with candle: cross-entropy over candidates and, at weight 0.3, over outcomes (Eq. 26, Eq. 30; CTHA-078), AdamW with warm-up and cosine
//! (CTHA-079). One thread, everything drawn from the seed, and a checkpoint after every epoch from which the same bytes come out as from an unbroken
//! run on the same machine. candle has threads beside rayon's, by the variable `CANDLE_NUM_THREADS`; whoever trains sets it to 1 (the result is the same).

mod adam;
mod authority;
mod batch;
mod checkpoint;
mod error;
mod graph;
mod start;
mod trainer;
mod validation;

pub use authority::classifier;
pub use error::TrainError;
pub use graph::forward;
pub use trainer::Trainer;
