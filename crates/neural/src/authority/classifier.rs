//! The classifier: its form, its file, its answers.

use gimbal_core::Digest;
use serde::{Deserialize, Serialize};

use crate::embed::Hashed;
use crate::kernels::{Matrix, Quantised, Values, gelu};
use crate::math::sigmoid;
use crate::spec::{LAYERS, Shape, Start};
use crate::weights::{File, WeightsError};

/// What a file of its weights says that it is.
pub const WHAT: &str = "authority";

/// What it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Hashed features of a text.
    pub features: usize,
    /// Hidden layers; 0 for a linear score on the features.
    pub hidden: usize,
    /// Their width.
    pub width: usize,
}

impl Form {
    /// The published one: three layers of 512.
    pub const PUBLISHED: Self = Self { features: 3_072, hidden: 3, width: 512 };
    /// A linear score on the same features (Eq. 22 read by the letter).
    pub const LINEAR: Self = Self { features: 3_072, hidden: 0, width: 0 };

    /// Whether it is within bounds.
    #[must_use]
    pub const fn is_sound(&self) -> bool {
        let deep = self.hidden <= 8 && self.width <= 4096 && (self.hidden == 0 || self.width > 0);
        self.features > 0 && self.features <= 65_536 && deep
    }

    /// Its tensors, in the order of the file. The first layer is a table with a row for each feature, because few features of a text are there.
    #[must_use]
    pub fn shapes(&self) -> Vec<Shape> {
        let shape = |name: String, rows, columns, start| Shape { name, rows, columns, start };
        let first = if self.hidden == 0 { LAYERS } else { self.width };
        let start = if self.hidden == 0 { Start::Zero } else { Start::Wide };
        let mut shapes = vec![
            shape("table".to_owned(), self.features, first, start),
            shape("table.bias".to_owned(), first, 1, Start::Zero),
        ];
        for layer in 1..=self.hidden {
            let rows = if layer == self.hidden { LAYERS } else { self.width };
            shapes.push(shape(format!("map.{layer}"), rows, self.width, Start::Fan));
            shapes.push(shape(format!("map.{layer}.bias"), rows, 1, Start::Zero));
        }
        shapes
    }

    /// Numbers that training decides.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.shapes().iter().map(Shape::len).sum()
    }
}

/// A classifier with weights.
#[derive(Clone, Debug)]
pub struct Classifier {
    form: Form,
    digest: Digest,
    table: Values,
    table_bias: Vec<f32>,
    maps: Vec<(Matrix, Vec<f32>)>,
}

impl Classifier {
    /// Reads a file of weights.
    ///
    /// # Errors
    /// See [`WeightsError`].
    pub fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let file = File::read(bytes)?;
        if file.what != WHAT {
            return Err(WeightsError::What { found: file.what, expected: WHAT });
        }
        let form: Form = serde_json::from_value(file.about).map_err(|error| WeightsError::Header(error.to_string()))?;
        if !form.is_sound() {
            return Err(WeightsError::Header("its sizes are out of bounds".to_owned()));
        }
        let shapes = form.shapes();
        let mut tensors = file.tensors.into_iter();
        let mut next = |shape: &Shape| match tensors.next() {
            Some(tensor) if tensor.name == shape.name => {
                let (found, expected) = ([tensor.rows, tensor.columns], [shape.rows, shape.columns]);
                let name = shape.name.clone();
                if found == expected { Ok(tensor) } else { Err(WeightsError::Shape { name, found, expected }) }
            }
            _ => Err(WeightsError::Missing { name: shape.name.clone() }),
        };
        let (table, table_bias) = (next(&shapes[0])?.values, next(&shapes[1])?.values.to_f32());
        let mut maps = Vec::new();
        for pair in shapes[2..].chunks_exact(2) {
            maps.push((next(&pair[0])?.into_matrix(), next(&pair[1])?.values.to_f32()));
        }
        if let Some(tensor) = tensors.next() {
            return Err(WeightsError::Unknown { name: tensor.name });
        }
        Ok(Self { form, digest: File::digest(bytes).unwrap_or_default(), table, table_bias, maps })
    }

    /// The file of a classifier with these tensors, in the order of its shapes.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn file(form: Form, tensors: &[Vec<f32>], eight: bool) -> Result<Vec<u8>, WeightsError> {
        let about = serde_json::to_value(form).map_err(|error| WeightsError::Header(error.to_string()))?;
        File { what: WHAT.to_owned(), about, tensors: crate::weights::tensors(&form.shapes(), "", tensors, eight) }
            .write()
    }

    /// What it is made of.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// What decides its answers, for the key of an episode.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{WHAT}/{}/{}", crate::weights::VERSION, self.digest)
    }

    /// How likely it is, in thousandths, that each layer may take the decision that these words describe; layers from the fastest on.
    #[must_use]
    pub fn permits(&self, words: &str) -> [i64; LAYERS] {
        let mut state = self.table_bias.clone();
        let features = Hashed::vector(words, self.form.features);
        let mut row = vec![0.0; state.len()];
        for (place, value) in features.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            row.fill(0.0);
            self.table.add_row(place, row.len(), &mut row);
            for (sum, weight) in state.iter_mut().zip(&row) {
                *sum += value * weight;
            }
        }
        let (mut next, mut spare) = (Vec::new(), Quantised::default());
        for (map, bias) in &self.maps {
            gelu(&mut state);
            map.apply(&state, bias, &mut next, &mut spare);
            std::mem::swap(&mut state, &mut next);
        }
        let mut permits = [0; LAYERS];
        for (permits, score) in permits.iter_mut().zip(&state) {
            *permits = (sigmoid(*score) * 1000.0).round() as i64;
        }
        permits
    }
}
