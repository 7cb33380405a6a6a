//! What holds at a moment, and whether conditions do.

use std::cell::Cell;

use super::facts::Facts;
use super::predicates::{Place, Predicates};
use crate::pddl::{Formula, MAX_SLOTS, NO_SYMBOL, Term, TypeId};

/// Values of variables.
pub type Binding = [u16; MAX_SLOTS];

/// Nothing bound.
pub const UNBOUND: Binding = [NO_SYMBOL; MAX_SLOTS];

/// Facts that change and facts that do not, with what is needed to read them.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Where facts are kept.
    pub predicates: &'a Predicates,
    /// What never changes.
    pub fixed: &'a Facts,
    /// What does.
    pub moving: &'a Facts,
    /// Members of types.
    pub types: &'a Facts,
    /// Symbols of the constants.
    pub constants: &'a [u16],
    /// Read as if nothing that can change ever stopped holding or stood in the way: what might become possible.
    pub relaxed: bool,
    /// Whether all facts keep to the declared types, so that these need not be looked at again.
    pub typed: bool,
    /// What may still be looked at, for files of which nothing is known yet; no bound if none. Where it is used up, every
    /// search stops, and what it gave means nothing.
    pub fuel: Option<&'a Cell<u64>>,
}

impl<'a> View<'a> {
    /// Takes from the fuel; whether it is used up.
    #[inline]
    pub fn burns(&self, units: u64) -> bool {
        let Some(fuel) = self.fuel else { return false };
        fuel.set(fuel.get().saturating_sub(units));
        fuel.get() == 0
    }

    /// The table of a place.
    #[inline]
    pub const fn table(&self, place: Place) -> &'a Facts {
        if place.moving { self.moving } else { self.fixed }
    }

    /// The place of a predicate.
    #[inline]
    pub fn place(&self, predicate: u16) -> Place {
        self.predicates.all[usize::from(predicate)].place
    }

    /// The symbol of a term.
    #[inline]
    pub fn value(&self, term: Term, binding: &Binding) -> u16 {
        match term {
            Term::Slot(slot) => binding[usize::from(slot)],
            Term::Constant(at) => self.constants.get(usize::from(at)).copied().unwrap_or(NO_SYMBOL),
        }
    }

    /// Whether a fact holds. Nothing holds of a symbol that is not there.
    #[inline]
    pub fn holds(&self, place: Place, one: u16, other: u16) -> bool {
        let table = self.table(place);
        if place.binary { table.relation(place.index).has(one, other) } else { table.has_one(place.index, one) }
    }

    /// Whether a symbol is of a type.
    #[inline]
    pub fn is_of(&self, symbol: u16, kind: TypeId) -> bool {
        kind == TypeId::ANYTHING || (kind != TypeId::NOTHING && self.types.has_one(kind.0, symbol))
    }

    /// The members of a type, ascending.
    pub fn members(&self, kind: TypeId, symbols: u16) -> impl Iterator<Item = u16> + 'a {
        let view = *self;
        // Few formulas ask; a scan of all symbols serves the two special types as well.
        (0..symbols).filter(move |symbol| view.is_of(*symbol, kind))
    }

    /// Whether a condition holds under a binding; `symbols` is their number.
    pub fn satisfies(&self, formula: &Formula, binding: &mut Binding, symbols: u16) -> bool {
        self.check(formula, binding, symbols, true)
    }

    /// `positive`: whether the formula is under an even number of negations.
    fn check(&self, formula: &Formula, binding: &mut Binding, symbols: u16, positive: bool) -> bool {
        match formula {
            Formula::Atom(predicate, [one, other]) => {
                let place = self.place(*predicate);
                // What can change can come not to hold.
                if self.relaxed && !positive && place.moving {
                    return false;
                }
                self.holds(place, self.value(*one, binding), self.value(*other, binding))
            }
            Formula::Equal(one, other) => self.value(*one, binding) == self.value(*other, binding),
            Formula::Not(inner) => !self.check(inner, binding, symbols, !positive),
            Formula::And(parts) => parts.iter().all(|part| self.check(part, binding, symbols, positive)),
            Formula::Or(parts) => parts.iter().any(|part| self.check(part, binding, symbols, positive)),
            Formula::Exists(bound, inner) => self.quantified(bound, inner, binding, symbols, positive, true),
            Formula::Forall(bound, inner) => !self.quantified(bound, inner, binding, symbols, positive, false),
        }
    }

    /// Whether some values of the variables give `wanted`.
    fn quantified(
        &self,
        bound: &[(u8, TypeId)],
        inner: &Formula,
        binding: &mut Binding,
        symbols: u16,
        positive: bool,
        wanted: bool,
    ) -> bool {
        let Some(((slot, kind), rest)) = bound.split_first() else {
            return self.check(inner, binding, symbols, positive) == wanted;
        };
        // A scan looks at many symbols at a time.
        if self.burns(1 + u64::from(symbols) / 16) {
            return true;
        }
        let before = binding[usize::from(*slot)];
        let found = self.members(*kind, symbols).any(|symbol| {
            binding[usize::from(*slot)] = symbol;
            self.quantified(rest, inner, binding, symbols, positive, wanted)
        });
        binding[usize::from(*slot)] = before;
        found
    }
}
