//! The one chain rule, for journals and for evidence packets.
//!
//! leaf = SHA-256(0x00 ‖ bytes); link = SHA-256(0x02 ‖ previous ‖ leaf); the first previous value is
//! SHA-256(`gimbal/KIND/v1` ‖ header bytes). A change, a reorder, an insertion or a removal anywhere
//! changes every later value.

use sha2::{Digest as _, Sha256};

use crate::Digest;

/// A growing chain of hashed records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    value: Digest,
    links: u64,
}

impl Chain {
    /// Starts a chain of the given kind (`journal`, `packet`) over its header.
    #[must_use]
    pub fn start(kind: &str, header: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(b"gimbal/");
        hasher.update(kind.as_bytes());
        hasher.update(b"/v1");
        hasher.update(header);
        Self { value: Digest(hasher.finalize().into()), links: 0 }
    }

    /// Takes up a chain whose last value and length are known.
    #[must_use]
    pub const fn resume(value: Digest, links: u64) -> Self {
        Self { value, links }
    }

    /// Adds a record and returns the new value.
    pub fn push(&mut self, bytes: &[u8]) -> Digest {
        let mut hasher = Sha256::new();
        hasher.update([0x02]);
        hasher.update(self.value.0);
        hasher.update(leaf(bytes).0);
        self.value = Digest(hasher.finalize().into());
        self.links += 1;
        self.value
    }

    /// The value after the last record.
    #[must_use]
    pub const fn value(&self) -> Digest {
        self.value
    }

    /// How many records the chain holds.
    #[must_use]
    pub const fn links(&self) -> u64 {
        self.links
    }
}

/// The hash of one record alone.
#[must_use]
pub fn leaf(bytes: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update([0x00]);
    hasher.update(bytes);
    Digest(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Chain;

    fn value(records: &[Vec<u8>]) -> crate::Digest {
        let mut chain = Chain::start("journal", b"header");
        for record in records {
            chain.push(record);
        }
        chain.value()
    }

    // covers: SH-05
    #[test]
    fn the_rule_is_frozen() {
        let mut chain = Chain::start("journal", b"");
        chain.push(b"one");
        chain.push(b"two");
        assert_eq!(chain.links(), 2);
        assert_eq!(chain.value().to_string(), FROZEN);
    }

    const FROZEN: &str = "c5f600dda7103aa9624be58d69618aea17ef2bfddfa101aaff3c21b86f1f7420";

    proptest! {
        // covers: SH-05
        #[test]
        fn any_change_shows(
            records in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..8), 1..12),
            place in any::<prop::sample::Index>(),
        ) {
            let whole = value(&records);
            let at = place.index(records.len());
            let mut changed = records.clone();
            changed[at].push(1);
            prop_assert_ne!(value(&changed), whole);
            let mut shorter = records.clone();
            shorter.remove(at);
            prop_assert_ne!(value(&shorter), whole);
            let mut swapped = records.clone();
            swapped.rotate_left(1);
            if swapped != records {
                prop_assert_ne!(value(&swapped), whole);
            }
        }
    }
}
