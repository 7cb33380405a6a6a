//! PDDL as these games use it: typed STRIPS with `and`, `or`, `not`, `exists`, `forall`, `imply`, `=`, `when`.

mod domain;
mod formula;
mod lexer;
mod problem;
mod reader;
mod tree;

pub use domain::{ActionForm, Atom, Domain, EffectForm, Parameter, PredicateForm};
pub(crate) use formula::hint;
pub use formula::{Formula, MAX_SLOTS, Slot, Term, TypeId};
pub(crate) use lexer::shortened;
pub(crate) use problem::NO_SYMBOL;
pub use problem::{Fact, Problem};
