//! What heat maps and matrices of tiles have in common: the hatching of gaps and the bar of colours.

use super::colour;
use super::svg::{Anchor, SMALL, Svg, n};

/// Defines the pattern `gap`, with which tiles that were not played are hatched.
pub fn hatch_gaps(svg: &mut Svg) {
    svg.raw("<defs><pattern id=\"gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"paper\" fill=\"#ffffff\"/><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" class=\"rule\" stroke=\"#c9ced6\" stroke-width=\"1.4\"/></pattern></defs>");
}

/// Draws the scale of colours with its ends and with what it measures beneath.
pub fn colour_bar(svg: &mut Svg, (left, top): (f64, f64), width: f64, (low, high): (&str, &str), title: &str) {
    // The scale is straight between its anchors, so a gradient through them is the scale itself.
    let stops: String = (0..=colour::STOPS)
        .map(|stop| {
            let share = stop as f64 / colour::STOPS as f64;
            format!("<stop offset=\"{}\" stop-color=\"{}\"/>", n(share), colour::sequential(share).0)
        })
        .collect();
    svg.raw(&format!("<defs><linearGradient id=\"scale\">{stops}</linearGradient></defs>"));
    svg.raw(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" rx=\"2\" fill=\"url(#scale)\"/>",
        n(left),
        n(top),
        n(width)
    ));
    svg.text(left, top + 25.0, Anchor::Start, SMALL, low);
    svg.text(left + width, top + 25.0, Anchor::End, SMALL, high);
    svg.text(left + width / 2.0, top + 25.0, Anchor::Middle, SMALL, title);
}
