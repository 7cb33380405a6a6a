//! The attributes in which all records of a group agree: what its fact says beside how many they are.

use super::fill::put;
use super::{AttributeValue, Details};
use crate::NewFact;

/// Most attributes that are compared. Those beyond are as if the records differed in them.
const MOST: usize = 48;
/// Most bytes of a text that is compared, and of all of a group.
const MOST_BYTES: usize = 512;
const MOST_IN_ALL: usize = 2048;

/// What all members said so far.
#[derive(Debug)]
pub(super) enum Agreed {
    /// No member yet.
    Nothing,
    /// All members say this; empty where they agree in nothing.
    On(Box<[(Box<str>, Value)]>),
}

/// A value that is kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(Box<str>),
    Number(u64),
}

impl Value {
    fn is(&self, told: AttributeValue<'_>) -> bool {
        match (self, told) {
            (Self::Text(kept), AttributeValue::Text(text)) => **kept == *text,
            (Self::Number(kept), AttributeValue::Number(number)) => *kept == number,
            _ => false,
        }
    }
}

impl Agreed {
    /// Takes what one more member says.
    #[inline]
    pub fn add(&mut self, details: &dyn Details) {
        match self {
            Self::Nothing => *self = Self::of(details),
            Self::On(kept) if kept.is_empty() => {}
            Self::On(kept) => {
                let mut same = 0_u64;
                details.telling(&mut |name, told| {
                    if let Some(place) = kept.iter().position(|(known, value)| **known == *name && value.is(told)) {
                        same |= 1 << place;
                    }
                });
                if same.count_ones() as usize != kept.len() {
                    let all = std::mem::take(kept).into_vec().into_iter().enumerate();
                    *kept = all.filter(|(place, _)| same >> place & 1 == 1).map(|(_, one)| one).collect();
                }
            }
        }
    }

    fn of(details: &dyn Details) -> Self {
        let (mut kept, mut bytes) = (Vec::new(), 0);
        details.telling(&mut |name, told| {
            let (value, length) = match told {
                AttributeValue::Text(text) if text.len() > MOST_BYTES => return,
                AttributeValue::Text(text) => (Value::Text(text.into()), text.len()),
                AttributeValue::Number(number) => (Value::Number(number), 8),
            };
            bytes += name.len() + length;
            if kept.len() < MOST && bytes <= MOST_IN_ALL {
                kept.push((Box::from(name), value));
            }
        });
        Self::On(kept.into_boxed_slice())
    }

    /// Adds what all members say to the fact that counts them.
    pub fn fill(&self, fact: &mut NewFact) {
        let Self::On(kept) = self else { return };
        for (name, value) in kept {
            match value {
                Value::Text(text) => put(fact, name, text),
                Value::Number(number) => put(fact, name, &number.to_string()),
            }
        }
    }
}
