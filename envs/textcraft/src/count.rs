//! Amounts of any size: the original counts with Python's whole numbers, which have no bound.

use std::cmp::Ordering;

/// The longest text that CPython reads as a whole number, unless told otherwise.
pub const LONGEST: usize = 4300;

/// The base of the digits of a large amount.
const BASE: u64 = 1_000_000_000;

/// A whole number, at least 0. Amounts that occur in play are small and need no memory of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Count(Inner);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Inner {
    Small(u64),
    /// Above what 64 bits hold: digits to the base of 10^9, lowest first, the last one not 0.
    Large(Box<[u32]>),
}

impl Default for Count {
    fn default() -> Self {
        Self::from(0)
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self(Inner::Small(value))
    }
}

impl Count {
    /// Reads decimal digits; none if the text is empty, holds anything else, or is longer than [`LONGEST`].
    #[must_use]
    #[inline]
    pub fn read(digits: &str) -> Option<Self> {
        let bytes = digits.as_bytes();
        if bytes.is_empty() || bytes.len() > LONGEST || !bytes.iter().all(u8::is_ascii_digit) {
            return None;
        }
        // Nineteen digits always fit.
        if bytes.len() <= 19 {
            return Some(Self::from(bytes.iter().fold(0, |value, byte| value * 10 + u64::from(byte - b'0'))));
        }
        let limbs = bytes.rchunks(9).map(|piece| {
            let value = piece.iter().fold(0, |value, byte| value * 10 + u64::from(byte - b'0'));
            value as u32
        });
        Some(Self::of_limbs(limbs.collect()))
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        matches!(self.0, Inner::Small(0))
    }

    /// The amount, or the largest of 64 bits where it is larger.
    #[must_use]
    pub const fn saturating(&self) -> u64 {
        match self.0 {
            Inner::Small(value) => value,
            Inner::Large(_) => u64::MAX,
        }
    }

    /// Adds another amount.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        if let (Inner::Small(one), Inner::Small(two)) = (&self.0, &other.0)
            && let Some(sum) = one.checked_add(*two)
        {
            self.0 = Inner::Small(sum);
            return;
        }
        let (one, two) = (self.limbs(), other.limbs());
        let mut sum = Vec::with_capacity(one.len().max(two.len()) + 1);
        let mut carry = 0;
        for at in 0..one.len().max(two.len()) {
            let digit = |limbs: &[u32]| limbs.get(at).copied().map_or(0, u64::from);
            let value = digit(&one) + digit(&two) + carry;
            sum.push((value % BASE) as u32);
            carry = value / BASE;
        }
        sum.push(carry as u32);
        *self = Self::of_limbs(sum);
    }

    /// Takes another amount away; nothing is left where it is larger.
    #[inline]
    pub fn take(&mut self, other: &Self) {
        if let (Inner::Small(one), Inner::Small(two)) = (&self.0, &other.0) {
            self.0 = Inner::Small(one.saturating_sub(*two));
            return;
        }
        if *self <= *other {
            self.0 = Inner::Small(0);
            return;
        }
        let (one, two) = (self.limbs(), other.limbs());
        let mut borrow = 0;
        let rest = one.iter().enumerate().map(|(at, digit)| {
            let minus = two.get(at).copied().map_or(0, u64::from) + borrow;
            let digit = u64::from(*digit);
            borrow = u64::from(digit < minus);
            (digit + borrow * BASE - minus) as u32
        });
        let rest = rest.collect();
        *self = Self::of_limbs(rest);
    }

    /// Appends the decimal digits.
    #[inline]
    pub fn push_to(&self, out: &mut String) {
        match &self.0 {
            Inner::Small(value) => push_whole(out, *value),
            Inner::Large(limbs) => {
                for (at, limb) in limbs.iter().rev().enumerate() {
                    let from = out.len();
                    push_whole(out, u64::from(*limb));
                    for _ in (out.len() - from)..(if at == 0 { 0 } else { 9 }) {
                        out.insert(from, '0');
                    }
                }
            }
        }
    }

    /// The digits to the base of 10^9, lowest first.
    fn limbs(&self) -> Vec<u32> {
        match &self.0 {
            Inner::Small(value) => {
                vec![(value % BASE) as u32, (value / BASE % BASE) as u32, (value / BASE / BASE) as u32]
            }
            Inner::Large(limbs) => limbs.to_vec(),
        }
    }

    fn of_limbs(mut limbs: Vec<u32>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        let small = limbs.iter().rev().try_fold(0_u64, |value, limb| {
            value.checked_mul(BASE).and_then(|value| value.checked_add(u64::from(*limb)))
        });
        Self(small.map_or_else(|| Inner::Large(limbs.into()), Inner::Small))
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Count {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Inner::Small(one), Inner::Small(two)) => one.cmp(two),
            (Inner::Small(_), Inner::Large(_)) => Ordering::Less,
            (Inner::Large(_), Inner::Small(_)) => Ordering::Greater,
            (Inner::Large(one), Inner::Large(two)) => {
                one.len().cmp(&two.len()).then_with(|| one.iter().rev().cmp(two.iter().rev()))
            }
        }
    }
}

/// Appends a whole number.
#[inline]
pub(crate) fn push_whole(out: &mut String, mut value: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    // Digits are ASCII.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Count, LONGEST};

    fn count(value: u128) -> Count {
        Count::read(&value.to_string()).unwrap()
    }

    fn text(count: &Count) -> String {
        let mut out = String::new();
        count.push_to(&mut out);
        out
    }

    #[test]
    fn reads_digits_and_nothing_else() {
        for text in ["", "-1", "+1", "1 ", "1e3", "\u{661}"] {
            assert_eq!(Count::read(text), None, "{text}");
        }
        assert_eq!(text(&Count::read("007").unwrap()), "7");
        assert_eq!(text(&Count::read("00000000000000000000000000000").unwrap()), "0");
        let long = "9".repeat(LONGEST);
        assert_eq!(text(&Count::read(&long).unwrap()), long);
        assert_eq!(Count::read(&"9".repeat(LONGEST + 1)), None);
    }

    proptest! {
        #[test]
        fn counts_as_whole_numbers_do(one in 0..u128::MAX / 2, two in 0..u128::MAX / 2, by in 0_u32..128) {
            for (one, two) in [(one, two), (one >> by, two >> by), (one >> by, two)] {
                let (a, b) = (count(one), count(two));
                prop_assert_eq!(text(&a), one.to_string());
                prop_assert_eq!(a.cmp(&b), one.cmp(&two));
                let mut sum = a.clone();
                sum.add(&b);
                prop_assert_eq!(text(&sum), (one + two).to_string());
                prop_assert_eq!(&sum, &count(one + two));
                let mut rest = sum.clone();
                rest.take(&b);
                prop_assert_eq!(&rest, &a);
                let mut rest = a.clone();
                rest.take(&b);
                prop_assert_eq!(&rest, &count(one.saturating_sub(two)));
                prop_assert_eq!(a.saturating(), u64::try_from(one).unwrap_or(u64::MAX));
                prop_assert_eq!(a.is_zero(), one == 0);
            }
        }
    }
}
