//! Recorded draws of a step, played back: each is compared with the one that the rules make, and the first difference is kept.

use thiserror::Error;

/// Where recorded draws and the rules differ.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TapeError {
    /// The rules ask for a draw after the last one of the tape.
    #[error("the tape ends, but the rules draw {asked}")]
    Short {
        /// The draw that is missing.
        asked: String,
    },
    /// The next draw of the tape is another one.
    #[error("draw {at} of the tape is {recorded}, but the rules draw {asked}")]
    Other {
        /// Its position in this step.
        at: usize,
        /// What the tape holds.
        recorded: String,
        /// What the rules ask for.
        asked: String,
    },
    /// The next draw of the tape has other weights.
    #[error("draw {at} of the tape, {recorded}, weighs {weights}, but the rules weigh {asked}")]
    Weights {
        /// Its position in this step.
        at: usize,
        /// What the tape holds.
        recorded: String,
        /// The recorded weights.
        weights: String,
        /// The weights of the rules.
        asked: String,
    },
    /// A result outside of what the function can give.
    #[error("draw {at} of the tape, {recorded}, has a result that this call cannot give")]
    Impossible {
        /// Its position in this step.
        at: usize,
        /// What the tape holds.
        recorded: String,
    },
    /// The tape says something else than the seed beside it.
    #[error("draw {at} of the tape, {recorded}, is not what the recorded seed gives")]
    NotOfSeed {
        /// Its position in this step.
        at: usize,
        /// What the tape holds.
        recorded: String,
    },
    /// Draws are left over at the end of a step.
    #[error("the step used {used} of {held} draws of the tape")]
    Left {
        /// How many were used.
        used: usize,
        /// How many there are.
        held: usize,
    },
}

/// A recorded draw.
pub trait Recorded {
    /// It in words, for errors.
    fn describe(&self) -> String;
}

/// How a recorded draw compares with the one that the rules make.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// It is the same.
    Same,
    /// It is another one.
    Other,
    /// It is the same but for its weights.
    Weights {
        /// The recorded weights.
        recorded: String,
        /// The weights of the rules.
        asked: String,
    },
}

/// The recorded draws of one step, taken in their order.
#[derive(Clone, Debug)]
pub struct Playback<E> {
    entries: Vec<E>,
    next: usize,
    error: Option<TapeError>,
}

impl<E> Default for Playback<E> {
    fn default() -> Self {
        Self { entries: Vec::new(), next: 0, error: None }
    }
}

impl<E: Recorded> Playback<E> {
    /// Replaces the draws by those of the next step.
    pub fn load(&mut self, entries: Vec<E>) {
        *self = Self { entries, ..Self::default() };
    }

    /// Ends a step: all draws must have been asked for.
    ///
    /// # Errors
    /// The first difference between tape and rules.
    pub fn finish(&mut self) -> Result<(), TapeError> {
        match self.error.take() {
            Some(error) => Err(error),
            None if self.next < self.entries.len() => {
                Err(TapeError::Left { used: self.next, held: self.entries.len() })
            }
            None => Ok(()),
        }
    }

    /// Whether a difference was found: nothing more is compared in this step.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        self.error.is_some()
    }

    /// The draws that were not taken yet.
    #[must_use]
    pub fn ahead(&self) -> &[E] {
        self.entries.get(self.next..).unwrap_or_default()
    }

    /// Takes the next draw if it is the one that the rules make; `asked` is that one in words. Any difference is kept.
    pub fn take(&mut self, compare: impl FnOnce(&E) -> Comparison, asked: impl FnOnce() -> String) -> Option<&E> {
        if self.is_broken() {
            return None;
        }
        let at = self.next;
        let Some(entry) = self.entries.get(at) else {
            self.error = Some(TapeError::Short { asked: asked() });
            return None;
        };
        let recorded = || entry.describe();
        match compare(entry) {
            Comparison::Same => {
                self.next += 1;
                return self.entries.get(at);
            }
            Comparison::Other => self.error = Some(TapeError::Other { at, recorded: recorded(), asked: asked() }),
            Comparison::Weights { recorded: weights, asked } => {
                self.error = Some(TapeError::Weights { at, recorded: recorded(), weights, asked });
            }
        }
        None
    }

    /// Keeps that the result of the draw that was taken last is none that its function can give.
    pub fn impossible(&mut self) {
        let (at, recorded) = self.last();
        self.error.get_or_insert(TapeError::Impossible { at, recorded });
    }

    /// Keeps that the result of the draw that was taken last is not what the recorded seed gives.
    pub fn not_of_seed(&mut self) {
        let (at, recorded) = self.last();
        self.error.get_or_insert(TapeError::NotOfSeed { at, recorded });
    }

    fn last(&self) -> (usize, String) {
        let at = self.next.saturating_sub(1);
        (at, self.entries.get(at).map(Recorded::describe).unwrap_or_default())
    }
}

/// Whether these are as many different indices below `count` as are wanted.
#[must_use]
pub fn distinct_below(values: &[u32], count: usize, wanted: usize) -> bool {
    values.len() == wanted
        && values.iter().enumerate().all(|(at, value)| (*value as usize) < count && !values[..at].contains(value))
}

/// Puts items into a recorded order: new\[i\] = old\[order\[i\]\].
pub fn apply<T: Copy>(order: &[u32], items: &mut [T]) {
    let old = items.to_vec();
    for (item, from) in items.iter_mut().zip(order) {
        *item = old[*from as usize];
    }
}
