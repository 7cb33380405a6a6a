//! How many requests of a model may be under way: as many as its provider bears.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gimbal_core::{ModelError, ModelErrorKind};
use tokio::sync::{Semaphore, SemaphorePermit};

/// So many at once, and fewer for a while after the provider said that it was too many: halved at a complaint, one more
/// for every full round without one. Requests that left before a complaint do not halve again.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Semaphore,
    width: Mutex<Width>,
}

#[derive(Debug)]
struct Width {
    /// As the study sets it.
    most: usize,
    /// As the provider bears it.
    allowed: usize,
    /// Places under way that are to be given up when they come back.
    debt: usize,
    /// Complaints that counted so far.
    round: u64,
    /// Answers since the last change.
    answered: usize,
}

/// A request's place; it goes back when this is dropped.
pub(crate) struct Place<'a> {
    gate: &'a Gate,
    permit: Option<SemaphorePermit<'a>>,
}

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        let width = Width { most, allowed: most, debt: 0, round: 0, answered: 0 };
        Self { places: Semaphore::new(most), width: Mutex::new(width) }
    }

    fn width(&self) -> MutexGuard<'_, Width> {
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
        width.allowed -= fewer;
        width.debt += fewer - self.places.forget_permits(fewer);
        width.round += 1;
        width.answered = 0;
    }

    /// A request was answered.
    pub(crate) fn widen(&self) {
        let mut width = self.width();
        if width.allowed == width.most {
            return;
        }
        width.answered += 1;
        if width.answered < width.allowed {
            return;
        }
        width.answered = 0;
        width.allowed += 1;
        if width.debt > 0 {
            width.debt -= 1;
        } else {
            self.places.add_permits(1);
        }
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
    use proptest::prelude::*;

    use super::Gate;

    // covers: BOG-150
    #[test]
    fn a_complaint_halves_and_a_round_of_answers_adds_one() {
        let gate = Gate::new(8);
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
            (0..answers).for_each(|_| gate.widen());
            assert_eq!(gate.allowed(), allowed);
        }
        for allowed in [4, 2, 1, 1] {
            gate.narrow(gate.round());
            assert_eq!(gate.allowed(), allowed);
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
                    _ => gate.widen(),
                }
                prop_assert!((1..=most).contains(&gate.allowed()) && held.len() <= most);
            }
            held.clear();
            let free: Vec<_> = std::iter::from_fn(|| gate.try_enter()).collect();
            prop_assert_eq!(free.len(), gate.allowed());
        }
    }
}
