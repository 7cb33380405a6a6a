//! CPython's `random` module, bit for bit, and the seeding of numpy's older generator, which is the same twister.

use crate::Seed;

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// The Mersenne Twister (MT19937) as CPython 3 seeds and reads it.
#[derive(Clone, Debug)]
pub struct Mersenne {
    words: Box<[u32; WORDS]>,
    next: usize,
}

impl Mersenne {
    /// The generator after `random.seed(seed)`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut twister = Self { words: Box::new([0; WORDS]), next: WORDS };
        twister.reseed(seed);
        twister
    }

    /// The generator after `random.seed(seed)`, of whatever size the seed is.
    #[must_use]
    pub fn from_seed(seed: &Seed) -> Self {
        let mut twister = Self { words: Box::new([0; WORDS]), next: WORDS };
        twister.seed_with(seed);
        twister
    }

    /// `random.seed(seed)`, of whatever size the seed is.
    pub fn seed_with(&mut self, seed: &Seed) {
        self.init_by_array(seed.digits());
    }

    /// `random.seed(seed)`.
    pub fn reseed(&mut self, seed: u64) {
        let low = seed as u32;
        let high = (seed >> 32) as u32;
        let digits = [low, high];
        let key = if high == 0 { &digits[..1] } else { &digits[..] };
        self.init_by_array(key);
    }

    /// numpy's `random.seed(seed)`; doubles are then read with [`Mersenne::unit`].
    pub fn seed_as_numpy(&mut self, seed: u32) {
        let words = &mut *self.words;
        words[0] = seed;
        for at in 1..WORDS {
            let last = words[at - 1];
            words[at] = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(at as u32);
        }
        self.next = WORDS;
    }

    fn init_by_array(&mut self, key: &[u32]) {
        let words = &mut *self.words;
        words.copy_from_slice(&FIRST_FILL);
        let mut at = 1;
        let mut digit = 0;
        let mut last = words[0];
        for _ in 0..WORDS.max(key.len()) {
            last = (words[at] ^ (last ^ (last >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[digit])
                .wrapping_add(digit as u32);
            words[at] = last;
            at += 1;
            digit += 1;
            if at >= WORDS {
                words[0] = last;
                at = 1;
            }
            if digit >= key.len() {
                digit = 0;
            }
        }
        for _ in 0..WORDS - 1 {
            last = (words[at] ^ (last ^ (last >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(at as u32);
            words[at] = last;
            at += 1;
            if at >= WORDS {
                words[0] = last;
                at = 1;
            }
        }
        words[0] = 0x8000_0000;
        self.next = WORDS;
    }

    fn twist(&mut self) {
        let words = &mut *self.words;
        let mix = |upper: u32, lower: u32| {
            let joined = (upper & 0x8000_0000) | (lower & 0x7FFF_FFFF);
            (joined >> 1) ^ (if lower & 1 == 0 { 0 } else { 0x9908_B0DF })
        };
        for at in 0..WORDS - MIDDLE {
            words[at] = words[at + MIDDLE] ^ mix(words[at], words[at + 1]);
        }
        for at in WORDS - MIDDLE..WORDS - 1 {
            words[at] = words[at + MIDDLE - WORDS] ^ mix(words[at], words[at + 1]);
        }
        words[WORDS - 1] = words[MIDDLE - 1] ^ mix(words[WORDS - 1], words[0]);
        self.next = 0;
    }

    /// The next 32 bits.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= WORDS {
            self.twist();
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9D2C_5680;
        word ^= (word << 15) & 0xEFC6_0000;
        word ^ (word >> 18)
    }

    /// `random.getrandbits(bits)` for 0 to 64 bits; the low word is drawn first.
    pub fn getrandbits(&mut self, bits: u32) -> u64 {
        match bits.min(64) {
            0 => 0,
            bits @ 1..=32 => u64::from(self.next_u32() >> (32 - bits)),
            bits => {
                let low = u64::from(self.next_u32());
                let high = u64::from(self.next_u32() >> (64 - bits));
                low | (high << 32)
            }
        }
    }

    /// CPython's `_randbelow`: as many bits as `count` has, again until below it. `count` is at least one.
    #[inline]
    pub fn below(&mut self, count: u32) -> u32 {
        let shift = count.leading_zeros();
        loop {
            let drawn = self.next_u32() >> (shift & 31);
            if drawn < count {
                return drawn;
            }
        }
    }

    /// `random.random()`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        let high = f64::from(self.next_u32() >> 5);
        let low = f64::from(self.next_u32() >> 6);
        (high * 67_108_864.0 + low) * (1.0 / 9_007_199_254_740_992.0)
    }

    /// `random.sample` of as many of `count` indices as `chosen` holds, all different.
    pub fn sample_of(&mut self, count: u32, chosen: &mut [u32]) {
        // CPython copies the pool where that is smaller than a set of the chosen.
        let wanted = chosen.len() as u64;
        let mut set_size = 21;
        if wanted > 5 {
            let mut power = 1;
            while power < wanted * 3 {
                power *= 4;
            }
            set_size += power;
        }
        if u64::from(count) > set_size {
            for at in 0..chosen.len() {
                loop {
                    let drawn = self.below(count);
                    if !chosen[..at].contains(&drawn) {
                        chosen[at] = drawn;
                        break;
                    }
                }
            }
            return;
        }
        let mut small: [u32; POOL] = std::array::from_fn(|at| at as u32);
        if count as usize <= POOL {
            self.sample_from(&mut small[..count as usize], chosen);
        } else {
            self.sample_from(&mut (0..count).collect::<Vec<u32>>(), chosen);
        }
    }

    fn sample_from(&mut self, pool: &mut [u32], chosen: &mut [u32]) {
        let count = pool.len();
        for (at, slot) in chosen.iter_mut().enumerate() {
            let left = count - at;
            let drawn = self.below(left as u32) as usize;
            *slot = pool[drawn];
            pool[drawn] = pool[left - 1];
        }
    }

    /// `random.shuffle`, in place.
    #[inline]
    pub fn shuffle_all<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// Pools up to this size need no memory of their own.
const POOL: usize = 128;

/// The state after `init_genrand(19650218)`, with which CPython always begins.
static FIRST_FILL: [u32; WORDS] = {
    let mut words = [0; WORDS];
    words[0] = 19_650_218_u32;
    let mut at = 1;
    while at < WORDS {
        let last = words[at - 1];
        words[at] = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(at as u32);
        at += 1;
    }
    words
};

#[cfg(test)]
mod tests {
    use super::Mersenne;

    /// What numpy prints for `numpy.random.seed(0); numpy.random.random_sample(3)`.
    #[test]
    fn numpy_seeds_the_same_twister_another_way() {
        let mut twister = Mersenne::new(5);
        twister.seed_as_numpy(0);
        let drawn = [0; 3].map(|_| twister.unit());
        assert_eq!(drawn, [0.548_813_503_927_324_8, 0.715_189_366_372_419_5, 0.602_763_376_071_643_9]);
    }

    /// What CPython prints for `random.seed(3); random.sample(range(300), 4)` and the like on either side of its limits.
    #[test]
    fn samples_of_small_and_large_pools_are_those_of_cpython() {
        for (count, wanted, first) in [
            (21, 5, [7, 18, 17]),
            (22, 5, [7, 18, 17]),
            (85, 16, [30, 75, 69]),
            (130, 40, [60, 33, 94]),
            (300, 4, [121, 278, 66]),
        ] {
            let draw = || {
                let mut chosen = vec![0; wanted];
                Mersenne::new(3).sample_of(count, &mut chosen);
                chosen
            };
            let mut chosen = draw();
            assert_eq!(chosen[..3], first);
            chosen.sort_unstable();
            chosen.dedup();
            assert!(chosen.len() == wanted && chosen.iter().all(|at| *at < count));
        }
    }
}
