//! Attacks by text: a suite of texts that ask an agent for one call, and the choice of that call (CTHA-119, CTHA-R21).
//!
//! A study plants a text of a suite by `tool.planted: { rate, attack: CATEGORY, step }`. Which text it is and which call it asks for depends on the episode's
//! seed, the step, and what is legal when it is planted; it needs the environment's brief and manifest alone. What was planted, who read it and when the
//! call was carried out are records of the stage ([`gimbal_messages::records::attack`]).

mod choose;
mod suite;
mod watch;

pub use choose::{CHOICE, Chosen, choose};
pub use suite::{Aim, AttackText, Category, CategoryTexts, PLACEHOLDER, Suite, schema};
pub(crate) use watch::PlantedWatch;

use std::sync::Arc;

use gimbal_core::Rng;

/// An attack that a study plants: a category of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The category.
    pub category: Category,
    /// The suite; that of the program where its file was not read yet.
    pub suite: Arc<Suite>,
    /// Path of the suite's file in the data folders; `None` for the suite of the program.
    pub file: Option<String>,
}

impl Attack {
    /// The text of an episode with what it aims at; `None` where the suite has none of the category.
    #[must_use]
    pub fn text(&self, draws: &mut Rng) -> Option<(&AttackText, Aim)> {
        let category = self.suite.category(self.category)?;
        Some((draws.choose(&category.texts)?, category.aim))
    }
}
