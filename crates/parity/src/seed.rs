//! A seed of any size.

use num_bigint::BigUint;

/// A seed as CPython takes it: a whole number of any size, without its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// Its digits to the base of 2^32, lowest first; at least one, and no leading zero but a single one.
    digits: Vec<u32>,
}

/// The longest text that CPython reads as a whole number, unless told otherwise.
const LONGEST: usize = 4300;

impl Seed {
    /// Reads a decimal number with an optional sign; `None` if it is something else or longer than 4300 digits.
    #[must_use]
    pub fn from_decimal(text: &str) -> Option<Self> {
        let decimal = text.strip_prefix(['-', '+']).unwrap_or(text);
        if decimal.is_empty() || decimal.len() > LONGEST || !decimal.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = BigUint::parse_bytes(decimal.as_bytes(), 10)?.to_u32_digits();
        // Zero has no digits there and one here.
        Some(Self { digits: if digits.is_empty() { vec![0] } else { digits } })
    }

    /// The seed as a number of 64 bits, if it has no more.
    #[must_use]
    pub fn small(&self) -> Option<u64> {
        match self.digits.as_slice() {
            [low] => Some(u64::from(*low)),
            [low, high] => Some(u64::from(*low) | (u64::from(*high) << 32)),
            _ => None,
        }
    }

    /// The digits to the base of 2^32, lowest first.
    #[must_use]
    pub fn digits(&self) -> &[u32] {
        &self.digits
    }
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        Self { digits: if high == 0 { vec![low] } else { vec![low, high] } }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Seed;

    #[test]
    fn decimal_text_becomes_digits() {
        let digits = |text: &str| Seed::from_decimal(text).map(|seed| seed.digits);
        assert_eq!(digits("0"), Some(vec![0]));
        assert_eq!(digits("-000"), Some(vec![0]));
        assert_eq!(digits("-7"), Some(vec![7]));
        assert_eq!(digits("18446744073709551616"), Some(vec![0, 0, 1]));
        assert_eq!(digits("340282366920938463463374607431768211455"), Some(vec![u32::MAX; 4]));
        for text in ["", "-", "1.5", "1e30", "0x10", "1 2", "\u{661}"] {
            assert_eq!(digits(text), None, "{text}");
        }
        assert_eq!(digits(&"9".repeat(4301)), None);
        assert_eq!(digits(&"9".repeat(4300)).map(|digits| digits.len()), Some(447));
    }

    proptest! {
        #[test]
        fn small_seeds_are_the_number_itself(seed in any::<u64>()) {
            let read = Seed::from_decimal(&seed.to_string());
            prop_assert_eq!(read.as_ref().and_then(Seed::small), Some(seed));
            prop_assert_eq!(read, Some(Seed::from(seed)));
        }
    }
}
