//! Whether a condition holds of facts that belong together: how many, how different, how steady, and what follows.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::{Follower, amount, value};
use super::{Distinct, FieldNames, FollowingFact, GroupKey, Repeated, Steady, Sum};
use crate::fact::records;
use crate::{Entity, Fact, FactId, Interval, Packet, SourceId, Utc};

pub(super) fn repeated<'a>(facts: &[&'a Fact], repeated: &Repeated) -> Vec<&'a Fact> {
    match repeated.within {
        None => grouped(facts, repeated.by, |group| records(group) >= repeated.at_least),
        Some(within) => dense(facts, repeated.by, within, |window| records_within(window, within) >= repeated.at_least),
    }
}

pub(super) fn distinct<'a>(facts: &[&'a Fact], distinct: &Distinct, names: &FieldNames) -> Vec<&'a Fact> {
    let values = |group: &[&Fact]| {
        group.iter().filter_map(|fact| value(fact, names, &distinct.field)).collect::<BTreeSet<_>>().len()
    };
    match distinct.within {
        None => grouped(facts, distinct.by, |group| values(group) >= distinct.at_least),
        Some(within) => dense(facts, distinct.by, within, |window| values(window) >= distinct.at_least),
    }
}

pub(super) fn sum<'a>(facts: &[&'a Fact], sum: &Sum, names: &FieldNames) -> Vec<&'a Fact> {
    // The same record can be behind a fact of its own and behind one that counts it: the larger of the two sums is sure.
    let of = |group: &[&Fact], counted: bool| {
        let facts = group.iter().filter(|fact| fact.aggregate.is_some() == counted);
        facts.filter_map(|fact| amount(fact, names, &sum.field)).fold(0, u64::saturating_add)
    };
    grouped(facts, sum.by, |group| of(group, true).max(of(group, false)) >= sum.at_least)
}

pub(super) fn steady<'a>(facts: &[&'a Fact], steady: &Steady, names: &FieldNames) -> Vec<&'a Fact> {
    groups(facts, steady.by).into_iter().flat_map(|group| steady_part(group, steady, names)).collect()
}

/// A group that is steady, or those of its parts that are, by as few fields as possible.
fn steady_part<'a>(group: Vec<&'a Fact>, steady: &Steady, names: &FieldNames) -> Vec<&'a Fact> {
    if is_steady(&group, steady) {
        return group;
    }
    let mut parts = vec![group];
    for field in &steady.among {
        parts = parts.into_iter().flat_map(|part| parted(part, field, names)).collect();
        let (found, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| is_steady(part, steady));
        if !found.is_empty() {
            return found.into_iter().flatten().collect();
        }
        parts = rest;
    }
    Vec::new()
}

/// Facts apart by their values of a field; those without it are a part too.
fn parted<'a>(facts: Vec<&'a Fact>, field: &str, names: &FieldNames) -> Vec<Vec<&'a Fact>> {
    let mut parts: BTreeMap<Option<String>, Vec<&'a Fact>> = BTreeMap::new();
    for fact in facts {
        parts.entry(value(fact, names, field)).or_default().push(fact);
    }
    parts.into_values().collect()
}

/// The facts with those that follow them, where any does. Times are compared where they are of one clock.
pub(super) fn followed(facts: &[&Fact], packet: &Packet, then: &FollowingFact, names: &FieldNames) -> Vec<FactId> {
    let mut ids = Vec::new();
    let matcher = Follower::of(then, names);
    let limit = micros(then.within);
    for follower in packet.facts().iter().filter(|fact| matcher.takes(fact)) {
        let Some(time) = follower.interval() else { continue };
        let Some(who) = then.to.of(follower) else { continue };
        let shares = |fact: &Fact| {
            then.from.of(fact) == Some(who)
                && then
                    .also
                    .is_none_or(|also| also.to.of(follower).is_some_and(|entity| also.from.of(fact) == Some(entity)))
        };
        let earlier = facts.iter().filter(|fact| fact.id != follower.id && shares(fact));
        let before = earlier.filter(|fact| {
            fact.interval().filter(|before| before.clock == time.clock).is_some_and(|before| {
                // A follower that counts others has members at its first and its last time, and others in between.
                [time.first, time.last].iter().any(|time| {
                    // Aggregates end with their last member, which can be after the follower: its own time then counts.
                    let begin = time.micros() - before.first.micros();
                    let after = time.micros() - before.last.micros();
                    begin >= 0 && after <= limit
                })
            })
        });
        let matched: Vec<FactId> = before.map(|fact| fact.id).collect();
        if !matched.is_empty() {
            ids.extend(matched);
            ids.push(follower.id);
        }
    }
    ids
}

fn micros(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1_000_000)).unwrap_or(i64::MAX)
}

/// The facts of all groups that pass a test.
fn grouped<'a>(facts: &[&'a Fact], by: GroupKey, test: impl Fn(&[&'a Fact]) -> bool) -> Vec<&'a Fact> {
    groups(facts, by).into_iter().filter(|group| test(group)).flatten().collect()
}

/// The facts of all windows of groups that pass a test, in the order of their ids.
fn dense<'a>(facts: &[&'a Fact], by: GroupKey, within: u64, test: impl Fn(&[&'a Fact]) -> bool) -> Vec<&'a Fact> {
    let mut found: BTreeMap<FactId, &'a Fact> = BTreeMap::new();
    for group in groups(facts, by) {
        let passing = windows(&group, within).filter(|window| test(window));
        found.extend(passing.flatten().map(|fact| (fact.id, fact)));
    }
    found.into_values().collect()
}

fn groups<'a>(facts: &[&'a Fact], by: GroupKey) -> Vec<Vec<&'a Fact>> {
    let mut groups: BTreeMap<(Option<&Entity>, Option<&Entity>), Vec<&'a Fact>> = BTreeMap::new();
    for fact in facts {
        let (actor, object) = (fact.actor.as_ref(), fact.object.as_ref());
        let key = match by {
            GroupKey::Actor => actor.map(|actor| (Some(actor), None)),
            GroupKey::Object => object.map(|object| (None, Some(object))),
            GroupKey::Pair => actor.zip(object).map(|(actor, object)| (Some(actor), Some(object))),
        };
        if let Some(key) = key {
            groups.entry(key).or_default().push(fact);
        }
    }
    groups.into_values().collect()
}

/// For each time at which a fact of a group begins, the facts that overlap the so many seconds from it, by its clock. Facts without a time are
/// in each: nothing tells when they were. A group without any time is one window.
fn windows<'a>(group: &[&'a Fact], within: u64) -> impl Iterator<Item = Vec<&'a Fact>> {
    let limit = micros(within);
    let (timed, untimed): (Vec<&'a Fact>, Vec<&'a Fact>) = group.iter().partition(|fact| fact.interval().is_some());
    let mut timed: Vec<(Interval, &'a Fact)> =
        timed.into_iter().filter_map(|fact| fact.interval().map(|time| (time, fact))).collect();
    timed.sort_by_key(|(time, fact)| (time.clock, time.first, fact.id));
    // Those that last are few; the others are found by their place in the order.
    let (lasting, points): (Vec<_>, Vec<_>) = timed.iter().copied().partition(|(time, _)| time.last > time.first);
    let mut begins: Vec<Option<(Option<SourceId>, Utc)>> =
        timed.iter().map(|(time, _)| Some((time.clock, time.first))).collect();
    begins.dedup();
    if begins.is_empty() {
        begins.push(None);
    }
    begins.into_iter().map(move |begin| {
        let mut window = untimed.clone();
        if let Some((clock, first)) = begin {
            let end = first.micros().saturating_add(limit);
            let from = points.partition_point(|(time, _)| (time.clock, time.first) < (clock, first));
            let inside = |time: &Interval| time.clock == clock && time.first.micros() <= end;
            window.extend(points[from..].iter().take_while(|(time, _)| inside(time)).map(|(_, fact)| *fact));
            let overlaps = |time: &Interval| inside(time) && time.last >= first;
            window.extend(lasting.iter().filter(|(time, _)| overlaps(time)).map(|(_, fact)| *fact));
        }
        window
    })
}

/// How many records facts stand for within so many seconds, at least: the records of a fact that counts over a longer time are taken as
/// spread evenly.
fn records_within(facts: &[&Fact], within: u64) -> u64 {
    let limit = i128::from(micros(within));
    let part = |fact: &Fact| {
        let span = fact.interval().map_or(0, |time| i128::from(time.last.micros() - time.first.micros()));
        let count = i128::from(fact.count());
        u64::try_from(if span > limit { count * limit / span } else { count }).unwrap_or(u64::MAX)
    };
    let sum = |counted: bool| -> u64 {
        let facts = facts.iter().filter(|fact| fact.aggregate.is_some() == counted);
        facts.map(|fact| part(fact)).fold(0, u64::saturating_add)
    };
    sum(true).max(sum(false))
}

/// Whether facts follow one another in equal steps, by one clock.
fn is_steady(group: &[&Fact], steady: &Steady) -> bool {
    let mut by_clock: BTreeMap<Option<SourceId>, Vec<i64>> = BTreeMap::new();
    for interval in group.iter().filter(|fact| fact.aggregate.is_none()).filter_map(|fact| fact.interval()) {
        by_clock.entry(interval.clock).or_default().push(interval.first.micros());
    }
    by_clock.into_values().any(|times| are_steady(times, steady))
}

fn are_steady(mut times: Vec<i64>, steady: &Steady) -> bool {
    times.sort_unstable();
    let mut steps: Vec<i64> =
        times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step >= 1_000_000).collect();
    if steps.len() + 1 < steady.at_least || steps.is_empty() {
        return false;
    }
    steps.sort_unstable();
    let median = steps[steps.len() / 2];
    let near =
        |step: &&i64| i128::from((**step - median).abs()) * 1000 <= i128::from(median) * i128::from(steady.within.0);
    5 * steps.iter().filter(near).count() >= 4 * steps.len()
}
