//! Small dense matrices.

use thiserror::Error;

/// A matrix of `rows` times `columns` numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

/// Matrices that do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{what}: found {} x {}, expected {} x {}", found.0, found.1, expected.0, expected.1)]
pub struct ShapeError {
    /// Which matrix.
    pub what: &'static str,
    /// Rows and columns that were found.
    pub found: (usize, usize),
    /// Rows and columns that were expected.
    pub expected: (usize, usize),
}

impl Matrix {
    /// A matrix from its values, row by row.
    ///
    /// # Errors
    /// When there are not `rows` times `columns` values.
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Result<Self, ShapeError> {
        if rows.checked_mul(columns) == Some(values.len()) {
            Ok(Self { rows, columns, values })
        } else {
            Err(ShapeError { what: "values of a matrix", found: (1, values.len()), expected: (rows, columns) })
        }
    }

    /// A matrix whose values are a function of row and column.
    #[must_use]
    pub fn of(rows: usize, columns: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                values.push(value(row, column));
            }
        }
        Self { rows, columns, values }
    }

    /// The matrix that changes nothing.
    #[must_use]
    pub fn identity(size: usize) -> Self {
        Self::of(size, size, |row, column| if row == column { 1.0 } else { 0.0 })
    }

    /// Rows and columns.
    #[must_use]
    pub const fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// A value; not a number beyond the matrix.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        if row < self.rows && column < self.columns { self.values[row * self.columns + column] } else { f64::NAN }
    }

    /// The values, row by row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// A row; empty beyond the matrix.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        self.values.get(row * self.columns..(row + 1) * self.columns).unwrap_or_default()
    }

    /// Each value changed.
    #[must_use]
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        Self { values: self.values.iter().map(|value| change(*value)).collect(), ..*self }
    }

    /// Rows as columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::of(self.columns, self.rows, |row, column| self.at(column, row))
    }

    /// The product, each sum from the first column on.
    ///
    /// # Errors
    /// When the other matrix has not as many rows as this one has columns.
    pub fn times(&self, other: &Self) -> Result<Self, ShapeError> {
        expect("right factor", other.shape(), (self.columns, other.columns))?;
        Ok(Self::of(self.rows, other.columns, |row, column| {
            let left = self.row(row).iter();
            left.zip(0..).fold(0.0, |sum, (value, at)| sum + value * other.at(at, column))
        }))
    }

    /// The sum.
    ///
    /// # Errors
    /// When the other matrix has another shape.
    pub fn plus(&self, other: &Self) -> Result<Self, ShapeError> {
        expect("summand", other.shape(), self.shape())?;
        Ok(Self::of(self.rows, self.columns, |row, column| self.at(row, column) + other.at(row, column)))
    }

    /// Sums of the amounts of each row.
    pub fn row_sums(&self) -> impl Iterator<Item = f64> {
        (0..self.rows).map(|row| self.row(row).iter().fold(0.0, |sum, value| sum + value.abs()))
    }

    /// Sums of the amounts of each column.
    pub fn column_sums(&self) -> impl Iterator<Item = f64> {
        (0..self.columns).map(|column| (0..self.rows).fold(0.0, |sum, row| sum + self.at(row, column).abs()))
    }

    /// The root of the sum of all squares.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.values.iter().fold(0.0, |sum, value| sum + value * value).sqrt()
    }
}

pub(super) fn expect(what: &'static str, found: (usize, usize), expected: (usize, usize)) -> Result<(), ShapeError> {
    if found == expected { Ok(()) } else { Err(ShapeError { what, found, expected }) }
}
