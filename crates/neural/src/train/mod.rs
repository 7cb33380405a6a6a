//! Training with candle: cross-entropy over candidates and, at weight 0.3, over outcomes (Eq. 26, Eq. 30; CTHA-078), AdamW with warm-up and cosine
//! (CTHA-079). One thread, everything drawn from the seed, and a checkpoint after every epoch from which the same bytes come out as from an unbroken
//! run on the same machine.

mod adam;
mod authority;
mod batch;
mod checkpoint;
mod graph;
mod start;
mod trainer;
mod validation;

use thiserror::Error;

use crate::data::DataError;
use crate::spec::SpecError;
use crate::weights::WeightsError;

pub use authority::classifier;
pub use graph::forward;
pub use trainer::Trainer;

/// Why training goes on no longer.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The network cannot be.
    #[error("{0}")]
    Spec(#[from] SpecError),
    /// The data cannot be used.
    #[error("{0}")]
    Data(#[from] DataError),
    /// A part of the data is empty.
    #[error(
        "the {part} part holds no conflict of two or more parties and candidates: {conflicts} conflicts of {episodes} episodes are too few"
    )]
    Empty {
        /// Which part.
        part: &'static str,
        /// Conflicts of all parts.
        conflicts: usize,
        /// Episodes of all parts.
        episodes: usize,
    },
    /// The loss is no number any more.
    #[error("the loss of epoch {epoch} is not finite: lower the rate")]
    Diverged {
        /// The epoch, from 1.
        epoch: u32,
    },
    /// A checkpoint cannot be read.
    #[error("the checkpoint: {0}")]
    Checkpoint(#[from] WeightsError),
    /// A checkpoint of another training.
    #[error("the checkpoint belongs to another training: its {what} differ; remove it, or give the same arguments")]
    Other {
        /// What differs.
        what: &'static str,
    },
    /// The tensor library refused.
    #[error("the tensor library: {0}")]
    Tensor(#[from] candle_core::Error),
    /// There is no thread to train in.
    #[error("the thread of the training cannot start: {0}")]
    Thread(String),
}

/// A pool of one thread: candle's products ask rayon for threads, and in it they get one.
fn one_thread() -> Result<rayon::ThreadPool, TrainError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|error| TrainError::Thread(error.to_string()))
}
