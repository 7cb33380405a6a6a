//! Attributes and entities of facts, within the bounds of a packet.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::IpAddr;

use gimbal_core::Digest;

use crate::packet::{MAX_MEMBERS, MAX_VALUE, MAX_WORD};
use crate::{Entity, EntityKind, NewFact};

/// Longest name of an attribute, in bytes, with room for a number, `.length` and `.sha256`.
const MAX_NAME: usize = MAX_WORD - 16;
/// Most attributes of a record: extractors add a few of their own.
const MAX_ATTRIBUTES: usize = MAX_MEMBERS - 16;

/// Adds an attribute. A name that is there already with another value gets a number, so that no value is lost; a value beyond the bound
/// is cut, and its length and hash are added.
pub(super) fn put(fact: &mut NewFact, name: &str, value: &str) {
    if fact.attributes.len() >= MAX_ATTRIBUTES {
        let left_out = fact.attributes.get("attributes_left_out").and_then(|count| count.parse().ok()).unwrap_or(0_u64);
        fact.attributes.insert("attributes_left_out".to_owned(), (left_out + 1).to_string());
        return;
    }
    let mut key: String =
        name.chars().take(MAX_NAME).map(|letter| if matches!(letter, ' '..='~') { letter } else { '?' }).collect();
    if key.is_empty() {
        key.push('?');
    }
    let kept = &value[..value.floor_char_boundary(MAX_VALUE)];
    if let Some(before) = fact.attributes.get(&key) {
        if before == kept && kept.len() == value.len() {
            return;
        }
        let plain = key.len();
        for number in 2..=MAX_ATTRIBUTES {
            key.truncate(plain);
            let _ = write!(key, ".{number}");
            if !fact.attributes.contains_key(&key) {
                break;
            }
        }
    }
    if value.len() > MAX_VALUE {
        fact.attributes.insert(format!("{key}.length"), value.len().to_string());
        fact.attributes.insert(format!("{key}.sha256"), Digest::of(value.as_bytes()).to_string());
    }
    fact.attributes.insert(key, kept.to_owned());
}

/// Adds an attribute unless its value is empty.
pub(super) fn put_some(fact: &mut NewFact, name: &str, value: &str) {
    if !value.is_empty() {
        put(fact, name, value);
    }
}

/// Adds a further entity, unless the fact names it already or the text cannot be a name.
pub(super) fn about(fact: &mut NewFact, kind: EntityKind, name: &str) {
    let Some(name) = name_of(name) else { return };
    let Ok(entity) = Entity::new(kind, name) else { return };
    let known = fact.actor.as_ref() == Some(&entity) || fact.object.as_ref() == Some(&entity);
    if !known && !fact.entities.contains(&entity) && fact.entities.len() < MAX_ATTRIBUTES {
        fact.entities.push(entity);
    }
}

/// Adds a process: `IMAGE (PID)`, or the image alone where no number is known.
pub(super) fn about_process(fact: &mut NewFact, image: &str, pid: &str) {
    if pid.is_empty() {
        about(fact, EntityKind::Process, image);
    } else if !image.is_empty() {
        about(fact, EntityKind::Process, &format!("{image} ({pid})"));
    }
}

/// The text as the name of an entity, if it can be one.
#[inline]
pub(super) fn name_of(text: &str) -> Option<&str> {
    // Nearly all names are plain, and bytes are compared faster than characters.
    let is_plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let sound =
        !text.is_empty() && text.len() <= crate::entity::MAX_NAME && (is_plain || !text.chars().any(char::is_control));
    sound.then_some(text)
}

/// An entity by name, borrowed.
pub(super) type Name<'a> = Option<(EntityKind, Cow<'a, str>)>;

/// An entity of a kind, if the text can be its name.
#[inline]
pub(super) fn named(kind: EntityKind, text: &str) -> Name<'_> {
    name_of(text).map(|name| (kind, Cow::Borrowed(name)))
}

/// Whether a text is an address of version 4: four numbers up to 255 without leading zeros. Tables of flows ask this twice a row.
#[inline]
fn is_v4(text: &[u8]) -> bool {
    let (mut dots, mut digits, mut number) = (0, 0, 0_u32);
    for byte in text {
        match byte {
            b'0'..=b'9' if digits == 0 || (digits < 3 && number > 0) => {
                number = number * 10 + u32::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 && number <= 255 && dots < 3 => {
                dots += 1;
                (digits, number) = (0, 0);
            }
            _ => return false,
        }
    }
    dots == 3 && digits > 0 && number <= 255
}

/// A machine by what a record calls it: an address in its canonical text, or a host without the final dot.
#[inline]
pub(super) fn machine(text: &str) -> Name<'_> {
    if is_v4(text.as_bytes()) {
        return Some((EntityKind::Address, Cow::Borrowed(text)));
    }
    match text.parse::<IpAddr>() {
        // Only one text is accepted for an address of version 4.
        Ok(IpAddr::V4(_)) => Some((EntityKind::Address, Cow::Borrowed(text))),
        Ok(address) => Some((EntityKind::Address, Cow::Owned(address.to_string()))),
        Err(_) => named(EntityKind::Host, text.strip_suffix('.').unwrap_or(text)),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::{about, is_v4, machine, put};
    use crate::{Class, EntityKind, NewFact};

    proptest! {
        #[test]
        fn addresses_of_version_4_are_those_of_the_library(
            text in "[0-9.]{0,16}", numbers in proptest::collection::vec("0{0,1}[0-9]{1,3}", 1..6), address: u32,
        ) {
            for text in [text, numbers.join("."), Ipv4Addr::from(address).to_string()] {
                prop_assert_eq!(is_v4(text.as_bytes()), text.parse::<Ipv4Addr>().is_ok(), "{}", text);
            }
        }
    }

    fn fact() -> NewFact {
        NewFact::new(Class::Message, "logged")
    }

    #[test]
    fn a_repeated_name_keeps_every_value_and_a_long_value_its_hash() {
        let mut fact = fact();
        put(&mut fact, "a", "1");
        put(&mut fact, "a", "2");
        put(&mut fact, "a", "1");
        put(&mut fact, "long", &"ü".repeat(20_000));
        assert_eq!(fact.attributes["a.2"], "2");
        assert_eq!(fact.attributes["long.length"], "40000");
        assert_eq!(fact.attributes["long"].len(), 32 * 1024);
        assert_eq!(fact.attributes["long.sha256"].len(), 64);
        for index in 0..1000 {
            put(&mut fact, &format!("key{index}"), "x");
        }
        assert!(fact.attributes.len() <= 256);
    }

    #[test]
    fn addresses_have_one_spelling_and_names_no_control_characters() {
        let of = |text: &str| machine(text).map(|(kind, name)| (kind, name.into_owned()));
        assert_eq!(of("2001:DB8:0::1"), Some((EntityKind::Address, "2001:db8::1".to_owned())));
        assert_eq!(of("gate.example."), Some((EntityKind::Host, "gate.example".to_owned())));
        assert_eq!(of("a\u{7}b"), None);
        let mut fact = fact();
        about(&mut fact, EntityKind::Host, "gate");
        about(&mut fact, EntityKind::Host, "gate");
        assert_eq!(fact.entities.len(), 1);
    }
}
