//! Small multiples: frames of one size side by side.

use super::looks::{BESIDE, Frame};
use super::scale::Scale;
use super::svg::{Anchor, GRID, HEAD, RULE, Svg, WIDTH, fit_head};

/// Frames in rows.
pub struct Panels {
    columns: usize,
    rows: usize,
    width: f64,
    height: f64,
    top: f64,
    left: f64,
}

/// Between frames side by side.
const GAP: f64 = 16.0;
/// Above a frame: its title.
const HEADING: f64 = 22.0;
/// Beneath a frame: names and title of its axis.
const FOOT: f64 = 44.0;

impl Panels {
    /// So many frames, at most `most` side by side, each so high; the first row begins at `top`.
    pub fn new(count: usize, most: usize, height: f64, top: f64) -> Self {
        let columns = count.clamp(1, most.max(1));
        let width = (WIDTH - BESIDE - 4.0 - GAP * (columns - 1) as f64) / columns as f64;
        Self { columns, rows: count.div_ceil(columns).max(1), width, height, top, left: BESIDE }
    }

    /// Where a frame is.
    pub fn frame(&self, place: usize) -> Frame {
        let (row, column) = (place / self.columns, place % self.columns);
        let left = self.left + column as f64 * (self.width + GAP);
        let top = self.top + HEADING + row as f64 * (HEADING + self.height + FOOT);
        Frame { left, top, right: left + self.width, bottom: top + self.height }
    }

    /// Whether a frame is the leftmost of its row: it carries the ticks.
    pub fn is_first(&self, place: usize) -> bool {
        place.is_multiple_of(self.columns)
    }

    /// The title above a frame.
    pub fn title(&self, svg: &mut Svg, place: usize, name: &str) {
        let frame = self.frame(place);
        svg.text(frame.left, frame.top - 6.0, Anchor::Start, HEAD, &fit_head(name, HEAD.wide(), self.width));
    }

    /// Grid lines without ticks, for frames that share an axis.
    pub fn grid(&self, svg: &mut Svg, frame: Frame, y: &Scale) {
        for tick in y.ticks((((frame.bottom - frame.top) / 44.0) as usize).clamp(2, 8)) {
            svg.line((frame.left, y.at(tick)), (frame.right, y.at(tick)), "grid", GRID, 1.0, "");
        }
        svg.line((frame.left, frame.top), (frame.left, frame.bottom), "rule", RULE, 1.0, "");
    }

    /// Beneath the last row, its foot left out.
    pub fn bottom(&self) -> f64 {
        self.frame((self.rows - 1) * self.columns).bottom
    }
}
