//! The baselines.

use std::collections::BTreeMap;

use gimbal_core::{Catalogue, Milli, Rng};
use gimbal_evidence::judge::Verdict;
use gimbal_triage::Triage;
use gimbal_triage::corpus::Corpus;
use gimbal_triage::policy::{MAJORITY, POLICIES};
use serde_json::json;

use crate::play::{act, begin, marking, tasks, with_interval};

// covers: ARES-075
#[test]
fn every_policy_concludes_on_every_scenario_and_only_the_expert_is_always_right() {
    let mut right: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_split: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let all = tasks();
    let corpus = Corpus::built_in().unwrap_or_else(|error| panic!("{error}"));
    for task in &all {
        for policy in POLICIES {
            let (mut environment, _) = begin(task, &json!({}));
            let mut draws = Rng::stream(1, "policy");
            let end = loop {
                let call = environment.decide(policy, &mut draws).unwrap();
                let step = act(&mut *environment, &call).unwrap_or_else(|why| panic!("{task}, {policy}: {why}"));
                if step.done.is_some() {
                    break step;
                }
            };
            assert!(marking(&end).given.is_some(), "{task}, {policy}");
            let is_right = usize::from(end.reward == Milli(1000));
            *right.entry(policy).or_default() += is_right;
            for split in &corpus.scenario(task).unwrap().splits {
                let of_split = by_split.entry((policy, split)).or_default();
                *of_split = (of_split.0 + is_right, of_split.1 + 1);
            }
        }
    }
    println!("right of {}: {right:?}", all.len());
    for ((policy, split), (right, all)) in &by_split {
        println!("{policy:<14} {split:<8} {} of {all}", with_interval(*right, *all));
    }
    assert_eq!(right["expert"], all.len());
    assert!(POLICIES.iter().filter(|policy| **policy != "expert").all(|policy| right[policy] < all.len()));
    let (mut environment, _) = begin(&all[0], &json!({}));
    assert!(environment.decide("random", &mut Rng::stream(1, "policy")).is_none());
}

#[test]
fn the_majority_is_that_of_the_split_that_may_be_looked_at() {
    let corpus = Corpus::built_in().unwrap();
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for task in Triage.tasks("dev", &json!({})).unwrap() {
        *counts.entry(corpus.scenario(&task.0).unwrap().expected).or_default() += 1;
    }
    let most = counts.values().max().copied();
    assert_eq!(counts.get(&MAJORITY).copied(), most, "{counts:?}");
}
