//! A competent player: the next command towards the goal, from whatever is carried now.
//!
//! It plans anew at every step: leftovers are used, what was used up is made again, and wrong turns cost no more than what
//! they spent. Of the recipes of an item it takes the one that needs the fewest further commands; where a recipe takes any
//! item of a tag it takes the one that is nearest. All raw items come first, one `get` each.

use crate::count::push_whole;
use crate::names::NameId;
use crate::sim::Simulator;
use crate::tree::{RecipeId, Tree};

/// A command of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Get so many of a raw item.
    Get(NameId, u64),
    /// Carry out a recipe once with these items, one for each of its inputs.
    Craft(RecipeId, Box<[NameId]>),
}

impl Move {
    /// Appends the command's text. A recipe that takes no tag reads as it is shown.
    pub fn push_to(&self, tree: &Tree, out: &mut String) {
        let names = tree.names();
        match self {
            Self::Get(item, count) => {
                out.push_str("get ");
                push_whole(out, *count);
                out.push(' ');
                out.push_str(names.shown(*item));
            }
            Self::Craft(recipe, items) => {
                let recipe = tree.recipe(*recipe);
                out.push_str("craft ");
                push_whole(out, u64::from(recipe.count));
                out.push(' ');
                out.push_str(names.shown(recipe.output));
                for (at, (input, item)) in recipe.inputs.iter().zip(items).enumerate() {
                    out.push_str(if at == 0 { " using " } else { ", " });
                    push_whole(out, u64::from(input.count));
                    out.push(' ');
                    out.push_str(names.shown(*item));
                }
            }
        }
    }

    /// The command's text.
    #[must_use]
    pub fn text(&self, tree: &Tree) -> String {
        let mut out = String::new();
        self.push_to(tree, &mut out);
        out
    }
}

/// The commands that make the goal once more from what is carried; none if it cannot be made.
#[must_use]
pub fn plan(simulator: &Simulator) -> Option<Vec<Move>> {
    let tree = simulator.tree();
    let mut bench = Bench::new(tree);
    for (item, count) in simulator.inventory().iter() {
        bench.held[usize::from(item)] = count.saturating();
    }
    let goal = simulator.scene().task().goal;
    // What is wanted is one that was made just now, not one that is carried.
    bench.make_best(goal, 1)?;
    Some(bench.moves())
}

/// The next command towards the goal; none if it cannot be made.
#[must_use]
pub fn next(simulator: &Simulator) -> Option<Move> {
    plan(simulator)?.into_iter().next()
}

/// What is at hand while a plan grows. Every change is noted, so that a recipe can be tried and put back.
struct Bench<'a> {
    tree: &'a Tree,
    /// By name: what is carried and not spoken for.
    held: Vec<u64>,
    /// By name: what is to be got.
    wanted: Vec<u64>,
    /// Items that are to be got, in the order in which they were first wanted.
    order: Vec<NameId>,
    crafts: Vec<(RecipeId, Box<[NameId]>)>,
    changes: Vec<(bool, NameId, u64)>,
    /// Items that are being made: none is made of itself.
    open: Vec<NameId>,
}

/// Where a trial began.
#[derive(Clone, Copy)]
struct Mark {
    changes: usize,
    crafts: usize,
    order: usize,
}

/// The most crafting steps of a plan.
const LONGEST: u64 = 100_000;

impl<'a> Bench<'a> {
    fn new(tree: &'a Tree) -> Self {
        let count = tree.names().len();
        Self {
            tree,
            held: vec![0; count],
            wanted: vec![0; count],
            order: Vec::new(),
            crafts: Vec::new(),
            changes: Vec::new(),
            open: Vec::new(),
        }
    }

    fn moves(self) -> Vec<Move> {
        let gets = self.order.iter().map(|item| Move::Get(*item, self.wanted[usize::from(*item)]));
        let gets: Vec<Move> = gets.collect();
        gets.into_iter().chain(self.crafts.into_iter().map(|(recipe, items)| Move::Craft(recipe, items))).collect()
    }

    fn cost(&self) -> usize {
        self.order.len() + self.crafts.len()
    }

    const fn mark(&self) -> Mark {
        Mark { changes: self.changes.len(), crafts: self.crafts.len(), order: self.order.len() }
    }

    fn back(&mut self, mark: Mark) {
        while self.changes.len() > mark.changes {
            if let Some((held, item, before)) = self.changes.pop() {
                let list = if held { &mut self.held } else { &mut self.wanted };
                list[usize::from(item)] = before;
            }
        }
        self.crafts.truncate(mark.crafts);
        self.order.truncate(mark.order);
    }

    fn set_held(&mut self, item: NameId, count: u64) {
        let held = &mut self.held[usize::from(item)];
        self.changes.push((true, item, std::mem::replace(held, count)));
    }

    /// Speaks for so many of an item, and makes or gets what is missing.
    fn acquire(&mut self, item: NameId, count: u64) -> Option<()> {
        let missing = self.reserve(item, count)?;
        self.fetch(item, missing)
    }

    /// Speaks for what is held of an item; gives how many are missing.
    fn reserve(&mut self, item: NameId, count: u64) -> Option<u64> {
        // What goes by the name of a tag can be carried, and never be given.
        if self.tree.is_tag(item) {
            return None;
        }
        let held = self.held[usize::from(item)];
        let from_held = held.min(count);
        if from_held > 0 {
            self.set_held(item, held - from_held);
        }
        Some(count - from_held)
    }

    /// Makes or gets what is missing of an item.
    fn fetch(&mut self, item: NameId, missing: u64) -> Option<()> {
        if missing == 0 {
            return Some(());
        }
        if self.tree.is_raw(item) {
            let wanted = &mut self.wanted[usize::from(item)];
            if *wanted == 0 {
                self.order.push(item);
            }
            let more = wanted.saturating_add(missing);
            self.changes.push((false, item, std::mem::replace(wanted, more)));
            return Some(());
        }
        self.make_best(item, missing)
    }

    /// Makes so many of an item by the recipe that needs the fewest commands; what is left over is held.
    fn make_best(&mut self, item: NameId, count: u64) -> Option<()> {
        let tree = self.tree;
        if self.open.contains(&item) || tree.is_tag(item) {
            return None;
        }
        self.open.push(item);
        let recipes = tree.recipes_of(item);
        let found = match recipes {
            [] => None,
            [only] => self.make(*only, count),
            _ => {
                let best = self.cheapest(recipes.iter().copied(), |bench, recipe| bench.make(recipe, count));
                best.and_then(|recipe| self.make(recipe, count))
            }
        };
        self.open.pop();
        found
    }

    /// Of several ways the one that leads to the fewest commands, the first of equal ones.
    fn cheapest<T: Copy>(
        &mut self,
        ways: impl Iterator<Item = T>,
        go: impl Fn(&mut Self, T) -> Option<()>,
    ) -> Option<T> {
        let mut best: Option<(usize, T)> = None;
        for way in ways {
            let mark = self.mark();
            if go(self, way).is_some() && best.is_none_or(|(cost, _)| self.cost() < cost) {
                best = Some((self.cost(), way));
            }
            self.back(mark);
        }
        best.map(|(_, way)| way)
    }

    /// Carries out a recipe until there are so many of what it makes.
    fn make(&mut self, recipe: RecipeId, count: u64) -> Option<()> {
        let tree = self.tree;
        let made = tree.recipe(recipe);
        let each = u64::from(made.count);
        let times = count.div_ceil(each);
        if times > LONGEST {
            return None;
        }
        // What is held goes to the recipe itself first, and not into what another of its inputs is made of.
        let plain = || made.inputs.iter().filter(|input| !input.tag);
        let mut missing = Vec::with_capacity(made.inputs.len());
        for input in plain() {
            missing.push(self.reserve(input.name, times.saturating_mul(u64::from(input.count)))?);
        }
        for (input, missing) in plain().zip(missing) {
            self.fetch(input.name, missing)?;
        }
        for _ in 0..times {
            let mut items = Vec::with_capacity(made.inputs.len());
            for input in &made.inputs {
                items.push(if input.tag { self.acquire_any(input.name, u64::from(input.count))? } else { input.name });
            }
            self.crafts.push((recipe, items.into()));
        }
        let held = self.held[usize::from(made.output)];
        let left = (times * each - count).saturating_add(held);
        self.set_held(made.output, left);
        Some(())
    }

    /// Speaks for so many of one item of a tag: all must be of the same item.
    fn acquire_any(&mut self, tag: NameId, count: u64) -> Option<NameId> {
        let tree = self.tree;
        let members = || tree.members(tag).iter().copied();
        let held = members().find(|item| self.held[usize::from(*item)] >= count);
        let best = match held {
            Some(item) => item,
            None => self.cheapest(members(), |bench, item| bench.acquire(item, count))?,
        };
        self.acquire(best, count)?;
        Some(best)
    }
}
