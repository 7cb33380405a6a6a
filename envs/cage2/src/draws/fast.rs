//! The draws of this environment from the fast generator.

pub use gimbal_parity::Fast;

use super::{Draws, Site};

impl Draws for Fast {
    fn seed(&mut self, seed: u64) {
        *self = Self::new(seed);
    }

    #[inline]
    fn choice(&mut self, _: Site, count: u32) -> u32 {
        // One thing to choose from needs no number.
        if count <= 1 { 0 } else { self.below(count) }
    }

    #[inline]
    fn choices(&mut self, _: Site, count: u32) -> u32 {
        if count <= 1 { 0 } else { self.below(count) }
    }

    #[inline]
    fn random(&mut self, _: Site) -> f64 {
        self.unit()
    }

    #[inline]
    fn randrange(&mut self, _: Site, start: u32, stop: u32) -> u32 {
        start + self.below(stop - start)
    }

    #[inline]
    fn sample(&mut self, _: Site, count: u32, chosen: &mut [u32]) {
        self.distinct(count, chosen);
    }

    #[inline]
    fn shuffle(&mut self, _: Site, items: &mut [u8]) {
        self.reorder(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::{Phase, Purpose};

    #[test]
    fn the_first_draws_are_frozen() {
        let site = Site::new(Phase::Reset, Purpose::Layout);
        let mut fast = Fast::new(7);
        let ranges = [0; 3].map(|_| fast.randrange(site, 49_152, 60_000));
        let mut sample = [0; 4];
        fast.sample(site, 14, &mut sample);
        let mut order = [0, 1, 2, 3, 4];
        fast.shuffle(site, &mut order);
        let real = fast.random(site);
        assert_eq!(format!("{ranges:?} {sample:?} {order:?} {real}"), FROZEN);
    }

    const FROZEN: &str = "[53380, 49334, 58923] [8, 6, 3, 4] [2, 3, 4, 1, 0] 0.9180195851461324";
}
