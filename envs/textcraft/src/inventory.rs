//! What is carried, in the order in which it came.

use crate::count::Count;
use crate::names::{NameId, Names};

/// Items and their amounts. An item that is used up is gone, and is last when it comes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    entries: Vec<(NameId, Count)>,
}

impl Inventory {
    /// Nothing is carried any more.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// What is carried of an item; none if it has no entry. An entry may hold 0.
    #[must_use]
    #[inline]
    pub fn of(&self, item: NameId) -> Option<&Count> {
        self.entries.iter().find(|(known, _)| *known == item).map(|(_, count)| count)
    }

    /// Puts more of an item in.
    #[inline]
    pub fn put(&mut self, item: NameId, count: &Count) {
        match self.entries.iter_mut().find(|(known, _)| *known == item) {
            Some((_, held)) => held.add(count),
            None => self.entries.push((item, count.clone())),
        }
    }

    /// Takes some of an item out; an entry that reaches 0 is gone.
    #[inline]
    pub fn take(&mut self, item: NameId, count: &Count) {
        if let Some(at) = self.entries.iter().position(|(known, _)| *known == item) {
            self.entries[at].1.take(count);
            if self.entries[at].1.is_zero() {
                self.entries.remove(at);
            }
        }
    }

    /// The entries in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NameId, &Count)> {
        self.entries.iter().map(|(item, count)| (*item, count))
    }

    /// Appends what `inventory` says.
    #[inline]
    pub fn push_to(&self, names: &Names, out: &mut String) {
        out.push_str("Inventory: ");
        if self.entries.is_empty() {
            out.push_str("You are not carrying anything.");
        }
        for (item, count) in &self.entries {
            out.push('[');
            out.push_str(names.shown(*item));
            out.push_str("] (");
            count.push_to(out);
            out.push_str(") ");
        }
    }
}
