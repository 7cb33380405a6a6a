//! Hits of rules as facts.

use std::collections::{BTreeMap, BTreeSet};

use gimbal_core::{Digest, chain};
use gimbal_evidence::extract::{Observed, Watcher};
use gimbal_evidence::{
    Aggregate, Class, Counter, Entity, Locator, NewFact, Selection, Source, SourceId, SourceKind, Stamp, Utc, merkle,
};

use crate::correlation::fields_of;
use crate::{Correlated, Matcher, Record, Remembered, Rule, Tables};

/// What a hit's fact says was done.
const ACTION: &str = "rule matched";
/// How a fact that counts hits is computed.
const FORMULA: &str = "records that one rule matched";
/// The same for a rule over several records.
const FORMULA_SEVERAL: &str = "records of one match of a rule over several records";
/// The same for all matches of such a rule.
const FORMULA_ALL_SEVERAL: &str = "records of all matches of a rule over several records";
/// Most characters of a text of a rule in a fact.
const MAX_TEXT: usize = 1000;
/// Most entities of a fact about several records.
const MAX_ENTITIES: usize = 20;
/// Most records that are remembered for rules over several records: some 500 bytes each.
pub const MAX_REMEMBERED: usize = 100_000;

/// Asks rules about every record that a selection takes, and makes facts of the hits.
///
/// Each hit is a fact of the class `rule_hit` at the place of its record. A rule with more hits than the selection's `aggregate_above`
/// gives one fact that counts them all, and keeps the first ones as facts. Facts of hits take no place of others in the packet: there are at
/// most `max_facts` of them beside the selected ones, taken by turns from the rules in the order of their first hits.
///
/// Rules over several records are asked once all records are read: over those that the rules matched which they name, in the order of their
/// times. A match is one fact that counts its records. A rule that such rules name, and that none of them lets speak, gives no hits of its
/// own.
pub struct Hits<'m> {
    matcher: &'m dyn Matcher,
    tables: &'m Tables,
    above: u64,
    most: usize,
    /// By index of the rule.
    lanes: BTreeMap<usize, Lane>,
    asked: u64,
    matched: u64,
    /// Rules that are part of a rule over several records.
    parts: BTreeSet<usize>,
    /// Those of them that give no hits of their own.
    silent: BTreeSet<usize>,
    /// Fields that rules over several records look at.
    fields: BTreeSet<String>,
    remembered: Vec<Remembered>,
    /// Of each remembered record, what its fact shows.
    shown: Vec<Shown>,
    not_remembered: u64,
}

/// What a fact shows of a remembered record.
struct Shown {
    /// Where its record is, such as `record 17 of S1`.
    at: String,
    leaf: Digest,
    entities: Vec<Entity>,
}

/// The hits of a rule.
#[derive(Default)]
struct Lane {
    count: u64,
    /// Records of all hits: more than hits for a rule over several records.
    records: u64,
    is_several: bool,
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
    /// How many records it matched: for a rule over several records, those of all its matches.
    pub records: u64,
}

impl<'m> Hits<'m> {
    /// No hits yet.
    #[must_use]
    pub fn new(matcher: &'m dyn Matcher, tables: &'m Tables, selection: &Selection) -> Self {
        let several = matcher.correlations();
        let parts: BTreeSet<usize> = several.iter().flat_map(|rule| rule.parts.iter().copied()).collect();
        let speaking = several.iter().filter(|rule| rule.generates).flat_map(|rule| rule.parts.iter().copied());
        let speaking: BTreeSet<usize> = speaking.collect();
        Self {
            matcher,
            tables,
            above: selection.aggregate_above.0,
            most: usize::try_from(selection.max_facts.0).unwrap_or(usize::MAX),
            lanes: BTreeMap::new(),
            asked: 0,
            matched: 0,
            silent: parts.difference(&speaking).copied().collect(),
            parts,
            fields: fields_of(several),
            remembered: Vec::new(),
            shown: Vec::new(),
            not_remembered: 0,
        }
    }

    /// Asks the rules over several records. The other calls do so themselves: to be called once everything is read.
    fn close(&mut self) {
        let (remembered, shown) = (std::mem::take(&mut self.remembered), std::mem::take(&mut self.shown));
        let matcher = self.matcher;
        for rule in matcher.correlations() {
            for found in rule.matches(&remembered) {
                self.add(&found, &remembered, &shown);
            }
        }
    }

    fn add(&mut self, found: &Correlated, remembered: &[Remembered], shown: &[Shown]) {
        let Some(rule) = self.matcher.rules().get(found.rule) else { return };
        let turn = self.lanes.len() as u64;
        let lane = self.lanes.entry(found.rule).or_insert_with(|| Lane { turn, ..Lane::default() });
        let mut members = merkle::Frontier::default();
        let mut entities: Vec<Entity> = Vec::new();
        let times = found.records.iter().filter_map(|index| Some(remembered.get(*index)?.time));
        let (first, last) = (times.clone().min(), times.max());
        for shown in found.records.iter().filter_map(|index| shown.get(*index)) {
            members.push(shown.leaf);
            lane.members.push(shown.leaf);
            for entity in &shown.entities {
                if entities.len() < MAX_ENTITIES && !entities.contains(entity) {
                    entities.push(entity.clone());
                }
            }
        }
        lane.count += 1;
        lane.records += found.records.len() as u64;
        lane.is_several = true;
        lane.first = lane.first.into_iter().chain(first).min();
        lane.last = lane.last.into_iter().chain(last).max();
        if lane.count <= self.above {
            let count = Counter(found.records.len() as u64);
            let formula = FORMULA_SEVERAL.to_owned();
            let aggregate = Aggregate { count, first, formula, last, root: members.root() };
            let time = first.map(|utc| Stamp { found: format!("first of {}", found.records.len()), utc });
            let mut fact = NewFact { aggregate: Some(aggregate), entities, time, ..named(rule) };
            let group: Vec<String> = found.group.iter().map(|(name, value)| format!("{name}={value}")).collect();
            if !group.is_empty() {
                fact.attributes.insert("rule_group".to_owned(), printable(&group.join(", ")));
            }
            // Records of one match may have the bytes of those of another: their places tell them apart.
            let at = |index: Option<&usize>| index.and_then(|index| shown.get(*index)).map(|shown| shown.at.clone());
            let places = [("rule_first", at(found.records.first())), ("rule_last", at(found.records.last()))];
            for (name, place) in places {
                fact.attributes.extend(place.map(|place| (name.to_owned(), place)));
            }
            lane.kept.push(fact);
        }
    }

    /// Records that rules over several records were not asked about: without a time, or beyond [`MAX_REMEMBERED`].
    #[must_use]
    pub const fn not_remembered(&self) -> u64 {
        self.not_remembered
    }

    /// The rules that matched, with how often, in the order of the rules. To be called once everything is read.
    #[must_use]
    pub fn found(&mut self) -> Vec<Found<'m>> {
        self.close();
        let rules = self.matcher.rules();
        self.lanes
            .iter()
            .filter_map(|(index, lane)| Some(Found { rule: rules.get(*index)?, records: lane.records }))
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
    pub fn into_facts(mut self) -> (Vec<NewFact>, u64) {
        self.close();
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
        if matched.iter().any(|index| self.parts.contains(index)) {
            self.remember(&matched, &record, source, time, observed);
        }
        for index in matched.into_iter().filter(|index| !self.silent.contains(index)) {
            let Some(rule) = self.matcher.rules().get(index) else { continue };
            let turn = self.lanes.len() as u64;
            let lane = self.lanes.entry(index).or_insert_with(|| Lane { turn, ..Lane::default() });
            lane.count += 1;
            lane.records += 1;
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
            count: Counter(self.records),
            first: self.first,
            formula: if self.is_several { FORMULA_ALL_SEVERAL } else { FORMULA }.to_owned(),
            last: self.last,
            root: self.members.root(),
        };
        let time = self.first.map(|utc| Stamp { found: format!("first of {}", self.records), utc });
        NewFact { aggregate: Some(aggregate), time, ..named(rule) }
    }
}

impl Hits<'_> {
    fn remember(
        &mut self,
        matched: &[usize],
        record: &Record,
        source: SourceId,
        time: Option<Utc>,
        observed: &Observed<'_>,
    ) {
        let (Some(time), true) = (time, self.remembered.len() < MAX_REMEMBERED) else {
            self.not_remembered += 1;
            return;
        };
        let fields = self.fields.iter().filter_map(|name| Some((name.as_str(), record.get(name)?))).collect();
        let rules = matched.iter().copied().filter(|index| self.parts.contains(index)).collect();
        self.remembered.push(Remembered { time, rules, fields });
        let at = format!("{} of {source}", observed.details.place());
        self.shown.push(Shown { at, leaf: chain::leaf(observed.raw), entities: about(observed) });
    }
}

/// Actor and object of a record.
fn about(observed: &Observed<'_>) -> Vec<Entity> {
    let about = observed.actor.iter().chain(&observed.object);
    let mut entities: Vec<Entity> = about.filter_map(|(kind, name)| Entity::new(*kind, *name).ok()).collect();
    entities.dedup();
    entities
}

/// The fact of one hit. Actor and object of the record stand among its entities: the rule did nothing to either.
fn fact(rule: &Rule, source: SourceId, time: Option<Utc>, observed: &Observed<'_>) -> NewFact {
    NewFact {
        entities: about(observed),
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
