//! Recipe tables: plain facts, from a file, before any law is applied to them.
//!
//! Two forms are read, told apart by each line's first character.
//!
//! | form | a line |
//! |---|---|
//! | compact | `4 oak_planks = 1 #oak_logs [planks]` |
//! | JSON | `{"shaped": false, "in": [["#oak_logs", 1]], "out": "oak_planks", "count": 4, "group": "planks"}` |
//!
//! In both a name after `#` is a tag, which means any item of that group, and `minecraft:` may stand before a name. In
//! JSON a `file` may name where a recipe comes from, a missing `count` is one, and equal inputs of a recipe that is not
//! `shaped` are merged at the first one's place. Blank lines and those that begin with `#` are passed over. **The order of
//! lines is part of the laws**: it decides which recipe closes a cycle and how tasks are numbered.

mod compact;
mod json;

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::names::NAMESPACE;

/// The built-in recipes: facts of Minecraft: Java Edition 1.16.5.
const SHIPPED: &str = include_str!("../../recipes.txt");

/// What the built-in recipes are called in messages.
pub const SHIPPED_NAME: &str = "envs/textcraft/recipes.txt";

/// The most recipes that a table may have.
pub const MOST_RECIPES: usize = 20_000;

/// The most inputs that a recipe may have.
pub const MOST_INPUTS: usize = 64;

/// The largest amount in a recipe.
pub const MOST_OF_ONE: u32 = 1_000_000;

/// The largest file that is read, in bytes.
const LARGEST_FILE: u64 = 16 << 20;

/// What a recipe takes: an amount of an item, or of any one item of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Id without its namespace.
    pub name: String,
    /// Whether it is a tag.
    pub tag: bool,
    /// How many, at least one.
    pub count: u32,
}

/// A recipe as a table states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it makes: id without its namespace.
    pub output: String,
    /// How many of it, at least one.
    pub count: u32,
    /// What it takes, at least one thing.
    pub inputs: Vec<Needed>,
    /// The group that the result belongs to.
    pub group: Option<String>,
    /// The line of the table, from one.
    pub line: usize,
}

/// Recipes in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Where they come from, for messages.
    pub place: String,
    /// The recipes.
    pub facts: Vec<Fact>,
}

/// Why a table cannot be played: where, what, and how to fix it.
#[derive(Debug, Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: cannot be read ({source}); give a text file with one recipe a line", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not a recipe.
    #[error("{place}:{line}: {what}")]
    Line {
        /// The table.
        place: String,
        /// The line, from one.
        line: usize,
        /// What is wrong there and what would be right.
        what: String,
    },
    /// There is no recipe at all.
    #[error("{place}: there is no recipe in it; write one a line, such as `4 oak_planks = 1 oak_logs`")]
    Empty {
        /// The table.
        place: String,
    },
    /// More than this library takes.
    #[error("{place}: it has more than {most} {what}; split it")]
    TooMany {
        /// The table.
        place: String,
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// Items that can only be made of one another.
    #[error("{place}: these recipes go in a circle: {chain}; take one of them out")]
    Cycle {
        /// The table.
        place: String,
        /// The items in order, each with the line of its recipe; the last one is the first again.
        chain: String,
    },
    /// A chain of recipes that is longer than can be followed.
    #[error("{place}: below `{item}` lies a chain of more than {most} recipes; shorten it")]
    TooDeep {
        /// The table.
        place: String,
        /// The item at its upper end.
        item: String,
        /// How long it may be.
        most: u32,
    },
    /// Nothing to play for.
    #[error(
        "{place}: no item takes two crafting steps, so there is no task; add a recipe that takes the result of another"
    )]
    NoTask {
        /// The table.
        place: String,
    },
}

impl Table {
    /// The built-in recipes.
    ///
    /// # Errors
    /// Never: a test reads them.
    pub fn shipped() -> Result<Self, TableError> {
        Self::read(SHIPPED, SHIPPED_NAME)
    }

    /// Reads a table from a file.
    ///
    /// # Errors
    /// When it cannot be read, or as [`Table::read`].
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let failed = |source| TableError::Io { path: path.to_owned(), source };
        let size = fs::metadata(path).map_err(failed)?.len();
        if size > LARGEST_FILE {
            return Err(failed(io::Error::other("it is larger than 16 MiB")));
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        Self::read(&text, &path.display().to_string())
    }

    /// Reads a table from its text; `place` is for messages.
    ///
    /// # Errors
    /// When a line is not a recipe, or there is none, or there are too many.
    pub fn read(text: &str, place: &str) -> Result<Self, TableError> {
        let mut facts = Vec::new();
        // Some editors put a mark in front of UTF-8.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (at, line) in text.lines().enumerate() {
            let (number, line) = (at + 1, line.trim());
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let read = if line.starts_with('{') { json::read(line) } else { compact::read(line) };
            let mut fact = read.map_err(|what| TableError::Line { place: place.to_owned(), line: number, what })?;
            fact.line = number;
            if facts.len() >= MOST_RECIPES {
                return Err(TableError::TooMany { place: place.to_owned(), what: "recipes", most: MOST_RECIPES });
            }
            facts.push(fact);
        }
        if facts.is_empty() {
            return Err(TableError::Empty { place: place.to_owned() });
        }
        Ok(Self { place: place.to_owned(), facts })
    }

    /// The table in the compact form; reading it gives the same recipes.
    #[must_use]
    pub fn write(&self) -> String {
        self.facts.iter().map(compact::write).collect()
    }
}

/// An id as tables write it, without its namespace.
fn name(written: &str) -> Result<&str, String> {
    let id = written.strip_prefix(NAMESPACE).unwrap_or(written);
    let good =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-' | b'/');
    match id.bytes().all(good) && !id.is_empty() {
        true => Ok(id),
        false => Err(format!(
            "`{written}` is not a name of an item; write it in lower-case letters, digits and `_`, such as `oak_planks`"
        )),
    }
}

/// An amount.
fn amount(written: &str) -> Result<u32, String> {
    let count = written.parse().ok().filter(|count| (1..=MOST_OF_ONE).contains(count));
    let digits = written.bytes().all(|byte| byte.is_ascii_digit());
    count
        .filter(|_| digits)
        .ok_or_else(|| format!("`{written}` is not an amount; give a whole number from 1 to {MOST_OF_ONE}"))
}

/// Whether the inputs are neither none nor too many.
fn check_inputs(inputs: &[Needed]) -> Result<(), String> {
    match inputs.len() {
        0 => Err("the recipe takes nothing; name at least one input".to_owned()),
        count if count > MOST_INPUTS => {
            Err(format!("the recipe takes {count} things; at most {MOST_INPUTS} can be named"))
        }
        _ => Ok(()),
    }
}
