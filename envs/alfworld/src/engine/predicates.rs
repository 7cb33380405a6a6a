//! Which facts can change, and where they are kept.

use crate::pddl::{Domain, Term, TypeId};

/// Where the facts of a predicate are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Whether some action changes them.
    pub moving: bool,
    /// Whether they have two arguments.
    pub binary: bool,
    /// Their number among those of the same sort.
    pub index: u16,
}

/// A predicate in the engine's tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// In lower case; explicit negations begin with `not_`.
    pub name: String,
    /// One or two.
    pub arity: usize,
    /// Where its facts are kept.
    pub place: Place,
    /// The predicate that keeps its explicit negations, if a text asks for them.
    pub negation: Option<u16>,
    /// Types that its arguments always have, if the first facts keep to them: no action adds others. None if one may.
    pub types: Option<[TypeId; 2]>,
}

/// All predicates: those of the domain, then the negations that a grammar asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicates {
    /// In order; the first are those of the domain.
    pub all: Vec<Predicate>,
}

impl Predicates {
    /// Those of a domain.
    #[must_use]
    pub fn of(domain: &Domain) -> Self {
        let all = domain.predicates.iter().map(|form| Predicate {
            name: form.name.clone(),
            arity: form.arity,
            place: Place { binary: form.arity == 2, ..Place::default() },
            negation: None,
            types: form.types.first().zip(form.types.last()).map(|(one, other)| [*one, *other]),
        });
        let mut predicates = Self { all: all.collect() };
        for action in &domain.actions {
            for (predicate, _) in action.effects.iter().flat_map(|effect| effect.adds.iter().chain(&effect.deletes)) {
                predicates.all[usize::from(*predicate)].place.moving = true;
            }
            for (predicate, terms) in action.effects.iter().flat_map(|effect| &effect.adds) {
                let known = &mut predicates.all[usize::from(*predicate)].types;
                let keeps = |(term, wanted): (&Term, &TypeId)| match term {
                    Term::Constant(_) => *wanted == TypeId::ANYTHING,
                    Term::Slot(slot) => action
                        .parameters
                        .iter()
                        .any(|parameter| parameter.slot == *slot && domain.is_a(parameter.kind, *wanted)),
                };
                if known.is_some_and(|types| !terms.iter().zip(&types).all(keeps)) {
                    *known = None;
                }
            }
        }
        predicates
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|known| known.name.as_str())
    }

    /// The index of a predicate.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u16> {
        self.all.iter().position(|known| known.name == name).map(|at| at as u16)
    }

    /// The index and arity of a predicate, or of the explicit negation `not_p` of one.
    pub fn find_or_negate(&mut self, name: &str) -> Option<(u16, usize)> {
        if let Some(at) = self.find(name) {
            return Some((at, self.all[usize::from(at)].arity));
        }
        let of = self.find(name.strip_prefix("not_")?)?;
        let base = &self.all[usize::from(of)];
        let negation = Predicate { name: name.to_owned(), negation: None, types: None, ..base.clone() };
        let arity = negation.arity;
        let at = self.all.len() as u16;
        self.all.push(negation);
        self.all[usize::from(of)].negation = Some(at);
        Some((at, arity))
    }

    /// Gives every predicate its place. Gives the numbers of fixed unary, fixed binary, moving unary, moving binary ones.
    pub fn settle(&mut self) -> [usize; 4] {
        let mut counts = [0_usize; 4];
        for predicate in &mut self.all {
            let sort = usize::from(predicate.place.moving) * 2 + usize::from(predicate.place.binary);
            predicate.place.index = counts[sort] as u16;
            counts[sort] += 1;
        }
        counts
    }
}
