//! A fold over trajectories: sums by cell and step, so that memory does not grow with the number of episodes.

use std::collections::BTreeMap;

use super::sums::{Clustered, Sum};
use super::{ActionFacts, Contrast, Measure, Profile};
use crate::detect::{Detector, Tallies};

/// What episodes of a cell did in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSums {
    /// Reward in units.
    pub reward: Sum,
    /// Tokens of this step.
    pub tokens: Sum,
    /// Tokens from the first step to this one, over the episodes that got this far.
    pub tokens_so_far: Clustered,
    /// Deliberation calls.
    pub deliberations: Sum,
}

/// A block of context over the episodes of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSums {
    /// How often it was rendered.
    pub shown: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Tokens of those that a tokenizer counted.
    pub tokens: u64,
    /// How many it counted.
    pub counted: u64,
}

/// Model calls of a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoleSums {
    /// Calls.
    pub calls: u64,
    /// Prompt tokens.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
}

/// The trajectories of one cell in sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellTrace {
    /// Episodes that count; those that a limit cut are in `cut` and the detectors alone.
    pub episodes: u64,
    /// By step, from the first.
    pub steps: Vec<StepSums>,
    /// Accepted actions an episode, by kind.
    pub actions: BTreeMap<String, u64>,
    /// Deliberation calls, by agent.
    pub deliberations: BTreeMap<String, u64>,
    /// Invocations and messages, by sub-agent.
    pub invocations: BTreeMap<String, (u64, u64)>,
    /// Return in units.
    pub returns: Sum,
    /// What works measure of episodes, by key.
    pub measured: BTreeMap<&'static str, Sum>,
    /// Steps at or below the floor; nothing where the brief states none.
    pub floor_steps: Sum,
    /// First step of the strongest remedy, over episodes that took it.
    pub first_strongest: Sum,
    /// Model calls by role.
    pub roles: BTreeMap<String, RoleSums>,
    /// Blocks of context, by name.
    pub blocks: BTreeMap<String, BlockSums>,
    /// Episodes that a limit cut.
    pub cut: u64,
    /// What detectors found.
    pub detectors: Tallies,
    /// What the brief says of the actions.
    pub facts: ActionFacts,
}

/// The trajectories of a run in sums, by cell.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// By id of the cell.
    pub cells: BTreeMap<String, CellTrace>,
    /// The model whose tokenizer counted blocks of context; `None` where their tokens are estimates.
    pub tokenizer: Option<String>,
    /// What is looked for in every episode.
    detectors: Vec<Detector>,
    /// What works measure of every episode.
    measures: Vec<Measure>,
}

impl Traces {
    /// No episodes yet; in each that comes, these detectors look.
    #[must_use]
    pub fn watched_by(detectors: Vec<Detector>) -> Self {
        Self { detectors, ..Self::default() }
    }

    /// The same with numbers of every episode that is not cut, whose means works need.
    #[must_use]
    pub fn measuring(self, measures: Vec<Measure>) -> Self {
        Self { measures, ..self }
    }

    /// Takes in an episode.
    pub fn add(&mut self, profile: &Profile, facts: &ActionFacts) {
        let cell = self.cells.entry(profile.cell.clone()).or_default();
        cell.detectors.add(&self.detectors, profile, facts);
        cell.add(profile, facts, &self.measures);
    }

    /// The cell of this id, if any of its episodes was read.
    #[must_use]
    pub fn cell(&self, id: &str) -> Option<&CellTrace> {
        self.cells.get(id)
    }
}

impl CellTrace {
    /// The mean of a measure over the episodes that have it; `None` without any.
    #[must_use]
    pub fn mean_of(&self, measure: &Measure) -> Option<f64> {
        self.measured.get(measure.key)?.mean()
    }

    fn add(&mut self, profile: &Profile, facts: &ActionFacts, measures: &[Measure]) {
        if self.facts == ActionFacts::default() {
            self.facts = facts.clone();
        }
        if profile.is_cut() {
            self.cut += 1;
            return;
        }
        self.episodes += 1;
        let contrast = Contrast::of(profile, facts);
        for (name, count) in &contrast.actions {
            *self.actions.entry(name.clone()).or_default() += u64::from(*count);
        }
        for (name, count) in &contrast.deliberations {
            *self.deliberations.entry(name.clone()).or_default() += u64::from(*count);
        }
        for (name, (invocations, messages)) in &contrast.invocations {
            let counts = self.invocations.entry(name.clone()).or_default();
            *counts = (counts.0 + u64::from(*invocations), counts.1 + u64::from(*messages));
        }
        self.returns.add(contrast.episode_return);
        for measure in measures {
            (measure.of)(&contrast)
                .into_iter()
                .for_each(|value| self.measured.entry(measure.key).or_default().add(value));
        }
        contrast.floor_steps.into_iter().for_each(|value| self.floor_steps.add(f64::from(value)));
        contrast.first_strongest.into_iter().for_each(|value| self.first_strongest.add(f64::from(value)));
        self.walk(profile);
    }

    /// Sums by step.
    fn walk(&mut self, profile: &Profile) {
        let mut so_far = 0.0;
        for (index, step) in profile.steps.iter().enumerate() {
            for block in &step.blocks {
                let sums = self.blocks.entry(block.name.clone()).or_default();
                sums.shown += 1;
                sums.bytes = sums.bytes.saturating_add(block.bytes);
                sums.tokens = sums.tokens.saturating_add(block.tokens.unwrap_or(0));
                sums.counted += u64::from(block.tokens.is_some());
            }
            for entry in &step.calls {
                let sums = self.roles.entry(entry.role.clone()).or_default();
                sums.calls += u64::from(entry.calls);
                sums.input = sums.input.saturating_add(entry.input);
                sums.output = sums.output.saturating_add(entry.output);
            }
            if index == self.steps.len() {
                self.steps.push(StepSums::default());
            }
            so_far += step.tokens() as f64;
            let sums = &mut self.steps[index];
            if step.action.is_some() {
                sums.reward.add(step.reward as f64 / 1000.0);
            }
            sums.tokens.add(step.tokens() as f64);
            sums.tokens_so_far.add(profile, so_far);
            sums.deliberations.add(f64::from(step.deliberated()));
        }
    }
}
