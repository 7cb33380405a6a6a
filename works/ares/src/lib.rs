//! The work ARES: evidence-grounded debate between an Architect and a Skeptic, judged by arithmetic.
//!
//! Its tables, figures and printed numbers, in one list ([`Ares`]). Packets and judges live in `gimbal-evidence`, the debate in
//! `gimbal-architectures`.

pub mod cases;
mod competence_figure;
pub mod debate;
pub mod errors;
mod figures;
mod first_round;
mod game_figure;
pub mod groups;
pub mod history;
mod items;
pub mod printed;
pub mod tables;
mod weighing;

use gimbal_view::work::{EpisodeView, Item, Work};

/// The work.
#[derive(Clone, Copy, Debug)]
pub struct Ares;

impl Work for Ares {
    fn name(&self) -> &'static str {
        "ares"
    }

    fn items(&self) -> &'static [Item] {
        items::ITEMS
    }

    fn episode_view(&self) -> Option<&'static EpisodeView> {
        Some(&debate::VIEW)
    }
}
