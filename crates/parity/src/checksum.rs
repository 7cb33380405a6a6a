//! A checksum over what a player sees, for replays and benches.

/// How words are mixed: an odd factor with its bits spread.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A running 64-bit checksum (multiply and rotate over words; not cryptographic).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// A checksum over nothing yet. Each simulator has a start of its own.
    #[must_use]
    pub const fn new(start: u64) -> Self {
        Self(start)
    }

    /// Takes in a word.
    #[inline]
    pub const fn word(&mut self, word: u64) {
        self.0 = mixed(self.0, word);
    }

    /// Takes in blocks of four words: four lanes side by side, so that the multiplications overlap.
    #[inline]
    pub fn blocks(&mut self, blocks: impl Iterator<Item = [u64; 4]>) {
        let mut lanes = [self.0, !self.0, self.0.rotate_left(16), self.0.rotate_left(32)];
        for words in blocks {
            for (lane, word) in lanes.iter_mut().zip(words) {
                *lane = mixed(*lane, word);
            }
        }
        for lane in lanes {
            self.word(lane);
        }
    }

    /// Its value, in 16 hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[inline]
const fn mixed(state: u64, word: u64) -> u64 {
    (state.rotate_left(23) ^ word).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    #[test]
    fn order_and_start_count() {
        let of = |start: u64, words: &[u64]| {
            let mut sum = Checksum::new(start);
            words.iter().for_each(|word| sum.word(*word));
            sum.hex()
        };
        assert_eq!(of(1, &[]), "0000000000000001");
        assert_ne!(of(1, &[2, 3]), of(1, &[3, 2]));
        assert_ne!(of(1, &[2]), of(2, &[2]));
        let mut sum = Checksum::new(1);
        sum.blocks([[1, 2, 3, 4], [5, 6, 7, 8]].into_iter());
        let mut other = Checksum::new(1);
        other.blocks([[1, 2, 3, 4], [5, 6, 8, 7]].into_iter());
        assert_ne!(sum, other);
    }
}
