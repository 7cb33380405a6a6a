//! Extractors of telemetry: syslog, audit records, flows and context.

mod auditd;
mod captures;
mod context;
mod counts;
mod damage;
mod flows;
mod forwarded;
pub mod made;
mod objects;
mod syslog;

use std::collections::BTreeMap;

use gimbal_evidence::extract::{ExtractError, Observed, ReadOptions, Sink, Stats};
use gimbal_evidence::{Draft, Entity, NewFact, Selection};

use crate::support;

/// Keeps every fact, as a packet does.
#[derive(Default)]
pub struct Facts(pub Vec<NewFact>);

impl Sink for Facts {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.0.push(support::fact_of(observed));
    }
}

/// What an extractor gave. Every fact is one that a packet takes, and no two are the same.
pub struct Found {
    pub facts: Vec<NewFact>,
    pub stats: Stats,
}

impl Found {
    pub fn of(read: impl FnOnce(&mut dyn Sink) -> Result<Stats, ExtractError>) -> Self {
        let mut facts = Facts::default();
        let stats = read(&mut facts).unwrap();
        let found = Self { facts: facts.0, stats };
        found.check();
        found
    }

    fn check(&self) {
        let mut draft = Draft::new(vec![support::source(0)], Selection::default());
        for fact in &self.facts {
            draft.add(fact.clone()).unwrap();
        }
        assert_eq!(self.stats.emitted, self.facts.len() as u64);
        assert_eq!(self.stats.emitted, self.stats.classes.values().sum::<u64>());
        assert_eq!(self.stats.seen, self.stats.parsed + self.stats.dropped + self.stats.damaged);
    }

    /// The only fact.
    pub fn only(&self) -> &NewFact {
        assert_eq!(self.facts.len(), 1);
        &self.facts[0]
    }

    /// Facts by the value of an attribute; those without it are left out.
    pub fn by(&self, name: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for value in self.facts.iter().filter_map(|fact| fact.attributes.get(name)) {
            *counts.entry(value.clone()).or_default() += 1;
        }
        counts
    }

    /// The sum of an attribute.
    pub fn sum(&self, name: &str) -> u64 {
        self.facts.iter().filter_map(|fact| fact.attributes.get(name)?.parse::<u64>().ok()).sum()
    }

    /// First and last time, as texts.
    pub fn window(&self) -> Option<(String, String)> {
        let times = || self.facts.iter().filter_map(|fact| fact.time.as_ref().map(|time| time.utc));
        times().min().zip(times().max()).map(|(first, last)| (first.to_string(), last.to_string()))
    }
}

/// `class action actor object`, for comparing.
pub fn line(fact: &NewFact) -> String {
    let name = |entity: &Option<Entity>| entity.as_ref().map_or("-".to_owned(), Entity::to_string);
    format!("{} | {} | {} | {}", fact.class, fact.action, name(&fact.actor), name(&fact.object))
}

/// Options with a year.
pub fn in_year(year: i16) -> ReadOptions {
    ReadOptions { year: Some(year), ..ReadOptions::default() }
}
