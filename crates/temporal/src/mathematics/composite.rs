//! Products of maps (Eq. 4).

use super::matrix::{Matrix, ShapeError};

/// The product of maps, the last one at the left (Eq. 4); the identity of `size` where there are none.
///
/// # Errors
/// When shapes do not fit.
pub fn composite(maps: &[Matrix], size: usize) -> Result<Matrix, ShapeError> {
    maps.iter().try_fold(Matrix::identity(size), |product, map| map.times(&product))
}
