//! Rules over several records, whose windows are computed here.

use std::collections::BTreeMap;

use gimbal_evidence::{Class, Selection, Utc};
use gimbal_sigma::{Condition, Correlation, Expression, Grouping, Kind, Level, Matcher, Record, Remembered, Rule};
use proptest::prelude::*;

use crate::support::{data, event, packet, rule};

fn rule_of(kind: Kind, wanted: Condition, seconds: i64, groups: &[&str], parts: usize) -> Correlation {
    let group_by = groups.iter().map(|name| Grouping { name: (*name).to_owned(), fields: BTreeMap::new() }).collect();
    Correlation {
        rule: 9,
        parts: (0..parts).collect(),
        kind,
        wanted,
        within: seconds * 1_000_000,
        group_by,
        generates: false,
    }
}

/// A record at a second, which rules matched, with fields.
fn at(second: i64, rules: &[usize], fields: &[(&str, &str)]) -> Remembered {
    let time = Utc::from_micros(second * 1_000_000).unwrap();
    Remembered { time, rules: rules.to_vec(), fields: fields.iter().copied().collect() }
}

fn found(rule: &Correlation, records: &[Remembered]) -> Vec<Vec<usize>> {
    rule.matches(records).into_iter().map(|found| found.records).collect()
}

#[test]
fn records_are_counted_within_the_time_and_by_group() {
    let rule = rule_of(Kind::EventCount, Condition::Least(3), 60, &["user"], 1);
    let user = |second, name| at(second, &[0], &[("user", name)]);
    // Three of one user within the time, its last record included; two users are two groups.
    let records = [user(0, "a"), user(10, "b"), user(30, "a"), user(60, "a"), user(61, "b")];
    let one = rule.matches(&records);
    assert_eq!(one.len(), 1);
    assert_eq!((one[0].rule, one[0].records.as_slice()), (9, [0, 2, 3].as_slice()));
    assert_eq!(one[0].group, [("user".to_owned(), "a".to_owned())]);
    assert!(found(&rule, &[user(0, "a"), user(30, "a"), user(61, "a")]).is_empty(), "a second too late");
    // A match ends its window: five records are one match of three, six are two.
    let many = |number| (0..number).map(|second| user(second, "a")).collect::<Vec<_>>();
    assert_eq!(found(&rule, &many(5)), [vec![0, 1, 2]]);
    assert_eq!(found(&rule, &many(6)), [vec![0, 1, 2], vec![3, 4, 5]]);
    // A record without the field is in no group.
    assert!(found(&rule, &[user(0, "a"), user(1, "a"), at(2, &[0], &[])]).is_empty());
}

#[test]
fn the_order_of_reading_decides_nothing_but_ties() {
    let rule = rule_of(Kind::TemporalOrdered, Condition::Least(2), 60, &[], 2);
    assert_eq!(found(&rule, &[at(20, &[1], &[]), at(10, &[0], &[])]), [vec![1, 0]], "files are read in any order");
    assert!(found(&rule, &[at(10, &[1], &[]), at(20, &[0], &[])]).is_empty());
    assert_eq!(found(&rule, &[at(5, &[0], &[]), at(5, &[1], &[])]), [vec![0, 1]]);
    assert!(found(&rule, &[at(5, &[1], &[]), at(5, &[0], &[])]).is_empty());
}

#[test]
fn different_values_are_counted_and_not_records() {
    let rule = rule_of(Kind::ValueCount(vec!["host".to_owned()]), Condition::Least(3), 60, &[], 1);
    let host = |second, name| at(second, &[0], &[("host", name)]);
    let records = [host(0, "a"), host(1, "a"), host(2, "b"), at(3, &[0], &[]), host(4, "b"), host(5, "c")];
    assert_eq!(found(&rule, &records), [vec![0, 1, 2, 4, 5]]);
    // What left the window counts no more.
    assert!(found(&rule, &[host(0, "a"), host(50, "b"), host(61, "c")]).is_empty());
    assert_eq!(found(&rule, &[host(0, "a"), host(50, "b"), host(61, "c"), host(70, "a")]), [vec![1, 2, 3]]);
}

#[test]
fn rules_that_matched_are_counted_in_any_order_or_asked_for_by_name() {
    let any = rule_of(Kind::Temporal, Condition::Least(2), 60, &[], 3);
    assert_eq!(found(&any, &[at(0, &[2], &[]), at(1, &[2], &[]), at(2, &[0], &[])]), [vec![0, 1, 2]]);
    let both =
        Expression::All(vec![Expression::Rule(0), Expression::Any(vec![Expression::Rule(1), Expression::Rule(2)])]);
    let named = rule_of(Kind::Temporal, Condition::Rules(both), 60, &[], 3);
    assert!(found(&named, &[at(0, &[1], &[]), at(1, &[2], &[])]).is_empty());
    assert_eq!(found(&named, &[at(0, &[1], &[]), at(1, &[0], &[])]), [vec![0, 1]]);
    // One record that two rules matched.
    assert_eq!(found(&any, &[at(0, &[0, 1], &[])]), [vec![0]]);
}

#[test]
fn a_sequence_takes_the_latest_start_that_fits() {
    let rule = rule_of(Kind::TemporalOrdered, Condition::Least(3), 60, &[], 3);
    let records = [at(0, &[0], &[]), at(50, &[0], &[]), at(55, &[1], &[]), at(100, &[2], &[])];
    assert_eq!(found(&rule, &records), [vec![1, 2, 3]], "the first record is too old, the second is not");
    assert!(found(&rule, &[at(0, &[0], &[]), at(55, &[1], &[]), at(61, &[2], &[])]).is_empty());
}

#[test]
fn a_group_has_another_field_in_records_of_another_rule() {
    let mut rule = rule_of(Kind::Temporal, Condition::Least(2), 60, &["user"], 2);
    rule.group_by[0].fields = BTreeMap::from([(0, "TargetUserName".to_owned()), (1, "User".to_owned())]);
    let records =
        [at(0, &[0], &[("TargetUserName", "a")]), at(1, &[1], &[("User", "b")]), at(2, &[1], &[("User", "a")])];
    assert_eq!(found(&rule, &records), [vec![0, 2]]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    /// A window computed anew for each record says the same: `least` records within the time, begun anew after a match.
    #[test]
    fn counting_agrees_with_a_slow_reading(times in proptest::collection::vec((0_i64..40, 0_u8..2), 0..40), least in 1_usize..5, seconds in 1_i64..15) {
        let rule = rule_of(Kind::EventCount, Condition::Least(least as u64), seconds, &["user"], 1);
        let records: Vec<Remembered> = times.iter().map(|(second, user)| at(*second, &[0], &[("user", if *user == 0 { "a" } else { "b" })])).collect();
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|index| (times[*index].0, *index));
        let mut kept: Vec<usize> = Vec::new();
        let mut expected = Vec::new();
        for index in order {
            kept.push(index);
            let same: Vec<usize> = kept.iter().copied().filter(|other| times[*other].1 == times[index].1 && times[*other].0 >= times[index].0 - seconds).collect();
            if same.len() >= least {
                kept.retain(|other| times[*other].1 != times[index].1);
                expected.push(same);
            }
        }
        prop_assert_eq!(found(&rule, &records), expected);
    }
}

/// One rule that matches every record, and one over several of them.
struct Counting {
    rules: Vec<Rule>,
    several: Vec<Correlation>,
}

impl Matcher for Counting {
    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn correlations(&self) -> &[Correlation] {
        &self.several
    }

    fn matches(&self, _record: &Record) -> Vec<usize> {
        vec![0]
    }
}

fn counting(generates: bool) -> Counting {
    let rules = vec![rule("one", Some(Level::Low)), rule("many", Some(Level::High))];
    let mut several = rule_of(Kind::EventCount, Condition::Least(2), 60, &["TargetUserName"], 1);
    (several.rule, several.generates) = (1, generates);
    Counting { rules, several: vec![several] }
}

fn logons(number: usize) -> String {
    let one = event("Security", 4625, &data(&[("TargetUserName", "kim"), ("IpAddress", "203.0.113.7")]));
    format!("<Events>{}</Events>", one.repeat(number))
}

#[test]
fn a_match_over_several_records_is_one_fact_with_author_group_and_count() {
    // The records have the same bytes.
    let (found, _) = packet(&logons(5), Some(&counting(false)), &Selection::default());
    let hits: Vec<_> = found.facts().iter().filter(|fact| fact.class == Class::RuleHit).collect();
    assert_eq!(hits.len(), 2, "two pairs of five records; the named rule itself is silent");
    for hit in hits {
        assert_eq!(hit.attributes["rule_title"], "many");
        assert_eq!(hit.attributes["rule_author"], "A. Author, B. Author");
        assert_eq!(hit.attributes["rule_license"], "DRL-1.1");
        assert_eq!(hit.attributes["rule_group"], "TargetUserName=kim");
        assert_eq!(hit.aggregate.as_ref().unwrap().count.0, 2);
        // The places of the first and the last record tell two matches with equal records apart.
        assert!(
            hit.attributes["rule_first"].ends_with("of S1")
                && hit.attributes["rule_first"] != hit.attributes["rule_last"]
        );
        assert!(hit.entities.iter().any(|entity| entity.to_string().contains("kim")), "{:?}", hit.entities);
    }
    let (found, _) = packet(&logons(5), Some(&counting(true)), &Selection::default());
    let titles = |title: &str| {
        found.facts().iter().filter(|fact| fact.attributes.get("rule_title").is_some_and(|is| is == title)).count()
    };
    assert_eq!((titles("one"), titles("many")), (5, 2), "with `generate` the named rule speaks too");
}
