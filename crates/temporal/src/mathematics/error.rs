//! How errors travel through the layers (Eq. 5; CTHA-023, CTHA-111).

use super::composite::composite;
use super::matrix::{Matrix, ShapeError};

/// The error after all layers: the first one through all maps, and each layer's own through the maps behind it. `errors` has one entry more
/// than there are maps: the one before the first layer, then one behind each.
///
/// # Errors
/// When shapes do not fit, or there are not as many errors.
pub fn propagate(maps: &[Matrix], errors: &[Matrix]) -> Result<Matrix, ShapeError> {
    let Some((first, own)) = errors.split_first().filter(|(_, own)| own.len() == maps.len()) else {
        return Err(ShapeError { what: "errors", found: (errors.len(), 1), expected: (maps.len() + 1, 1) });
    };
    let mut error = first.clone();
    for (map, own) in maps.iter().zip(own) {
        error = map.times(&error)?.plus(own)?;
    }
    Ok(error)
}

/// How much larger an error before the first layer is behind the last one: the ratio of their norms. 0 where there is no error.
///
/// # Errors
/// When shapes do not fit.
pub fn amplification(maps: &[Matrix], error: &Matrix) -> Result<f64, ShapeError> {
    let size = error.norm();
    let behind = composite(maps, error.shape().0)?.times(error)?.norm();
    Ok(if size == 0.0 { 0.0 } else { behind / size })
}
