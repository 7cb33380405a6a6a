//! Conjunctive conditions as plans: which variable is bound when, and what is tested as soon as it can be.

use super::predicates::{Place, Predicates};
use super::view::{Binding, View};
use crate::pddl::{Formula, NO_SYMBOL, Slot, Term, TypeId};

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Binds a variable to each member of a predicate.
    Member(Place, Slot),
    /// Binds two variables to each pair of a predicate.
    Pair(Place, Slot, Slot),
    /// Binds the second variable to each partner of the first term.
    Second(Place, Term, Slot),
    /// Binds the first variable to each partner of the second term.
    First(Place, Slot, Term),
    /// Binds a variable to each member of a type.
    Each(Slot, TypeId),
    /// A fact must hold.
    Fact(Place, [Term; 2]),
    /// A fact must not hold.
    NoFact(Place, [Term; 2]),
    /// A value must be of a type.
    Type(Slot, TypeId),
    /// A condition must hold.
    Test(Formula),
}

/// How far the matches of a plan stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// They depend on nothing that changes.
    Always,
    /// They depend on what the first step binds, and on nothing else that changes.
    ForFirst(Place),
    /// They depend on more.
    No,
}

/// A plan for one conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    steps: Vec<Step>,
    /// The same without tests of types that facts with declared types always pass.
    lean: Vec<Step>,
    /// See [`Lasting`].
    pub lasting: Lasting,
    /// The facts that must hold, for those who look at them one by one.
    pub facts: Vec<(u16, [Term; 2])>,
    /// What else must hold.
    pub tests: Vec<Formula>,
    /// Places of the facts of two arguments that can change.
    pairs: Vec<u16>,
}

/// Parts of a conjunction: variables with their types, and conjuncts.
#[derive(Clone, Default)]
struct Parts {
    variables: Vec<(Slot, TypeId)>,
    facts: Vec<(u16, [Term; 2])>,
    rest: Vec<Formula>,
}

/// A condition has no more alternatives.
const MOST_ALTERNATIVES: usize = 64;

impl Join {
    /// Plans for a condition on typed variables: one for each alternative that binds other variables. None if there are
    /// too many.
    pub fn plan(variables: &[(Slot, TypeId)], condition: &Formula, predicates: &Predicates) -> Option<Vec<Self>> {
        let mut done = Vec::new();
        let mut open = vec![Parts { variables: variables.to_vec(), ..Parts::default() }];
        open[0].take(condition.clone());
        while let Some(mut parts) = open.pop() {
            if done.len() + open.len() > MOST_ALTERNATIVES {
                return None;
            }
            let bound = parts.bound();
            let free = parts.variables.iter().fold(0, |bits, (slot, _)| bits | 1_u32 << slot) & !bound;
            let splits = |part: &Formula| matches!(part, Formula::Or(_)) && part.slots() & free != 0;
            match parts.rest.iter().position(splits) {
                None => done.extend(Self::of(parts, predicates)),
                Some(at) => {
                    if let Formula::Or(alternatives) = parts.rest.swap_remove(at) {
                        // The first alternative is planned first.
                        for alternative in alternatives.into_iter().rev() {
                            let mut next = parts.clone();
                            next.take(alternative);
                            open.push(next);
                        }
                    }
                }
            }
        }
        Some(done)
    }

    /// None if a variable is of a type without members.
    fn of(mut parts: Parts, predicates: &Predicates) -> Option<Self> {
        if parts.variables.iter().any(|(_, kind)| *kind == TypeId::NOTHING) {
            return None;
        }
        let (facts, tests) = (parts.facts.clone(), parts.rest.clone());
        let place = |predicate: u16| predicates.all[usize::from(predicate)].place;
        let moving = |predicate: u16| place(predicate).moving;
        let mut steps = Vec::new();
        // Which of them are tests of types that add nothing.
        let mut idle = Vec::new();
        let mut bound = 0_u32;
        loop {
            parts.rest.retain(|part| {
                let ready = part.slots() & !bound == 0;
                if ready {
                    steps.push(test(part, predicates));
                }
                !ready
            });
            let known = |term: Term| matches!(term, Term::Constant(_)) || term_bit(term) & bound != 0;
            let worth = |(predicate, [one, other]): &(u16, [Term; 2])| {
                let change = i32::from(moving(*predicate));
                let binary = predicates.all[usize::from(*predicate)].arity == 2;
                match (known(*one), known(*other), binary) {
                    (true, true, _) => 100,
                    (true, false, true) | (false, true, true) => 50 + change,
                    (_, _, true) => 20 + change,
                    (_, _, false) => 10 + change,
                }
            };
            // The first of the best, as written.
            let best = (0..parts.facts.len()).max_by_key(|at| (worth(&parts.facts[*at]), std::cmp::Reverse(*at)));
            let mut fresh = 0_u32;
            if let Some(at) = best {
                let (predicate, [one, other]) = parts.facts.remove(at);
                let (binary, types) = (place(predicate).binary, predicates.all[usize::from(predicate)].types);
                let at = place(predicate);
                let step = match (one, other) {
                    (Term::Slot(slot), _) if !binary && !known(one) => Step::Member(at, slot),
                    (Term::Slot(a), Term::Slot(b)) if !known(one) && !known(other) && a != b => Step::Pair(at, a, b),
                    (_, Term::Slot(slot)) if known(one) && !known(other) => Step::Second(at, one, slot),
                    (Term::Slot(slot), _) if !known(one) && known(other) => Step::First(at, slot, other),
                    (Term::Slot(slot), _) if !known(one) => {
                        // The same unknown twice.
                        steps.push(Step::Each(slot, TypeId::ANYTHING));
                        Step::Fact(at, [one, other])
                    }
                    _ => Step::Fact(at, [one, other]),
                };
                steps.push(step);
                fresh |= (term_bit(one) | term_bit(other)) & !bound;
                for (slot, kind) in parts.variables.iter().filter(|(slot, _)| fresh & (1 << slot) != 0) {
                    let told = types.is_some_and(|types| {
                        [one, other].iter().zip(types).any(|(term, told)| *term == Term::Slot(*slot) && told == *kind)
                    });
                    if *kind != TypeId::ANYTHING {
                        if told {
                            idle.push(steps.len());
                        }
                        steps.push(Step::Type(*slot, *kind));
                    }
                }
            } else if let Some((slot, kind)) = parts.variables.iter().find(|(slot, _)| bound & (1 << slot) == 0) {
                steps.push(Step::Each(*slot, *kind));
                bound |= 1 << slot;
                continue;
            } else {
                break;
            }
            bound |= fresh;
        }
        let changes = |step: &Step| match step {
            Step::Member(place, _)
            | Step::Pair(place, ..)
            | Step::Second(place, ..)
            | Step::First(place, ..)
            | Step::Fact(place, _)
            | Step::NoFact(place, _) => place.moving,
            Step::Each(..) | Step::Type(..) => false,
            Step::Test(formula) => {
                let mut any = false;
                formula.predicates(&mut |predicate| any |= moving(predicate));
                any
            }
        };
        let lasting = match steps.split_first() {
            Some((Step::Pair(place, ..), rest)) if place.moving && !rest.iter().any(changes) => {
                Lasting::ForFirst(*place)
            }
            _ if !steps.iter().any(changes) => Lasting::Always,
            _ => Lasting::No,
        };
        let places = facts.iter().map(|(predicate, _)| predicates.all[usize::from(*predicate)].place);
        let pairs = places.filter(|place| place.moving && place.binary).map(|place| place.index).collect();
        let kept = steps.iter().enumerate().filter(|(at, _)| !idle.contains(at));
        let lean = kept.map(|(_, step)| step.clone()).collect();
        Some(Self { steps, lean, lasting, facts, tests, pairs })
    }

    /// Whether every predicate of two arguments that it asks for has facts at all: seen without looking at them.
    #[inline]
    pub fn possible(&self, view: &View<'_>) -> bool {
        self.pairs.iter().all(|index| !view.moving.relation(*index).pairs().is_empty())
    }

    /// Calls `each` with every match, until it says to stop; whether it did. What `binding` holds already stays bound.
    pub fn run<F: FnMut(&mut Binding) -> bool>(
        &self,
        view: &View<'_>,
        symbols: u16,
        binding: &mut Binding,
        each: &mut F,
    ) -> bool {
        let steps = if view.typed { &self.lean } else { &self.steps };
        run(steps, view, symbols, binding, each)
    }

    /// The same for one value of the first step, which must be a pair.
    pub fn run_for<F: FnMut(&mut Binding) -> bool>(
        &self,
        first: u32,
        view: &View<'_>,
        symbols: u16,
        binding: &mut Binding,
        each: &mut F,
    ) -> bool {
        let steps = if view.typed { &self.lean } else { &self.steps };
        let Some((Step::Pair(_, one, other), rest)) = steps.split_first() else { return false };
        binding[usize::from(*one)] = (first >> 16) as u16;
        binding[usize::from(*other)] = first as u16;
        run(rest, view, symbols, binding, each)
    }
}

impl Parts {
    /// Takes a conjunct apart. Variables of an `exists` become variables of the whole.
    fn take(&mut self, formula: Formula) {
        match formula {
            Formula::And(parts) => parts.into_iter().for_each(|part| self.take(part)),
            Formula::Exists(bound, inner) => {
                self.variables.extend(bound);
                self.take(*inner);
            }
            Formula::Atom(predicate, terms) => self.facts.push((predicate, terms)),
            Formula::Or(mut parts) if parts.len() == 1 => {
                if let Some(only) = parts.pop() {
                    self.take(only);
                }
            }
            other => self.rest.push(other),
        }
    }

    /// Slots that a fact binds.
    fn bound(&self) -> u32 {
        self.facts.iter().fold(0, |bits, (_, [one, other])| bits | term_bit(*one) | term_bit(*other))
    }
}

const fn term_bit(term: Term) -> u32 {
    match term {
        Term::Slot(slot) => 1 << slot,
        Term::Constant(_) => 0,
    }
}

fn test(part: &Formula, predicates: &Predicates) -> Step {
    match part {
        Formula::Not(inner) => match &**inner {
            Formula::Atom(predicate, terms) => Step::NoFact(predicates.all[usize::from(*predicate)].place, *terms),
            _ => Step::Test(part.clone()),
        },
        _ => Step::Test(part.clone()),
    }
}

fn run<F: FnMut(&mut Binding) -> bool>(
    steps: &[Step],
    view: &View<'_>,
    symbols: u16,
    binding: &mut Binding,
    each: &mut F,
) -> bool {
    let scan = if matches!(steps.first(), Some(Step::Each(..))) { u64::from(symbols) / 16 } else { 0 };
    if view.burns(1 + scan) {
        return true;
    }
    let Some((step, rest)) = steps.split_first() else { return each(binding) };
    match step {
        Step::Fact(place, [one, other]) => {
            let (one, other) = (view.value(*one, binding), view.value(*other, binding));
            view.holds(*place, one, other) && run(rest, view, symbols, binding, each)
        }
        Step::NoFact(place, [one, other]) => {
            let (one, other) = (view.value(*one, binding), view.value(*other, binding));
            ((view.relaxed && place.moving) || !view.holds(*place, one, other))
                && run(rest, view, symbols, binding, each)
        }
        Step::Type(slot, kind) => {
            view.is_of(binding[usize::from(*slot)], *kind) && run(rest, view, symbols, binding, each)
        }
        Step::Test(formula) => view.satisfies(formula, binding, symbols) && run(rest, view, symbols, binding, each),
        Step::Member(place, slot) => view.table(*place).members(place.index).any(|symbol| {
            binding[usize::from(*slot)] = symbol;
            run(rest, view, symbols, binding, each)
        }),
        Step::Each(slot, kind) => view.members(*kind, symbols).any(|symbol| {
            binding[usize::from(*slot)] = symbol;
            run(rest, view, symbols, binding, each)
        }),
        Step::Pair(place, one, other) => view.table(*place).relation(place.index).pairs().iter().any(|pair| {
            binding[usize::from(*one)] = (*pair >> 16) as u16;
            binding[usize::from(*other)] = *pair as u16;
            run(rest, view, symbols, binding, each)
        }),
        Step::Second(place, one, slot) => {
            let one = view.value(*one, binding);
            if one == NO_SYMBOL {
                return false;
            }
            view.table(*place).relation(place.index).of_first(one).iter().any(|pair| {
                binding[usize::from(*slot)] = *pair as u16;
                run(rest, view, symbols, binding, each)
            })
        }
        Step::First(place, slot, other) => {
            let other = view.value(*other, binding);
            if other == NO_SYMBOL {
                return false;
            }
            view.table(*place).relation(place.index).of_second(other).iter().any(|pair| {
                binding[usize::from(*slot)] = *pair as u16;
                run(rest, view, symbols, binding, each)
            })
        }
    }
}
