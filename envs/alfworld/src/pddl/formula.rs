//! Conditions: what they say, with variables as slots.

use gimbal_core::nearest;

/// Variables of an action or a goal, quantified ones included.
pub const MAX_SLOTS: usize = 16;

/// A variable: a place in a binding.
pub type Slot = u8;

/// A type: an index into the types of its domain, or one of two special ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeId(pub u16);

impl TypeId {
    /// The type of which everything is (`object` in PDDL).
    pub const ANYTHING: Self = Self(u16::MAX);
    /// A type without members.
    pub const NOTHING: Self = Self(u16::MAX - 1);
}

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

/// The half sentence that names the nearest known word.
pub fn hint<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    // A word of a damaged text may be as long as the text.
    if name.len() > 80 { String::new() } else { nearest::hint(name, known) }
}
