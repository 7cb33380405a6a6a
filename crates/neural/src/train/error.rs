//! Why training goes on no longer.

use thiserror::Error;

use crate::data::DataError;
use crate::spec::SpecError;
use crate::weights::WeightsError;

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
    /// The loss is not a number any more.
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
