//! A checksum over what a player sees: reward and vector, or reward and text, step by step.

use serde::{Deserialize, Serialize};

use crate::names::Names;
use crate::sim::Simulator;

/// What is made of every step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observe {
    /// The reward only.
    None,
    /// Reward and vector.
    #[default]
    Vector,
    /// Reward and the raw observation as the text that CybORG prints, that of the reset too.
    Raw,
}

impl Observe {
    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Vector => "vector",
            Self::Raw => "raw",
        }
    }

    /// The view of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Vector, Self::Raw].into_iter().find(|observe| observe.name() == name)
    }
}

/// A running checksum; see [`gimbal_parity::Checksum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(gimbal_parity::Checksum);

impl Default for Checksum {
    fn default() -> Self {
        Self(gimbal_parity::Checksum::new(0x6769_6D62_616C_0001))
    }
}

impl Checksum {
    /// Takes in a word.
    #[inline]
    pub const fn word(&mut self, word: u64) {
        self.0.word(word);
    }

    /// Takes in bytes and their number.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        let (blocks, rest) = bytes.as_chunks::<32>();
        let words = |block: &[u8; 32]| {
            let (words, _) = block.as_chunks::<8>();
            std::array::from_fn(|at| u64::from_le_bytes(words[at]))
        };
        self.0.blocks(blocks.iter().map(words));
        for piece in rest.chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    /// Takes in a reward, in tenths.
    #[inline]
    pub fn reward(&mut self, tenths: i32) {
        self.word(u64::from(tenths.cast_unsigned()));
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        self.0.hex()
    }
}

/// Takes in what a reset shows.
#[inline]
pub(crate) fn fold_reset<D>(simulator: &Simulator<D>, observe: Observe, text: &mut Vec<u8>, sum: &mut Checksum) {
    if observe == Observe::Raw {
        fold_text(simulator, text, sum);
    }
}

/// Takes in what a step shows.
#[inline]
pub(crate) fn fold_step<D>(simulator: &Simulator<D>, observe: Observe, text: &mut Vec<u8>, sum: &mut Checksum) {
    sum.reward(simulator.reward_tenths());
    match observe {
        Observe::None => {}
        Observe::Vector => sum.word(simulator.vector()),
        Observe::Raw => fold_text(simulator, text, sum),
    }
}

fn fold_text<D>(simulator: &Simulator<D>, text: &mut Vec<u8>, sum: &mut Checksum) {
    // The names are constant; building them once a thread keeps this signature small.
    thread_local! {
        static NAMES: Names = Names::original();
    }
    text.clear();
    NAMES.with(|names| simulator.write_observation(names, text));
    sum.bytes(text);
}
