//! The work CTHA: a constrained temporal hierarchy of agents on four time scales.
//!
//! Its tables and figures of hierarchies that were played, its printed numbers and its figures of gains, in one list ([`Ctha`]). Layers, contracts, authority, the arbiter's rules and the mathematics
//! are in `gimbal-temporal`.

pub mod ablation;
pub mod attacks;
pub mod curves;
pub mod effort;
mod failures;
pub mod figures;
mod hierarchy;
mod items;
pub mod labels;
pub mod latency;
pub mod layers;
mod pairs;
pub mod printed;
pub mod spread;
pub mod tables;

use gimbal_view::work::{Item, Work};

/// The title of an item; empty where there is none of this key.
#[must_use]
pub fn title(key: &str) -> &'static str {
    items::ITEMS.iter().find(|item| item.key == key).map_or("", |item| item.title)
}

/// The work.
#[derive(Clone, Copy, Debug)]
pub struct Ctha;

impl Work for Ctha {
    fn name(&self) -> &'static str {
        "ctha"
    }

    fn items(&self) -> &'static [Item] {
        items::ITEMS
    }
}
