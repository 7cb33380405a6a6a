//! Selection against a plain implementation that keeps everything.

use std::collections::BTreeMap;

use gimbal_core::{Digest, chain};
use gimbal_evidence::extract::{Details, Observed, Selector, Sink};
use gimbal_evidence::{Class, Counter, Draft, Entity, EntityKind, NewFact, Selection, SourceId, Utc, merkle};
use proptest::prelude::*;

use crate::support::source;

/// A record of a source, as a test writes it.
#[derive(Clone, Debug)]
struct Written {
    source: u32,
    class: Class,
    actor: u8,
    second: Option<i64>,
    number: usize,
}

/// A record that represents several.
struct Repeated(u64);

impl Details for Repeated {
    fn place(&self) -> String {
        format!("line {}", self.0)
    }

    fn time_found(&self) -> String {
        String::new()
    }

    fn repeated(&self) -> u64 {
        self.0
    }

    fn fill(&self, fact: &mut NewFact) {
        if self.0 > 1 {
            fact.attributes.insert("repeated".to_owned(), self.0.to_string());
        }
    }
}

/// A record that its source repeats counts so often, however few records there are, and none is lost.
#[test]
fn a_record_that_stands_for_several_counts_so_often() {
    for (times, max) in
        [(&[1, 500, 1][..], 200), (&[2, 1], 200), (&[9, 9, 9, 9, 9, 9, 9, 1], 200), (&[1, 500, 7], 2), (&[4], 1)]
    {
        let mut selector = Selector::new(selection(max, 5));
        let mut leaves = Vec::new();
        for (number, times) in times.iter().enumerate() {
            let raw = format!("record {number}");
            leaves.extend(std::iter::repeat_n(chain::leaf(raw.as_bytes()), usize::try_from(*times).unwrap()));
            let details = Repeated(*times);
            let (class, action) = (Class::LogonFailed, "did");
            let observed = Observed {
                class,
                action,
                actor: None,
                object: None,
                time: None,
                raw: raw.as_bytes(),
                details: &details,
            };
            selector.source(SourceId::at(0), 0).observe(&observed);
        }
        let selected = selector.finish();
        let mut draft = Draft::new(vec![source(0)], selection(max, 5)).leaving_out(selected.left_out);
        for (number, mut fact) in selected.facts.into_iter().enumerate() {
            // Records of a test share places.
            if let Some(locator) = &mut fact.locator {
                locator.at = format!("place {number}");
            }
            draft.add(fact).unwrap();
        }
        let packet = draft.freeze();
        let counted = packet.facts().iter().find_map(|fact| fact.aggregate.as_ref());
        if let Some(counted) = counted {
            assert_eq!(
                (counted.count.0, counted.root),
                (times.iter().sum::<u64>(), merkle::root(&leaves)),
                "{times:?}"
            );
            assert_eq!(packet.in_no_fact(), 0, "{times:?}");
        } else {
            let shown: u64 = packet.facts().iter().map(gimbal_evidence::Fact::repeated).sum();
            assert_eq!((max, packet.in_no_fact()), (1, times.iter().sum::<u64>() - shown), "{times:?}");
        }
    }
}

struct Place(usize);

impl Details for Place {
    fn place(&self) -> String {
        format!("line {}", self.0)
    }

    fn time_found(&self) -> String {
        "as found".to_owned()
    }

    fn fill(&self, fact: &mut NewFact) {
        fact.entities.extend(Entity::new(EntityKind::Host, "gate"));
    }
}

fn observe(selector: &mut Selector, record: &Written) {
    let raw = format!("record {}", record.number);
    let actor = format!("10.0.0.{}", record.actor);
    let observed = Observed {
        class: record.class,
        action: "did",
        actor: Some((EntityKind::Address, &actor)),
        object: None,
        time: record.second.and_then(|second| Utc::from_micros(second * 1_000_000)),
        raw: raw.as_bytes(),
        details: &Place(record.number),
    };
    selector.source(SourceId::at(record.source), 0).observe(&observed);
}

fn selection(max: u64, above: u64) -> Selection {
    Selection { max_facts: Counter(max), aggregate_above: Counter(above), ..Selection::default() }
}

/// The places of the chosen records and the counts of the chosen aggregates, by the rule and without any bound of memory.
fn plainly(records: &[Written], max: usize, above: u64) -> (Vec<String>, Vec<u64>) {
    let mut counts: BTreeMap<(Class, u8), u64> = BTreeMap::new();
    let mut first: BTreeMap<(Class, u8), i64> = BTreeMap::new();
    let mut lanes: BTreeMap<(u32, Class), Vec<(i64, usize)>> = BTreeMap::new();
    for record in records {
        let time = record.second.map_or(i64::MAX, |second| second * 1_000_000);
        let count = counts.entry((record.class, record.actor)).or_default();
        *count += 1;
        // Of records of which some have no time, no first one is known.
        let earliest = first.entry((record.class, record.actor)).or_insert(time);
        *earliest = if *earliest == i64::MAX || time == i64::MAX { i64::MAX } else { (*earliest).min(time) };
        if *count <= above {
            lanes.entry((record.source, record.class)).or_default().push((time, record.number));
        }
    }
    let mut aggregates: BTreeMap<Class, Vec<(i64, u8, u64)>> = BTreeMap::new();
    for ((class, actor), count) in counts.into_iter().filter(|(_, count)| *count > above) {
        aggregates.entry(class).or_default().push((first[&(class, actor)], actor, count));
    }
    let mut lanes: Vec<Vec<(i64, usize)>> = lanes.into_values().collect();
    lanes.iter_mut().for_each(|lane| lane.sort_unstable());
    let mut aggregates: Vec<Vec<(i64, u8, u64)>> = aggregates.into_values().collect();
    aggregates.iter_mut().for_each(|lane| lane.sort_unstable());
    let (mut places, mut counted) = (Vec::new(), Vec::new());
    for turn in 0..records.len() + 1 {
        for lane in &lanes {
            if let Some((_, number)) = lane.get(turn)
                && places.len() + counted.len() < max
            {
                places.push(format!("line {number}"));
            }
        }
        for lane in &aggregates {
            if let Some((_, _, count)) = lane.get(turn)
                && places.len() + counted.len() < max
            {
                counted.push(*count);
            }
        }
    }
    places.sort();
    counted.sort_unstable();
    (places, counted)
}

fn records() -> impl Strategy<Value = Vec<Written>> {
    let classes = prop_oneof![Just(Class::Logon), Just(Class::Flow), Just(Class::Message)];
    let record = (0..3_u32, classes, 0..4_u8, proptest::option::weighted(0.9, 0..50_i64));
    proptest::collection::vec(record, 0..400).prop_map(|records| {
        let mut records: Vec<Written> = (0..)
            .zip(records)
            .map(|(number, (source, class, actor, second))| Written { source, class, actor, second, number })
            .collect();
        // Sources are read one after the other.
        records.sort_by_key(|record| record.source);
        records
    })
}

proptest! {
    // covers: ARES-010
    #[test]
    fn bounded_memory_selects_what_unbounded_memory_would(records in records(), max in 1..40_u64, above in 0..8_u64) {
        let mut selector = Selector::new(selection(max, above));
        records.iter().for_each(|record| observe(&mut selector, record));
        let selected = selector.finish();
        let mut places: Vec<String> =
            selected.facts.iter().filter_map(|fact| fact.locator.as_ref()).map(|locator| locator.at.clone()).collect();
        let mut counts: Vec<u64> =
            selected.facts.iter().filter_map(|fact| fact.aggregate.as_ref()).map(|aggregate| aggregate.count.0).collect();
        places.sort();
        counts.sort_unstable();
        prop_assert_eq!((places.clone(), counts), plainly(&records, max as usize, above));
        prop_assert_eq!(selected.left_out.count.0 as usize + places.len(), records.len());
    }

    #[test]
    fn what_was_selected_makes_a_packet(records in records(), max in 1..40_u64) {
        let mut selector = Selector::new(selection(max, 3));
        records.iter().for_each(|record| observe(&mut selector, record));
        let selected = selector.finish();
        let mut draft = Draft::new((0..3).map(source).collect(), selection(max, 3)).leaving_out(selected.left_out);
        for fact in selected.facts {
            draft.add(fact).unwrap();
        }
        prop_assert!(draft.freeze().facts().len() as u64 <= max);
    }
}

fn logons(number: usize) -> Vec<Written> {
    let record =
        |number| Written { source: 0, class: Class::LogonFailed, actor: 7, second: Some(number as i64), number };
    (0..number).map(record).collect()
}

#[test]
fn a_large_group_is_one_fact_with_its_window_and_the_root_of_its_members() {
    let mut selector = Selector::new(selection(200, 5));
    logons(312).iter().for_each(|record| observe(&mut selector, record));
    let selected = selector.finish();
    assert_eq!(selected.facts.len(), 6);
    let aggregate = selected.facts.iter().find_map(|fact| fact.aggregate.clone()).unwrap();
    assert_eq!(aggregate.count, Counter(312));
    assert_eq!(aggregate.last.unwrap().micros() - aggregate.first.unwrap().micros(), 311_000_000);
    let leaves: Vec<Digest> = (0..312).map(|number| chain::leaf(format!("record {number}").as_bytes())).collect();
    assert_eq!(aggregate.root, merkle::root(&leaves));
    assert_eq!(selected.left_out.count, Counter(307));
    assert_eq!(selected.left_out.root, merkle::root(&leaves[5..]));
}

#[test]
fn time_and_entity_restrict_what_is_observed() {
    let restricted = |selection: Selection| {
        let mut selector = Selector::new(Selection { aggregate_above: Counter(1000), ..selection });
        logons(10).iter().for_each(|record| observe(&mut selector, record));
        let selected = selector.finish();
        (selected.facts.len(), selected.left_out.count.0)
    };
    let at = |second: i64| Utc::from_micros(second * 1_000_000);
    assert_eq!(restricted(Selection { since: at(3), until: at(5), ..Selection::default() }), (2, 0));
    assert_eq!(restricted(Selection { entity: "host:gate".parse().ok(), ..Selection::default() }), (10, 0));
    assert_eq!(restricted(Selection { entity: "host:other".parse().ok(), ..Selection::default() }), (0, 0));
}

#[test]
fn groups_beyond_the_table_are_counted_together() {
    let mut selector = Selector::new(selection(10, 1));
    let number = gimbal_evidence::extract::MAX_GROUPS + 5;
    for index in 0..number {
        let name = format!("user{index}");
        let observed = Observed {
            class: Class::Logon,
            action: "did",
            actor: Some((EntityKind::Account, &name)),
            object: None,
            time: None,
            raw: name.as_bytes(),
            details: &Place(index),
        };
        selector.source(SourceId::at(0), 0).observe(&observed);
    }
    let selected = selector.finish();
    let other = selected.facts.iter().find(|fact| fact.class == Class::Other).unwrap();
    assert_eq!(other.aggregate.as_ref().unwrap().count, Counter(5));
}

/// What a person states is never counted away.
#[test]
fn context_stays_fact_by_fact() {
    let mut selector = Selector::new(selection(200, 1));
    for number in 0..9 {
        observe(&mut selector, &Written { source: 0, class: Class::Inventory, actor: 1, second: None, number });
    }
    let selected = selector.finish();
    assert_eq!(selected.facts.len(), 9);
    assert!(selected.facts.iter().all(|fact| fact.aggregate.is_none()));
}
