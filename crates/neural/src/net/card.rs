//! What is said of weights beside their shape.

use serde::{Deserialize, Serialize};

/// How weights were made. Numbers are whole, so that the text is the same wherever it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Card {
    /// The preset.
    pub preset: String,
    /// Seed of the training.
    pub seed: u64,
    /// Epochs that were trained.
    pub epochs: u32,
    /// The epoch whose weights these are, from 1.
    pub best_epoch: u32,
    /// Loss on the validation part after that epoch, in millionths.
    pub validation_loss: i64,
    /// Conflicts that were learned from.
    pub trained_on: u64,
    /// Conflicts of the validation part.
    pub validated_on: u64,
    /// SHA-256 value of the file of conflicts, in hexadecimal digits; empty where it is not known.
    pub data: String,
    /// What was changed for a control, left out or held out, in words.
    pub changes: Vec<String>,
    /// The log: what each epoch came to.
    pub history: Vec<Epoch>,
}

/// What an epoch came to. Losses are in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// Mean loss over its batches, with dropout.
    pub training_loss: i64,
    /// Loss on the validation part after it.
    pub validation_loss: i64,
}
