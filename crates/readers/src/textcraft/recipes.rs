//! Crafting commands as the prompt lists them, and what they take.

use std::collections::{BTreeMap, BTreeSet};

/// A number and the name of an item.
pub(super) type Amount = (u64, String);

/// A crafting command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    /// The command as it is in the prompt.
    pub command: String,
    /// What it makes.
    pub made: Amount,
    /// What it takes.
    pub takes: Vec<Amount>,
}

/// Reads `4 oak planks`.
pub(super) fn amount(text: &str) -> Option<Amount> {
    let (count, name) = text.trim().trim_end_matches('.').split_once(' ')?;
    let name = name.trim();
    let name = name.strip_prefix("minecraft:").unwrap_or(name).replace('_', " ");
    Some((count.parse().ok()?, name))
}

impl Recipe {
    /// Reads a line such as `craft 4 oak planks using 1 oak log`.
    pub fn read(line: &str) -> Option<Self> {
        let (made, takes) = line.trim().strip_prefix("craft ")?.split_once(" using ")?;
        let takes: Option<Vec<Amount>> = takes.split(',').map(amount).collect();
        Some(Self { command: line.trim().to_owned(), made: amount(made)?, takes: takes? })
    }

    /// Whether this is the other command with items in the place of kinds of item.
    fn fills(&self, other: &Self) -> bool {
        let counts = |recipe: &Self| recipe.takes.iter().map(|(count, _)| *count).collect::<Vec<_>>();
        self.command != other.command && self.made == other.made && counts(self) == counts(other)
    }
}

/// What the prompt says of items.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// Commands whose items can all be carried.
    pub recipes: Vec<Recipe>,
    /// What is to be made.
    pub goal: String,
    /// Names that no command makes and that others end with: `planks` of `oak planks`. Each may be a kind of item, which cannot be taken.
    pub kinds: BTreeSet<String>,
}

impl Book {
    /// The commands of a text and those that are listed as possible. A command that names a kind of item is replaced by those
    /// that name an item of it.
    pub fn read(text: &str, listed: &[String]) -> Self {
        let mut shown: Vec<Recipe> = Vec::new();
        for recipe in text.lines().filter_map(Recipe::read).chain(listed.iter().filter_map(|line| Recipe::read(line))) {
            if !shown.contains(&recipe) {
                shown.push(recipe);
            }
        }
        let goal = text.lines().rev().find_map(|line| line.trim().strip_prefix("Goal: craft "));
        // Within a message in JSON the line ends with the text that it belongs to.
        let goal = goal.map(|goal| goal.split(['"', '\\']).next().unwrap_or_default());
        let goal = goal.map(|goal| goal.trim_end_matches('.').to_owned()).unwrap_or_default();
        let recipes = filled(&shown, !listed.iter().any(|line| Recipe::read(line).is_some()));
        let names = names(&shown);
        let is_kind = |name: &&&str| !is_made(&shown, name) && !members(&names, name).is_empty();
        let kinds = names.iter().filter(is_kind).map(|name| (*name).to_owned()).collect();
        Self { recipes, goal, kinds }
    }
}

/// Every name of an item, in the order of the commands.
fn names(shown: &[Recipe]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in shown.iter().flat_map(|recipe| recipe.takes.iter().chain([&recipe.made])) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn is_made(shown: &[Recipe], name: &str) -> bool {
    shown.iter().any(|recipe| recipe.made.1 == name)
}

/// The names that end with a kind: `oak planks` of `planks`. A name of several words is not a kind, whatever ends like it: dark oak is not oak.
fn members<'n>(names: &[&'n str], kind: &str) -> Vec<&'n str> {
    if kind.contains(' ') {
        return Vec::new();
    }
    let single = kind.strip_suffix('s').unwrap_or(kind);
    let ends =
        |name: &str| [kind, single].iter().any(|end| name.strip_suffix(*end).is_some_and(|rest| rest.ends_with(' ')));
    names.iter().copied().filter(|name| *name != kind && ends(name)).collect()
}

/// The commands without those for which others name items; where none does, each kind is filled by the names that end like it.
fn filled(shown: &[Recipe], guess: bool) -> Vec<Recipe> {
    let names = names(shown);
    let made = |name: &str| is_made(shown, name);
    let mut out = Vec::new();
    for recipe in shown {
        let variants: Vec<&Recipe> = shown.iter().filter(|other| other.fills(recipe)).collect();
        let first = shown.iter().position(|other| other.command == recipe.command);
        let is_general = variants.iter().any(|other| {
            let later = shown.iter().position(|known| known.command == other.command) > first;
            later && recipe.takes.iter().zip(&other.takes).all(|(own, other)| own == other || !made(&own.1))
        });
        if is_general {
            continue;
        }
        let kinds: BTreeMap<&str, Vec<&str>> = recipe
            .takes
            .iter()
            .filter(|(_, name)| !made(name))
            .map(|(_, name)| (name.as_str(), members(&names, name)))
            .filter(|(_, members)| !members.is_empty())
            .collect();
        if !guess || kinds.is_empty() || !variants.is_empty() {
            out.push(recipe.clone());
            continue;
        }
        let most = kinds.values().map(Vec::len).max().unwrap_or(0);
        for at in 0..most {
            let pick = |name: &str| kinds.get(name).and_then(|all| all.get(at.min(all.len() - 1))).copied();
            let takes: Vec<Amount> =
                recipe.takes.iter().map(|(count, name)| (*count, pick(name).unwrap_or(name).to_owned())).collect();
            let list: Vec<String> = takes.iter().map(|(count, name)| format!("{count} {name}")).collect();
            // Nothing is made of itself.
            if takes.iter().any(|(_, name)| *name == recipe.made.1) {
                continue;
            }
            let command = format!("craft {} {} using {}", recipe.made.0, recipe.made.1, list.join(", "));
            out.push(Recipe { command, made: recipe.made.clone(), takes });
        }
        // A name may end like another and be no kind.
        out.push(recipe.clone());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Book;

    const TEXT: &str =
        "Crafting commands:\ncraft 1 barrel using 6 planks\ncraft 4 oak planks using 1 oak logs\n\nGoal: craft barrel.";

    #[test]
    fn kinds_are_filled_by_names_or_by_what_is_listed() {
        let commands = |book: &Book| book.recipes.iter().map(|recipe| recipe.command.clone()).collect::<Vec<_>>();
        let read = Book::read(TEXT, &[]);
        assert_eq!((read.goal.as_str(), commands(&read)[0].as_str()), ("barrel", "craft 1 barrel using 6 oak planks"));
        let listed = ["craft 1 barrel using 6 oak planks".to_owned()];
        assert_eq!(
            commands(&Book::read(TEXT, &listed)),
            ["craft 4 oak planks using 1 oak logs", "craft 1 barrel using 6 oak planks"]
        );
        let other = format!("{TEXT}\ncraft 4 dark oak planks using 1 dark oak logs");
        assert!(!commands(&Book::read(&other, &[])).contains(&"craft 4 oak planks using 1 dark oak logs".to_owned()));
    }
}
