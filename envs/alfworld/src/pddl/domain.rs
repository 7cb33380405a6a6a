//! A domain: types, predicates, actions.

use super::formula::{Formula, Slot, Term, TypeId, hint};
use super::lexer::{Lexer, shortened};
use crate::error::{Fault, GameError};

/// A declared predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateForm {
    /// In lower case.
    pub name: String,
    /// One or two.
    pub arity: usize,
    /// Types of the arguments.
    pub types: Vec<TypeId>,
}

/// A predicate with its terms; the second of a unary one repeats the first.
pub type Atom = (u16, [Term; 2]);

/// What an action does, all at once or under a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectForm {
    /// It happens if this held before the action; always if none.
    pub when: Option<Formula>,
    /// Facts that hold after it.
    pub adds: Vec<Atom>,
    /// Facts that do not, unless added by the same action.
    pub deletes: Vec<Atom>,
}

/// A parameter of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name without `?`.
    pub name: String,
    /// Its slot, from 0.
    pub slot: Slot,
    /// Its type.
    pub kind: TypeId,
}

/// An action as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionForm {
    /// In lower case.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
    /// When it can be done.
    pub precondition: Formula,
    /// What it does.
    pub effects: Vec<EffectForm>,
}

/// A domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Types and their parents.
    pub types: Vec<(String, TypeId)>,
    /// Predicates that are declared.
    pub predicates: Vec<PredicateForm>,
    /// Actions in order.
    pub actions: Vec<ActionForm>,
    /// Names of objects that actions mention.
    pub constants: Vec<String>,
}

/// Parameters of one action: a binding is one number of 128 bits.
pub(crate) const MOST_PARAMETERS: usize = 8;

impl Domain {
    /// The type of a name; none if it is not declared.
    #[must_use]
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        if name == "object" {
            return Some(TypeId::ANYTHING);
        }
        self.types.iter().position(|(known, _)| known == name).map(|at| TypeId(at as u16))
    }

    /// The index of a predicate.
    pub fn find_predicate(&self, name: &str) -> Option<u16> {
        self.predicates.iter().position(|known| known.name == name).map(|at| at as u16)
    }

    pub(super) fn predicate(&self, name: &str, lexer: &Lexer<'_>, at: usize) -> Result<u16, GameError> {
        self.find_predicate(name).ok_or_else(|| {
            let hint = hint(name, self.predicates.iter().map(|known| known.name.as_str()));
            lexer.fault_at(at, Fault::UnknownPredicate { name: shortened(name), hint })
        })
    }

    /// Whether a member of `kind` is one of `of`.
    #[must_use]
    pub fn is_a(&self, kind: TypeId, of: TypeId) -> bool {
        if of == TypeId::ANYTHING {
            return true;
        }
        let mut kind = kind;
        // A chain of parents is no longer than there are types.
        for _ in 0..=self.types.len() {
            if kind == of {
                return of != TypeId::NOTHING;
            }
            match self.types.get(usize::from(kind.0)) {
                Some((_, parent)) => kind = *parent,
                None => return false,
            }
        }
        false
    }
}
