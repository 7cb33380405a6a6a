//! Parts of networks: tensors by name, inputs, linear maps, norms.

use std::collections::BTreeMap;

use crate::kernels::{Matrix, Quantised, Values};
use crate::spec::{Body, LAYERS, Spec};
use crate::weights::{Tensor, WeightsError};

/// What a pass through a network works in. Kept between passes, it is not made anew.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Places of the parties' layers.
    pub(super) layers: Vec<usize>,
    /// Places of their actions.
    pub(super) actions: Vec<usize>,
    /// Their features, normalised.
    pub(super) numbers: Vec<f32>,
    /// Their contexts.
    pub(super) context: Vec<f32>,
    /// Their vectors.
    pub(super) state: Vec<f32>,
    pub(super) normed: Vec<f32>,
    pub(super) query: Vec<f32>,
    pub(super) key: Vec<f32>,
    pub(super) value: Vec<f32>,
    pub(super) shares: Vec<f32>,
    pub(super) one: Vec<f32>,
    pub(super) two: Vec<f32>,
    pub(super) spare: Quantised,
}

/// Tensors of a file by name, each of the shape that its network wants.
pub(super) struct Tensors(BTreeMap<String, Tensor>);

impl Tensors {
    pub(super) fn new(spec: &Spec, tensors: Vec<Tensor>) -> Result<Self, WeightsError> {
        let mut named = BTreeMap::new();
        for tensor in tensors {
            let name = tensor.name.clone();
            if named.insert(name.clone(), tensor).is_some() {
                return Err(WeightsError::Unknown { name });
            }
        }
        let shapes = spec.shapes();
        for shape in &shapes {
            let Some(found) = named.get(&shape.name) else {
                return Err(WeightsError::Missing { name: shape.name.clone() });
            };
            if (found.rows, found.columns) != (shape.rows, shape.columns) {
                let (found, expected) = ([found.rows, found.columns], [shape.rows, shape.columns]);
                return Err(WeightsError::Shape { name: shape.name.clone(), found, expected });
            }
        }
        match named.keys().find(|name| !shapes.iter().any(|shape| shape.name == **name)) {
            Some(name) => Err(WeightsError::Unknown { name: name.clone() }),
            None => Ok(Self(named)),
        }
    }

    /// A tensor as numbers; empty where the network has none of this name.
    pub(super) fn vector(&mut self, name: &str) -> Vec<f32> {
        self.0.remove(name).map(|tensor| tensor.values.to_f32()).unwrap_or_default()
    }

    /// A tensor as a matrix; one without columns where the network has none of this name.
    pub(super) fn matrix(&mut self, name: &str, rows: usize) -> Matrix {
        self.0.remove(name).map_or_else(|| Matrix::of(rows, 0, Vec::new()), Tensor::into_matrix)
    }

    pub(super) fn linear(&mut self, name: &str) -> Linear {
        let bias = self.vector(&format!("{name}.bias"));
        Linear { weight: self.matrix(&format!("{name}.weight"), bias.len()), bias }
    }

    pub(super) fn norm(&mut self, name: &str) -> Norm {
        Norm { weight: self.vector(&format!("{name}.weight")), bias: self.vector(&format!("{name}.bias")) }
    }
}

/// A linear map.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    weight: Matrix,
    bias: Vec<f32>,
}

impl Linear {
    pub(super) fn apply(&self, input: &[f32], output: &mut Vec<f32>, spare: &mut Quantised) {
        self.weight.apply(input, &self.bias, output, spare);
    }
}

/// A layer norm.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// What is added to a variance before its root is taken.
pub const NORM_EPSILON: f32 = 1e-5;

impl Norm {
    pub(super) fn apply(&self, input: &[f32], output: &mut Vec<f32>) {
        let width = self.weight.len();
        output.clear();
        for row in input.chunks_exact(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let variance = row.iter().fold(0.0_f32, |sum, value| sum + (value - mean) * (value - mean)) / width as f32;
            let inverse = 1.0 / (variance + NORM_EPSILON).sqrt();
            let scaled = row.iter().zip(&self.weight).zip(&self.bias);
            output.extend(scaled.map(|((value, weight), bias)| (value - mean) * inverse * weight + bias));
        }
    }
}

/// What makes vectors of rows.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    width: usize,
    action: Option<usize>,
    columns: usize,
    mean: Vec<f32>,
    scale: Vec<f32>,
    features: Matrix,
    context: Matrix,
    layers: Vec<f32>,
    actions: Values,
    table: usize,
}

impl Inputs {
    pub(super) fn new(spec: &Spec, tensors: &mut Tensors) -> Self {
        let (rows, table) = match spec.body {
            Body::Linear => (0, 0),
            Body::Mlp { hidden } => (hidden, 0),
            Body::Encoder { width, table, .. } => (width, table),
        };
        let actions = tensors.0.remove("actions").map_or_else(|| Values::F32(Vec::new()), |tensor| tensor.values);
        Self {
            width: spec.width(),
            action: spec.action(),
            columns: spec.columns.len(),
            mean: tensors.vector("input.mean"),
            scale: tensors.vector("input.scale"),
            features: tensors.matrix("features", rows),
            context: tensors.matrix("context", rows),
            layers: tensors.vector("layers"),
            actions,
            table,
        }
    }

    /// Takes rows apart. Features are brought to mean 0 and deviation 1; what is not a finite number counts as the mean.
    pub(super) fn read(&self, rows: &[&[f32]], scratch: &mut Scratch) {
        scratch.layers.clear();
        scratch.actions.clear();
        scratch.numbers.clear();
        scratch.context.clear();
        let zeros = vec![0.0; self.width];
        for row in rows {
            let row = if row.len() == self.width { row } else { zeros.as_slice() };
            scratch.layers.push((row[0] as usize).min(LAYERS - 1));
            let (features, context) = row[1..].split_at(self.columns);
            let mut numbers = self.mean.iter().zip(&self.scale);
            for (place, value) in features.iter().enumerate() {
                if self.action == Some(place) {
                    scratch.actions.push(if self.table == 0 { 0 } else { *value as usize % self.table });
                } else if let Some((mean, scale)) = numbers.next() {
                    let normed = (value - mean) * scale;
                    scratch.numbers.push(if normed.is_finite() { normed } else { 0.0 });
                }
            }
            scratch.context.extend(context.iter().map(|value| if value.is_finite() { *value } else { 0.0 }));
        }
    }

    /// The vectors of the rows that were read: the sum of what features, context, layer and action make.
    pub(super) fn embed(&self, scratch: &mut Scratch) {
        let width = self.features.rows.max(self.context.rows);
        let count = scratch.layers.len();
        self.features.apply(&scratch.numbers, &[], &mut scratch.state, &mut scratch.spare);
        scratch.state.resize(count * width, 0.0);
        if self.context.columns > 0 {
            self.context.apply(&scratch.context, &[], &mut scratch.one, &mut scratch.spare);
            for (sum, value) in scratch.state.iter_mut().zip(&scratch.one) {
                *sum += value;
            }
        }
        for (party, state) in scratch.state.chunks_exact_mut(width).enumerate() {
            let layer = &self.layers[scratch.layers[party] * width..][..width];
            for (sum, value) in state.iter_mut().zip(layer) {
                *sum += value;
            }
            if self.table > 0 {
                self.actions.add_row(scratch.actions[party], width, state);
            }
        }
    }
}
