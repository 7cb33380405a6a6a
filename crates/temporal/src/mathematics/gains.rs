//! Gains of composite maps against depth (Eq. 4, Eq. 10, Fig. 2(b), Fig. 7(b); CTHA-022, 027, 030, CTHA-R16).

use gimbal_core::Rng;

use super::composite::composite;
use super::error::amplification;
use super::maps::{Parameters, Projections, Switches, normal};
use super::matrix::{Matrix, ShapeError};
use super::sinkhorn::doubly_stochastic;
use super::spectral::spectral_norm;

/// Features of the states that dynamic parts see.
const FEATURES: usize = 16;

/// Amax gains of a composite map (Eq. 10), and its spectral norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Largest sum of the amounts of a row.
    pub forward: f64,
    /// Largest sum of the amounts of a column.
    pub backward: f64,
    /// Largest singular value.
    pub spectral: f64,
}

/// How residual maps are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Eq. 9 as printed, with static parts of this standard deviation: nothing bounds it.
    Free(f64),
    /// Every value normal with this standard deviation: the most common free matrix.
    Normal(f64),
    /// The same draws as [`Family::Normal`], taken as logits of a doubly stochastic matrix of so many rounds.
    Stochastic {
        /// Standard deviation of the logits.
        spread: f64,
        /// Rounds.
        iterations: usize,
    },
}

/// How something varies over draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// The value below which a tenth lies.
    pub low: f64,
    /// The value in the middle.
    pub middle: f64,
    /// The value above which a tenth lies.
    pub high: f64,
}

/// Gains at one depth, over draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Maps that are multiplied.
    pub depth: usize,
    /// Forward gain.
    pub forward: Spread,
    /// Backward gain.
    pub backward: Spread,
    /// Spectral norm.
    pub spectral: Spread,
    /// Ratio of an error behind the last map to the error before the first, for an error in the first stream alone (Sec. 3.1).
    pub error: Spread,
}

/// The gains of a map.
#[must_use]
pub fn gains(map: &Matrix) -> Gains {
    Gains {
        forward: map.row_sums().fold(0.0, f64::max),
        backward: map.column_sums().fold(0.0, f64::max),
        spectral: spectral_norm(map),
    }
}

/// Gains of products of 1 to `depth` maps of n = `layers` streams, over `draws` draws from the seed.
///
/// # Errors
/// Never for maps that are drawn here; the type says what products can do.
pub fn growth(family: Family, layers: usize, depth: usize, draws: usize, seed: u64) -> Result<Vec<Growth>, ShapeError> {
    // Families of the same seed meet the same draws.
    let mut rng = Rng::stream(seed, "temporal/gains");
    let mut found: Vec<[Vec<f64>; 4]> = vec![Default::default(); depth];
    let error = Matrix::of(layers, 1, |row, _| if row == 0 { 1.0 } else { 0.0 });
    for _ in 0..draws {
        let maps = (0..depth).map(|_| draw(family, layers, &mut rng)).collect::<Result<Vec<_>, _>>()?;
        for (at, found) in found.iter_mut().enumerate() {
            let maps = &maps[..=at];
            let Gains { forward, backward, spectral } = gains(&composite(maps, layers)?);
            let amplified = amplification(maps, &error)?;
            for (list, value) in found.iter_mut().zip([forward, backward, spectral, amplified]) {
                list.push(value);
            }
        }
    }
    let growth = |(at, lists): (usize, [Vec<f64>; 4])| {
        let [forward, backward, spectral, error] = lists.map(Spread::of);
        Growth { depth: at + 1, forward, backward, spectral, error }
    };
    Ok(found.into_iter().enumerate().map(growth).collect())
}

fn draw(family: Family, layers: usize, rng: &mut Rng) -> Result<Matrix, ShapeError> {
    let mut values = |spread: f64| Matrix::of(layers, layers, |_, _| spread * normal(rng));
    Ok(match family {
        Family::Normal(spread) => values(spread),
        Family::Stochastic { spread, iterations } => doubly_stochastic(&values(spread), iterations),
        Family::Free(spread) => {
            let parameters = Parameters::random(layers, FEATURES, spread, rng);
            let state = Matrix::of(layers, FEATURES, |_, _| normal(rng));
            parameters.maps(&state, Projections::Free, Switches::ALL)?.res
        }
    })
}

impl Spread {
    /// Of some values; 0 everywhere where there are none.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let count = values.len();
        if count == 0 {
            return Self { mean: 0.0, low: 0.0, middle: 0.0, high: 0.0 };
        }
        let at = |share: f64| values[((count - 1) as f64 * share).round() as usize];
        let sum = values.iter().fold(0.0, |sum, value| sum + value);
        Self { mean: sum / count as f64, low: at(0.1), middle: at(0.5), high: at(0.9) }
    }
}
