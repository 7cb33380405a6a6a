//! Rules over several records: how many there are, how many values, or which rules matched, within a time and by group.
//!
//! Semantics are those of the correlation rules of the Sigma specification, over records in the order of their times, whichever file
//! they come from. Windows slide. Once a rule matches, its group begins anew, so that no record is in two matches of one group.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use gimbal_evidence::Utc;

use crate::Record;

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Records.
    EventCount,
    /// Different values of these fields together.
    ValueCount(Vec<String>),
    /// Rules that matched, in any order.
    Temporal,
    /// Rules that matched one after another, in the order in which they are named. At equal times the order of reading decides.
    TemporalOrdered,
}

/// A field by which records are grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// The name that the rule has for it.
    pub name: String,
    /// By index of a rule: the name of the field in records of that rule, where it is another one.
    pub fields: BTreeMap<usize, String>,
}

impl Grouping {
    fn field(&self, part: usize) -> &str {
        self.fields.get(&part).unwrap_or(&self.name)
    }
}

/// Which of the named rules must have matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// So many records, values or rules.
    Least(u64),
    /// A condition over the named rules.
    Rules(Expression),
}

/// A condition over rules, by their places among the named ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// One rule.
    Rule(usize),
    /// All of them.
    All(Vec<Self>),
    /// Any of them.
    Any(Vec<Self>),
}

impl Expression {
    fn holds(&self, matched: &[u64]) -> bool {
        match self {
            Self::Rule(place) => matched.get(*place).is_some_and(|times| *times > 0),
            Self::All(parts) => parts.iter().all(|part| part.holds(matched)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(matched)),
        }
    }
}

/// A rule over several records.
#[derive(Clone, Debug)]
pub struct Correlation {
    /// Its index among the rules.
    pub rule: usize,
    /// Indexes of the rules that it names, in its order, each once.
    pub parts: Vec<usize>,
    /// What is counted.
    pub kind: Kind,
    /// When it matches.
    pub wanted: Condition,
    /// The longest time from the first record to the last one, in microseconds.
    pub within: i64,
    /// Fields whose values are equal in all records of a match. A record that lacks one is in no match.
    pub group_by: Vec<Grouping>,
    /// Whether the named rules give hits of their own too.
    pub generates: bool,
}

/// A record that a rule matched which is part of a [`Correlation`].
#[derive(Clone, Debug)]
pub struct Remembered {
    /// When.
    pub time: Utc,
    /// Indexes of the rules that matched.
    pub rules: Vec<usize>,
    /// The fields that correlations look at.
    pub fields: Record,
}

/// A match of a rule over several records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correlated {
    /// Index of the rule.
    pub rule: usize,
    /// Names and values of the group.
    pub group: Vec<(String, String)>,
    /// Indexes of the records, in the order of their times.
    pub records: Vec<usize>,
}

/// What happened in a group within the time.
struct Window {
    entries: VecDeque<Entry>,
    /// Different records among the entries.
    records: u64,
    /// By value: entries that have it.
    values: BTreeMap<Vec<String>, u64>,
    /// By place of a named rule: entries of it.
    matched: Vec<u64>,
    /// By place of a named rule: the latest start of a sequence up to it, for [`Kind::TemporalOrdered`].
    begun: Vec<Option<i64>>,
}

struct Entry {
    time: i64,
    record: usize,
    place: usize,
    value: Option<Vec<String>>,
}

impl Window {
    fn new(parts: usize) -> Self {
        let (matched, begun) = (vec![0; parts], vec![None; parts]);
        Self { entries: VecDeque::new(), records: 0, values: BTreeMap::new(), matched, begun }
    }

    fn push(&mut self, entry: Entry, within: i64) {
        let since = entry.time.saturating_sub(within);
        while self.entries.front().is_some_and(|first| first.time < since) {
            self.drop_first();
        }
        let before = entry.place.checked_sub(1);
        let begun = before.map_or(Some(entry.time), |before| self.begun.get(before).copied().flatten());
        if let Some(place) = self.begun.get_mut(entry.place) {
            *place = begun.filter(|begun| *begun >= since);
        }
        self.records += u64::from(self.entries.back().is_none_or(|last| last.record != entry.record));
        if let Some(times) = self.matched.get_mut(entry.place) {
            *times += 1;
        }
        if let Some(value) = &entry.value {
            *self.values.entry(value.clone()).or_default() += 1;
        }
        self.entries.push_back(entry);
    }

    fn drop_first(&mut self) {
        let Some(first) = self.entries.pop_front() else { return };
        self.records -= u64::from(self.entries.front().is_none_or(|next| next.record != first.record));
        if let Some(times) = self.matched.get_mut(first.place) {
            *times -= 1;
        }
        if let Some(value) = first.value
            && let Some(times) = self.values.get_mut(&value)
        {
            *times -= 1;
            if *times == 0 {
                self.values.remove(&value);
            }
        }
    }

    /// The records of a match, where there is one.
    fn met(&self, rule: &Correlation) -> Option<Vec<usize>> {
        let mut since = i64::MIN;
        let count = match rule.kind {
            Kind::EventCount => self.records,
            Kind::ValueCount(_) => self.values.len() as u64,
            Kind::Temporal => self.matched.iter().filter(|times| **times > 0).count() as u64,
            Kind::TemporalOrdered => {
                let last = self.entries.back()?;
                if last.place + 1 != rule.parts.len() {
                    return None;
                }
                since = self.begun.last().copied().flatten()?;
                rule.parts.len() as u64
            }
        };
        let is_met = match &rule.wanted {
            Condition::Least(least) => count >= *least,
            Condition::Rules(expression) => expression.holds(&self.matched),
        };
        let mut records: Vec<usize> =
            self.entries.iter().filter(|entry| entry.time >= since).map(|entry| entry.record).collect();
        records.dedup();
        is_met.then_some(records)
    }
}

impl Correlation {
    /// The fields of records that it looks at.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let counted = match &self.kind {
            Kind::ValueCount(fields) => fields.as_slice(),
            _ => &[],
        };
        let groups = self.group_by.iter();
        let named = groups.flat_map(|group| std::iter::once(&group.name).chain(group.fields.values()));
        counted.iter().chain(named).map(String::as_str)
    }

    /// Its matches over records, in the order of the times at which they are complete.
    #[must_use]
    pub fn matches(&self, records: &[Remembered]) -> Vec<Correlated> {
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|index| (records.get(*index).map(|record| record.time), *index));
        let mut windows: BTreeMap<Vec<&str>, Window> = BTreeMap::new();
        let mut found = Vec::new();
        for index in order {
            let Some(record) = records.get(index) else { continue };
            for (place, part) in self.parts.iter().enumerate().filter(|(_, part)| record.rules.contains(part)) {
                let group: Option<Vec<&str>> =
                    self.group_by.iter().map(|group| record.fields.get(group.field(*part))).collect();
                let Some(group) = group else { continue };
                let value = match &self.kind {
                    Kind::ValueCount(fields) => {
                        let values: Option<Vec<String>> =
                            fields.iter().map(|field| record.fields.get(field).map(str::to_owned)).collect();
                        // A record without the value adds none.
                        if values.is_none() {
                            continue;
                        }
                        values
                    }
                    _ => None,
                };
                let window = windows.entry(group.clone()).or_insert_with(|| Window::new(self.parts.len()));
                window.push(Entry { time: record.time.micros(), record: index, place, value }, self.within);
                if let Some(records) = window.met(self) {
                    *window = Window::new(self.parts.len());
                    let names = self.group_by.iter().map(|group| group.name.clone());
                    let group = names.zip(group.into_iter().map(str::to_owned)).collect();
                    found.push(Correlated { rule: self.rule, group, records });
                }
            }
        }
        found
    }
}

/// Fields that any of the correlations look at.
#[must_use]
pub fn fields_of(correlations: &[Correlation]) -> BTreeSet<String> {
    correlations.iter().flat_map(Correlation::fields).map(str::to_owned).collect()
}
