//! A checksum over what a player sees: reply and reward, step by step.

/// A running 64-bit checksum (multiply and rotate over words; not cryptographic).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0x6769_6D62_616C_0003)
    }
}

impl Checksum {
    #[inline]
    const fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    /// Takes in a text, and whether it came with the reward.
    #[inline]
    pub fn step(&mut self, text: &str, rewarded: bool) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word((text.len() as u64) << 1 | u64::from(rewarded));
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}
