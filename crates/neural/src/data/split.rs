//! Parts of the data, and what is changed for controls.

use std::collections::BTreeMap;

use gimbal_core::{Rng, seed};
use gimbal_temporal::rollout::ConflictCause;

use super::conflict::{ACTION, Candidate, Conflict, Dataset};
use crate::spec::Spec;

/// A part of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Eight tenths of the episodes: what is learned from.
    Train,
    /// One tenth: what decides when to stop.
    Validation,
    /// One tenth, and all that is held out: what is measured.
    Test,
}

/// How data are divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Environments that are tested on and never learned from.
    pub environments: Vec<String>,
    /// Levels of noise, in thousandths, that are tested on and never learned from.
    pub noise: Vec<i64>,
}

impl Split {
    /// The part of a conflict: its episode's seed decides, so that all conflicts of an episode, in all environments, are in the same part (CTHA-080).
    #[must_use]
    pub fn part(&self, conflict: &Conflict) -> Part {
        if self.environments.contains(&conflict.environment) || self.noise.contains(&conflict.noise.0) {
            return Part::Test;
        }
        match place(conflict) % 10 {
            0 => Part::Test,
            1 => Part::Validation,
            _ => Part::Train,
        }
    }
}

fn place(conflict: &Conflict) -> u64 {
    seed::derive(&[b"gimbal/conflicts/part/v1", &conflict.seed.to_be_bytes()])
}

impl Dataset {
    /// The conflicts of a part. Where something is held out, the test part holds that alone.
    #[must_use]
    pub fn part(&self, split: &Split, part: Part) -> Self {
        let holds_out = part == Part::Test && *split != Split::default();
        let held = |conflict: &Conflict| {
            split.environments.contains(&conflict.environment) || split.noise.contains(&conflict.noise.0)
        };
        self.only(|conflict| split.part(conflict) == part && (!holds_out || held(conflict)))
    }

    /// The conflicts for which a condition holds.
    #[must_use]
    pub fn only(&self, condition: impl Fn(&Conflict) -> bool) -> Self {
        let conflicts = self.conflicts.iter().filter(|conflict| condition(conflict)).cloned().collect();
        Self { header: self.header.clone(), conflicts }
    }

    /// At most `most` conflicts, for learning curves: whole episodes in an order that their seeds decide, and the last one in part. A smaller
    /// set is within every larger one.
    #[must_use]
    pub fn first(&self, most: usize) -> Self {
        let mut order: Vec<usize> = (0..self.conflicts.len()).collect();
        order.sort_by_key(|index| (place(&self.conflicts[*index]), *index));
        order.truncate(most);
        order.sort_unstable();
        let conflicts = order.into_iter().map(|index| self.conflicts[index].clone()).collect();
        Self { header: self.header.clone(), conflicts }
    }

    /// The same conflicts with the outcome of their candidates dealt out anew within each: a control that must learn nothing.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut rng = Rng::stream(seed, "neural/shuffled");
        let mut shuffled = self.clone();
        for conflict in &mut shuffled.conflicts {
            for last in (1..conflict.candidates.len()).rev() {
                let other = rng.below(last as u64 + 1) as usize;
                let (one, two) = (conflict.candidates[last].clone(), conflict.candidates[other].clone());
                let (kept, sets) = (one.kept.clone(), one.sets.clone());
                let others = (two.kept.clone(), two.sets.clone());
                conflict.candidates[last] = Candidate { kept, sets, ..two };
                conflict.candidates[other] = Candidate { kept: others.0, sets: others.1, ..one };
                if conflict.best == last {
                    conflict.best = other;
                } else if conflict.best == other {
                    conflict.best = last;
                }
            }
        }
        shuffled
    }

    /// The same conflicts with weights that give the matters the shares that the work prints (Tab. 32).
    /// Conflicts of a matter that the work does not count are left out.
    #[must_use]
    pub fn published_mix(&self) -> Self {
        let mut sums: BTreeMap<ConflictCause, f64> = BTreeMap::new();
        for conflict in &self.conflicts {
            *sums.entry(ConflictCause::of(&conflict.kind)).or_default() += f64::from(conflict.weight);
        }
        let there = || sums.keys().filter_map(|matter| matter.published());
        let (printed, all): (u32, f64) =
            (there().sum(), sums.iter().filter(|(matter, _)| matter.published().is_some()).map(|(_, sum)| sum).sum());
        let mut mixed = self.only(|conflict| ConflictCause::of(&conflict.kind).published().is_some());
        for conflict in &mut mixed.conflicts {
            let matter = ConflictCause::of(&conflict.kind);
            if let (Some(share), Some(sum)) = (matter.published(), sums.get(&matter)) {
                conflict.weight *= (f64::from(share) / f64::from(printed) * all / sum) as f32;
            }
        }
        mixed
    }

    /// The same conflicts with the choices of one more rule, a place for each conflict.
    #[must_use]
    pub fn with_rule(&self, name: &str, choices: &[usize]) -> Self {
        let mut more = self.clone();
        more.header.rules.push(name.to_owned());
        for (conflict, choice) in more.conflicts.iter_mut().zip(choices) {
            conflict.choices.push(*choice);
        }
        more
    }

    /// The same conflicts without their contexts.
    #[must_use]
    pub fn without_context(&self) -> Self {
        let mut bare = self.clone();
        bare.header.context = 0;
        bare.conflicts.iter_mut().for_each(|conflict| conflict.context.clear());
        bare
    }

    /// The same conflicts without the column of actions: what is left of a party is its plain features.
    #[must_use]
    pub fn without_actions(&self) -> Self {
        let mut plain = self.clone();
        if let Some(place) = plain.header.place(ACTION) {
            plain.header.columns.remove(place);
            for party in plain.conflicts.iter_mut().flat_map(|conflict| &mut conflict.parties) {
                if place < party.features.len() {
                    party.features.remove(place);
                }
            }
        }
        plain
    }

    /// The same conflicts as a network reads them: without actions and context where it was made without.
    #[must_use]
    pub fn seen_by(&self, spec: &Spec) -> Self {
        let mut seen = self.clone();
        if spec.action().is_none() {
            seen = seen.without_actions();
        }
        if spec.context == 0 { seen.without_context() } else { seen }
    }

    /// The same conflicts with 0 in a column, for the control without it. `None` if there is no such column.
    #[must_use]
    pub fn masked(&self, column: &str) -> Option<Self> {
        let place = self.header.place(column)?;
        let mut masked = self.clone();
        for party in masked.conflicts.iter_mut().flat_map(|conflict| &mut conflict.parties) {
            if let Some(value) = party.features.get_mut(place) {
                *value = 0.0;
            }
        }
        Some(masked)
    }
}
