//! Signs that a verdict is surer than its evidence (ARES-051, ARES-052): the second gate. The work names four patterns without their numbers;
//! the numbers are ours.

use gimbal_core::Milli;

use super::Positions;

/// A sign of miscalibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// A side is sure, at 0.70 or more, and cites fewer than two facts.
    Starvation,
    /// Both sides are sure, at 0.60 or more.
    Conflict,
    /// A side is sure, at 0.70 or more, facts of one class are cited, and the packet has observed facts of at least five classes.
    Mismatch,
    /// The confidences are less than 0.15 apart.
    NarrowSpread,
    /// More than half of the claims are based on fewer than two valid facts (ARES-052).
    WeakClaims,
}

impl Sign {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starvation => "starvation",
            Self::Conflict => "conflict",
            Self::Mismatch => "mismatch",
            Self::NarrowSpread => "narrow_spread",
            Self::WeakClaims => "weak_claims",
        }
    }
}

/// What a single turn is based on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// The positions.
    pub positions: Positions,
    /// Classes of observed facts in the packet.
    pub observed_classes: usize,
    /// Classes of observed facts that are cited.
    pub cited_classes: usize,
    /// Claims of both sides.
    pub claims: usize,
    /// Those that are based on fewer than two valid facts.
    pub weak_claims: usize,
}

impl Basis {
    /// The signs that it shows, each once. Any one flags a verdict.
    #[must_use]
    pub fn signs(&self) -> Vec<Sign> {
        let Positions { architect, skeptic, architect_facts, skeptic_facts } = self.positions;
        let sure = Milli(700);
        let starved = |confidence: Milli, facts: u32| confidence >= sure && facts < 2;
        let found = [
            (Sign::Starvation, starved(architect, architect_facts) || starved(skeptic, skeptic_facts)),
            (Sign::Conflict, architect >= Milli(600) && skeptic >= Milli(600)),
            (Sign::Mismatch, architect.max(skeptic) >= sure && self.observed_classes >= 5 && self.cited_classes == 1),
            (Sign::NarrowSpread, (architect.0 - skeptic.0).abs() < 150),
            (Sign::WeakClaims, 2 * self.weak_claims > self.claims),
        ];
        found.into_iter().filter_map(|(sign, holds)| holds.then_some(sign)).collect()
    }
}

#[cfg(test)]
mod tests {
    use gimbal_core::Milli;

    use super::{Basis, Sign};
    use crate::judge::Positions;

    fn signs(architect: i64, skeptic: i64, facts: (u32, u32), more: (usize, usize, usize, usize)) -> Vec<Sign> {
        let positions = Positions {
            architect: Milli(architect),
            skeptic: Milli(skeptic),
            architect_facts: facts.0,
            skeptic_facts: facts.1,
        };
        let (observed_classes, cited_classes, claims, weak_claims) = more;
        Basis { positions, observed_classes, cited_classes, claims, weak_claims }.signs()
    }

    // covers: ARES-051, ARES-052
    #[test]
    fn each_sign_is_found_at_its_bound_and_not_beside_it() {
        use Sign::{Conflict, Mismatch, NarrowSpread, Starvation, WeakClaims};
        assert_eq!(signs(900, 200, (4, 2), (4, 2, 2, 1)), []);
        assert_eq!(signs(700, 200, (1, 2), (4, 2, 2, 1)), [Starvation]);
        assert_eq!(signs(699, 200, (1, 2), (4, 2, 2, 1)), []);
        assert_eq!(signs(900, 600, (4, 2), (4, 2, 2, 1)), [Conflict]);
        assert_eq!(signs(900, 599, (4, 2), (4, 2, 2, 1)), []);
        assert_eq!(signs(900, 200, (4, 2), (5, 1, 2, 1)), [Mismatch]);
        assert_eq!(signs(500, 351, (4, 2), (4, 2, 2, 1)), [NarrowSpread]);
        assert_eq!(signs(500, 350, (4, 2), (4, 2, 2, 1)), []);
        assert_eq!(signs(900, 200, (4, 2), (4, 2, 3, 2)), [WeakClaims]);
    }
}
