//! Whether a game is won.

use super::join::Join;
use super::predicates::Predicates;
use super::view::{UNBOUND, View};
use crate::error::{Fault, GameError};
use crate::pddl::Formula;

/// A goal: parts that must all hold, each for itself.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Each part: one of its plans must match.
    parts: Vec<Vec<Join>>,
    /// As it is written.
    pub formula: Formula,
}

impl Goal {
    /// Makes a goal ready.
    ///
    /// # Errors
    /// When a part has too many alternatives.
    pub fn new(formula: &Formula, predicates: &Predicates) -> Result<Self, GameError> {
        let mut conjuncts = Vec::new();
        flatten(formula, &mut conjuncts);
        let parts = conjuncts.into_iter().map(|part| Join::plan(&[], part, predicates)).collect::<Option<_>>();
        let parts = parts.ok_or_else(|| {
            Fault::TooMany { what: "alternatives in the goal", limit: 64 }.at("pddl_problem, (:goal ...)")
        })?;
        Ok(Self { parts, formula: formula.clone() })
    }

    /// Its parts: of each one plan must match.
    #[must_use]
    pub fn parts(&self) -> &[Vec<Join>] {
        &self.parts
    }

    /// Whether it holds.
    pub fn holds(&self, view: &View<'_>, symbols: u16) -> bool {
        let mut binding = UNBOUND;
        self.parts.iter().all(|plans| plans.iter().any(|plan| plan.run(view, symbols, &mut binding, &mut |_| true)))
    }
}

fn flatten<'f>(formula: &'f Formula, out: &mut Vec<&'f Formula>) {
    match formula {
        Formula::And(parts) => parts.iter().for_each(|part| flatten(part, out)),
        other => out.push(other),
    }
}
