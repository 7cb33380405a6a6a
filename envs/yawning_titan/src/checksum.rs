//! A checksum over what a player sees: reward and vector, step by step.

/// A running 64-bit checksum (multiply and rotate over words; not cryptographic).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0x6769_6D62_616C_0002)
    }
}

impl Checksum {
    /// Takes in a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
        // Four strands side by side, so that the multiplications overlap.
        let mut strands = [self.0, !self.0, self.0.rotate_left(16), self.0.rotate_left(32)];
        let (blocks, rest) = vector.as_chunks::<8>();
        for block in blocks {
            let (pairs, _) = block.as_chunks::<2>();
            for (strand, [low, high]) in strands.iter_mut().zip(pairs) {
                let word = u64::from(low.to_bits()) | (u64::from(high.to_bits()) << 32);
                *strand = (strand.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
        strands.into_iter().for_each(|strand| self.word(strand));
        rest.iter().for_each(|value| self.word(u64::from(value.to_bits())));
        self.word(vector.len() as u64);
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}
