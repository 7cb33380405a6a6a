//! Matrices of tiles: a value by row and column, its number on it, hatched where nothing was played.

use super::scene::Picture;
use crate::figure::colour;
use crate::figure::svg::{Anchor, LABEL, MUTED, SMALL, Svg, Type, WIDTH, fit_head, n, width_of};

/// A tile: place on the scale of colours in [0, 1], what stands on it, and beneath that.
pub(super) struct Tile {
    pub share: f64,
    pub value: String,
    pub small: String,
}

pub(super) struct Matrix<'a> {
    pub rows: &'a [String],
    pub columns: &'a [String],
    /// Row by row; `None` where nothing was played.
    pub tiles: &'a [Vec<Option<Tile>>],
    /// Ends of the scale and what it measures.
    pub scale: (String, String, String),
    /// What a tile without a value says.
    pub missing: &'a str,
}

const ROW: f64 = 44.0;

/// Draws the matrix from `top` on, with the scale beneath.
pub(super) fn draw(mut svg: Svg, matrix: &Matrix<'_>, top: f64, caption: String) -> Picture {
    svg.raw("<defs><pattern id=\"gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" class=\"paper\" fill=\"#ffffff\"/><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" class=\"rule\" stroke=\"#c9ced6\" stroke-width=\"1.4\"/></pattern></defs>");
    let names = matrix.rows.iter().map(|name| width_of(name, LABEL.size)).fold(50.0, f64::max);
    let left = (names + 18.0).min(230.0);
    let width = ((WIDTH - left) / matrix.columns.len().max(1) as f64).min(132.0);
    let mut y = top + 4.0;
    // Long names of columns take two heights in turns.
    let widest = matrix.columns.iter().map(|name| width_of(name, LABEL.size)).fold(0.0, f64::max);
    let turns = if widest > width - 6.0 && matrix.columns.len() > 1 { 2 } else { 1 };
    for (index, name) in matrix.columns.iter().enumerate() {
        let x = left + (index as f64 + 0.5) * width;
        let room = if turns == 2 { 2.0 * width - 10.0 } else { width - 6.0 };
        let name = fit_head(name, LABEL.size, room);
        let half = width_of(&name, LABEL.size) / 2.0;
        let x = x.clamp(half, (WIDTH - half).max(half));
        svg.text(x, y + 12.0 + 16.0 * (index % turns) as f64, Anchor::Middle, LABEL, &name);
    }
    y += 18.0 + 16.0 * (turns - 1) as f64;
    for (name, tiles) in matrix.rows.iter().zip(matrix.tiles) {
        svg.text(left - 10.0, y + ROW / 2.0 + 4.0, Anchor::End, LABEL, &fit_head(name, LABEL.size, left - 12.0));
        for (index, tile) in tiles.iter().enumerate() {
            let x = left + index as f64 * width;
            let (fill, ink) = match tile {
                Some(tile) => colour::sequential(tile.share),
                None => ("url(#gap)".to_owned(), MUTED),
            };
            svg.raw(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\"/>",
                n(x + 1.5),
                n(y + 1.5),
                n(width - 3.0),
                n(ROW - 3.0)
            ));
            let centre = x + width / 2.0;
            let on_tile = |size: f64, bold: bool| Type { size, bold, class: "tile", fill: ink };
            match tile {
                Some(tile) => {
                    let alone = tile.small.is_empty();
                    let down = if alone { 27.0 } else { 20.0 };
                    svg.text(
                        centre,
                        y + down,
                        Anchor::Middle,
                        on_tile(13.5, true),
                        &fit_head(&tile.value, 13.5, width - 5.0),
                    );
                    svg.text(
                        centre,
                        y + 34.0,
                        Anchor::Middle,
                        on_tile(10.5, false),
                        &fit_head(&tile.small, 10.5, width - 5.0),
                    );
                }
                None => {
                    let words = fit_head(matrix.missing, SMALL.size, width - 5.0);
                    svg.text(centre, y + ROW / 2.0 + 4.0, Anchor::Middle, SMALL, &words);
                }
            }
        }
        y += ROW;
    }
    scale(&mut svg, left, y + 12.0, &matrix.scale);
    Picture { svg, height: y + 62.0, caption }
}

fn scale(svg: &mut Svg, left: f64, top: f64, (low, high, title): &(String, String, String)) {
    let width = 240.0;
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
