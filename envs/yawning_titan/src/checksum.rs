//! A checksum over what a player sees: reward and vector, step by step.

/// A running checksum; see [`gimbal_parity::Checksum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(gimbal_parity::Checksum);

impl Default for Checksum {
    fn default() -> Self {
        Self(gimbal_parity::Checksum::new(0x6769_6D62_616C_0002))
    }
}

impl Checksum {
    /// Takes in a word.
    #[inline]
    pub const fn word(&mut self, word: u64) {
        self.0.word(word);
    }

    /// Takes in a reward.
    #[inline]
    pub fn reward(&mut self, reward: f64) {
        // 0.0 and -0.0 are one reward.
        self.word(if reward == 0.0 { 0 } else { reward.to_bits() });
    }

    /// Takes in a reward and the vector that came with it.
    #[inline]
    pub fn step(&mut self, reward: f64, vector: &[f32]) {
        self.reward(reward);
        let (blocks, rest) = vector.as_chunks::<8>();
        let words = |block: &[f32; 8]| {
            let (pairs, _) = block.as_chunks::<2>();
            std::array::from_fn(|at| u64::from(pairs[at][0].to_bits()) | (u64::from(pairs[at][1].to_bits()) << 32))
        };
        self.0.blocks(blocks.iter().map(words));
        rest.iter().for_each(|value| self.word(u64::from(value.to_bits())));
        self.word(vector.len() as u64);
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        self.0.hex()
    }
}
