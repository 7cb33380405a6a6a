//! Detectors: named rules over trajectories that give the steps where something shows, and what they found in a cell.
//!
//! The rules belong to works, which name them ([`Detector`]); here they are applied and counted.

use std::collections::BTreeMap;
use std::fmt;

use crate::profile::{ActionFacts, Profile, Sum};

/// Steps where a detector fires, in order. Empty: the episode was examined, and it fires nowhere.
pub type Steps = Vec<u32>;

/// A named rule over the trajectory of an episode.
#[derive(Clone, Copy)]
pub struct Detector {
    /// Machine name, unique among the detectors of all works.
    pub key: &'static str,
    /// The rule in words.
    pub rule: fn() -> String,
    /// The steps where it fires in an episode; `None` where the episode lacks what the rule needs.
    pub look: fn(&Profile, &ActionFacts) -> Option<Steps>,
}

impl fmt::Debug for Detector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Detector").field("key", &self.key).finish_non_exhaustive()
    }
}

/// Episodes that are named as examples.
const EXAMPLES: usize = 3;

/// An episode in which a failure mode shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Name of the episode.
    pub episode: String,
    /// Its return in units.
    pub value: f64,
    /// Where it shows.
    pub steps: Steps,
}

/// What one detector found in one cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Episodes that can tell.
    pub judged: u64,
    /// Episodes in which it shows.
    pub shown: u64,
    /// Steps an episode in which it shows, over all judged episodes.
    pub steps: Sum,
    /// First such step, over the episodes that have one.
    pub first: Sum,
    /// The episodes with the most such steps; among equals the first by name.
    pub examples: Vec<Example>,
}

/// What detectors found in one cell, by key; one that could judge no episode has no entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tallies(BTreeMap<&'static str, Tally>);

impl Tallies {
    /// Applies detectors to an episode.
    pub fn add(&mut self, detectors: &[Detector], profile: &Profile, facts: &ActionFacts) {
        for detector in detectors {
            if let Some(steps) = (detector.look)(profile, facts) {
                self.0.entry(detector.key).or_default().add(profile, steps);
            }
        }
    }

    /// What the detector of this key found; `None` where it could judge no episode.
    #[must_use]
    pub fn of(&self, key: &str) -> Option<&Tally> {
        self.0.get(key)
    }
}

impl Tally {
    fn add(&mut self, profile: &Profile, steps: Steps) {
        self.judged += 1;
        self.steps.add(steps.len() as f64);
        let Some(first) = steps.first() else { return };
        self.shown += 1;
        self.first.add(f64::from(*first));
        self.examples.push(Example { episode: profile.name(), value: profile.value(), steps });
        self.examples.sort_by(|a, b| b.steps.len().cmp(&a.steps.len()).then_with(|| a.episode.cmp(&b.episode)));
        self.examples.truncate(EXAMPLES);
    }
}
