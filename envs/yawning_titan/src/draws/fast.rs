//! The draws of this environment from the fast generator.

pub use gimbal_parity::Fast;

use super::{Draws, Site, weighted_index};

impl Draws for Fast {
    fn seed(&mut self, seed: u64) {
        *self = Self::new(seed);
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
        self.distinct(population.len() as u32, chosen);
    }

    #[inline]
    fn shuffle(&mut self, _: Site, items: &mut [u16]) {
        self.reorder(items);
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
