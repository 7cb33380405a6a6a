//! How many requests of a model may be under way: as many as its provider accepts, within a bound.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gimbal_core::{ModelError, ModelErrorKind};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How much longer the answers of a round may take than those of the best one before fewer requests are sent at once.
const SLOWER: u32 = 2;

/// Bounds how many requests are under way. It begins with one and adds one for every answer until the provider complains or
/// answers get slow; then one for every full round. A complaint halves the number; answers that take twice as long as the
/// best ones lower it by a quarter. Complaints about requests that left before the last complaint change nothing.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Semaphore,
    width: Mutex<GateState>,
}

#[derive(Debug)]
struct GateState {
    /// The bound of the study.
    most: usize,
    /// How many may be under way now.
    allowed: usize,
    /// Places in use that are not given out again.
    debt: usize,
    /// Complaints that counted so far.
    round: u64,
    /// Answers since the last change.
    answered: usize,
    /// Whether the provider has shown no sign of strain yet.
    starting: bool,
    /// Time that the answers of this round took, per token and all together.
    taken: Duration,
    /// Answers of this round.
    timed: u32,
    /// Mean time of the best round, per token.
    best: Option<Duration>,
    /// The last number that was written to the ledger.
    told: usize,
    /// The largest number so far, and how often it was lowered for which reason.
    standing: GateCounts,
}

#[derive(Clone, Copy, Debug)]
struct GateCounts {
    peak: usize,
    complaints: u32,
    slowdowns: u32,
}

/// How a model was asked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtOnce {
    /// Requests that may be under way at once at most: the study's bound, or the program's.
    pub most: usize,
    /// Requests that may be under way at once now.
    pub allowed: usize,
    /// The largest number that was allowed so far.
    pub peak: usize,
    /// How often the number was halved because the provider asked for fewer requests; complaints of a single one at a
    /// time change nothing and are not counted.
    pub complaints: u32,
    /// How often the number was lowered because answers took longer.
    pub slowdowns: u32,
}

/// A request's place; it goes back when this is dropped.
pub(crate) struct Place<'a> {
    gate: &'a Gate,
    permit: Option<SemaphorePermit<'a>>,
}

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        let width = GateState {
            most,
            allowed: 1,
            debt: 0,
            round: 0,
            answered: 0,
            starting: true,
            taken: Duration::ZERO,
            timed: 0,
            best: None,
            told: 0,
            standing: GateCounts { peak: 1, complaints: 0, slowdowns: 0 },
        };
        Self { places: Semaphore::new(1), width: Mutex::new(width) }
    }

    fn width(&self) -> MutexGuard<'_, GateState> {
        self.width.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, if one is free.
    pub(crate) fn try_enter(&self) -> Option<Place<'_>> {
        self.places.try_acquire().ok().map(|permit| Place { gate: self, permit: Some(permit) })
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self) -> Result<Place<'_>, ModelError> {
        let closed = |_| ModelError::new(ModelErrorKind::Cancelled, "the model was closed while a call waited");
        self.places.acquire().await.map(|permit| Place { gate: self, permit: Some(permit) }).map_err(closed)
    }

    /// The round in which a request leaves.
    pub(crate) fn round(&self) -> u64 {
        self.width().round
    }

    /// The provider complains of a request that left in this round.
    pub(crate) fn narrow(&self, round: u64) {
        let mut width = self.width();
        if round != width.round {
            return;
        }
        let fewer = width.allowed - (width.allowed / 2).max(1);
        // Where one at once is too many already, nothing is lowered.
        width.standing.complaints += u32::from(fewer > 0);
        self.lower(&mut width, fewer);
    }

    /// A request that left in this round was answered, in this time per token.
    pub(crate) fn widen(&self, round: u64, time: Duration) {
        let mut width = self.width();
        // Requests that left before a change are not evidence about the present state.
        if round == width.round {
            width.taken += time;
            width.timed += 1;
        }
        width.answered += 1;
        let full = width.answered >= width.allowed;
        if full && self.slowed(&mut width) {
            return;
        }
        if full || width.starting {
            if full {
                width.answered = 0;
            }
            if width.allowed < width.most {
                width.allowed += 1;
                width.standing.peak = width.standing.peak.max(width.allowed);
                if width.debt > 0 {
                    width.debt -= 1;
                } else {
                    self.places.add_permits(1);
                }
            }
        }
    }

    /// Whether the round that ends here took so much longer than the best one that fewer requests are sent at once.
    fn slowed(&self, width: &mut GateState) -> bool {
        let Some(mean) = width.taken.checked_div(width.timed) else { return false };
        (width.taken, width.timed) = (Duration::ZERO, 0);
        let best = *width.best.get_or_insert(mean);
        if mean <= best.saturating_mul(SLOWER) {
            width.best = Some(best.min(mean));
            return false;
        }
        // What was best once may have been luck, or the work may be another by now.
        width.best = Some(best + best / 4);
        if width.allowed == 1 {
            return false;
        }
        width.standing.slowdowns += 1;
        let fewer = (width.allowed / 4).max(1);
        self.lower(width, fewer);
        true
    }

    fn lower(&self, width: &mut GateState, fewer: usize) {
        width.starting = false;
        width.allowed -= fewer;
        width.debt += fewer - self.places.forget_permits(fewer);
        width.round += 1;
        width.answered = 0;
        (width.taken, width.timed) = (Duration::ZERO, 0);
    }

    /// The number that is allowed, where the ledger does not hold it yet.
    pub(crate) fn news(&self) -> Option<u32> {
        let mut width = self.width();
        if width.told == width.allowed {
            return None;
        }
        width.told = width.allowed;
        u32::try_from(width.allowed).ok()
    }

    /// How the model was asked so far.
    pub(crate) fn standing(&self) -> AtOnce {
        let width = self.width();
        let GateCounts { peak, complaints, slowdowns } = width.standing;
        AtOnce { most: width.most, allowed: width.allowed, peak, complaints, slowdowns }
    }

    #[cfg(test)]
    fn allowed(&self) -> usize {
        self.width().allowed
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut width = self.gate.width();
        if width.debt > 0
            && let Some(permit) = self.permit.take()
        {
            width.debt -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{AtOnce, Gate};

    const PACE: Duration = Duration::from_millis(10);

    /// A gate that has been widened to `allowed`, at one pace.
    fn wide(most: usize, allowed: usize) -> Gate {
        let gate = Gate::new(most);
        (1..allowed).for_each(|_| gate.widen(gate.round(), PACE));
        assert_eq!(gate.allowed(), allowed);
        gate
    }

    #[test]
    fn it_starts_with_one_and_doubles_in_every_round() {
        let gate = Gate::new(20);
        let held: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
        assert_eq!(held.len(), 1);
        drop(held);
        for allowed in [2, 4, 8, 16, 20, 20] {
            let under_way: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
            let answered = under_way.len();
            drop(under_way);
            (0..answered).for_each(|_| gate.widen(gate.round(), PACE));
            assert_eq!(gate.allowed(), allowed);
        }
        assert_eq!(gate.standing(), AtOnce { most: 20, allowed: 20, peak: 20, complaints: 0, slowdowns: 0 });
    }

    #[test]
    fn answers_that_grow_slow_take_a_quarter_off() {
        let gate = wide(16, 16);
        gate.widen(gate.round(), PACE);
        (0..16).for_each(|_| gate.widen(gate.round(), PACE * 2));
        assert_eq!(gate.allowed(), 16, "twice as long is borne");
        for allowed in [12, 9, 7] {
            let before = gate.allowed();
            // One round of slow answers at the most, beside what is left of the round before.
            let mut answers = 0;
            while gate.allowed() == before {
                gate.widen(gate.round(), PACE * 9);
                answers += 1;
                assert!(answers <= 2 * before, "{answers} slow answers, and still {before} at once");
            }
            assert_eq!(gate.allowed(), allowed);
        }
        // Those that left before the change are not counted with those after it.
        let stale = gate.round() - 1;
        (0..7).for_each(|_| gate.widen(stale, PACE * 9));
        assert_eq!(gate.allowed(), 8);
        assert_eq!(gate.standing().slowdowns, 3);
        let one = Gate::new(1);
        (0..9).for_each(|turn| one.widen(one.round(), PACE * (turn + 1)));
        assert_eq!((one.allowed(), one.standing().slowdowns), (1, 0));
    }

    #[test]
    fn a_change_is_news_once() {
        let gate = Gate::new(4);
        assert_eq!((gate.news(), gate.news()), (Some(1), None));
        gate.widen(0, PACE);
        assert_eq!((gate.news(), gate.news()), (Some(2), None));
    }

    // covers: BOG-150
    #[test]
    fn a_complaint_halves_and_a_round_of_answers_adds_one() {
        let gate = wide(8, 8);
        let places: Vec<_> = (0..8).map(|_| gate.try_enter().unwrap()).collect();
        let round = gate.round();
        gate.narrow(round);
        gate.narrow(round);
        assert_eq!(gate.allowed(), 4, "requests of the same round complain once");
        assert!(gate.try_enter().is_none());
        let mut places = places.into_iter();
        places.by_ref().take(4).for_each(drop);
        assert!(gate.try_enter().is_none(), "four are still under way");
        places.for_each(drop);
        let held: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
        assert_eq!(held.len(), 4);
        drop(held);
        for (answers, allowed) in [(3, 4), (1, 5), (4, 5), (1, 6), (6, 7), (7, 8), (99, 8)] {
            (0..answers).for_each(|_| gate.widen(gate.round(), PACE));
            assert_eq!(gate.allowed(), allowed);
        }
        assert_eq!(gate.standing().complaints, 1);
        for (allowed, lowered) in [(4, 2), (2, 3), (1, 4), (1, 4), (1, 4)] {
            gate.narrow(gate.round());
            assert_eq!((gate.allowed(), gate.standing().complaints), (allowed, lowered));
        }
        let held: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
        assert_eq!(held.len(), 1, "one at least may always be under way");
    }

    proptest! {
        #[test]
        fn places_are_neither_lost_nor_made(most in 1_usize..9, moves in proptest::collection::vec(0_u8..4, 0..60)) {
            let gate = Gate::new(most);
            let mut held = Vec::new();
            for step in moves {
                match step {
                    0 => held.extend(gate.try_enter()),
                    1 => drop(held.pop()),
                    2 => gate.narrow(gate.round()),
                    _ => gate.widen(gate.round(), PACE),
                }
                prop_assert!((1..=most).contains(&gate.allowed()) && held.len() <= most);
            }
            held.clear();
            let free: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
            prop_assert_eq!(free.len(), gate.allowed());
        }
    }
}
