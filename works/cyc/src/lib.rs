//! The work CYC: controllers that route between subtasks on graphs with cycles.
//!
//! Its tables, figures and printed numbers, in one list ([`Cyc`]), and what they are made from: episodes as walks over task graphs
//! ([`cyclic`]). Statistics that know no work live in `gimbal-analysis`, the drawing kit in `gimbal-view`.

pub mod cyclic;
mod figures;
mod items;
pub mod printed;
pub mod routing_cost;
mod tables;

use gimbal_view::work::{Item, MarkSource, Work};

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

    fn marks(&self) -> Option<&'static MarkSource> {
        Some(&cyclic::plans::MARKS)
    }
}
