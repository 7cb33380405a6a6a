//! The rules of each judge over whole positions, once for both ways of computing.

use gimbal_core::Milli;

use super::{Arithmetic, Judge, Positions, Verdict};

/// A number of the arithmetic in use: thousandths, or a float.
trait Number: Copy + PartialOrd {
    fn of(thousandths: Milli) -> Self;
    fn minus(self, other: Self) -> Self;

    /// The distance, as the published code takes it: the absolute value of the difference.
    fn distance(self, other: Self) -> Self {
        if self < other { other.minus(self) } else { self.minus(other) }
    }
}

impl Number for i64 {
    fn of(thousandths: Milli) -> Self {
        thousandths.0
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }
}

impl Number for f64 {
    /// The double nearest to the decimal fraction: what a literal such as `0.85` is.
    fn of(thousandths: Milli) -> Self {
        thousandths.to_f64()
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }
}

pub(super) fn verdict(judge: &Judge, positions: &Positions, arithmetic: Arithmetic) -> Verdict {
    match arithmetic {
        Arithmetic::Exact => decide::<i64>(judge, positions),
        Arithmetic::FloatCompat => decide::<f64>(judge, positions),
    }
}

fn decide<N: Number>(judge: &Judge, positions: &Positions) -> Verdict {
    let (architect, skeptic) = (N::of(positions.architect), N::of(positions.skeptic));
    match judge {
        Judge::V1 => first(architect, skeptic),
        Judge::V1Extended => first_extended(architect, skeptic, positions),
        Judge::V2 => second(architect, skeptic),
        Judge::V2Capped => second_capped(architect, skeptic),
        Judge::V2Symmetric => second_symmetric(architect, skeptic),
        Judge::Calibrated { architect: mine, skeptic: theirs } => {
            above(architect.minus(N::of(*mine)), skeptic.minus(N::of(*theirs)), N::of(Milli(150)))
        }
    }
}

/// V1, as printed.
fn first<N: Number>(architect: N, skeptic: N) -> Verdict {
    let (high, low) = (N::of(Milli(700)), N::of(Milli(500)));
    if architect >= high && skeptic < low {
        Verdict::ThreatConfirmed
    } else if skeptic >= high && architect < low {
        Verdict::ThreatDismissed
    } else {
        Verdict::Inconclusive
    }
}

fn first_extended<N: Number>(architect: N, skeptic: N, positions: &Positions) -> Verdict {
    let plain = first(architect, skeptic);
    if plain != Verdict::Inconclusive {
        return plain;
    }
    let high = N::of(Milli(700));
    let (mine, theirs) = (u64::from(positions.architect_facts), u64::from(positions.skeptic_facts));
    if architect >= high && mine > 2 * theirs {
        Verdict::ThreatConfirmed
    } else if skeptic >= high && theirs > 2 * mine {
        Verdict::ThreatDismissed
    } else {
        Verdict::Inconclusive
    }
}

/// V2, as printed: the Architect's outright win is tested first.
fn second<N: Number>(architect: N, skeptic: N) -> Verdict {
    let outright = N::of(Milli(850));
    if architect > outright {
        Verdict::ThreatConfirmed
    } else if skeptic > outright {
        Verdict::ThreatDismissed
    } else {
        by_gap(architect, skeptic)
    }
}

fn second_symmetric<N: Number>(architect: N, skeptic: N) -> Verdict {
    let outright = N::of(Milli(850));
    match (architect > outright, skeptic > outright) {
        (true, false) => Verdict::ThreatConfirmed,
        (false, true) => Verdict::ThreatDismissed,
        _ => by_gap(architect, skeptic),
    }
}

fn second_capped<N: Number>(architect: N, skeptic: N) -> Verdict {
    let (outright, cap) = (N::of(Milli(850)), N::of(Milli(650)));
    let larger = if architect < skeptic { skeptic } else { architect };
    if architect >= outright && skeptic <= cap {
        Verdict::ThreatConfirmed
    } else if skeptic >= outright && architect <= cap {
        Verdict::ThreatDismissed
    } else if architect.distance(skeptic) >= N::of(Milli(150)) && larger >= N::of(Milli(600)) {
        if architect > skeptic { Verdict::ThreatConfirmed } else { Verdict::ThreatDismissed }
    } else {
        Verdict::Inconclusive
    }
}

/// The second half of V2: a gap above 0.15, and the larger confidence above 0.60.
fn by_gap<N: Number>(architect: N, skeptic: N) -> Verdict {
    let larger = if architect < skeptic { skeptic } else { architect };
    if larger > N::of(Milli(600)) { above(architect, skeptic, N::of(Milli(150))) } else { Verdict::Inconclusive }
}

/// Whoever is ahead by more than `gap`.
fn above<N: Number>(architect: N, skeptic: N, gap: N) -> Verdict {
    if architect.distance(skeptic) <= gap {
        Verdict::Inconclusive
    } else if architect > skeptic {
        Verdict::ThreatConfirmed
    } else {
        Verdict::ThreatDismissed
    }
}
