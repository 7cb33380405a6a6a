//! Cells of a run by what a person calls them.

use std::collections::BTreeSet;

use gimbal_core::nearest;
use thiserror::Error;

use super::{Stored, StoredCell};

/// Cells that an error names at most.
const NAMED: usize = 5;

/// No cell of the run is called so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no cell `{name}`{hint} (known: {}{})", .known.join(", "), and_more(*.more))]
pub struct UnknownCell {
    /// What was asked for.
    pub name: String,
    /// The nearest cell as a question, or empty.
    pub hint: String,
    /// Some cells, those that share most words with the name first.
    pub known: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

fn and_more(count: usize) -> String {
    if count > 0 { format!(", and {count} more: `gimbal report RUN` lists them") } else { String::new() }
}

impl Stored {
    /// The cells of this id or configuration.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(&self, name: &str) -> Result<Vec<&StoredCell>, UnknownCell> {
        let is_it = |cell: &&StoredCell| cell.info.id == name || cell.info.configuration == name;
        let cells: Vec<&StoredCell> = self.cells.iter().filter(is_it).collect();
        if cells.is_empty() { Err(self.unknown(name)) } else { Ok(cells) }
    }

    /// The error of an unknown cell, with the nearest few cells and the number of all.
    fn unknown(&self, name: &str) -> UnknownCell {
        let mut left: Vec<&str> = self.cells.iter().map(|cell| cell.info.id.as_str()).collect();
        let configurations = self.cells.iter().map(|cell| cell.info.configuration.as_str());
        let hint = nearest::hint(name, left.iter().copied().chain(configurations));
        // Those that share most words with what was asked for; among equals in the order of the study.
        let asked = words(name);
        left.sort_by_key(|id| std::cmp::Reverse(words(id).intersection(&asked).count()));
        left.truncate(NAMED);
        let more = self.cells.len() - left.len();
        UnknownCell { name: name.to_owned(), hint, known: left.into_iter().map(str::to_owned).collect(), more }
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}
