//! Randomness behind one trait, with three sources: fast, CPython's Mersenne Twister, a recorded tape.
//!
//! The simulator draws with the very functions that CybORG calls, in its order, so that a source can be
//! exchanged without touching the rules.

mod fast;
mod mersenne;
mod tape;

pub use fast::Fast;
pub use gimbal_parity::{Mersenne, Seed};
pub use tape::{Drawn, Entry, Function, Recorder, Tape};

/// Who draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the recordings' own")]
pub enum Phase {
    Reset,
    Blue,
    Green,
    Red,
}

impl Phase {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Blue => "Blue",
            Self::Green => "Green",
            Self::Red => "Red",
        }
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the recordings' own")]
pub enum Purpose {
    Layout,
    Pid,
    Port,
    BlueSession,
    DecoyFactory,
    Green,
    BlineTarget,
    MeanderOrder,
    Exploit,
    Detect,
    EscalateSession,
    ImpactSession,
}

impl Purpose {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Layout => "layout",
            Self::Pid => "pid",
            Self::Port => "port",
            Self::BlueSession => "blue_session",
            Self::DecoyFactory => "decoy_factory",
            Self::Green => "green",
            Self::BlineTarget => "bline_target",
            Self::MeanderOrder => "meander_order",
            Self::Exploit => "exploit",
            Self::Detect => "detect",
            Self::EscalateSession => "escalate_session",
            Self::ImpactSession => "impact_session",
        }
    }
}

/// Where in the rules a draw is made; sources that only make numbers ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Who draws.
    pub phase: Phase,
    /// What is drawn.
    pub purpose: Purpose,
}

impl Site {
    /// A site.
    #[must_use]
    #[inline]
    pub const fn new(phase: Phase, purpose: Purpose) -> Self {
        Self { phase, purpose }
    }
}

/// A source of the draws that the rules ask for.
///
/// Every result lies in the range that the arguments name, whatever the source: the rules index with it.
pub trait Draws {
    /// Starts again from `seed`. A tape ignores it.
    fn seed(&mut self, seed: u64);

    /// `random.choice` over `count` things (at least one): an index below `count`.
    fn choice(&mut self, site: Site, count: u32) -> u32;

    /// `random.choices` of one out of `count` things (at least one): an index below `count`.
    fn choices(&mut self, site: Site, count: u32) -> u32;

    /// `random.random`: a real in [0, 1).
    fn random(&mut self, site: Site) -> f64;

    /// `random.randrange(start, stop)` with `start < stop`.
    fn randrange(&mut self, site: Site, start: u32, stop: u32) -> u32;

    /// `random.sample` of as many of `count` indices as `chosen` holds, all different.
    fn sample(&mut self, site: Site, count: u32, chosen: &mut [u32]);

    /// `random.shuffle`, in place.
    fn shuffle(&mut self, site: Site, items: &mut [u8]);
}

impl<D: Draws + ?Sized> Draws for Box<D> {
    fn seed(&mut self, seed: u64) {
        (**self).seed(seed);
    }

    fn choice(&mut self, site: Site, count: u32) -> u32 {
        (**self).choice(site, count)
    }

    fn choices(&mut self, site: Site, count: u32) -> u32 {
        (**self).choices(site, count)
    }

    fn random(&mut self, site: Site) -> f64 {
        (**self).random(site)
    }

    fn randrange(&mut self, site: Site, start: u32, stop: u32) -> u32 {
        (**self).randrange(site, start, stop)
    }

    fn sample(&mut self, site: Site, count: u32, chosen: &mut [u32]) {
        (**self).sample(site, count, chosen);
    }

    fn shuffle(&mut self, site: Site, items: &mut [u8]) {
        (**self).shuffle(site, items);
    }
}
