//! Pseudonyms: names of the raw data that facts do not show, such as those of laboratory hosts, which tell what the data are.
//!
//! Names are replaced in facts before anything is grouped or hashed. The raw bytes are hashed as they are, so that a fact still leads to
//! its record. The map is in the header of the packet.

use std::borrow::Cow;

use thiserror::Error;

use super::{AttributeValue, Details, Observed, RecordField, Sink};
use crate::{Entity, NewFact, Pseudonym, Utc};

/// Longest name and longest replacement, in bytes.
const MAX_NAME: usize = 128;

/// A map of names that holds: sound names, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pseudonyms {
    /// The longest name first, so that `web01.example` comes before `web01`.
    names: Vec<Pseudonym>,
}

/// Why a map of names does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PseudonymError {
    /// A name or its replacement cannot be one.
    #[error("`{0}` is not a name: expected 1 to 128 bytes without control characters")]
    Name(String),
    /// A name is there twice; the case of letters does not count.
    #[error("`{0}` is replaced twice; the case of letters does not count")]
    Twice(String),
}

impl Pseudonyms {
    /// A map, if its names are sound.
    ///
    /// # Errors
    /// When a name or a replacement is empty, longer than 128 bytes or has a control character, or when a name is there twice.
    pub fn new(mut names: Vec<Pseudonym>) -> Result<Self, PseudonymError> {
        let sound = |text: &str| !text.is_empty() && text.len() <= MAX_NAME && !text.chars().any(char::is_control);
        for pseudonym in &names {
            if let Some(wrong) = [&pseudonym.name, &pseudonym.replaced_by].into_iter().find(|text| !sound(text)) {
                return Err(PseudonymError::Name(wrong.clone()));
            }
        }
        names.sort_by(|one, other| other.name.len().cmp(&one.name.len()).then_with(|| one.cmp(other)));
        for (index, pseudonym) in names.iter().enumerate() {
            if names.iter().skip(index + 1).any(|other| other.name.eq_ignore_ascii_case(&pseudonym.name)) {
                return Err(PseudonymError::Twice(pseudonym.name.clone()));
            }
        }
        Ok(Self { names })
    }

    /// Whether nothing is replaced.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The map, for the header of a packet.
    #[must_use]
    pub fn names(&self) -> &[Pseudonym] {
        &self.names
    }

    /// The text with every name replaced. A name is one where neither a letter nor a digit is next to it; the case of ASCII letters does not
    /// count, and what replaces a name is not read again.
    #[must_use]
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut replaced: Option<String> = None;
        let (mut from, mut at) = (0, 0);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let begins = !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
            let found = if begins { self.names.iter().find(|one| is_at_start(&one.name, rest)) } else { None };
            if let Some(one) = found {
                let out = replaced.get_or_insert_with(String::new);
                out.push_str(text.get(from..at).unwrap_or_default());
                out.push_str(&one.replaced_by);
                at += one.name.len();
                from = at;
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        match replaced {
            None => Cow::Borrowed(text),
            Some(mut out) => {
                out.push_str(text.get(from..).unwrap_or_default());
                Cow::Owned(out)
            }
        }
    }
}

/// Whether a text starts with a name that ends there.
fn is_at_start(name: &str, text: &str) -> bool {
    text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        && !text.get(name.len()..).is_some_and(|after| after.starts_with(char::is_alphanumeric))
}

/// A sink that replaces names before it gives records on.
pub(super) struct Renamed<'s> {
    pub names: &'s Pseudonyms,
    pub sink: &'s mut dyn Sink,
}

impl Sink for Renamed<'_> {
    fn observe(&mut self, observed: &Observed<'_>) {
        let actor = observed.actor.map(|(kind, name)| (kind, self.names.apply(name)));
        let object = observed.object.map(|(kind, name)| (kind, self.names.apply(name)));
        let action = self.names.apply(observed.action);
        let details = RenamedDetails { names: self.names, details: observed.details };
        self.sink.observe(&Observed {
            class: observed.class,
            action: action.as_ref(),
            actor: actor.as_ref().map(|(kind, name)| (*kind, name.as_ref())),
            object: object.as_ref().map(|(kind, name)| (*kind, name.as_ref())),
            time: observed.time,
            raw: observed.raw,
            details: &details,
        });
    }
}

/// What a record becomes as a fact, with names replaced.
struct RenamedDetails<'a> {
    names: &'a Pseudonyms,
    details: &'a dyn Details,
}

impl Details for RenamedDetails<'_> {
    fn place(&self) -> String {
        self.details.place()
    }

    fn time_found(&self) -> String {
        self.details.time_found()
    }

    fn clock(&self) -> Option<Utc> {
        self.details.clock()
    }

    fn host(&self) -> Option<Cow<'_, str>> {
        self.details.host().map(|host| match self.names.apply(&host) {
            Cow::Borrowed(_) => host.clone(),
            Cow::Owned(renamed) => Cow::Owned(renamed),
        })
    }

    fn repeated(&self) -> u64 {
        self.details.repeated()
    }

    fn telling(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        self.details.telling(&mut |name, told| match told {
            AttributeValue::Text(text) => each(name, AttributeValue::Text(&self.names.apply(text))),
            AttributeValue::Number(_) => each(name, told),
        });
    }

    fn of_key(&self, each: &mut dyn FnMut(&str, AttributeValue<'_>)) {
        self.details.of_key(&mut |name, told| match told {
            AttributeValue::Text(text) => each(name, AttributeValue::Text(&self.names.apply(text))),
            AttributeValue::Number(_) => each(name, told),
        });
    }

    fn amount(&self) -> Option<(&str, u64)> {
        self.details.amount()
    }

    fn fields(&self, each: &mut dyn FnMut(RecordField<'_>)) {
        self.details.fields(each);
    }

    fn fill(&self, fact: &mut NewFact) {
        self.details.fill(fact);
        for value in fact.attributes.values_mut() {
            if let Cow::Owned(replaced) = self.names.apply(value) {
                *value = replaced;
            }
        }
        let entities = std::mem::take(&mut fact.entities);
        for entity in entities {
            let renamed = match self.names.apply(entity.name()) {
                Cow::Borrowed(_) => Some(entity.clone()),
                Cow::Owned(name) => Entity::new(entity.kind(), name).ok(),
            };
            // Two names may have become one.
            let known = |entity: &Entity| {
                fact.actor.as_ref() == Some(entity)
                    || fact.object.as_ref() == Some(entity)
                    || fact.entities.contains(entity)
            };
            if let Some(renamed) = renamed.filter(|renamed| !known(renamed)) {
                fact.entities.push(renamed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PseudonymError, Pseudonyms};
    use crate::Pseudonym;

    fn map(pairs: &[(&str, &str)]) -> Result<Pseudonyms, PseudonymError> {
        let names =
            pairs.iter().map(|(name, by)| Pseudonym { name: (*name).to_owned(), replaced_by: (*by).to_owned() });
        Pseudonyms::new(names.collect())
    }

    #[test]
    fn whole_names_are_replaced_the_longest_first() {
        let map = map(&[("lab", "north"), ("lab.lan", "north.example"), ("10.0.0.1", "10.20.0.1")]).unwrap();
        let of = |text: &str| map.apply(text).into_owned();
        assert_eq!(of(r"LAB\eve on ws1.lab.lan"), r"north\eve on ws1.north.example");
        assert_eq!(of("label, 110.0.0.1, 10.0.0.1:80"), "label, 110.0.0.1, 10.20.0.1:80");
        assert_eq!(of("ölab lab ö"), "ölab north ö");
    }

    #[test]
    fn a_map_that_does_not_hold_is_refused() {
        assert_eq!(map(&[("a", "b"), ("A", "c")]), Err(PseudonymError::Twice("A".to_owned())));
        assert!(map(&[("", "b")]).is_err() && map(&[("a", "x\ny")]).is_err());
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,40}", name in "[a-z.]{1,4}") {
            let map = map(&[(&name, "x")]).unwrap();
            let _ = map.apply(&text);
        }
    }
}
