//! Synthetic conflicts with a planted rule, for tests and for trying the commands without an environment. They say nothing of any environment.

use gimbal_core::{Milli, Rng};
use gimbal_temporal::Layer;

use super::conflict::{Candidate, Conflict, Dataset, Header, Party};

/// Columns of synthetic conflicts.
pub const COLUMNS: [&str; 7] = ["urgency", "confidence", "scope", "age", "overlap", "harm", "action"];
/// The rules whose choices they hold: the one with the weights that the arbiter has, the slowest layer, the fastest layer.
pub const RULES: [&str; 3] = ["published", "slower", "faster"];
/// Places for actions.
const ACTIONS: u64 = 1 << 20;

/// So many synthetic conflicts, two or three in an episode, of 2 to 4 parties of which one is kept. What a party is worth is planted: after
/// recent harm the faster layers are right, else the slower ones; confidence counts by the scope of the decision, age against it. Urgency counts
/// nothing, so that a rule that weighs it loses. Values have noise, and about an eighth of the conflicts is tied.
#[must_use]
pub fn conflicts(count: usize, seed: u64) -> Dataset {
    let mut rng = Rng::stream(seed, "neural/synthetic");
    let conflicts = (0..count).map(|index| conflict(index, seed, &mut rng)).collect();
    Dataset { header: Header::new(&COLUMNS, 0, &RULES), conflicts }
}

fn conflict(index: usize, seed: u64, rng: &mut Rng) -> Conflict {
    let episode = seed.wrapping_mul(1_000_003).wrapping_add(index as u64 * 2 / 5);
    let harm = rng.below(2) as f32;
    let mut layers = [Layer::Reflex, Layer::Tactical, Layer::Strategic, Layer::Institutional].to_vec();
    while layers.len() > 2 && rng.below(2) == 0 {
        layers.remove(rng.below(layers.len() as u64) as usize);
    }
    let mut worths = Vec::new();
    let mut priorities = Vec::new();
    let mut parties = Vec::new();
    for layer in &layers {
        let mut share = || (rng.below(1001) as f32) / 1000.0;
        let [urgency, confidence, scope, age, overlap] = [share(), share(), share(), share(), share()];
        let action = rng.below(ACTIONS) as f32;
        let slow = layer.index() as f32 / 3.0;
        let place = if harm > 0.0 { 1.0 - slow } else { slow };
        worths.push(f64::from(1.2 * place + 2.0 * confidence * scope - 0.8 * age));
        priorities.push(0.1 * (slow * 3.0 + 1.0) + 0.5 * urgency + 0.3 * confidence);
        parties.push(Party { layer: *layer, features: vec![urgency, confidence, scope, age, overlap, harm, action] });
    }
    let candidates: Vec<Candidate> = worths
        .iter()
        .enumerate()
        .map(|(place, worth)| {
            let noise = rng.unit() + rng.unit() + rng.unit() - 1.5;
            let mean = ((worth + 0.2 * noise) * 1000.0).round() / 1000.0;
            Candidate { kept: vec![place], sets: vec![vec![place]], mean, error: 0.1, outcome: Some(mean > 1.0) }
        })
        .collect();
    let best = most(&candidates.iter().map(|candidate| candidate.mean).collect::<Vec<_>>());
    let tied = candidates
        .iter()
        .enumerate()
        .any(|(place, candidate)| place != best && candidates[best].mean - candidate.mean < 0.1);
    Conflict {
        id: format!("synthetic-{seed}-{index}"),
        environment: if episode.is_multiple_of(2) { "synthetic-even" } else { "synthetic-odd" }.to_owned(),
        seed: episode,
        noise: Milli(100 * rng.below(3) as i64),
        kind: if rng.below(2) == 0 { "resource" } else { "effect" }.to_owned(),
        excludes: (0..layers.len()).flat_map(|one| (one + 1..layers.len()).map(move |other| (one, other))).collect(),
        choices: vec![most(&priorities), layers.len() - 1, 0],
        parties,
        context: Vec::new(),
        candidates,
        best,
        tied,
        weight: 1.0,
    }
}

/// The place of the highest value; of several the first.
fn most<T: PartialOrd + Copy>(values: &[T]) -> usize {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best
}
