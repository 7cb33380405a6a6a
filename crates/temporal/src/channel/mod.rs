//! The maps of the mathematics in play (CTHA-025, CTHA-031): a side channel of numbers between layers.
//!
//! The state has a row for each layer and four features. In each step it becomes three quarters of what the residual map makes of it and one quarter of
//! what is seen now. From the mixed rows come each layer's **share** of the tokens for context, and its **score**, which asks the layer where it is
//! high. The work says nothing of how such maps act on layers that exchange texts; this is our reading. Nothing is trained: the
//! parameters are fixed, and the texts themselves are never mixed, only how much of them a layer gets and when it is asked.

mod seen;

use gimbal_core::{Milli, Rng};

use crate::Layer;
use crate::mathematics::{
    GATE, ITERATIONS, Matrix, Parameters, Projections, ShapeError, Switches, deviation, doubly_stochastic,
};

pub use seen::Seen;

/// Features of a layer.
pub const FEATURES: usize = 4;
/// The part of the state that is what is seen now.
pub const FRESH: f64 = 0.25;
/// The score, in thousandths, from which on a layer is asked.
pub const THRESHOLD: i64 = 500;
/// What a number of the state is cut to: a free map has no bound, and a number must stay one.
const MOST: f64 = 1e300;
/// The greatest score that is told, in thousandths.
const MOST_SCORE: f64 = 1e15;

/// Whether the residual map is projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// As Eq. 9 is printed: nothing bounds it.
    Free,
    /// The doubly stochastic matrix of the same values, by Sinkhorn (CTHA-026).
    Projected,
}

/// The state of an episode, and the map.
#[derive(Clone, Debug)]
pub struct Channel {
    kind: Kind,
    parameters: Parameters,
    state: Matrix,
}

/// What a step makes of the state. Layers are in their order, the fastest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Shares of the tokens for context in thousandths; their sum is 1,000.
    pub shares: Vec<u32>,
    /// The mean of a layer's features after mixing. Within 0 and 1 where the map is projected, up to its deviation.
    pub scores: Vec<Milli>,
    /// How far the farthest sum of a row or a column of the map is from 1.
    pub deviation: Milli,
}

impl Kind {
    /// Its name in settings and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Projected => "projected",
        }
    }
}

impl Channel {
    /// The channel of so many layers at the beginning of an episode: nothing was seen.
    ///
    /// The static part of the map is 1 for a layer itself, 0.5 for the next faster and the next slower one, and 0 for others. The dynamic part has the
    /// gate 1 and weights that are drawn once, from a fixed seed.
    #[must_use]
    pub fn new(kind: Kind, layers: usize) -> Self {
        let near = |row: usize, column: usize| match row.abs_diff(column) {
            0 => 1.0,
            1 => 0.5,
            _ => 0.0,
        };
        let drawn = Parameters::random(layers, FEATURES, 0.0, &mut Rng::stream(0, "temporal/channel"));
        let parameters = Parameters { gates: [GATE, GATE, 1.0], res_bias: Matrix::of(layers, layers, near), ..drawn };
        Self { kind, parameters, state: Matrix::of(layers, FEATURES, |_, _| 0.0) }
    }

    /// The state: a row for each layer.
    #[must_use]
    pub const fn state(&self) -> &Matrix {
        &self.state
    }

    /// Takes up what is seen now, a row for each layer.
    ///
    /// # Errors
    /// When there are more or fewer rows than layers.
    pub fn step(&mut self, seen: &[Seen]) -> Result<Mapped, ShapeError> {
        let (layers, features) = self.state.shape();
        let rows: Vec<f64> = seen.iter().flat_map(Seen::row).collect();
        let fresh = Matrix::new(layers, features, rows)?;
        let map = self.map()?;
        let mixed = map.times(&self.state)?;
        self.state = mixed
            .map(|value| (1.0 - FRESH) * value)
            .plus(&fresh.map(|value| FRESH * value))?
            .map(|value| value.clamp(-MOST, MOST));
        let scores: Vec<f64> = (0..layers).map(|layer| mean(self.state.row(layer))).collect();
        let milli = |value: f64| Milli((value * 1e3).clamp(-MOST_SCORE, MOST_SCORE).round() as i64);
        Ok(Mapped {
            shares: shares(&scores),
            scores: scores.iter().map(|score| milli(*score)).collect(),
            deviation: milli(deviation(&map)),
        })
    }

    /// The residual map at the present state.
    fn map(&self) -> Result<Matrix, ShapeError> {
        let only_res = Switches { pre: false, post: false, res: true };
        // The maps read the state with each row brought to the same length, whose squares must be numbers.
        let longest = self.state.values().iter().fold(1.0_f64, |most, value| most.max(value.abs()));
        let state = self.state.map(|value| value / longest);
        let free = self.parameters.maps(&state, Projections::Free, only_res)?.res;
        Ok(match self.kind {
            Kind::Free => free,
            Kind::Projected => doubly_stochastic(&free, ITERATIONS),
        })
    }
}

/// Whether a score asks a layer. Reflex is asked in each step anyway.
#[must_use]
pub fn asks(layer: Layer, score: Milli) -> bool {
    layer > Layer::Reflex && score.0 >= THRESHOLD
}

fn mean(values: &[f64]) -> f64 {
    values.iter().map(|value| value / values.len().max(1) as f64).sum()
}

/// Shares in thousandths by largest remainders, equal ones where nothing was seen. Negative scores count as 0.
fn shares(scores: &[f64]) -> Vec<u32> {
    let greatest = scores.iter().fold(0.0_f64, |most, score| most.max(*score));
    let parts: Vec<f64> =
        scores.iter().map(|score| if greatest > 0.0 { score.max(0.0) / greatest } else { 1.0 }).collect();
    let sum: f64 = parts.iter().sum();
    let exact: Vec<f64> = parts.iter().map(|part| 1000.0 * part / sum).collect();
    let mut shares: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|one, other| exact[*other].fract().total_cmp(&exact[*one].fract()).then(one.cmp(other)));
    let left = 1000_u32.saturating_sub(shares.iter().sum());
    for place in order.into_iter().take(left as usize) {
        shares[place] += 1;
    }
    shares
}
