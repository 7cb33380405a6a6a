//! Which observed records become facts: one pass, memory bounded by the number of facts and not by the data, and no opinion.
//!
//! Records are counted in **groups** of the same class, action, actor and object. A group with more members than the selection's
//! `aggregate_above` gives one fact that counts them; of its members only the first ones are candidates themselves. **Candidates** are in
//! lanes, one for each source and class, in order of time; facts are taken from the lanes by turns until there are enough. What is left
//! out enters the packet as a count and a root.

use std::collections::{BTreeMap, BinaryHeap};

use gimbal_core::{Digest, chain};

use super::groups::Groups;
use super::{Observed, Sink};
use crate::packet::{LeftOut, NewFact, Selection};
use crate::{Class, Counter, Entity, EntityKind, Locator, SourceClock, SourceId, Stamp, Utc, merkle};

/// Selects facts while records are observed.
#[derive(Debug)]
pub struct Selector {
    selection: Selection,
    most: usize,
    groups: Groups,
    /// Candidates by source and class, the latest on top.
    lanes: BTreeMap<(SourceId, Class), BinaryHeap<Candidate>>,
    kept: usize,
    left_out: merkle::Frontier,
    /// Records without a time that were taken although a part of all times is asked for.
    undated: u64,
    /// The number of the next candidate: equal times keep the order in which they were read.
    next: u64,
}

/// A record that may become a fact.
#[derive(Debug)]
struct Candidate {
    /// Order of time: those without a time last; then order of reading.
    order: Order,
    fact: NewFact,
    leaf: Digest,
    /// How many records it represents.
    repeated: u64,
}

/// When a candidate's turn comes: its time in microseconds, then the order of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    micros: i64,
    number: u64,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

/// What was selected.
#[derive(Debug)]
pub struct Selected {
    /// Facts, unordered.
    pub facts: Vec<NewFact>,
    /// What was left out.
    pub left_out: LeftOut,
    /// Records without a time that were taken although a part of all times is asked for, without damaged ones and statements.
    pub undated: u64,
}

impl Selector {
    /// A selector that has seen nothing.
    #[must_use]
    pub fn new(selection: Selection) -> Self {
        let most = usize::try_from(selection.max_facts.0).unwrap_or(usize::MAX);
        Self {
            groups: Groups::new(selection.aggregate_above.0),
            selection,
            most,
            lanes: BTreeMap::new(),
            kept: 0,
            left_out: merkle::Frontier::default(),
            undated: 0,
            next: 0,
        }
    }

    /// The sink for the records of a source. `shift_seconds` is added to every time.
    pub fn source(&mut self, id: SourceId, shift_seconds: i32) -> SourceSink<'_> {
        SourceSink { selector: self, id, shift_seconds: i64::from(shift_seconds) }
    }

    fn take(&mut self, source: SourceId, shift_seconds: i64, observed: &Observed<'_>) {
        let time = observed.time.map(|time| time.shifted(shift_seconds).unwrap_or(time));
        if !self.is_in_range(time) {
            return;
        }
        let mut made = None;
        if let Some(entity) = &self.selection.entity {
            let fact = made.insert(make(source, time, observed));
            if !fact.actor.iter().chain(&fact.object).chain(&fact.entities).any(|about| about == entity) {
                return;
            }
        }
        let leaf = chain::leaf(observed.raw);
        let repeated = observed.details.repeated();
        if time.is_none() && asks_for_times(&self.selection) && is_record(observed.class) {
            self.undated = self.undated.saturating_add(repeated);
        }
        let members = self.groups.count(source, time, leaf, observed);
        let number = self.next;
        self.next += 1;
        let order = Order { micros: time.map_or(i64::MAX, Utc::micros), number };
        if members > self.selection.aggregate_above.0 && !observed.class.is_context() {
            self.left_out.push_repeated(leaf, repeated);
            return;
        }
        let most = self.most;
        let lane = self.lanes.entry((source, observed.class)).or_default();
        // A lane never gives more than all facts, so its latest candidates beyond that number need not be made.
        if lane.len() >= most && lane.peek().is_none_or(|latest| latest.order <= order) {
            self.left_out.push_repeated(leaf, repeated);
            return;
        }
        let fact = made.unwrap_or_else(|| make(source, time, observed));
        lane.push(Candidate { order, fact, leaf, repeated });
        self.kept += 1;
        if lane.len() > most
            && let Some(latest) = lane.pop()
        {
            self.left_out.push_repeated(latest.leaf, latest.repeated);
            self.kept -= 1;
        }
        if self.kept > self.most.saturating_mul(4).max(64) {
            self.trim();
        }
    }

    fn is_in_range(&self, time: Option<Utc>) -> bool {
        in_range(&self.selection, time)
    }

    /// Drops candidates whose turn cannot come: with more data the number that each lane may give only falls.
    fn trim(&mut self) {
        let level = level(self.lanes.values().map(BinaryHeap::len), self.most);
        for lane in self.lanes.values_mut() {
            while lane.len() > level + 1 {
                if let Some(latest) = lane.pop() {
                    self.left_out.push_repeated(latest.leaf, latest.repeated);
                    self.kept -= 1;
                }
            }
        }
    }

    /// Takes facts from the lanes by turns. Aggregates are lanes of their own, one for each class, behind those of the sources.
    #[must_use]
    pub fn finish(mut self) -> Selected {
        let mut lanes: Vec<Vec<Candidate>> =
            std::mem::take(&mut self.lanes).into_values().map(BinaryHeap::into_sorted_vec).collect();
        let mut counted: BTreeMap<Class, Vec<NewFact>> = BTreeMap::new();
        for fact in self.groups.into_facts() {
            counted.entry(fact.class).or_default().push(fact);
        }
        let mut counted: Vec<Vec<NewFact>> = counted.into_values().collect();
        for lane in &mut counted {
            lane.sort_by(|one, other| sorted(one).cmp(&sorted(other)));
            lane.reverse();
        }
        lanes.iter_mut().for_each(|lane| lane.reverse());
        let mut facts = Vec::new();
        loop {
            let before = facts.len();
            for lane in &mut lanes {
                if facts.len() < self.most
                    && let Some(candidate) = lane.pop()
                {
                    facts.push(candidate.fact);
                }
            }
            for lane in &mut counted {
                if facts.len() < self.most
                    && let Some(fact) = lane.pop()
                {
                    facts.push(fact);
                }
            }
            if facts.len() == before {
                break;
            }
        }
        for candidate in lanes.iter().flat_map(|lane| lane.iter().rev()) {
            self.left_out.push_repeated(candidate.leaf, candidate.repeated);
        }
        let left_out = LeftOut { count: Counter(self.left_out.size()), root: self.left_out.root() };
        Selected { facts, left_out, undated: self.undated }
    }
}

/// The largest number that each lane may give, such that all together do not give more than `most`.
fn level(lanes: impl Iterator<Item = usize> + Clone, most: usize) -> usize {
    let given = |level: usize| lanes.clone().map(|length| length.min(level)).sum::<usize>();
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if given(middle) <= most {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// The order of aggregates of a class: by first time, then by what they count.
fn sorted(fact: &NewFact) -> (i64, String, Option<&Entity>, Option<&Entity>) {
    let time = fact.time.as_ref().map_or(i64::MAX, |time| time.utc.micros());
    (time, fact.action.clone(), fact.actor.as_ref(), fact.object.as_ref())
}

/// An entity, unless its name breaks a rule: then the fact has it among its attributes, as found.
fn named((kind, name): (EntityKind, &str)) -> Option<Entity> {
    Entity::new(kind, name).ok()
}

/// Whether a selection asks for a part of all times.
const fn asks_for_times(selection: &Selection) -> bool {
    selection.since.is_some() || selection.until.is_some()
}

/// Whether facts of a class are records that could have a time: neither a statement nor a piece of data that could not be read.
fn is_record(class: Class) -> bool {
    !class.is_context() && class != Class::Damaged
}

/// Whether a selection takes a record of this time. One without a time is always taken.
fn in_range(selection: &Selection, time: Option<Utc>) -> bool {
    time.is_none_or(|time| {
        selection.since.is_none_or(|since| time >= since) && selection.until.is_none_or(|until| time < until)
    })
}

/// Whether a selection takes a record of a source.
pub(super) fn takes(selection: &Selection, source: SourceId, shift_seconds: i32, observed: &Observed<'_>) -> bool {
    let time = observed.time.map(|time| time.shifted(i64::from(shift_seconds)).unwrap_or(time));
    let is_about = |entity: &Entity| {
        let fact = make(source, time, observed);
        fact.actor.iter().chain(&fact.object).chain(&fact.entities).any(|about| about == entity)
    };
    in_range(selection, time) && selection.entity.as_ref().is_none_or(is_about)
}

fn make(source: SourceId, time: Option<Utc>, observed: &Observed<'_>) -> NewFact {
    let mut fact = NewFact {
        actor: observed.actor.and_then(named),
        object: observed.object.and_then(named),
        time: time.map(|utc| Stamp { found: observed.details.time_found(), utc }),
        clock: if time.is_some() {
            None
        } else {
            observed.details.clock().map(|at| SourceClock { first: at, last: at, source })
        },
        locator: Some(Locator { at: observed.details.place(), source }),
        raw_sha256: Some(Digest::of(observed.raw)),
        ..NewFact::new(observed.class, observed.action)
    };
    for (role, found, named) in [("actor", observed.actor, &fact.actor), ("object", observed.object, &fact.object)] {
        if let (Some((_, name)), None) = (found, named) {
            fact.attributes.insert(role.to_owned(), name.chars().take(1024).collect());
        }
    }
    observed.details.fill(&mut fact);
    fact
}

/// The sink of one source.
#[derive(Debug)]
pub struct SourceSink<'a> {
    selector: &'a mut Selector,
    id: SourceId,
    shift_seconds: i64,
}

impl Sink for SourceSink<'_> {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.selector.take(self.id, self.shift_seconds, observed);
    }
}
