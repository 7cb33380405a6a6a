//! What must be kept between epochs so that training goes on as if it had not stopped.

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::error::TrainError;
use crate::net::Epoch;
use crate::spec::Shape;
use crate::weights::{File, WeightsError, tensors};

/// What a checkpoint says that it is.
const WHAT: &str = "checkpoint";

/// Weights, state of the optimiser, and the best weights so far.
pub struct State {
    pub values: Vec<Vec<f32>>,
    pub adam: Adam,
    pub best: Vec<Vec<f32>>,
    pub best_epoch: u32,
    pub best_loss: i64,
    pub history: Vec<Epoch>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    /// Hash of settings and data.
    training: String,
    steps: u64,
    best_epoch: u32,
    best_loss: i64,
    history: Vec<Epoch>,
}

const PARTS: [&str; 4] = ["value/", "first/", "second/", "best/"];

impl State {
    /// The bytes of a checkpoint.
    pub fn write(&self, shapes: &[Shape], fingerprint: Digest) -> Result<Vec<u8>, WeightsError> {
        let about = About {
            training: fingerprint.to_string(),
            steps: self.adam.steps,
            best_epoch: self.best_epoch,
            best_loss: self.best_loss,
            history: self.history.clone(),
        };
        let about = serde_json::to_value(about).map_err(|error| WeightsError::Header(error.to_string()))?;
        let parts = [&self.values, &self.adam.first, &self.adam.second, &self.best];
        let all = PARTS.iter().zip(parts).flat_map(|(before, values)| tensors(shapes, before, values, false));
        File { what: WHAT.to_owned(), about, tensors: all.collect() }.write()
    }

    /// The state of a checkpoint of a training with this fingerprint.
    pub fn read(file: File, shapes: &[Shape], fingerprint: Digest) -> Result<Self, TrainError> {
        if file.what != WHAT {
            return Err(WeightsError::What { found: file.what, expected: WHAT }.into());
        }
        let about: About =
            serde_json::from_value(file.about).map_err(|error| WeightsError::Header(error.to_string()))?;
        if about.training != fingerprint.to_string() {
            return Err(TrainError::Other { what: "settings or data" });
        }
        let mut rest = file.tensors.into_iter();
        let mut part = |before: &str| -> Result<Vec<Vec<f32>>, WeightsError> {
            let mut values = Vec::with_capacity(shapes.len());
            for shape in shapes {
                let name = format!("{before}{}", shape.name);
                let Some(tensor) = rest.next().filter(|tensor| tensor.name == name) else {
                    return Err(WeightsError::Missing { name });
                };
                let (found, expected) = ([tensor.rows, tensor.columns], [shape.rows, shape.columns]);
                if found != expected {
                    return Err(WeightsError::Shape { name, found, expected });
                }
                values.push(tensor.values.to_f32());
            }
            Ok(values)
        };
        let (values, first) = (part(PARTS[0])?, part(PARTS[1])?);
        let (second, best) = (part(PARTS[2])?, part(PARTS[3])?);
        let adam = Adam { steps: about.steps, first, second };
        let (best_epoch, best_loss) = (about.best_epoch, about.best_loss);
        Ok(Self { values, adam, best, best_epoch, best_loss, history: about.history })
    }
}
