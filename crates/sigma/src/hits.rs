//! Hits of rules as facts.

use std::collections::BTreeMap;

use gimbal_core::{Digest, chain};
use gimbal_evidence::extract::{Observed, Watcher};
use gimbal_evidence::{
    Aggregate, Class, Counter, Entity, Locator, NewFact, Selection, Source, SourceId, SourceKind, Stamp, Utc, merkle,
};

use crate::{Matcher, Record, Rule, Tables};

/// What a hit's fact says was done.
const ACTION: &str = "rule matched";
/// How a fact that counts hits is computed.
const FORMULA: &str = "records that one rule matched";
/// Most characters of a text of a rule in a fact.
const MAX_TEXT: usize = 1000;

/// Asks rules about every record that a selection takes, and makes facts of the hits.
///
/// Each hit is a fact of the class `rule_hit` at the place of its record. A rule with more hits than the selection's `aggregate_above`
/// gives one fact that counts them all, and keeps the first ones as facts. Facts of hits take no place of others in the packet: there are at
/// most `max_facts` of them beside the selected ones, taken by turns from the rules in the order of their first hits.
pub struct Hits<'m> {
    matcher: &'m dyn Matcher,
    tables: &'m Tables,
    above: u64,
    most: usize,
    /// By index of the rule.
    lanes: BTreeMap<usize, Lane>,
    asked: u64,
    matched: u64,
}

/// The hits of a rule.
#[derive(Default)]
struct Lane {
    count: u64,
    first: Option<Utc>,
    last: Option<Utc>,
    members: merkle::Frontier,
    kept: Vec<NewFact>,
    /// Its place among the rules, by first hit.
    turn: u64,
}

/// The hits of a rule, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'m> {
    /// The rule.
    pub rule: &'m Rule,
    /// How many records it matched.
    pub records: u64,
}

impl<'m> Hits<'m> {
    /// No hits yet.
    #[must_use]
    pub fn new(matcher: &'m dyn Matcher, tables: &'m Tables, selection: &Selection) -> Self {
        Self {
            matcher,
            tables,
            above: selection.aggregate_above.0,
            most: usize::try_from(selection.max_facts.0).unwrap_or(usize::MAX),
            lanes: BTreeMap::new(),
            asked: 0,
            matched: 0,
        }
    }

    /// The rules that matched, with how often, in the order of the rules.
    #[must_use]
    pub fn found(&self) -> Vec<Found<'m>> {
        let rules = self.matcher.rules();
        self.lanes
            .iter()
            .filter_map(|(index, lane)| Some(Found { rule: rules.get(*index)?, records: lane.count }))
            .collect()
    }

    /// Records that rules were asked about: those with fields.
    #[must_use]
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// Records that any rule matched.
    #[must_use]
    pub const fn matched(&self) -> u64 {
        self.matched
    }

    /// The facts, and how many hits are in none of them. A hit that only a counting fact counts is in that one.
    #[must_use]
    pub fn into_facts(self) -> (Vec<NewFact>, u64) {
        let rules = self.matcher.rules();
        let mut lanes: Vec<(&Rule, Lane)> =
            self.lanes.into_iter().filter_map(|(index, lane)| Some((rules.get(index)?, lane))).collect();
        lanes.sort_by_key(|(_, lane)| lane.turn);
        let hits: u64 = lanes.iter().map(|(_, lane)| lane.count).sum();
        let mut in_facts = 0;
        let mut queues: Vec<std::collections::VecDeque<(u64, NewFact)>> = Vec::with_capacity(lanes.len());
        for (rule, lane) in lanes {
            let counts_all = lane.count > self.above;
            let mut queue = std::collections::VecDeque::new();
            if counts_all {
                queue.push_back((lane.count, lane.counted(rule)));
            }
            queue.extend(lane.kept.into_iter().map(|fact| (u64::from(!counts_all), fact)));
            queues.push(queue);
        }
        let mut facts = Vec::new();
        loop {
            let before = facts.len();
            for queue in &mut queues {
                if facts.len() < self.most
                    && let Some((stands_for, fact)) = queue.pop_front()
                {
                    in_facts += stands_for;
                    facts.push(fact);
                }
            }
            if facts.len() == before {
                return (facts, hits - in_facts);
            }
        }
    }

    /// The source that facts of hits are based on: the rules, by their hash.
    #[must_use]
    pub fn source(&self, bytes: u64, sha256: Digest) -> Source {
        Source {
            bytes: Counter(bytes),
            damaged: Counter(0),
            extractor: "gimbal-sigma/1".to_owned(),
            format: "sigma".to_owned(),
            id: SourceId::at(0),
            kind: SourceKind::Rules,
            records: Counter(self.matcher.rules().len() as u64),
            sha256,
            shift_seconds: 0,
            year: None,
            zone_minutes: None,
        }
    }
}

impl Watcher for Hits<'_> {
    fn watch(&mut self, source: SourceId, time: Option<Utc>, observed: &Observed<'_>) {
        let mut record = Record::of(observed.details);
        if record.is_empty() {
            return;
        }
        self.asked += 1;
        self.tables.rename(&mut record);
        let matched = self.matcher.matches(&record);
        self.matched += u64::from(!matched.is_empty());
        for index in matched {
            let Some(rule) = self.matcher.rules().get(index) else { continue };
            let turn = self.lanes.len() as u64;
            let lane = self.lanes.entry(index).or_insert_with(|| Lane { turn, ..Lane::default() });
            lane.count += 1;
            lane.members.push(chain::leaf(observed.raw));
            if let Some(time) = time {
                lane.first = Some(lane.first.map_or(time, |first| first.min(time)));
                lane.last = Some(lane.last.map_or(time, |last| last.max(time)));
            }
            if lane.count <= self.above {
                lane.kept.push(fact(rule, source, time, observed));
            }
        }
    }
}

impl Lane {
    /// The fact that counts all hits.
    fn counted(&self, rule: &Rule) -> NewFact {
        let aggregate = Aggregate {
            count: Counter(self.count),
            first: self.first,
            formula: FORMULA.to_owned(),
            last: self.last,
            root: self.members.root(),
        };
        let time = self.first.map(|utc| Stamp { found: format!("first of {}", self.count), utc });
        NewFact { aggregate: Some(aggregate), time, ..named(rule) }
    }
}

/// The fact of one hit. Actor and object of the record stand among its entities: the rule did nothing to either.
fn fact(rule: &Rule, source: SourceId, time: Option<Utc>, observed: &Observed<'_>) -> NewFact {
    let about = observed.actor.iter().chain(&observed.object);
    let mut entities: Vec<Entity> = about.filter_map(|(kind, name)| Entity::new(*kind, *name).ok()).collect();
    entities.dedup();
    NewFact {
        entities,
        time: time.map(|utc| Stamp { found: observed.details.time_found(), utc }),
        locator: Some(Locator { at: observed.details.place(), source }),
        raw_sha256: Some(Digest::of(observed.raw)),
        ..named(rule)
    }
}

/// A fact that names a rule, its author and its licence (Detection Rule License 1.1).
fn named(rule: &Rule) -> NewFact {
    let mut fact = NewFact::new(Class::RuleHit, ACTION);
    let sha256 = rule.sha256.to_string();
    let level = rule.level.map_or("", crate::Level::name);
    for (name, value) in [
        ("rule_author", rule.author.as_str()),
        ("rule_id", &rule.id),
        ("rule_level", level),
        ("rule_license", &rule.licence),
        ("rule_sha256", &sha256),
        ("rule_title", &rule.title),
    ] {
        if !value.is_empty() {
            fact.attributes.insert(name.to_owned(), printable(value));
        }
    }
    fact
}

/// A text of a rule on one line, cut to its bound.
fn printable(text: &str) -> String {
    text.chars().take(MAX_TEXT).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
