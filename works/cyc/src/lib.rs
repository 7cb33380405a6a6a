//! The work CYC: controllers that route between subtasks on graphs with cycles.
//!
//! Its tables, figures and printed numbers, in one list ([`Cyc`]). Measures live in `gimbal-analysis`, the drawing kit in
//! `gimbal-view`.

mod figures;
mod items;
pub mod printed;
mod tables;

use gimbal_view::work::{Item, Work};

/// The work.
#[derive(Clone, Copy, Debug)]
pub struct Cyc;

impl Work for Cyc {
    fn name(&self) -> &'static str {
        "cyc"
    }

    fn items(&self) -> &'static [Item] {
        items::ITEMS
    }
}
