//! What became of messages between agents: how they were read, and what the scaffolding had to do with them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The tier of a message that could not be read: the default replaces it (BOG-070).
pub const DEFAULT: &str = "default";

/// What the notes of a journal say of one role's messages and turns: in a step, or over a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handled {
    /// Messages read under a contract, by contract and by the way they were read (`direct`, `normalised`, `repaired`,
    /// `raw`, [`DEFAULT`]).
    pub read: BTreeMap<String, BTreeMap<String, u64>>,
    /// Suggested actions that are none, and were taken out (BOG-071).
    pub dropped: u64,
    /// Suggested actions about another subject than the one that was asked about (BOG-071).
    pub mismatched: u64,
    /// Lists of suggestions that a rule of the mediator changed, by rule (BOG-234).
    pub arbitrated: BTreeMap<String, u64>,
    /// Decisions for none of the actions that were suggested in the step.
    pub off_menu: u64,
    /// Conversations that used up their turns without an answer (BOG-043).
    pub turns_exhausted: u64,
}

impl Handled {
    /// Messages read under all contracts.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.read.values().flat_map(BTreeMap::values).sum()
    }

    /// Messages read in one way, under all contracts.
    #[must_use]
    pub fn by(&self, tier: &str) -> u64 {
        self.read.values().filter_map(|tiers| tiers.get(tier)).sum()
    }

    /// Takes in a message of a contract.
    pub fn heard(&mut self, contract: &str, tier: &str) {
        *self.read.entry(contract.to_owned()).or_default().entry(tier.to_owned()).or_default() += 1;
    }

    /// Adds what another part of the run says of the same role.
    pub fn add(&mut self, other: &Self) {
        for (contract, tiers) in &other.read {
            let own = self.read.entry(contract.clone()).or_default();
            tiers.iter().for_each(|(tier, count)| *own.entry(tier.clone()).or_default() += count);
        }
        for (rule, count) in &other.arbitrated {
            *self.arbitrated.entry(rule.clone()).or_default() += count;
        }
        self.dropped += other.dropped;
        self.mismatched += other.mismatched;
        self.off_menu += other.off_menu;
        self.turns_exhausted += other.turns_exhausted;
    }
}
