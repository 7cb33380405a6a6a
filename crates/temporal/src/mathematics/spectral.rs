//! The spectral norm (CTHA-028).

use super::matrix::Matrix;

/// Sweeps over all pairs of columns; small matrices need fewer than ten.
const SWEEPS: usize = 60;

/// The largest singular value, by turning the columns until every two are at right angles (one-sided Jacobi). 0 for a matrix without
/// values; not a number where a value is none.
#[must_use]
pub fn spectral_norm(matrix: &Matrix) -> f64 {
    let (rows, columns) = matrix.shape();
    if matrix.values().iter().any(|value| !value.is_finite()) {
        return f64::NAN;
    }
    // Scaled, so that no square is too large for a number.
    let scale = matrix.values().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if scale == 0.0 {
        return 0.0;
    }
    let mut turned: Vec<Vec<f64>> =
        (0..columns).map(|column| (0..rows).map(|row| matrix.at(row, column) / scale).collect()).collect();
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + one * other);
    for _ in 0..SWEEPS {
        let mut most_turned = 0.0_f64;
        for one in 0..columns {
            for other in one + 1..columns {
                let (a, b) = (product(&turned[one], &turned[one]), product(&turned[other], &turned[other]));
                let c = product(&turned[one], &turned[other]);
                let size = (a * b).sqrt();
                if c == 0.0 || c.abs() <= 1e-16 * size {
                    continue;
                }
                most_turned = most_turned.max(c.abs() / size);
                let zeta = (b - a) / (2.0 * c);
                let tangent = zeta.signum() / (zeta.abs() + zeta.mul_add(zeta, 1.0).sqrt());
                let cosine = 1.0 / tangent.mul_add(tangent, 1.0).sqrt();
                let sine = cosine * tangent;
                // `one` comes before `other`.
                let (before, from) = turned.split_at_mut(other);
                for (x, y) in before[one].iter_mut().zip(from[0].iter_mut()) {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
            }
        }
        if most_turned < 1e-15 {
            break;
        }
    }
    let largest = turned.iter().map(|column| product(column, column)).fold(0.0_f64, f64::max);
    scale * largest.sqrt()
}
