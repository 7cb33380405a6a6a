//! The attributes in which all records of a group agree: what its fact says beside how many they are.
//!
//! A group is made for almost every record of some sources, so that what its first record says is kept in one piece of memory.

use super::fill::put;
use super::{AttributeValue, Details};
use crate::NewFact;

/// Most attributes that are compared. Those beyond are as if the records differed in them.
const MOST: usize = 48;
/// Most bytes of a text that is compared, and of all that a group keeps.
const MOST_BYTES: usize = 512;
const MOST_IN_ALL: usize = 2048;

/// What all members said so far.
#[derive(Debug)]
pub(super) enum Agreed {
    /// No member yet.
    Nothing,
    /// All members say this: entries one after the other ([`write`]); empty where they agree in nothing.
    On(Box<[u8]>),
}

impl Agreed {
    /// Takes what one more member says. `scratch` is kept from record to record.
    #[inline]
    pub fn add(&mut self, details: &dyn Details, scratch: &mut Vec<u8>) {
        match self {
            Self::Nothing => {
                scratch.clear();
                let mut number = 0;
                let mut keep = |name: &str, value: AttributeValue<'_>, of_key: bool| {
                    if number < MOST && write(scratch, name, value, of_key) {
                        number += 1;
                    }
                };
                details.of_key(&mut |name, value| keep(name, value, true));
                details.telling(&mut |name, value| keep(name, value, false));
                *self = Self::On(scratch.as_slice().into());
            }
            Self::On(kept) if kept.is_empty() => {}
            Self::On(kept) => {
                let mut same = 0_u64;
                let mut place_of = |name: &str, value: AttributeValue<'_>| {
                    // A record can have a field twice, with two values.
                    let is_same = |entry: &Entry<'_>| entry.name == name.as_bytes() && entry.is(value);
                    if let Some((place, _)) = entries(kept).enumerate().find(|(_, entry)| is_same(entry)) {
                        same |= 1 << place;
                    }
                };
                details.telling(&mut place_of);
                let is_kept = |place: usize, entry: &Entry<'_>| entry.of_key || same >> place & 1 == 1;
                if !entries(kept).enumerate().all(|(place, entry)| is_kept(place, &entry)) {
                    scratch.clear();
                    for (_, entry) in entries(kept).enumerate().filter(|(place, entry)| is_kept(*place, entry)) {
                        scratch.extend_from_slice(entry.whole);
                    }
                    *kept = scratch.as_slice().into();
                }
            }
        }
    }

    /// Adds what all members say to the fact that counts them.
    pub fn fill(&self, fact: &mut NewFact) {
        let Self::On(kept) = self else { return };
        for entry in entries(kept) {
            let name = String::from_utf8_lossy(entry.name);
            match entry.number() {
                Some(number) => put(fact, &name, &number.to_string()),
                None => put(fact, &name, &String::from_utf8_lossy(entry.value)),
            }
        }
    }
}

const NUMBER: u8 = 1;
const OF_KEY: u8 = 2;
/// Bytes before the name of an entry: what it is, the length of its name, and that of its value.
const HEAD: usize = 4;

/// An attribute that is kept.
struct Entry<'k> {
    /// All its bytes.
    whole: &'k [u8],
    name: &'k [u8],
    value: &'k [u8],
    is_number: bool,
    /// Whether all members have it because they are of one group.
    of_key: bool,
}

impl Entry<'_> {
    fn number(&self) -> Option<u64> {
        self.value.try_into().ok().filter(|_| self.is_number).map(u64::from_le_bytes)
    }

    fn is(&self, value: AttributeValue<'_>) -> bool {
        match value {
            AttributeValue::Text(text) => !self.is_number && self.value == text.as_bytes(),
            AttributeValue::Number(number) => self.number() == Some(number),
        }
    }
}

/// Adds an entry, unless it is too long or the group keeps enough. Returns whether it did.
fn write(kept: &mut Vec<u8>, name: &str, value: AttributeValue<'_>, of_key: bool) -> bool {
    let number;
    let (kind, bytes) = match value {
        AttributeValue::Text(text) => (0, text.as_bytes()),
        AttributeValue::Number(value) => {
            number = value.to_le_bytes();
            (NUMBER, number.as_slice())
        }
    };
    let (Ok(name_length), Ok(length)) = (u8::try_from(name.len()), u16::try_from(bytes.len())) else { return false };
    if bytes.len() > MOST_BYTES || kept.len() + HEAD + name.len() + bytes.len() > MOST_IN_ALL {
        return false;
    }
    let [low, high] = length.to_le_bytes();
    kept.extend_from_slice(&[if of_key { kind | OF_KEY } else { kind }, name_length, low, high]);
    kept.extend_from_slice(name.as_bytes());
    kept.extend_from_slice(bytes);
    true
}

fn entries(mut rest: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    std::iter::from_fn(move || {
        let ([kind, name, low, high], _) = rest.split_first_chunk::<HEAD>()?;
        let (name, length) = (usize::from(*name), usize::from(u16::from_le_bytes([*low, *high])));
        let (whole, after) = rest.split_at_checked(HEAD + name + length)?;
        rest = after;
        let (name, value) = whole.get(HEAD..)?.split_at_checked(name)?;
        Some(Entry { whole, name, value, is_number: kind & NUMBER != 0, of_key: kind & OF_KEY != 0 })
    })
}
