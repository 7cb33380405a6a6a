//! What members of a panel agree on, and how games of agreement end: one row for each episode, folded from records and last observations.

mod games;
mod panels;

pub use games::{GAMES, Game, Games};
pub use panels::{PANELS, Panel, Panels, Question};
