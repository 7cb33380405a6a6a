//! CPython's `random` module, bit for bit: a seed gives the very episode that CybORG gives.

use gimbal_parity::Mersenne;

use super::{Draws, Site};

impl Draws for Mersenne {
    fn seed(&mut self, seed: u64) {
        self.reseed(seed);
    }

    #[inline]
    fn choice(&mut self, _: Site, count: u32) -> u32 {
        self.below(count)
    }

    #[inline]
    fn choices(&mut self, _: Site, count: u32) -> u32 {
        // The product is below `count`: a unit is below one and `count` is small.
        (self.unit() * f64::from(count)) as u32
    }

    #[inline]
    fn random(&mut self, _: Site) -> f64 {
        self.unit()
    }

    #[inline]
    fn randrange(&mut self, _: Site, start: u32, stop: u32) -> u32 {
        start + self.below(stop - start)
    }

    fn sample(&mut self, _: Site, count: u32, chosen: &mut [u32]) {
        self.sample_of(count, chosen);
    }

    #[inline]
    fn shuffle(&mut self, _: Site, items: &mut [u8]) {
        self.shuffle_all(items);
    }
}
