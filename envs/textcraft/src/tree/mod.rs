//! The recipe tree: what the laws make of a table (CYC-030).

mod build;
mod depth;

use std::sync::{Arc, OnceLock};

use crate::names::{NameId, Names};
use crate::table::{Table, TableError};

/// The number of a recipe: its place among those that were kept.
pub type RecipeId = u32;

/// What a recipe takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The item, or the tag.
    pub name: NameId,
    /// Whether any one item of the tag serves.
    pub tag: bool,
    /// How many: exactly that many must be given.
    pub count: u32,
}

/// A recipe that the laws kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// What it makes.
    pub output: NameId,
    /// How many of it.
    pub count: u32,
    /// What it takes, in the table's order.
    pub inputs: Box<[Input]>,
    /// As agents read it: `craft 4 stick using 2 planks`.
    pub text: Box<str>,
    /// The number of its text among all texts in their order; recipes that read the same share it.
    pub rank: u32,
    /// The line of the table.
    pub line: usize,
}

/// Why a recipe of the table is not in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Its only input is a block: taking blocks apart is not crafting.
    Block,
    /// What it takes is, as far as was known when it came, made of what it makes.
    Circle,
}

impl Left {
    /// In words, for a person.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::Block => "its only input is a block",
            Self::Circle => "it takes what is made of its own result",
        }
    }
}

/// An item to be made: the goal of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The item.
    pub goal: NameId,
    /// How many crafting steps lie below it, at least two.
    pub depth: u32,
}

/// Recipes, tags, depths and tasks. Built once and shared by all episodes.
#[derive(Debug)]
pub struct Tree {
    place: String,
    names: Names,
    recipes: Vec<Recipe>,
    /// By name: the recipes that make the item.
    of_item: Vec<Vec<RecipeId>>,
    /// By name: the recipes that make an item of the tag.
    of_tag: Vec<Vec<RecipeId>>,
    /// Items with recipes, in the order of the first ones.
    craftable: Vec<NameId>,
    /// Tags with recipes, in the order of the first ones.
    craftable_tags: Vec<NameId>,
    is_item: Vec<bool>,
    is_tag: Vec<bool>,
    /// By name: the tag of the item.
    tag_of: Vec<Option<NameId>>,
    /// By name: the items of the tag, in the order of their names' numbers.
    members: Vec<Vec<NameId>>,
    /// By name: the recipes that take it, those of items first, then those of tags.
    uses: Vec<Vec<RecipeId>>,
    depths: Vec<u32>,
    tasks: Vec<Task>,
    left: Vec<(usize, Left)>,
    /// Texts in their order, by rank.
    texts: Vec<Box<str>>,
    /// By rank: the first recipe of that text.
    by_rank: Vec<RecipeId>,
}

impl Tree {
    /// Applies the laws to a table.
    ///
    /// # Errors
    /// When its recipes go in a circle, nothing in it takes two steps, or it has too many names.
    pub fn of(table: &Table) -> Result<Self, TableError> {
        let mut tree = build::build(table)?;
        tree.depths = depth::depths(&tree)?;
        tree.tasks = depth::tasks(&tree);
        if tree.tasks.is_empty() {
            return Err(TableError::NoTask { place: tree.place });
        }
        Ok(tree)
    }

    /// The tree of the built-in recipes, built once.
    ///
    /// # Errors
    /// Never: a test builds it.
    pub fn shipped() -> Result<Arc<Self>, Arc<TableError>> {
        static TREE: OnceLock<Result<Arc<Tree>, Arc<TableError>>> = OnceLock::new();
        let build = || Table::shipped().and_then(|table| Self::of(&table)).map(Arc::new).map_err(Arc::new);
        TREE.get_or_init(build).clone()
    }

    /// Where the table came from, for messages.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Names of items and tags.
    #[must_use]
    #[inline]
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// All recipes, in the table's order.
    #[must_use]
    pub fn recipes(&self) -> &[Recipe] {
        &self.recipes
    }

    /// A recipe.
    ///
    /// # Panics
    /// When the number is not of this tree.
    #[must_use]
    #[inline]
    pub fn recipe(&self, recipe: RecipeId) -> &Recipe {
        &self.recipes[recipe as usize]
    }

    /// The recipes that make an item.
    #[must_use]
    #[inline]
    pub fn recipes_of(&self, item: NameId) -> &[RecipeId] {
        &self.of_item[usize::from(item)]
    }

    /// The recipes that make an item of a tag.
    #[must_use]
    #[inline]
    pub fn recipes_of_tag(&self, tag: NameId) -> &[RecipeId] {
        &self.of_tag[usize::from(tag)]
    }

    /// Items with recipes, in the order of the first ones.
    #[must_use]
    pub fn craftable(&self) -> &[NameId] {
        &self.craftable
    }

    /// Tags with recipes, in the order of the first ones.
    #[must_use]
    pub fn craftable_tags(&self) -> &[NameId] {
        &self.craftable_tags
    }

    /// The recipes that take something: first those of items, then once more those of tags, as the original lists them.
    #[must_use]
    pub fn uses(&self, name: NameId) -> &[RecipeId] {
        &self.uses[usize::from(name)]
    }

    /// Whether something is called so that can be held.
    #[must_use]
    #[inline]
    pub fn is_item(&self, name: NameId) -> bool {
        self.is_item[usize::from(name)]
    }

    /// Whether a tag is called so.
    #[must_use]
    #[inline]
    pub fn is_tag(&self, name: NameId) -> bool {
        self.is_tag[usize::from(name)]
    }

    /// The tag of an item.
    #[must_use]
    #[inline]
    pub fn tag_of(&self, item: NameId) -> Option<NameId> {
        self.tag_of[usize::from(item)]
    }

    /// The items of a tag.
    #[must_use]
    pub fn members(&self, tag: NameId) -> &[NameId] {
        &self.members[usize::from(tag)]
    }

    /// Whether an item can be had by asking: it is known, is not a tag, and no recipe makes it.
    #[must_use]
    #[inline]
    pub fn is_raw(&self, name: NameId) -> bool {
        let at = usize::from(name);
        self.of_item[at].is_empty() && self.of_tag[at].is_empty() && !self.is_tag[at] && self.is_item[at]
    }

    /// How many crafting steps lie below a name; 0 where no recipe makes it.
    #[must_use]
    pub fn depth(&self, name: NameId) -> u32 {
        self.depths[usize::from(name)]
    }

    /// The tasks in their order: deepest first. Seed *s* plays task *s* modulo their number (CYC-033).
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Recipes of the table that the laws left out, by line.
    #[must_use]
    pub fn left_out(&self) -> &[(usize, Left)] {
        &self.left
    }

    /// The first recipe that reads as the text of this rank.
    ///
    /// # Panics
    /// When the rank is not of this tree.
    #[must_use]
    pub fn first_of(&self, rank: u32) -> RecipeId {
        self.by_rank[rank as usize]
    }

    /// The texts of all recipes, in their order, each once; a recipe's rank is its place here.
    #[must_use]
    pub fn texts(&self) -> &[Box<str>] {
        &self.texts
    }
}
