//! What the detectors found, by cell.

use super::{Detector, Steps};
use crate::profile::{ActionFacts, Profile, Sum};

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

/// What all detectors found in one cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tallies([Tally; Detector::ALL.len()]);

impl Tallies {
    /// Looks at an episode.
    pub fn add(&mut self, profile: &Profile, facts: &ActionFacts) {
        for (detector, tally) in Detector::ALL.into_iter().zip(&mut self.0) {
            if let Some(steps) = detector.look(profile, facts) {
                tally.add(profile, steps);
            }
        }
    }

    /// What one found.
    #[must_use]
    pub fn of(&self, detector: Detector) -> &Tally {
        &self.0[detector as usize]
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
