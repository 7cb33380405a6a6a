//! Named streams of randomness from one seed, with a frozen generator.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::Digest;

/// Derives a seed from named parts: the first eight bytes of their joint hash.
///
/// An episode's seed is derived from study seed, environment part, task and run, and from nothing of the
/// architecture or the roles: compared cells meet the same environments.
#[must_use]
pub fn derive(parts: &[&[u8]]) -> u64 {
    Digest::of_parts(parts).head()
}

/// A step of SplitMix64 (Steele, Lea and Flood, 2014): moves the state by the golden ratio and returns it mixed.
///
/// Frozen: simulators draw from it, and it seeds the resamples of published intervals.
#[inline]
pub const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// FNV-1a over 64 bits (Fowler, Noll and Vo): spreads names over numbers. Its low bits alone are weak.
///
/// Frozen: names of resamples and hashed vectors depend on it.
#[inline]
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, step)
}

/// A frozen generator: ChaCha with eight rounds, keyed by (seed, stream name).
///
/// The same seed and name give the same draws on every machine and in every version of Gimbal.
#[derive(Clone, Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// The stream called `name` of `seed`. Streams of other names are independent of it.
    #[must_use]
    pub fn stream(seed: u64, name: &str) -> Self {
        let key = Digest::of_parts(&[b"gimbal/stream/v1", &seed.to_be_bytes(), name.as_bytes()]);
        Self(ChaCha8Rng::from_seed(key.0))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer below `bound`, without bias; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Rejection below the largest multiple of `bound`.
        let zone = u64::MAX - (u64::MAX - bound + 1) % bound;
        loop {
            let draw = self.0.next_u64();
            if draw <= zone {
                return draw % bound;
            }
        }
    }

    /// A uniform real in [0, 1) with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One item, each equally likely; none from an empty slice.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let index = self.below(items.len() as u64) as usize;
        items.get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rng, fnv, split_mix};

    /// The published first outputs of SplitMix64, and published hashes of FNV-1a.
    #[test]
    fn split_mix_and_fnv_give_what_is_published() {
        let mut state = 1_234_567;
        let mixed: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        assert_eq!(mixed, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(
            (fnv([]), fnv(*b"a"), fnv(*b"foobar")),
            (0xCBF2_9CE4_8422_2325, 0xAF63_DC4C_8601_EC8C, 0x8594_4171_F739_67E8)
        );
    }

    #[test]
    fn the_stream_is_frozen() {
        let mut rng = Rng::stream(7, "world");
        let draws = [rng.next_u64(), rng.next_u64(), rng.next_u64()];
        assert_eq!(draws, FROZEN);
    }

    const FROZEN: [u64; 3] = [201_997_701_739_574_301, 4_320_269_949_155_303_108, 7_921_452_275_587_279_188];

    #[test]
    fn streams_differ_by_name_and_seed() {
        let first = Rng::stream(7, "world").next_u64();
        assert_ne!(first, Rng::stream(7, "faults").next_u64());
        assert_ne!(first, Rng::stream(8, "world").next_u64());
    }

    #[test]
    fn below_is_even_handed() {
        let mut rng = Rng::stream(1, "even");
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
    }
}
