//! A checksum over what a player sees: reply and reward, step by step.

/// A running checksum; see [`gimbal_parity::Checksum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(gimbal_parity::Checksum);

impl Default for Checksum {
    fn default() -> Self {
        Self(gimbal_parity::Checksum::new(0x6769_6D62_616C_0003))
    }
}

impl Checksum {
    /// Takes in a text, and whether it came with the reward.
    #[inline]
    pub fn step(&mut self, text: &str, rewarded: bool) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.0.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.0.word(u64::from_le_bytes(last));
        self.0.word((text.len() as u64) << 1 | u64::from(rewarded));
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        self.0.hex()
    }
}
