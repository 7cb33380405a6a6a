//! How well a claim is supported, by the number of its valid facts (ARES-052).

use super::{Assertion, Entailment};
use crate::Packet;

/// How well a claim is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Support {
    /// By two valid facts or more.
    Supported,
    /// By one.
    Weak,
    /// By none: it cites none, or its facts contradict it.
    Unsupported,
}

impl Support {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Weak => "weak",
            Self::Unsupported => "unsupported",
        }
    }
}

impl Packet {
    /// How well the packet supports an assertion. An aggregate counts as every record that it counts.
    #[must_use]
    pub fn support(&self, assertion: &Assertion) -> Support {
        if self.entails(assertion) == Entailment::Contradicted {
            return Support::Unsupported;
        }
        let cited: Vec<_> = assertion.facts.iter().filter_map(|id| self.fact(*id)).collect();
        match crate::fact::records(&cited) {
            0 => Support::Unsupported,
            1 => Support::Weak,
            _ => Support::Supported,
        }
    }
}
