//! What drawings are made of: SVG, text that fits, scales, axes, legends, colours, labels that keep apart, and the
//! usual charts. Works draw their figures with it; nothing here knows what is drawn.

pub mod colour;
pub mod curves;
pub mod labels;
pub mod lines;
pub mod looks;
pub mod matrix;
pub mod panels;
pub mod picture;
pub mod rows;
pub mod scale;
pub mod scatter;
pub mod stacked;
pub mod svg;
pub mod tiles;

/// Values in the order in which they come first, without repeats.
pub fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
