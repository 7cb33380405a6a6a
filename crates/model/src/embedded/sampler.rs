//! Picks the next token from logits. Our own, so that it is the same on every release of the library.

use gimbal_core::{Rng, Sampling};
use toktrie::SimpleVob;

/// A sampler for one call.
pub(crate) struct Sampler {
    temperature: f64,
    top_p: f64,
    rng: Rng,
    scratch: Vec<(u32, f64)>,
}

impl Sampler {
    /// `fallback_seed` is used when the request names none.
    pub(crate) fn new(sampling: &Sampling, fallback_seed: u64) -> Self {
        Self {
            temperature: thousandths(sampling.temperature),
            top_p: sampling.top_p.map_or(1.0, thousandths),
            rng: Rng::stream(sampling.seed.unwrap_or(fallback_seed), "sampler"),
            scratch: Vec::new(),
        }
    }

    /// The next token among those that `mask` allows (all without one); `None` when it allows none with a finite logit.
    pub(crate) fn pick(&mut self, logits: &[f32], mask: Option<&SimpleVob>) -> Option<u32> {
        if self.temperature <= 0.0 {
            return argmax(logits, mask);
        }
        self.draw(logits, mask)
    }

    fn draw(&mut self, logits: &[f32], mask: Option<&SimpleVob>) -> Option<u32> {
        let best = logits[argmax(logits, mask)? as usize];
        self.scratch.clear();
        let (scratch, temperature) = (&mut self.scratch, self.temperature);
        each_allowed(logits, mask, |id, logit| {
            let weight = (f64::from(logit - best) / temperature).exp();
            if weight > 0.0 {
                scratch.push((id, weight));
            }
        });
        let mut total: f64 = scratch.iter().map(|(_, weight)| weight).sum();
        if self.top_p < 1.0 {
            scratch.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let mut kept = 0.0;
            let enough = self.top_p * total;
            let nucleus = scratch.iter().take_while(|(_, weight)| {
                let wanted = kept < enough;
                kept += weight;
                wanted
            });
            let count = nucleus.count().max(1);
            scratch.truncate(count);
            total = scratch.iter().map(|(_, weight)| weight).sum();
        }
        let mut rest = self.rng.unit() * total;
        for (id, weight) in scratch.iter() {
            rest -= weight;
            if rest < 0.0 {
                return Some(*id);
            }
        }
        scratch.last().map(|(id, _)| *id)
    }
}

fn thousandths(value: gimbal_core::Milli) -> f64 {
    value.to_f64()
}

/// The highest logit; the lowest id among equals.
fn argmax(logits: &[f32], mask: Option<&SimpleVob>) -> Option<u32> {
    let mut best: Option<(u32, f32)> = None;
    each_allowed(logits, mask, |id, logit| {
        if best.is_none_or(|(_, highest)| logit > highest) {
            best = Some((id, logit));
        }
    });
    best.map(|(id, _)| id)
}

/// Calls `visit` with every allowed token of finite logit, in the order of ids.
fn each_allowed(logits: &[f32], mask: Option<&SimpleVob>, mut visit: impl FnMut(u32, f32)) {
    match mask {
        None => {
            for (id, logit) in (0u32..).zip(logits) {
                if logit.is_finite() {
                    visit(id, *logit);
                }
            }
        }
        Some(mask) => mask.iter_set_entries(|id| {
            if let Some(logit) = logits.get(id).filter(|logit| logit.is_finite()) {
                visit(id as u32, *logit);
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimbal_core::Milli;

    fn sampling(temperature: i64, top_p: Option<i64>, seed: u64) -> Sampling {
        Sampling { temperature: Milli(temperature), top_p: top_p.map(Milli), seed: Some(seed), ..Sampling::default() }
    }

    fn mask(size: usize, allowed: &[u32]) -> SimpleVob {
        let mut mask = SimpleVob::alloc(size);
        allowed.iter().for_each(|id| mask.allow_token(*id));
        mask
    }

    // covers: BOG-045
    #[test]
    fn greedy_takes_the_lowest_id_among_equals_and_obeys_the_mask() {
        let mut sampler = Sampler::new(&sampling(0, None, 1), 0);
        assert_eq!(sampler.pick(&[1.0, 3.0, 3.0, f32::NAN], None), Some(1));
        assert_eq!(sampler.pick(&[1.0, 3.0, 3.0, 9.0], Some(&mask(4, &[0, 2]))), Some(2));
        assert_eq!(sampler.pick(&[1.0, 3.0], Some(&mask(2, &[]))), None);
        assert_eq!(sampler.pick(&[f32::NEG_INFINITY], None), None);
    }

    #[test]
    fn draws_follow_the_softmax_and_the_seed() {
        let logits = [0.0, (2.0f32).ln(), (5.0f32).ln()];
        let mut counts = [0u32; 3];
        let mut sampler = Sampler::new(&sampling(1000, None, 7), 0);
        for _ in 0..8000 {
            counts[sampler.pick(&logits, None).unwrap() as usize] += 1;
        }
        for (count, share) in counts.iter().zip([1.0, 2.0, 5.0]) {
            assert!((f64::from(*count) - share * 1000.0).abs() < 150.0, "{counts:?}");
        }
        let draws = |seed| {
            let mut sampler = Sampler::new(&sampling(1000, None, seed), 0);
            (0..50).map(|_| sampler.pick(&logits, None).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(draws(3), draws(3));
        assert_ne!(draws(3), draws(4));
    }

    #[test]
    fn the_nucleus_drops_the_tail() {
        let logits = [0.0, (2.0f32).ln(), (5.0f32).ln()];
        let mut sampler = Sampler::new(&sampling(1000, Some(600), 7), 0);
        assert!((0..200).all(|_| sampler.pick(&logits, None) == Some(2)));
        let mut sampler = Sampler::new(&sampling(1000, Some(700), 7), 0);
        assert!((0..200).all(|_| sampler.pick(&logits, None) != Some(0)));
    }
}
