//! A game made ready: symbols, names, facts, goal.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use super::facts::{Facts, Relation};
use super::goal::Goal;
use super::rules::Rules;
use super::view::{UNBOUND, View};
use crate::error::{Fault, GameError};
use crate::pddl::{NO_SYMBOL, Problem, TypeId};
use crate::words::{FastHash, Texts};

/// Combinations of objects that the conditions of a game may ask to look at in its first state; games of the family need
/// some thousands.
const MOST_LOOKS: u64 = 20_000_000;

/// Commands that a game may offer in its first state; games of the family offer some dozens.
const MOST_COMMANDS: usize = 50_000;

/// A game that can be played: nothing in it changes.
#[derive(Debug)]
pub struct Game {
    /// What it shares with the other games of its wording.
    pub rules: Arc<Rules>,
    /// The sentence that says what to do, as the grammar says it.
    pub task: String,
    /// Commands by which an expert solved it; may be empty.
    pub walkthrough: Vec<String>,
    /// Symbols as the problem writes them, in lower case and sorted.
    pub(crate) ids: Texts,
    /// Names as texts write them.
    pub(crate) names: Texts,
    pub(crate) symbols: u16,
    pub(crate) types: Facts,
    pub(crate) fixed: Facts,
    pub(crate) first: Facts,
    pub(crate) constants: Vec<u16>,
    pub(crate) goal: Goal,
    /// Whether the first facts keep to the declared types.
    typed: bool,
    /// Whether a change of a predicate can be noticed at all.
    pub(crate) live: Vec<bool>,
}

impl Game {
    /// Makes a problem ready.
    ///
    /// # Errors
    /// When it has no goal, or a goal with too many alternatives.
    pub fn new(
        rules: Arc<Rules>,
        problem: &Problem<'_>,
        task: String,
        walkthrough: Vec<String>,
    ) -> Result<Self, GameError> {
        let domain = &rules.domain;
        let count = problem.objects.len();
        let mut order: Vec<u16> = (0..count as u16).collect();
        order.sort_unstable_by(|one, other| {
            problem.objects[usize::from(*one)].0.cmp(&problem.objects[usize::from(*other)].0)
        });
        let mut place = vec![NO_SYMBOL; count];
        let mut ids = Texts::default();
        let mut types = Facts::new(count, domain.types.len(), 0);
        // Types are few: which of them hold a member of each is found once.
        let ancestors: Vec<Vec<u16>> = (0..domain.types.len() as u16)
            .map(|kind| {
                let above = (0..domain.types.len() as u16).filter(|of| domain.is_a(TypeId(kind), TypeId(*of)));
                above.collect()
            })
            .collect();
        for (at, object) in order.iter().enumerate() {
            let (id, kind) = &problem.objects[usize::from(*object)];
            place[usize::from(*object)] = at as u16;
            ids.push(id);
            for of in ancestors.get(usize::from(kind.0)).into_iter().flatten() {
                types.set_one(*of, at as u16, true);
            }
        }
        let [fixed_one, fixed_two, moving_one, moving_two] = rules.counts;
        let mut fixed = Facts::new(count, fixed_one, fixed_two);
        let mut first = Facts::new(count, moving_one, moving_two);
        let mut pairs: Vec<Vec<[u16; 2]>> = vec![Vec::new(); rules.predicates.all.len()];
        let mut named = vec![false; count];
        let mut typed = true;
        for (predicate, arguments) in &problem.facts {
            if let Some(types) = rules.predicates.all[usize::from(*predicate)].types {
                typed &= arguments.iter().zip(types).all(|(object, wanted)| {
                    let kind = problem.objects[usize::from(*object)].1;
                    kind == wanted || domain.is_a(kind, wanted)
                });
            }
            let [one, other] = arguments.map(|object| place[usize::from(object)]);
            named[usize::from(one)] = true;
            named[usize::from(other)] = true;
            let kept = rules.predicates.all[usize::from(*predicate)].place;
            if kept.binary {
                pairs[usize::from(*predicate)].push([one, other]);
            } else {
                let table = if kept.moving { &mut first } else { &mut fixed };
                table.set_one(kept.index, one, true);
            }
        }
        for (predicate, pairs) in rules.predicates.all.iter().zip(pairs) {
            if predicate.place.binary {
                let table = if predicate.place.moving { &mut first } else { &mut fixed };
                let relation = table.relation_mut(predicate.place.index);
                *relation = Relation::of(pairs.into_iter());
                if !predicate.place.moving {
                    relation.fix(count);
                }
            }
        }
        let names = names(&ids, &named);
        let find = |name: &String| {
            let found =
                order.binary_search_by(|object| problem.objects[usize::from(*object)].0.as_ref().cmp(name.as_str()));
            found.map_or(NO_SYMBOL, |at| at as u16)
        };
        let constants = problem.constants.iter().map(find).collect();
        let goal = problem.goal.as_ref().ok_or_else(|| {
            let fault = Fault::Unexpected { found: "no goal".to_owned(), wanted: "a goal".to_owned() };
            fault.at("problem")
        })?;
        let mut live = rules.read.clone();
        goal.predicates(&mut |predicate| live[usize::from(predicate)] = true);
        let goal = Goal::new(goal, &rules.predicates)?;
        let symbols = count as u16;
        let game =
            Self { rules, task, walkthrough, ids, names, symbols, types, fixed, first, constants, goal, typed, live };
        game.can_be_searched()?;
        Ok(game)
    }

    /// Looks for all that can be done at first, within a bound: files come from anywhere, and a damaged condition may
    /// have more matches than there is time for.
    fn can_be_searched(&self) -> Result<(), GameError> {
        let fuel = Cell::new(MOST_LOOKS);
        let view = View { fuel: Some(&fuel), ..self.view(&self.first) };
        let mut matches = 0_usize;
        for action in &self.rules.actions {
            for join in &action.joins {
                join.run(&view, self.symbols, &mut UNBOUND.clone(), &mut |_| {
                    matches += 1;
                    matches > MOST_COMMANDS
                });
            }
            if matches > MOST_COMMANDS {
                let fault = Fault::TooMany { what: "ways to carry out its actions at first", limit: MOST_COMMANDS };
                return Err(fault.at(format!("pddl_problem with action `{}`", action.name)));
            }
            if fuel.get() == 0 {
                let what = "combinations of objects to look at in its conditions";
                let fault = Fault::TooMany { what, limit: MOST_LOOKS as usize };
                return Err(fault.at(format!("pddl_problem with action `{}`", action.name)));
            }
        }
        self.goal.holds(&view, self.symbols);
        if fuel.get() == 0 {
            let what = "combinations of objects to look at in its conditions";
            return Err(Fault::TooMany { what, limit: MOST_LOOKS as usize }.at("pddl_problem, (:goal ...)"));
        }
        Ok(())
    }

    /// The sentence that says what to do, without the words before its colon.
    #[must_use]
    pub fn goal_sentence(&self) -> &str {
        self.task.split_once(": ").map_or(self.task.as_str(), |(_, sentence)| sentence)
    }

    /// The name of a symbol; empty for one that occurs in no fact.
    #[must_use]
    pub fn name(&self, symbol: u16) -> &str {
        self.names.get(usize::from(symbol))
    }

    /// The symbol itself.
    #[must_use]
    pub fn id(&self, symbol: u16) -> &str {
        self.ids.get(usize::from(symbol))
    }

    /// What holds in a state.
    #[must_use]
    pub(crate) fn view<'a>(&'a self, moving: &'a Facts) -> View<'a> {
        View {
            predicates: &self.rules.predicates,
            fixed: &self.fixed,
            moving,
            types: &self.types,
            constants: &self.constants,
            relaxed: false,
            typed: self.typed,
            fuel: None,
        }
    }
}

/// Names of all symbols that occur in some fact. The base is what comes before `_bar_`, and the symbols of one base are
/// numbered from the last in order to the first; a symbol without `_bar_` is its own name, with a blank behind.
fn names(ids: &Texts, named: &[bool]) -> Texts {
    const BAR: &str = "_bar_";
    const BASIN: &str = "basin";
    let mut counts: HashMap<(&str, bool), u32, FastHash> = HashMap::with_capacity_and_hasher(64, FastHash);
    let base = |id: &'_ str| id.find(BAR).map(|end| (end, id.contains(BASIN)));
    let mut bases = Vec::with_capacity(ids.len());
    for (at, named) in named.iter().enumerate() {
        let id = ids.get(at);
        let found = if *named { base(id) } else { None };
        bases.push(found);
        if let Some((end, basin)) = found {
            *counts.entry((&id[..end], basin)).or_insert(0) += 1;
        }
    }
    let mut names = Texts::default();
    let mut name = String::new();
    for (at, named) in named.iter().enumerate() {
        let id = ids.get(at);
        name.clear();
        if let Some((end, basin)) = bases[at] {
            let number = counts.entry((&id[..end], basin)).or_insert(1);
            name.push_str(&id[..end]);
            name.push_str(if basin { BASIN } else { "" });
            name.push(' ');
            push_number(&mut name, *number);
            *number -= 1;
        } else if *named {
            name.push_str(id);
            name.push(' ');
        }
        names.push(&name);
    }
    names
}

fn push_number(out: &mut String, number: u32) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}
