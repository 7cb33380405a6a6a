//! Randomness behind one trait, with three sources: fast, Python's with numpy's beside it, a recorded tape.
//!
//! The rules draw with the very functions that the original calls, in its order, so that a source can be exchanged
//! without touching them. In three places that order is one of a hash set and differs between processes of the
//! original; there a source may say the order ([`Draws::arrange`]), and every source but the tape keeps node order.

mod fast;
mod python;
mod tape;

pub use fast::Fast;
pub use python::Python;
pub use tape::{Arguments, Drawn, Entry, Function, Recorder, Tape, Trust};

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the recordings' own")]
#[repr(u8)]
pub enum Purpose {
    EntryNodes,
    HighValueNodes,
    Vulnerability,
    VulnerabilityMakeSafe,
    NaturalConnected,
    NaturalUnconnected,
    Action,
    Target,
    Move,
    AttackRoll,
    SeeIntrusion,
    SeeAttack,
    ScanRoll,
    Push,
    Sine,
    SineMoves,
}

/// All purposes.
pub const PURPOSES: [Purpose; 16] = [
    Purpose::EntryNodes,
    Purpose::HighValueNodes,
    Purpose::Vulnerability,
    Purpose::VulnerabilityMakeSafe,
    Purpose::NaturalConnected,
    Purpose::NaturalUnconnected,
    Purpose::Action,
    Purpose::Target,
    Purpose::Move,
    Purpose::AttackRoll,
    Purpose::SeeIntrusion,
    Purpose::SeeAttack,
    Purpose::ScanRoll,
    Purpose::Push,
    Purpose::Sine,
    Purpose::SineMoves,
];

impl Purpose {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EntryNodes => "entry_nodes",
            Self::HighValueNodes => "high_value_nodes",
            Self::Vulnerability => "vulnerability",
            Self::VulnerabilityMakeSafe => "vulnerability_make_safe",
            Self::NaturalConnected => "natural_connected",
            Self::NaturalUnconnected => "natural_unconnected",
            Self::Action => "action",
            Self::Target => "target",
            Self::Move => "move",
            Self::AttackRoll => "attack_roll",
            Self::SeeIntrusion => "see_intrusion",
            Self::SeeAttack => "see_attack",
            Self::ScanRoll => "scan_roll",
            Self::Push => "push",
            Self::Sine => "sine",
            Self::SineMoves => "sine_moves",
        }
    }
}

/// Where in the rules a draw is made; sources that only make numbers ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// What is drawn.
    pub purpose: Purpose,
    /// The node that it is drawn for.
    pub node: Option<u16>,
}

impl Site {
    /// A draw for no node in particular.
    #[must_use]
    #[inline]
    pub const fn new(purpose: Purpose) -> Self {
        Self { purpose, node: None }
    }

    /// A draw for one node.
    #[must_use]
    #[inline]
    pub const fn of(purpose: Purpose, node: u16) -> Self {
        Self { purpose, node: Some(node) }
    }
}

/// A source of the draws that the rules ask for.
///
/// Every result lies in the range that the arguments name, whatever the source: the rules index with it.
pub trait Draws {
    /// Starts again from `seed`. A tape ignores it.
    fn seed(&mut self, seed: u64);

    /// `random.randint`, both ends included, with `low <= high`.
    fn randint(&mut self, site: Site, low: i32, high: i32) -> i32;

    /// `random.uniform`.
    fn uniform(&mut self, site: Site, low: f64, high: f64) -> f64;

    /// `random.choices` of one of `population` (not empty) with weights that sum to one: an index.
    fn weighted(&mut self, site: Site, population: &[u16], weights: &[f64]) -> usize;

    /// `random.choices` of one of `population` (not empty): an index.
    fn choices(&mut self, site: Site, population: &[u16]) -> usize;

    /// `random.sample` of as many indices of `population` as `chosen` holds (no more than there are), all different.
    fn sample(&mut self, site: Site, population: &[u16], chosen: &mut [u32]);

    /// `random.shuffle`, in place.
    fn shuffle(&mut self, site: Site, items: &mut [u16]);

    /// `numpy.random.choice` without replacement with these probabilities, of as many indices as `chosen` holds; there
    /// are at least as many above 0.
    fn numpy_choice(&mut self, site: Site, population: &[u16], probabilities: &[f64], chosen: &mut [u32]);

    /// The order in which a hash set is gone through: `nodes` come in node order.
    #[inline]
    fn arrange(&mut self, _purpose: Purpose, _nodes: &mut [u16]) {}

    /// The population of the next draw, where a recording gives it.
    #[inline]
    fn population(&self, _purpose: Purpose) -> Option<&[u16]> {
        None
    }
}

/// The first index whose running sum of weights is above `unit` of the whole, at most the last: Python's `choices`.
#[inline]
pub(crate) fn weighted_index(weights: &[f64], unit: f64) -> usize {
    let total: f64 = weights.iter().fold(0.0, |sum, weight| sum + weight);
    let wanted = unit * total;
    let mut sum = 0.0;
    for (at, weight) in weights.iter().enumerate() {
        sum += weight;
        if sum > wanted {
            return at;
        }
    }
    weights.len().saturating_sub(1)
}
