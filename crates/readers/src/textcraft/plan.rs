//! The next command towards the goal, from what the prompt lists and what is carried.

use std::collections::{BTreeMap, BTreeSet};

use super::recipes::{Book, Recipe};

/// What is known of the items.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Numbers carried.
    pub carried: BTreeMap<String, u64>,
    /// Items that could not be taken.
    pub absent: BTreeSet<String>,
    /// Items of which none is carried after a command for them failed.
    pub unknown: BTreeSet<String>,
    /// Commands that did not work.
    pub failed: BTreeSet<String>,
}

/// A command to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Take so many of an item.
    Get(u64, String),
    /// Use a crafting command once.
    Craft(String),
}

/// How deep recipes may depend on one another.
const DEEPEST: usize = 12;
/// Cost of taking what a command makes: it may not be there to be taken.
const GUESS: u64 = 40;
/// Cost of taking what may be a kind of item: an item of that kind is there more surely.
const KIND: u64 = 8;
/// Cost of a way that leads nowhere.
const NEVER: u64 = 1 << 40;

/// The next move, if any leads to the goal.
pub(super) fn next(book: &Book, known: &Known) -> Option<Move> {
    let mut search = Search { book, known };
    let mut stock = known.carried.clone();
    let mut moves = Vec::new();
    let made = search.make(&book.goal, 1, &mut stock, &mut moves, &mut Vec::new());
    if made >= NEVER {
        return None;
    }
    // Everything that is taken is taken at once, in the number that is needed in all.
    let gets: Vec<&(u64, String)> = moves.iter().filter_map(|planned| planned.get()).collect();
    if let Some((_, item)) = gets.first() {
        let total = gets.iter().filter(|(_, other)| other == item).map(|(count, _)| count).sum();
        return Some(Move::Get(total, item.clone()));
    }
    moves.into_iter().find_map(|planned| match planned {
        PlannedCommand::Craft(command) => Some(Move::Craft(command)),
        PlannedCommand::Get(_) => None,
    })
}

enum PlannedCommand {
    Get((u64, String)),
    Craft(String),
}

impl PlannedCommand {
    fn get(&self) -> Option<&(u64, String)> {
        match self {
            Self::Get(amount) => Some(amount),
            Self::Craft(_) => None,
        }
    }
}

struct Search<'a> {
    book: &'a Book,
    known: &'a Known,
}

impl<'a> Search<'a> {
    /// Makes `count` of an item beyond what is in stock; the number of commands it takes.
    fn make(
        &mut self,
        item: &str,
        count: u64,
        stock: &mut BTreeMap<String, u64>,
        moves: &mut Vec<PlannedCommand>,
        open: &mut Vec<String>,
    ) -> u64 {
        let mut best: Option<(u64, BTreeMap<String, u64>, Vec<PlannedCommand>)> = None;
        if open.len() < DEEPEST && !open.iter().any(|name| name == item) {
            open.push(item.to_owned());
            for recipe in self.recipes(item) {
                let (mut after, mut added) = (stock.clone(), Vec::new());
                let cost = self.craft(recipe, count, &mut after, &mut added, open);
                if cost < NEVER && best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, after, added));
                }
            }
            open.pop();
        }
        // What no command makes is taken as it is. What a command does make is taken only where crafting leads nowhere.
        let taken = match (self.known.absent.contains(item) || item.is_empty(), self.recipes(item).is_empty()) {
            (true, _) => NEVER,
            (false, true) if self.book.kinds.contains(item) => KIND,
            (false, true) => 1,
            (false, false) => GUESS,
        };
        // An item that is made of itself by a way around may be raw all the same.
        match best {
            Some((cost, after, added)) if cost <= taken || !self.comes_round(item) => {
                *stock = after;
                moves.extend(added);
                cost
            }
            _ if taken == NEVER => NEVER,
            _ => {
                *stock.entry(item.to_owned()).or_default() += count;
                moves.push(PlannedCommand::Get((count, item.to_owned())));
                taken
            }
        }
    }

    /// Whether some way of making an item takes that item.
    fn comes_round(&self, item: &str) -> bool {
        let mut open = vec![item];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        while let Some(next) = open.pop() {
            for (_, name) in self.recipes(next).into_iter().flat_map(|recipe| &recipe.takes) {
                if name == item {
                    return true;
                }
                if seen.insert(name) {
                    open.push(name);
                }
            }
        }
        false
    }

    fn recipes(&self, item: &str) -> Vec<&'a Recipe> {
        let fits = |recipe: &&Recipe| recipe.made.1 == item && !self.known.failed.contains(&recipe.command);
        self.book.recipes.iter().filter(fits).collect()
    }

    fn craft(
        &mut self,
        recipe: &Recipe,
        count: u64,
        stock: &mut BTreeMap<String, u64>,
        moves: &mut Vec<PlannedCommand>,
        open: &mut Vec<String>,
    ) -> u64 {
        let mut cost = 0;
        let times = count.div_ceil(recipe.made.0.max(1)).min(1000);
        for _ in 0..times {
            for (needed, name) in &recipe.takes {
                let held = stock.get(name).copied().unwrap_or(0);
                if held < *needed {
                    cost += self.make(name, needed - held, stock, moves, open);
                }
                if cost >= NEVER {
                    return NEVER;
                }
                let held = stock.entry(name.clone()).or_default();
                *held = held.saturating_sub(*needed);
            }
            moves.push(PlannedCommand::Craft(recipe.command.clone()));
            *stock.entry(recipe.made.1.clone()).or_default() += recipe.made.0;
            cost += 1;
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::{Book, Known, Move, next};

    const TEXT: &str = "craft 1 barrel using 6 oak planks, 2 oak slab\ncraft 4 oak planks using 1 oak logs\n\
        craft 6 oak slab using 3 oak planks\ncraft 9 oak logs using 1 wood block\ncraft 1 wood block using 9 oak logs\nGoal: craft barrel.";

    #[test]
    fn everything_is_taken_at_once_and_crafted_from_the_bottom() {
        let book = Book::read(TEXT, &[]);
        let mut known = Known::default();
        assert_eq!(next(&book, &known), Some(Move::Get(3, "oak logs".to_owned())));
        known.carried.insert("oak logs".to_owned(), 3);
        assert_eq!(next(&book, &known), Some(Move::Craft("craft 4 oak planks using 1 oak logs".to_owned())));
        known.carried = [("oak planks".to_owned(), 6), ("oak slab".to_owned(), 2)].into();
        assert_eq!(next(&book, &known), Some(Move::Craft("craft 1 barrel using 6 oak planks, 2 oak slab".to_owned())));
        known.absent.insert("oak logs".to_owned());
        known.carried.clear();
        assert_eq!(next(&book, &known), Some(Move::Get(1, "wood block".to_owned())));
        known.absent.insert("wood block".to_owned());
        // A guess is all that is left.
        assert_eq!(next(&book, &known), Some(Move::Get(9, "oak planks".to_owned())));
    }
}
