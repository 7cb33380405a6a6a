//! Matrices of tiles: a value by row and column, its number on it, hatched where nothing was played.

use super::colour;
use super::looks::stand;
use super::picture::Picture;
use super::svg::{Anchor, LABEL, MUTED, SMALL, Svg, Type, WIDTH, Words, fit_head, n, width_of, wrapped};
use super::tiles;

/// A tile: place on the scale of colours in [0, 1], what is on it, and beneath that.
pub struct Tile {
    /// Place on the colour scale, from 0 to 1.
    pub share: f64,
    /// The value as text.
    pub value: String,
    /// A second line in small type.
    pub small: String,
}

/// The words at the scale of colours.
pub struct ColourScale {
    /// At its low end.
    pub low: String,
    /// At its high end.
    pub high: String,
    /// What it measures.
    pub measure: String,
}

impl ColourScale {
    /// A scale with these words at its ends and beside it.
    #[must_use]
    pub fn new(low: &str, high: &str, measure: &str) -> Self {
        Self { low: low.to_owned(), high: high.to_owned(), measure: measure.to_owned() }
    }
}

/// What is drawn.
pub struct Matrix<'a> {
    /// Names of the rows.
    pub rows: &'a [String],
    /// Names of the columns.
    pub columns: &'a [String],
    /// Row by row; `None` where nothing was played.
    pub tiles: &'a [Vec<Option<Tile>>],
    /// The scale beneath.
    pub scale: ColourScale,
    /// What a tile without a value says.
    pub missing: &'a str,
}

const ROW: f64 = 44.0;
/// Sizes of what is on a tile: the value, and what is beneath it.
const VALUE: f64 = 13.5;
const BENEATH: f64 = 10.5;

/// Draws the matrix from `top` on, with the scale beneath.
pub fn draw(mut svg: Svg, matrix: &Matrix<'_>, top: f64, caption: String) -> Picture {
    tiles::hatch_gaps(&mut svg);
    let names = matrix.rows.iter().map(|name| width_of(name, LABEL.size)).fold(50.0, f64::max);
    let left = (names + 18.0).min(230.0);
    let each = columns(matrix, WIDTH - left);
    let width = ((WIDTH - left) / each as f64).min(132.0);
    let rows: Vec<Vec<Words>> = matrix.rows.iter().map(|name| wrapped(name, LABEL.size, left - 12.0, 3)).collect();
    let mut y = top + 4.0;
    // More columns than fit side by side are further blocks beneath.
    for first in (0..matrix.columns.len().max(1)).step_by(each) {
        let shown = first..(first + each).min(matrix.columns.len());
        if first > 0 {
            y += 14.0;
        }
        y = heads(&mut svg, &matrix.columns[shown.clone()], (left, width), y);
        for (name, tiles) in rows.iter().zip(matrix.tiles) {
            stand(&mut svg, left - 10.0, y + ROW / 2.0, Anchor::End, LABEL, name);
            for (index, tile) in tiles[shown.clone()].iter().enumerate() {
                draw_tile(&mut svg, (left + index as f64 * width, y), width, tile.as_ref(), matrix.missing);
            }
            y += ROW;
        }
    }
    let ColourScale { low, high, measure } = &matrix.scale;
    tiles::colour_bar(&mut svg, (left, y + 12.0), 240.0, (low, high), measure);
    Picture { svg, height: y + 62.0, caption }
}

/// How many columns stand side by side: no number on a tile is cut.
fn columns(matrix: &Matrix<'_>, room: f64) -> usize {
    let widths = matrix.tiles.iter().flatten().map(|tile| match tile {
        Some(tile) => (width_of(&tile.value, 1.1 * VALUE)).max(width_of(&tile.small, BENEATH)),
        None => width_of(matrix.missing, SMALL.size),
    });
    let least = widths.fold(0.0, f64::max) + 9.0;
    let fit = ((room / least.clamp(60.0, 132.0)) as usize).max(1);
    let blocks = matrix.columns.len().div_ceil(fit).max(1);
    matrix.columns.len().div_ceil(blocks).max(1)
}

/// The names of columns, standing on one line; returns where the first row begins.
fn heads(svg: &mut Svg, names: &[String], (left, width): (f64, f64), top: f64) -> f64 {
    const LINE: f64 = 13.5;
    let names: Vec<Vec<Words>> = names.iter().map(|name| wrapped(name, LABEL.size, width - 6.0, 4)).collect();
    let deepest = names.iter().map(Vec::len).max().unwrap_or(1);
    let bottom = top + 12.0 + LINE * deepest.saturating_sub(1) as f64;
    for (index, lines) in names.iter().enumerate() {
        let x = left + (index as f64 + 0.5) * width;
        for (number, line) in lines.iter().rev().enumerate() {
            svg.text(x, bottom - LINE * number as f64, Anchor::Middle, LABEL, line);
        }
    }
    bottom + 6.0
}

fn draw_tile(svg: &mut Svg, (x, y): (f64, f64), width: f64, tile: Option<&Tile>, missing: &str) {
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
    let Some(tile) = tile else {
        svg.text(centre, y + ROW / 2.0 + 4.0, Anchor::Middle, SMALL, &fit_head(missing, SMALL.size, width - 5.0));
        return;
    };
    let down = if tile.small.is_empty() { 27.0 } else { 20.0 };
    svg.text(centre, y + down, Anchor::Middle, on_tile(VALUE, true), &fit_head(&tile.value, 1.1 * VALUE, width - 5.0));
    if !tile.small.is_empty() {
        let small = fit_head(&tile.small, BENEATH, width - 5.0);
        svg.text(centre, y + 34.0, Anchor::Middle, on_tile(BENEATH, false), &small);
    }
}
