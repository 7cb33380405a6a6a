//! What blue does to a host.

use super::{DECOY_KINDS, Decoy};

/// What is done to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Look for dropped files.
    Analyse,
    /// Kill processes that looked suspicious.
    Remove,
    /// Lay a decoy service.
    Decoy(Decoy),
    /// Set the host back to how it was; costs 1.
    Restore,
}

impl Kind {
    /// The action's name in CybORG.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Analyse => "Analyse",
            Self::Remove => "Remove",
            Self::Decoy(decoy) => decoy.facts().action,
            Self::Restore => "Restore",
        }
    }
}

/// The kinds in action order.
pub const KINDS: [Kind; 11] = {
    let mut kinds = [Kind::Analyse; 11];
    kinds[1] = Kind::Remove;
    let mut at = 0;
    while at < DECOY_KINDS.len() {
        kinds[2 + at] = Kind::Decoy(DECOY_KINDS[at]);
        at += 1;
    }
    kinds[10] = Kind::Restore;
    kinds
};
