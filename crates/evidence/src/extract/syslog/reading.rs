//! What a message says, and the pieces that all grammars share.

use std::borrow::Cow;

use super::super::fill::{Name, machine, named};
use crate::{Class, EntityKind};

/// Most fields that a grammar names.
const FIELDS: usize = 8;

/// What a message says. Fields are few and borrowed: messages that are only counted cost no allocation.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub class: Class,
    pub action: &'static str,
    pub actor: Name<'a>,
    pub object: Name<'a>,
    /// How often the message was written, where it says so.
    pub repeated: u64,
    /// The part of the message that holds `key=value` pairs.
    pub pairs: &'a str,
    fields: [(&'static str, &'a str); FIELDS],
}

impl<'a> Reading<'a> {
    #[inline]
    pub fn new(class: Class, action: &'static str) -> Self {
        Self { class, action, actor: None, object: None, repeated: 1, pairs: "", fields: [("", ""); FIELDS] }
    }

    #[inline]
    pub fn by(mut self, actor: Name<'a>) -> Self {
        self.actor = actor;
        self
    }

    #[inline]
    pub fn by_account(self, name: &'a str) -> Self {
        self.by(named(EntityKind::Account, name))
    }

    #[inline]
    pub fn by_machine(self, name: &'a str) -> Self {
        self.by(machine(name))
    }

    #[inline]
    pub fn on(mut self, kind: EntityKind, name: &'a str) -> Self {
        self.object = named(kind, name);
        self
    }

    #[inline]
    pub fn on_account(self, name: &'a str) -> Self {
        self.on(EntityKind::Account, name)
    }

    /// Adds a field; an empty one is left out.
    #[inline]
    pub fn with(mut self, name: &'static str, value: &'a str) -> Self {
        if !value.is_empty()
            && let Some(free) = self.fields.iter_mut().find(|(name, _)| name.is_empty())
        {
            *free = (name, value);
        }
        self
    }

    #[inline]
    pub fn pairs(mut self, text: &'a str) -> Self {
        self.pairs = text;
        self
    }

    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.fields.iter().copied().filter(|(name, _)| !name.is_empty())
    }

    #[inline]
    pub fn actor(&self) -> Option<(EntityKind, &str)> {
        self.actor.as_ref().map(|(kind, name)| (*kind, Cow::as_ref(name)))
    }

    #[inline]
    pub fn object(&self) -> Option<(EntityKind, &str)> {
        self.object.as_ref().map(|(kind, name)| (*kind, Cow::as_ref(name)))
    }
}

/// The text between two pieces: `between("a for b from c", " for ", " from ")` is `b`.
pub(super) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

/// A text in single quotation marks, or between a grave accent and one, and what follows.
pub(super) fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(['\'', '`'])?.split_once('\'')
}

/// `key=value` pairs that blanks separate; a word without a value has an empty one.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_ascii_whitespace().map(|word| word.split_once('=').unwrap_or((word, "")))
}

#[cfg(test)]
mod tests {
    use super::{between, pairs, quoted};

    #[test]
    fn pieces_of_messages_are_found() {
        assert_eq!(between("Accepted password for bob from x", " for ", " from "), Some("bob"));
        assert_eq!(quoted("`bob' shell"), Some(("bob", " shell")));
        let found: Vec<(&str, &str)> = pairs("logname= SYN rhost=192.0.2.1 ").collect();
        assert_eq!(found, [("logname", ""), ("SYN", ""), ("rhost", "192.0.2.1")]);
    }
}
