//! The generators of the original: Python's, and numpy's older global one for entry nodes. Bit for bit.

use gimbal_parity::{Mersenne, Seed};

use super::{Draws, Site, weighted_index};

/// Python's `random` and numpy's `random`, both seeded with the same number.
#[derive(Clone, Debug)]
pub struct Python {
    random: Mersenne,
    numpy: Mersenne,
    left: Vec<f64>,
}

impl Python {
    /// Both after being seeded with `seed`. numpy takes seeds below 2^32; of a larger one it is given the low 32 bits.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut python = Self { random: Mersenne::new(seed), numpy: Mersenne::new(0), left: Vec::new() };
        python.numpy.seed_as_numpy(seed as u32);
        python
    }

    /// Seeds both, of whatever size the seed is.
    pub fn seed_with(&mut self, seed: &Seed) {
        self.random.seed_with(seed);
        self.numpy.seed_as_numpy(seed.digits().first().copied().unwrap_or_default());
    }

    /// The check draws of recordings: `random.getrandbits(64)` and `numpy.random.random_sample()`.
    pub fn check(&mut self) -> (u64, f64) {
        (self.random.getrandbits(64), self.numpy.unit())
    }
}

impl Draws for Python {
    fn seed(&mut self, seed: u64) {
        self.random.reseed(seed);
        self.numpy.seed_as_numpy(seed as u32);
    }

    #[inline]
    fn randint(&mut self, _: Site, low: i32, high: i32) -> i32 {
        low + self.random.below((high - low + 1).cast_unsigned()).cast_signed()
    }

    #[inline]
    fn uniform(&mut self, _: Site, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random.unit()
    }

    #[inline]
    fn weighted(&mut self, _: Site, _: &[u16], weights: &[f64]) -> usize {
        weighted_index(weights, self.random.unit())
    }

    #[inline]
    fn choices(&mut self, _: Site, population: &[u16]) -> usize {
        // The product is below the number of things: a unit is below one and the number is small.
        (self.random.unit() * population.len() as f64) as usize
    }

    fn sample(&mut self, _: Site, population: &[u16], chosen: &mut [u32]) {
        self.random.sample_of(population.len() as u32, chosen);
    }

    #[inline]
    fn shuffle(&mut self, _: Site, items: &mut [u16]) {
        self.random.shuffle_all(items);
    }

    fn numpy_choice(&mut self, _: Site, _: &[u16], probabilities: &[f64], chosen: &mut [u32]) {
        self.left.clear();
        self.left.extend_from_slice(probabilities);
        let mut found = 0;
        while found < chosen.len() {
            // As many doubles at once as are still missing; those found before get no probability any more.
            for earlier in &chosen[..found] {
                self.left[*earlier as usize] = 0.0;
            }
            let total: f64 = self.left.iter().fold(0.0, |sum, weight| sum + weight);
            let from = found;
            for _ in from..chosen.len() {
                let unit = self.numpy.unit();
                let mut sum = 0.0;
                let at = self.left.iter().position(|weight| {
                    sum += weight;
                    sum / total > unit
                });
                let drawn = at.unwrap_or(self.left.len() - 1) as u32;
                if !chosen[from..found].contains(&drawn) {
                    chosen[found] = drawn;
                    found += 1;
                }
            }
        }
    }
}
