//! Everything that can be asked for by key: standard tables, and tables, figures and printed numbers of works.

use gimbal_analysis::tables::STANDARD;
use gimbal_view::work::{Item, Make, Printed, Work};
use thiserror::Error;

/// The registered works.
pub struct Catalogue {
    works: Vec<&'static dyn Work>,
}

/// An item with its work.
#[derive(Clone, Copy)]
pub struct Listed {
    /// The work.
    pub work: &'static dyn Work,
    /// One of its items.
    pub item: &'static Item,
}

/// A table that was asked for.
#[derive(Clone, Copy)]
pub enum Chosen {
    /// One that every run can have, by its key.
    Standard(&'static str),
    /// One of a work.
    OfWork(Listed),
}

/// A key that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no {kind} `{key}`{hint}")]
pub struct UnknownKey {
    /// `table`, `figure` or `work`.
    pub kind: &'static str,
    /// What was asked for.
    pub key: String,
    /// The nearest key as a question, or empty.
    pub hint: String,
    /// All keys of this kind, in order.
    pub known: Vec<&'static str>,
}

impl UnknownKey {
    fn new(kind: &'static str, key: &str, known: Vec<&'static str>) -> Self {
        let hint = gimbal_core::nearest::hint(key, known.iter().copied());
        Self { kind, key: key.to_owned(), hint, known }
    }

    /// The known keys in few words: a series such as `f1`, `f2`, `f3` as `f1 to f3`.
    #[must_use]
    pub fn series(&self) -> String {
        let mut parts: Vec<(&str, &str)> = Vec::new();
        for key in &self.known {
            match parts.last_mut() {
                Some((_, last)) if follows(last, key) => *last = key,
                _ => parts.push((key, key)),
            }
        }
        let shown = |(first, last): &(&str, &str)| match first == last {
            true => (*first).to_owned(),
            false => format!("{first} to {last}"),
        };
        let mut parts: Vec<String> = parts.iter().map(shown).collect();
        match parts.pop() {
            Some(last) if !parts.is_empty() => format!("{} and {last}", parts.join(", ")),
            last => last.unwrap_or_default(),
        }
    }
}

/// Whether two keys are neighbours of a series: the same letters, and numbers that differ by one.
fn follows(first: &str, second: &str) -> bool {
    fn split(key: &str) -> (&str, Option<u32>) {
        let letters = key.trim_end_matches(|letter: char| letter.is_ascii_digit());
        (letters, key[letters.len()..].parse().ok())
    }
    match (split(first), split(second)) {
        ((letters, Some(number)), (others, Some(next))) => letters == others && next == number + 1,
        _ => false,
    }
}

impl Catalogue {
    /// A catalogue of these works, in this order.
    #[must_use]
    pub fn new(works: Vec<&'static dyn Work>) -> Self {
        Self { works }
    }

    /// The works.
    pub fn works(&self) -> impl Iterator<Item = &'static dyn Work> {
        self.works.iter().copied()
    }

    /// The items of all works, in reading order.
    pub fn items(&self) -> impl Iterator<Item = Listed> {
        self.works().flat_map(|work| work.items().iter().map(move |item| Listed { work, item }))
    }

    /// Keys and titles of all tables: the standard ones, then those of works.
    #[must_use]
    pub fn tables(&self) -> Vec<(&'static str, &'static str)> {
        let of_works = self.items().filter(Listed::is_table).map(|listed| (listed.item.key, listed.item.title));
        STANDARD.into_iter().chain(of_works).collect()
    }

    /// Keys and titles of all figures that can be asked for.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, &'static str)> {
        self.items().filter(Listed::is_figure).map(|listed| (listed.item.key, listed.item.title)).collect()
    }

    /// The table of this key.
    ///
    /// # Errors
    /// When there is no such table.
    pub fn table(&self, key: &str) -> Result<Chosen, UnknownKey> {
        if let Some((known, _)) = STANDARD.iter().find(|(known, _)| *known == key) {
            return Ok(Chosen::Standard(known));
        }
        let found = self.items().filter(Listed::is_table).find(|listed| listed.item.key == key);
        let known = || self.tables().into_iter().map(|(key, _)| key).collect();
        found.map(Chosen::OfWork).ok_or_else(|| UnknownKey::new("table", key, known()))
    }

    /// The figure of this key, in large or small letters.
    ///
    /// # Errors
    /// When there is no such figure.
    pub fn figure(&self, key: &str) -> Result<Listed, UnknownKey> {
        let mut figures = self.items().filter(Listed::is_figure);
        let known = || self.figures().into_iter().map(|(key, _)| key).collect();
        figures
            .find(|listed| listed.item.key.eq_ignore_ascii_case(key))
            .ok_or_else(|| UnknownKey::new("figure", key, known()))
    }

    /// The printed numbers of this key, which is the name of their work.
    ///
    /// # Errors
    /// When no work of this name has printed numbers.
    pub fn printed(&self, key: &str) -> Result<Printed, UnknownKey> {
        let all: Vec<(&'static str, Printed)> = self
            .items()
            .filter_map(|listed| match listed.item.make {
                Make::Printed(printed) => Some((listed.item.key, printed)),
                Make::Table(_) | Make::Figure(_) => None,
            })
            .collect();
        let found = all.iter().find(|(known, _)| *known == key).map(|(_, printed)| *printed);
        found.ok_or_else(|| UnknownKey::new("work", key, all.iter().map(|(key, _)| *key).collect()))
    }
}

impl Listed {
    /// Whether the item is a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        matches!(self.item.make, Make::Table(_))
    }

    /// Whether the item is a figure.
    #[must_use]
    pub fn is_figure(&self) -> bool {
        matches!(self.item.make, Make::Figure(_))
    }
}

#[cfg(test)]
mod tests {
    use super::UnknownKey;

    #[test]
    fn keys_of_a_series_are_shown_as_a_range() {
        let series = |known: &[&'static str]| UnknownKey::new("figure", "x", known.to_vec()).series();
        assert_eq!(series(&["f1", "f2", "f3", "cyc-f1", "cyc-f2", "noise"]), "f1 to f3, cyc-f1 to cyc-f2 and noise");
        assert_eq!(series(&["f1", "f3"]), "f1 and f3");
        assert_eq!(series(&["one"]), "one");
        assert_eq!(series(&[]), "");
    }
}
