//! The three maps of a layer, free and projected (Eq. 3, Eq. 9; CTHA-021, 024, 026, 029).

use gimbal_core::Rng;

use super::matrix::{Matrix, ShapeError, expect};
use super::sinkhorn::doubly_stochastic;

/// What a layer's maps are made of (Eq. 9). `n` layers, `d` features.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Gate of the dynamic part of each map: pre, post, res.
    pub gates: [f64; 3],
    /// Weights of the dynamic part of pre: 1 x d.
    pub pre: Matrix,
    /// Weights of the dynamic part of post: 1 x d.
    pub post: Matrix,
    /// Weights of the dynamic part of res: n x d.
    pub res: Matrix,
    /// Static part of pre: 1 x n.
    pub pre_bias: Matrix,
    /// Static part of post: 1 x n.
    pub post_bias: Matrix,
    /// Static part of res: n x n.
    pub res_bias: Matrix,
}

/// The maps of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// Gathers the streams into the input of the layer: 1 x n.
    pub pre: Matrix,
    /// Gives the output of the layer back to the streams: 1 x n.
    pub post: Matrix,
    /// Mixes the streams: n x n.
    pub res: Matrix,
}

/// Which maps are in use; those that are not are fixed (Tab. 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Else 1/n everywhere.
    pub pre: bool,
    /// Else 1 everywhere.
    pub post: bool,
    /// Else the identity.
    pub res: bool,
}

/// How maps are projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projections {
    /// Not at all: Eq. 9 as printed.
    Free,
    /// The values of Eq. 9 are logits: pre is their sigmoid, post twice their sigmoid, res the doubly stochastic matrix of so many rounds
    /// (CTHA-026).
    Stochastic(usize),
}

/// Initial gate of the dynamic part; the work gives none.
pub const GATE: f64 = 0.01;

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// The state with each row divided by the root of the mean of its squares (`Normalize` of Eq. 9, which the work does not define; CTHA-024).
#[must_use]
pub fn normalised(state: &Matrix) -> Matrix {
    let (rows, columns) = state.shape();
    let scale: Vec<f64> = (0..rows)
        .map(|row| {
            let squares = state.row(row).iter().fold(0.0, |sum, value| sum + value * value);
            (squares / columns.max(1) as f64 + 1e-12).sqrt()
        })
        .collect();
    Matrix::of(rows, columns, |row, column| state.at(row, column) / scale[row])
}

impl Parameters {
    /// Parameters drawn at random: weights normal with variance 1/d, biases normal with standard deviation `spread`, gates [`GATE`].
    #[must_use]
    pub fn random(layers: usize, features: usize, spread: f64, rng: &mut Rng) -> Self {
        let weight = 1.0 / (features.max(1) as f64).sqrt();
        let mut draw = |rows: usize, columns: usize, scale: f64| Matrix::of(rows, columns, |_, _| scale * normal(rng));
        Self {
            gates: [GATE; 3],
            pre: draw(1, features, weight),
            post: draw(1, features, weight),
            res: draw(layers, features, weight),
            pre_bias: draw(1, layers, spread),
            post_bias: draw(1, layers, spread),
            res_bias: draw(layers, layers, spread),
        }
    }

    /// The maps at a state of n x d.
    ///
    /// # Errors
    /// When a matrix has not the shape that the state asks for.
    pub fn maps(&self, state: &Matrix, projections: Projections, switches: Switches) -> Result<Maps, ShapeError> {
        let (layers, features) = state.shape();
        for (what, matrix, expected) in [
            ("weights of pre", &self.pre, (1, features)),
            ("weights of post", &self.post, (1, features)),
            ("weights of res", &self.res, (layers, features)),
            ("bias of pre", &self.pre_bias, (1, layers)),
            ("bias of post", &self.post_bias, (1, layers)),
            ("bias of res", &self.res_bias, (layers, layers)),
        ] {
            expect(what, matrix.shape(), expected)?;
        }
        let across = normalised(state).transposed();
        let made = |gate: f64, weights: &Matrix, bias: &Matrix| -> Result<Matrix, ShapeError> {
            weights.times(&across)?.map(|value| gate * sigmoid(value)).plus(bias)
        };
        let mut maps = Maps {
            pre: made(self.gates[0], &self.pre, &self.pre_bias)?,
            post: made(self.gates[1], &self.post, &self.post_bias)?,
            res: made(self.gates[2], &self.res, &self.res_bias)?,
        };
        if let Projections::Stochastic(iterations) = projections {
            maps.pre = maps.pre.map(sigmoid);
            maps.post = maps.post.map(|value| 2.0 * sigmoid(value));
            maps.res = doubly_stochastic(&maps.res, iterations);
        }
        Ok(maps.switched(switches))
    }
}

impl Switches {
    /// All maps in use.
    pub const ALL: Self = Self { pre: true, post: true, res: true };
}

impl Maps {
    /// The maps with those that are not in use fixed (Tab. 4; CTHA-029).
    #[must_use]
    pub fn switched(self, switches: Switches) -> Self {
        let layers = self.res.shape().0;
        let all = |value: f64| Matrix::of(1, layers, |_, _| value);
        Self {
            pre: if switches.pre { self.pre } else { all(1.0 / layers.max(1) as f64) },
            post: if switches.post { self.post } else { all(1.0) },
            res: if switches.res { self.res } else { Matrix::identity(layers) },
        }
    }

    /// The state after the layer (Eq. 3): mixed by res, with the output of the layer for the gathered input added to each stream. `policy` gets a row of
    /// d features and returns one.
    ///
    /// # Errors
    /// When the state, or what the policy returns, does not fit.
    pub fn update(&self, state: &Matrix, policy: impl FnOnce(&Matrix) -> Matrix) -> Result<Matrix, ShapeError> {
        let input = self.pre.times(state)?;
        let output = policy(&input);
        expect("output of the layer", output.shape(), input.shape())?;
        self.res.times(state)?.plus(&self.post.transposed().times(&output)?)
    }
}

/// A number of the standard normal distribution (Box and Muller).
pub(super) fn normal(rng: &mut Rng) -> f64 {
    // Never the logarithm of 0.
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}
