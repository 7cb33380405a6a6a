//! Doubly stochastic matrices by Sinkhorn-Knopp in logarithms (CTHA-026, CTHA-R16).
//!
//! The work says that the residual map is doubly stochastic and gives no procedure. Here the map is the exponential of its logits, whose rows and
//! columns are divided by their sums in turn, the columns last, as in the hyper-connections that the mathematics follow.

use super::matrix::Matrix;

/// Rounds where nothing else is asked for.
pub const ITERATIONS: usize = 20;

/// The doubly stochastic matrix that logits become in so many rounds: columns sum to 1 up to the rounding of the last bits, rows to 1 up to
/// [`deviation`], which falls with the rounds. Logits that are not numbers count as 0; those that are infinite are cut to 700.
#[must_use]
pub fn doubly_stochastic(logits: &Matrix, iterations: usize) -> Matrix {
    let mut logs = logits.map(|value| if value.is_nan() { 0.0 } else { value.clamp(-700.0, 700.0) });
    for _ in 0..iterations.max(1) {
        let (rows, columns) = logs.shape();
        let sums: Vec<f64> = (0..rows).map(|row| log_sum(logs.row(row).iter().copied())).collect();
        logs = Matrix::of(rows, columns, |row, column| logs.at(row, column) - sums[row]);
        let sums: Vec<f64> = (0..columns).map(|column| log_sum((0..rows).map(|row| logs.at(row, column)))).collect();
        logs = Matrix::of(rows, columns, |row, column| logs.at(row, column) - sums[column]);
    }
    logs.map(f64::exp)
}

/// How far the farthest sum of a row or a column is from 1.
#[must_use]
pub fn deviation(matrix: &Matrix) -> f64 {
    matrix.row_sums().chain(matrix.column_sums()).fold(0.0, |most: f64, sum| most.max((sum - 1.0).abs()))
}

/// The logarithm of a sum of exponentials, so that none is too large for a number.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.fold(0.0, |sum, value| sum + (value - largest).exp()).ln()
}
