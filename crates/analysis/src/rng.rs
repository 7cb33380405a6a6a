//! A frozen generator, so that a seed gives the same resamples in every version and on every machine.

/// xoshiro256++ (Blackman and Vigna, 2019) seeded through SplitMix64. Frozen: a change of its output is a change of
/// published intervals.
#[derive(Clone, Debug)]
pub struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// A generator for this seed; every seed is good.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut mixer = seed;
        Self { state: std::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// A generator for one named purpose of a seed, so that purposes do not share draws.
    #[must_use]
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a: only has to spread names over seeds.
        let spread = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self::new(seed ^ spread)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let mut next = [a, b, c ^ a, d ^ b];
        next[1] ^= next[2];
        next[0] ^= next[3];
        next[2] ^= b << 17;
        next[3] = next[3].rotate_left(45);
        self.state = next;
        result
    }

    /// A whole number below `bound`, without bias (Lemire 2019); 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[cfg(test)]
    fn from_state(state: [u64; 4]) -> Self {
        Self { state }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Generator, split_mix};

    /// The published first outputs of both generators.
    #[test]
    fn gives_the_published_sequences() {
        let mut state = 1_234_567;
        let mixed: Vec<u64> = (0..3).map(|_| split_mix(&mut state)).collect();
        assert_eq!(mixed, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        let mut generator = Generator::from_state([1, 2, 3, 4]);
        let drawn: Vec<u64> = (0..4).map(|_| generator.next_u64()).collect();
        assert_eq!(drawn, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    /// Each of six faces comes up close to a sixth of 60,000 throws (five standard errors, fixed seed).
    #[test]
    fn draws_below_a_bound_evenly() {
        let mut generator = Generator::new(7);
        let mut faces = [0_u32; 6];
        for _ in 0..60_000 {
            faces[generator.below(6) as usize] += 1;
        }
        assert!(faces.iter().all(|&count| count.abs_diff(10_000) < 457), "{faces:?}");
        assert_eq!(generator.below(0), 0);
    }
}
