//! A fast generator, frozen: the same seed gives the same draws in every version.

use super::{Draws, Site, weighted_index};

/// SplitMix64 (Steele, Lea and Flood, 2014): a counter stepped by the golden ratio and mixed.
///
/// A draw below *n* is the high word of a 32-bit draw times *n* (bias below *n* / 2^32). Frozen by a test of its first
/// outputs: changing it changes every seeded result.
#[derive(Clone, Debug)]
pub struct Fast {
    state: u64,
}

impl Fast {
    /// A generator at the start of `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// An index below `count`; nought when `count` is nought.
    #[inline]
    pub fn below(&mut self, count: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(count)) >> 32) as u32
    }

    /// A real in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

impl Draws for Fast {
    fn seed(&mut self, seed: u64) {
        self.state = seed;
    }

    #[inline]
    fn randint(&mut self, _: Site, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1).cast_unsigned()).cast_signed()
    }

    #[inline]
    fn uniform(&mut self, _: Site, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    #[inline]
    fn weighted(&mut self, _: Site, population: &[u16], weights: &[f64]) -> usize {
        // One thing to choose from needs no number.
        if population.len() <= 1 { 0 } else { weighted_index(weights, self.unit()) }
    }

    #[inline]
    fn choices(&mut self, _: Site, population: &[u16]) -> usize {
        if population.len() <= 1 { 0 } else { self.below(population.len() as u32) as usize }
    }

    fn sample(&mut self, _: Site, population: &[u16], chosen: &mut [u32]) {
        for at in 0..chosen.len() {
            loop {
                let drawn = self.below(population.len() as u32);
                if !chosen[..at].contains(&drawn) {
                    chosen[at] = drawn;
                    break;
                }
            }
        }
    }

    #[inline]
    fn shuffle(&mut self, _: Site, items: &mut [u16]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }

    fn numpy_choice(&mut self, _: Site, _: &[u16], probabilities: &[f64], chosen: &mut [u32]) {
        for at in 0..chosen.len() {
            loop {
                let drawn = weighted_index(probabilities, self.unit()) as u32;
                if probabilities[drawn as usize] > 0.0 && !chosen[..at].contains(&drawn) {
                    chosen[at] = drawn;
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::Purpose;

    #[test]
    fn the_first_outputs_are_frozen() {
        let mut fast = Fast::new(0);
        // The published outputs of SplitMix64 from state nought.
        assert_eq!(fast.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(fast.next_u64(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(fast.next_u64(), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn the_first_draws_are_frozen() {
        let site = Site::new(Purpose::Action);
        let mut fast = Fast::new(7);
        let rolls = [0; 3].map(|_| fast.randint(site, 0, 100));
        let mut sample = [0; 4];
        fast.sample(site, &[0; 14], &mut sample);
        let mut order = [0, 1, 2, 3, 4];
        fast.shuffle(site, &mut order);
        let weighted = [0; 4].map(|_| fast.weighted(site, &[0; 3], &[0.5, 0.25, 0.25]));
        let mut drawn = [0; 2];
        fast.numpy_choice(site, &[0; 3], &[0.1, 0.0, 0.9], &mut drawn);
        let real = fast.uniform(site, 1.0, 3.0);
        assert_eq!(format!("{rolls:?} {sample:?} {order:?} {weighted:?} {drawn:?} {real}"), FROZEN);
    }

    const FROZEN: &str = "[39, 1, 90] [8, 6, 3, 4] [2, 3, 4, 1, 0] [2, 2, 2, 1] [2, 0] 1.814088069810135";
}
