//! What a conflict is about and who gives way in a resolution, in the words of Tab. 32 (CTHA-080).

use serde::{Deserialize, Serialize};

use crate::Layer;

/// What a conflict is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictCause {
    /// Parties use one resource, and at least one writes it.
    Resource,
    /// Parties want two values of one effect.
    Effect,
    /// A directive of a slower layer does not let a call of a faster one through: what the work counts as a violation of authority.
    Authority,
    /// Two calls that have nothing in common but their step. The work does not count it: its conflicts are those of Eq. 23.
    Step,
}

impl ConflictCause {
    /// All of them, in the order of Tab. 32.
    pub const ALL: [Self; 4] = [Self::Resource, Self::Effect, Self::Authority, Self::Step];

    /// The matter of a conflict by the words of its causes, joined by `+`. Where there are several it is the first of: directive, effect,
    /// resource, call.
    #[must_use]
    pub fn of(kind: &str) -> Self {
        let has = |word: &str| kind.split('+').any(|one| one == word);
        if has("directive") {
            Self::Authority
        } else if has("effect") {
            Self::Effect
        } else if has("resource") {
            Self::Resource
        } else {
            Self::Step
        }
    }

    /// The words of tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resource => "resource overlap",
            Self::Effect => "contradictory effects",
            Self::Authority => "authority violation",
            Self::Step => "two calls in a step",
        }
    }

    /// Its published share in thousandths; `None` for what the work does not count.
    #[must_use]
    pub const fn published(self) -> Option<u32> {
        match self {
            Self::Resource => Some(423),
            Self::Effect => Some(318),
            Self::Authority => Some(259),
            Self::Step => None,
        }
    }
}

/// Who gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// In every pair that is decided the slower layer is kept.
    Higher,
    /// In every pair that is decided the faster layer is kept.
    Lower,
    /// Some pairs go one way and some the other, or none is decided.
    Composite,
}

impl Resolution {
    /// All of them, in the order of Tab. 32.
    pub const ALL: [Self; 3] = [Self::Higher, Self::Lower, Self::Composite];

    /// Who gives way where `kept` are in effect. `conflicts` are pairs of places in `layers`; a pair is decided where exactly one of the two is
    /// kept and their layers differ.
    #[must_use]
    pub fn of(layers: &[Layer], conflicts: &[(usize, usize)], kept: &[usize]) -> Self {
        let (mut slower, mut faster) = (0, 0);
        for (one, other) in conflicts {
            let (Some(first), Some(second)) = (layers.get(*one), layers.get(*other)) else { continue };
            let wins = match (kept.contains(one), kept.contains(other)) {
                (true, false) => first.cmp(second),
                (false, true) => second.cmp(first),
                _ => continue,
            };
            slower += u32::from(wins.is_gt());
            faster += u32::from(wins.is_lt());
        }
        match (slower, faster) {
            (1.., 0) => Self::Higher,
            (0, 1..) => Self::Lower,
            _ => Self::Composite,
        }
    }

    /// The words of tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher layer",
            Self::Lower => "lower layer",
            Self::Composite => "composite",
        }
    }

    /// Its published share in thousandths.
    #[must_use]
    pub const fn published(self) -> u32 {
        match self {
            Self::Higher => 584,
            Self::Lower => 247,
            Self::Composite => 169,
        }
    }
}
