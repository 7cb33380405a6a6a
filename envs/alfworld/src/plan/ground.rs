//! A game as ground actions over literals: all that could ever be done, if nothing ever stopped holding.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use crate::engine::{Binding, Facts, Game, Join, MOST_ARGUMENTS, UNBOUND, View};
use crate::pddl::{Formula, Term};
use crate::words::FastHash;

/// A literal: twice the number of a fact, and one more where the fact shall not hold.
pub type Literal = u32;

/// An action with its arguments, as literals.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the action in the domain; none for what only leads to the goal.
    pub action: Option<u16>,
    /// Symbols of the arguments.
    pub arguments: [u16; MOST_ARGUMENTS],
    /// What must be true.
    pub needs: Vec<Literal>,
    /// What becomes true.
    pub gives: Vec<Literal>,
}

/// A game made ready for planning.
#[derive(Debug)]
pub struct Task {
    /// Facts that can change: predicate and arguments.
    pub facts: Vec<(u16, [u16; 2])>,
    index: HashMap<(u16, [u16; 2]), u32, FastHash>,
    /// What can be done.
    pub steps: Vec<Step>,
    /// For each literal, the steps that need it.
    pub users: Vec<Vec<u32>>,
    /// The literal that represents the goal.
    pub goal: Literal,
    /// Whether these are all actions. A game with more than the bounds allow is not planned for.
    pub complete: bool,
}

/// Alternatives of one condition; beyond them a condition is taken to hold.
const MOST_ALTERNATIVES: usize = 256;
/// Ground actions of one game.
const MOST_STEPS: usize = 500_000;
/// Combinations of objects looked at, and literals written down; games of the family need a hundredth of it.
const MOST_WORK: u64 = 200_000_000;
/// Matches of one part of the goal.
const MOST_MATCHES: usize = 100_000;

type Alternatives = Vec<Vec<Literal>>;

impl Task {
    /// Grounds a game from its first state.
    #[must_use]
    pub fn new(game: &Game) -> Self {
        let mut task = Self {
            facts: Vec::new(),
            index: HashMap::default(),
            steps: Vec::new(),
            users: Vec::new(),
            goal: 0,
            complete: true,
        };
        let fuel = Cell::new(MOST_WORK);
        let reached = task.reach(game, &fuel);
        task.reach_goal(game, &reached, &fuel);
        task.complete &= fuel.get() > 0;
        task.users = vec![Vec::new(); 2 * task.facts.len()];
        for (at, step) in task.steps.iter().enumerate() {
            for need in &step.needs {
                task.users[*need as usize].push(at as u32);
            }
        }
        task
    }

    /// The number of a fact, if it is one that can change.
    #[must_use]
    pub fn find(&self, predicate: u16, arguments: [u16; 2]) -> Option<u32> {
        self.index.get(&(predicate, arguments)).copied()
    }

    fn fact(&mut self, predicate: u16, arguments: [u16; 2]) -> u32 {
        let facts = &mut self.facts;
        *self.index.entry((predicate, arguments)).or_insert_with(|| {
            facts.push((predicate, arguments));
            (facts.len() - 1) as u32
        })
    }

    /// Finds all actions that could be done, until there are no more. Gives all facts that could hold.
    fn reach(&mut self, game: &Game, fuel: &Cell<u64>) -> Facts {
        let mut reached = game.first.clone();
        let mut known: HashSet<(u16, u16, Binding), FastHash> = HashSet::default();
        loop {
            let mut fresh = Vec::new();
            let view = View { relaxed: true, fuel: Some(fuel), ..game.view(&reached) };
            for (at, action) in game.rules.actions.iter().enumerate() {
                for (number, join) in action.joins.iter().enumerate() {
                    join.run(&view, game.symbols, &mut UNBOUND.clone(), &mut |binding| {
                        let key = (at as u16, number as u16, *binding);
                        if !action.idle(join, binding, &view) && known.insert(key) {
                            fresh.push(key);
                        }
                        known.len() >= MOST_STEPS
                    });
                }
            }
            if fresh.is_empty() {
                return reached;
            }
            for (at, number, binding) in fresh {
                if fuel.get() == 0 || self.steps.len() >= MOST_STEPS || known.len() >= MOST_STEPS {
                    self.complete = false;
                    return reached;
                }
                self.add(game, at, number, &binding, &mut reached, fuel);
            }
        }
    }

    /// Adds an action under a binding, once for each alternative of its condition.
    fn add(&mut self, game: &Game, at: u16, number: u16, binding: &Binding, reached: &mut Facts, fuel: &Cell<u64>) {
        let action = &game.rules.actions[usize::from(at)];
        let join = &action.joins[usize::from(number)];
        let mut gives = Vec::new();
        for effect in &action.effects {
            for (atoms, negative) in [(&effect.deletes, 1), (&effect.adds, 0)] {
                for (predicate, [one, other]) in atoms {
                    let arguments = [value(game, *one, binding), value(game, *other, binding)];
                    let place = game.rules.predicates.all[usize::from(*predicate)].place;
                    if negative == 0 {
                        if place.binary {
                            reached.relation_mut(place.index).insert(arguments[0], arguments[1]);
                        } else {
                            reached.set_one(place.index, arguments[0], true);
                        }
                    }
                    if game.live[usize::from(*predicate)] {
                        gives.push(2 * self.fact(*predicate, arguments) + negative);
                    }
                }
            }
        }
        if gives.is_empty() {
            return;
        }
        let mut arguments = [0_u16; MOST_ARGUMENTS];
        arguments.copy_from_slice(&binding[..MOST_ARGUMENTS]);
        for needs in self.conditions(game, join, binding, fuel) {
            burn(fuel, (needs.len() + gives.len()) as u64);
            self.steps.push(Step { action: Some(at), arguments, needs, gives: gives.clone() });
        }
    }

    /// The alternatives of a plan's condition under a binding.
    fn conditions(&mut self, game: &Game, join: &Join, binding: &Binding, fuel: &Cell<u64>) -> Alternatives {
        let mut all = vec![Vec::new()];
        for (predicate, terms) in &join.facts {
            let next = self.atom(game, *predicate, *terms, binding, true);
            all = both(all, next, fuel);
        }
        for test in &join.tests {
            let next = self.alternatives(game, test, &mut binding.clone(), true, fuel);
            all = both(all, next, fuel);
        }
        all
    }

    fn atom(
        &mut self,
        game: &Game,
        predicate: u16,
        [one, other]: [Term; 2],
        binding: &Binding,
        wanted: bool,
    ) -> Alternatives {
        let arguments = [value(game, one, binding), value(game, other, binding)];
        let place = game.rules.predicates.all[usize::from(predicate)].place;
        if place.moving {
            return vec![vec![2 * self.fact(predicate, arguments) + u32::from(!wanted)]];
        }
        let holds = game.view(&game.first).holds(place, arguments[0], arguments[1]);
        if holds == wanted { vec![Vec::new()] } else { Vec::new() }
    }

    fn alternatives(
        &mut self,
        game: &Game,
        formula: &Formula,
        binding: &mut Binding,
        wanted: bool,
        fuel: &Cell<u64>,
    ) -> Alternatives {
        if burn(fuel, 1) {
            return Vec::new();
        }
        match formula {
            Formula::Atom(predicate, terms) => self.atom(game, *predicate, *terms, binding, wanted),
            Formula::Equal(one, other) => {
                let same = value(game, *one, binding) == value(game, *other, binding);
                if same == wanted { vec![Vec::new()] } else { Vec::new() }
            }
            Formula::Not(inner) => self.alternatives(game, inner, binding, !wanted, fuel),
            Formula::And(parts) | Formula::Or(parts) => {
                let all = matches!(formula, Formula::And(_)) == wanted;
                let mut found = if all { vec![Vec::new()] } else { Vec::new() };
                for part in parts {
                    let next = self.alternatives(game, part, binding, wanted, fuel);
                    found = if all { both(found, next, fuel) } else { either(found, next) };
                }
                found
            }
            Formula::Exists(bound, inner) | Formula::Forall(bound, inner) => {
                let all = matches!(formula, Formula::Forall(..)) == wanted;
                self.quantified(game, bound, inner, binding, (wanted, all), fuel)
            }
        }
    }

    fn quantified(
        &mut self,
        game: &Game,
        bound: &[(u8, crate::pddl::TypeId)],
        inner: &Formula,
        binding: &mut Binding,
        (wanted, all): (bool, bool),
        fuel: &Cell<u64>,
    ) -> Alternatives {
        let Some(((slot, kind), rest)) = bound.split_first() else {
            return self.alternatives(game, inner, binding, wanted, fuel);
        };
        if burn(fuel, 1 + u64::from(game.symbols) / 16) {
            return Vec::new();
        }
        let mut found = if all { vec![Vec::new()] } else { Vec::new() };
        let members: Vec<u16> = game.view(&game.first).members(*kind, game.symbols).collect();
        for member in members {
            binding[usize::from(*slot)] = member;
            let next = self.quantified(game, rest, inner, binding, (wanted, all), fuel);
            found = if all { both(found, next, fuel) } else { either(found, next) };
        }
        found
    }

    /// Each part of the goal becomes a fact of its own, and all of them lead to the goal.
    fn reach_goal(&mut self, game: &Game, reached: &Facts, fuel: &Cell<u64>) {
        let view = View { relaxed: true, fuel: Some(fuel), ..game.view(reached) };
        let mut parts = Vec::new();
        for (number, plans) in game.goal.parts().iter().enumerate() {
            // Predicates of no domain stand for the parts.
            let part = 2 * self.fact(u16::MAX, [number as u16, 0]);
            parts.push(part);
            for plan in plans {
                let mut found = Vec::new();
                plan.run(&view, game.symbols, &mut UNBOUND.clone(), &mut |binding| {
                    found.push(*binding);
                    found.len() >= MOST_MATCHES
                });
                self.complete &= found.len() < MOST_MATCHES;
                for binding in found {
                    for needs in self.conditions(game, plan, &binding, fuel) {
                        burn(fuel, needs.len() as u64);
                        self.steps.push(Step {
                            action: None,
                            arguments: [0; MOST_ARGUMENTS],
                            needs,
                            gives: vec![part],
                        });
                    }
                }
            }
        }
        self.goal = 2 * self.fact(u16::MAX, [u16::MAX, 0]);
        let gives = vec![self.goal];
        self.steps.push(Step { action: None, arguments: [0; MOST_ARGUMENTS], needs: parts, gives });
    }
}

fn value(game: &Game, term: Term, binding: &Binding) -> u16 {
    game.view(&game.first).value(term, binding)
}

/// Takes from the fuel; whether it is used up.
fn burn(fuel: &Cell<u64>, units: u64) -> bool {
    fuel.set(fuel.get().saturating_sub(units));
    fuel.get() == 0
}

fn both(one: Alternatives, other: Alternatives, fuel: &Cell<u64>) -> Alternatives {
    // The usual cases: nothing to add, or nothing possible.
    if let [only] = other.as_slice()
        && only.is_empty()
    {
        return one;
    }
    let mut all = Vec::with_capacity(one.len() * other.len());
    for first in &one {
        for second in &other {
            if burn(fuel, 1 + (first.len() + second.len()) as u64) {
                return Vec::new();
            }
            let mut joined = first.clone();
            joined.extend(second.iter().filter(|literal| !first.contains(literal)));
            // A fact and its contrary never hold together.
            if !joined.iter().any(|literal| joined.contains(&(literal ^ 1))) {
                all.push(joined);
            }
            if all.len() > MOST_ALTERNATIVES {
                return one;
            }
        }
    }
    all
}

fn either(mut one: Alternatives, other: Alternatives) -> Alternatives {
    one.extend(other);
    if one.len() > MOST_ALTERNATIVES { vec![Vec::new()] } else { one }
}
