//! Conditions: what they say, with variables as slots.

use gimbal_core::nearest;

use super::domain::{Domain, TypeId};
use super::lexer::Lexer;
use super::tree::Tree;
use crate::error::{Fault, GameError};

/// Variables of an action or a goal, quantified ones included.
pub const MAX_SLOTS: usize = 16;

/// A variable: a place in a binding.
pub type Slot = u8;

/// A variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// A constant: an index into the names that the reader collected.
    Constant(u16),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// A fact holds; the second term of a unary predicate repeats the first.
    Atom(u16, [Term; 2]),
    /// Two terms are the same.
    Equal(Term, Term),
    /// It does not hold.
    Not(Box<Formula>),
    /// All hold; none: true.
    And(Vec<Formula>),
    /// One holds at least; none: false.
    Or(Vec<Formula>),
    /// Some members of these types make it hold.
    Exists(Vec<(Slot, TypeId)>, Box<Formula>),
    /// All members of these types make it hold.
    Forall(Vec<(Slot, TypeId)>, Box<Formula>),
}

impl Formula {
    /// What always holds.
    pub const TRUE: Self = Self::And(Vec::new());

    /// Whether it always holds, as far as is seen without looking at facts.
    #[must_use]
    pub fn trivial(&self) -> bool {
        matches!(self, Self::And(parts) if parts.is_empty())
    }

    /// Calls `each` with every predicate that it reads.
    pub fn predicates(&self, each: &mut dyn FnMut(u16)) {
        match self {
            Self::Atom(predicate, _) => each(*predicate),
            Self::Equal(..) => {}
            Self::Not(inner) | Self::Exists(_, inner) | Self::Forall(_, inner) => inner.predicates(each),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.predicates(each)),
        }
    }

    /// The free slots, as bits.
    #[must_use]
    pub fn slots(&self) -> u32 {
        let of = |term: &Term| match term {
            Term::Slot(slot) => 1_u32 << slot,
            Term::Constant(_) => 0,
        };
        match self {
            Self::Atom(_, [one, other]) | Self::Equal(one, other) => of(one) | of(other),
            Self::Not(inner) => inner.slots(),
            Self::And(parts) | Self::Or(parts) => parts.iter().fold(0, |bits, part| bits | part.slots()),
            Self::Exists(bound, inner) | Self::Forall(bound, inner) => {
                bound.iter().fold(inner.slots(), |bits, (slot, _)| bits & !(1 << slot))
            }
        }
    }
}

/// Reads formulas: names of variables in scope, and the constants that were met.
pub struct FormulaReader<'d, 'a> {
    domain: &'d Domain,
    lexer: &'d Lexer<'a>,
    /// Variables in scope, innermost last.
    scope: Vec<(&'a str, Slot)>,
    /// Slots given out.
    used: usize,
    /// Names of the constants met, in order.
    pub constants: Vec<String>,
}

impl<'d, 'a> FormulaReader<'d, 'a> {
    /// A reader that knows `constants` already.
    pub fn new(domain: &'d Domain, lexer: &'d Lexer<'a>, constants: Vec<String>) -> Self {
        Self { domain, lexer, scope: Vec::new(), used: 0, constants }
    }

    /// Brings typed variables into scope: `?a - agent ?l - location`. An undeclared type has no members: the original
    /// reads it so.
    pub fn declare(&mut self, items: &[Tree<'a>]) -> Result<Vec<(Slot, TypeId)>, GameError> {
        let mut declared = Vec::new();
        let mut waiting = Vec::new();
        let mut rest = items.iter();
        while let Some(item) = rest.next() {
            match item.word() {
                Some("-") => {
                    let Some(kind) = rest.next().and_then(Tree::word) else {
                        let what = "`either`, or a `-` without a type,".to_owned();
                        return Err(self.lexer.fault_at(item.at(), Fault::Unsupported(what)));
                    };
                    let kind = self.domain.find_type(kind).unwrap_or(TypeId::NOTHING);
                    declared.extend(waiting.drain(..).map(|slot| (slot, kind)));
                }
                Some(name) if name.starts_with('?') => {
                    if self.used >= MAX_SLOTS {
                        let fault = Fault::TooMany { what: "variables in one action or goal", limit: MAX_SLOTS };
                        return Err(self.lexer.fault_at(item.at(), fault));
                    }
                    let slot = self.used as Slot;
                    self.used += 1;
                    self.scope.push((name, slot));
                    waiting.push(slot);
                }
                _ => return Err(self.unexpected(item, "a variable such as `?o`")),
            }
        }
        declared.extend(waiting.drain(..).map(|slot| (slot, TypeId::ANYTHING)));
        Ok(declared)
    }

    /// Names of the variables in scope, by slot.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.scope.iter().map(|(name, _)| *name)
    }

    fn unexpected(&self, found: &Tree<'_>, wanted: &str) -> GameError {
        let fault = Fault::Unexpected { found: found.shown(), wanted: wanted.to_owned() };
        self.lexer.fault_at(found.at(), fault)
    }

    fn term(&mut self, tree: &Tree<'a>) -> Result<Term, GameError> {
        let Some(word) = tree.word() else {
            return Err(self.unexpected(tree, "a variable or an object"));
        };
        if word.starts_with('?') {
            let known = self.scope.iter().rev().find(|(name, _)| *name == word);
            let unbound = || self.lexer.fault_at(tree.at(), Fault::UnboundVariable(word.to_owned()));
            return known.map(|(_, slot)| Term::Slot(*slot)).ok_or_else(unbound);
        }
        let known = self.constants.iter().position(|name| name == word);
        let at = known.unwrap_or_else(|| {
            self.constants.push(word.to_owned());
            self.constants.len() - 1
        });
        u16::try_from(at).map(Term::Constant).map_err(|_| {
            self.lexer.fault_at(tree.at(), Fault::TooMany { what: "constants", limit: usize::from(u16::MAX) })
        })
    }

    /// A fact with terms.
    pub fn atom(&mut self, items: &[Tree<'a>], at: usize) -> Result<(u16, [Term; 2]), GameError> {
        let Some(name) = items.first().and_then(Tree::word) else {
            let found = items.first().map_or_else(|| "`()`".to_owned(), Tree::shown);
            let fault = Fault::Unexpected { found, wanted: "a predicate or a connective".to_owned() };
            return Err(self.lexer.fault_at(at, fault));
        };
        let predicate = self.domain.predicate(name, self.lexer, at)?;
        let declared = self.domain.predicates[usize::from(predicate)].arity;
        let given = items.len() - 1;
        if given != declared {
            let fault = Fault::Arity { name: name.to_owned(), declared, given };
            return Err(self.lexer.fault_at(at, fault));
        }
        let first = self.term(&items[1])?;
        let second = if declared == 2 { self.term(&items[2])? } else { first };
        Ok((predicate, [first, second]))
    }

    /// A condition. Depth is bounded by that of the tree.
    pub fn formula(&mut self, tree: &Tree<'a>) -> Result<Formula, GameError> {
        let Some(items) = tree.list() else {
            return Err(self.unexpected(tree, "a condition in parentheses"));
        };
        let Some(first) = items.first() else { return Ok(Formula::TRUE) };
        let rest = &items[1..];
        let one = |wanted: usize| {
            let fault =
                || Fault::Unexpected { found: tree.shown(), wanted: format!("{} with {wanted} parts", first.shown()) };
            if rest.len() == wanted { Ok(()) } else { Err(self.lexer.fault_at(tree.at(), fault())) }
        };
        match first.word() {
            Some("and") => rest.iter().map(|part| self.formula(part)).collect::<Result<_, _>>().map(Formula::And),
            Some("or") => rest.iter().map(|part| self.formula(part)).collect::<Result<_, _>>().map(Formula::Or),
            Some("not") => {
                one(1)?;
                Ok(Formula::Not(Box::new(self.formula(&rest[0])?)))
            }
            Some("imply") => {
                one(2)?;
                let condition = Formula::Not(Box::new(self.formula(&rest[0])?));
                Ok(Formula::Or(vec![condition, self.formula(&rest[1])?]))
            }
            Some("=") => {
                one(2)?;
                Ok(Formula::Equal(self.term(&rest[0])?, self.term(&rest[1])?))
            }
            Some(quantifier @ ("exists" | "forall")) => {
                one(2)?;
                let Some(variables) = rest[0].list() else {
                    return Err(self.unexpected(&rest[0], "a list of variables"));
                };
                let outer = self.scope.len();
                let bound = self.declare(variables)?;
                let inner = Box::new(self.formula(&rest[1])?);
                self.scope.truncate(outer);
                Ok(if quantifier == "exists" { Formula::Exists(bound, inner) } else { Formula::Forall(bound, inner) })
            }
            _ => self.atom(items, tree.at()).map(|(predicate, terms)| Formula::Atom(predicate, terms)),
        }
    }
}

/// The half sentence that names the nearest known word.
pub fn hint<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    // A word of a damaged text may be as long as the text.
    if name.len() > 80 { String::new() } else { nearest::hint(name, known) }
}
