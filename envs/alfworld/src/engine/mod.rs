//! The engine: a game read once into tables, and a play of it that allocates nothing in a step.

mod commands;
mod facts;
mod game;
mod goal;
mod join;
mod play;
mod predicates;
mod render;
mod rules;
mod view;

pub use commands::{Command, MOST_ARGUMENTS};
pub use facts::{Facts, Relation, bits};
pub use game::Game;
pub use goal::Goal;
pub use join::{Join, Lasting};
pub use play::{NOTHING_HAPPENS, Play, Stepped};
pub use predicates::{Place, Predicate, Predicates};
pub use rules::{Action, Role, Rules};
pub use view::{Binding, UNBOUND, View};
