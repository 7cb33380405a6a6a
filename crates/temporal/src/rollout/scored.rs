//! From scores of parties to a way: what a scorer gets, and which way its scores choose.

use crate::Layer;

/// The row of a party, as scorers get it: the place of its layer, its features, and a context that all parties share.
#[must_use]
pub fn row(layer: Layer, features: &[f32], context: &[f32]) -> Vec<f32> {
    let mut row = Vec::with_capacity(1 + features.len() + context.len());
    row.push(layer.index() as f32);
    row.extend_from_slice(features);
    row.extend_from_slice(context);
    row
}

/// The way that scores choose, of ways by the places of their parties: the one whose parties have the highest sum. Of several with the same sum
/// the first; none of no ways.
#[must_use]
pub fn chosen<'a>(scores: &[i64], ways: impl IntoIterator<Item = &'a [usize]>) -> Option<usize> {
    let sum = |kept: &[usize]| {
        kept.iter().filter_map(|place| scores.get(*place)).fold(0_i64, |sum, score| sum.saturating_add(*score))
    };
    let mut best: Option<(usize, i64)> = None;
    for (place, kept) in ways.into_iter().enumerate() {
        let sum = sum(kept);
        if best.is_none_or(|(_, most)| sum > most) {
            best = Some((place, sum));
        }
    }
    best.map(|(place, _)| place)
}
