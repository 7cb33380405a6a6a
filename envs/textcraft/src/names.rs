//! Names of items and tags: numbered once, found without regard to whether a space or `_` is between words.

use gimbal_core::seed::fnv;

/// The number of a name.
pub type NameId = u16;

/// The most names that a table may have.
pub const MOST: usize = 8192;

/// The namespace that the original writes before every id.
pub const NAMESPACE: &str = "minecraft:";

/// All names of a table.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// With `_`, as ids are written.
    ids: Vec<Box<str>>,
    /// With spaces, as agents read them.
    shown: Vec<Box<str>>,
    /// Numbers plus one at the places that hashes lead to; 0 where nothing is. A power of two of them.
    slots: Vec<u16>,
}

impl Names {
    /// The number of an id, which is made where it is new; none if there would be more than [`MOST`].
    pub(crate) fn number(&mut self, id: &str) -> Option<NameId> {
        if let Some(known) = self.find(id) {
            return Some(known);
        }
        if self.ids.len() >= MOST {
            return None;
        }
        let number = self.ids.len() as NameId;
        self.ids.push(id.into());
        self.shown.push(id.replace('_', " ").into());
        // At most half full.
        if self.slots.len() < 2 * self.ids.len() {
            self.slots = vec![0; (4 * self.ids.len()).next_power_of_two()];
            (0..=number).for_each(|number| self.place(number));
        } else {
            self.place(number);
        }
        Some(number)
    }

    fn place(&mut self, number: NameId) {
        let mask = self.slots.len() - 1;
        let mut at = hash(self.ids[usize::from(number)].as_bytes()) & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = number + 1;
    }

    /// The number of a name, written with spaces or `_`.
    #[must_use]
    #[inline]
    pub fn find(&self, name: &str) -> Option<NameId> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(name.as_bytes()) & mask;
        loop {
            let number = self.slots[at].checked_sub(1)?;
            if same(self.ids[usize::from(number)].as_bytes(), name.as_bytes()) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The id, without its namespace.
    ///
    /// # Panics
    /// When the number is not of this table.
    #[must_use]
    #[inline]
    pub fn id(&self, number: NameId) -> &str {
        &self.ids[usize::from(number)]
    }

    /// The name as agents read it.
    ///
    /// # Panics
    /// When the number is not of this table.
    #[must_use]
    #[inline]
    pub fn shown(&self, number: NameId) -> &str {
        &self.shown[usize::from(number)]
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[inline]
const fn plain(byte: u8) -> u8 {
    if byte == b' ' { b'_' } else { byte }
}

#[inline]
fn hash(name: &[u8]) -> usize {
    let hash = fnv(name.iter().map(|byte| plain(*byte)));
    (hash ^ (hash >> 32)) as usize
}

#[inline]
fn same(id: &[u8], name: &[u8]) -> bool {
    id.len() == name.len() && id.iter().zip(name).all(|(one, two)| *one == plain(*two))
}

#[cfg(test)]
mod tests {
    use super::{MOST, Names};

    #[test]
    fn names_are_found_with_spaces_and_without() {
        let mut names = Names::default();
        assert_eq!(names.find("stick"), None);
        for number in 0..MOST {
            assert_eq!(names.number(&format!("item_{number}")), Some(number as u16));
        }
        assert_eq!(names.number("one_more"), None);
        assert_eq!(names.number("item_7"), Some(7));
        assert_eq!((names.find("item 8191"), names.find("item_0")), (Some(8191), Some(0)));
        assert_eq!((names.find("item  7"), names.find(""), names.find("ITEM 7")), (None, None, None));
        assert_eq!((names.id(7), names.shown(7), names.len(), names.is_empty()), ("item_7", "item 7", MOST, false));
    }
}
