//! The rule with tuned weights, on conflicts with a planted rule.

use gimbal_core::Milli;
use gimbal_neural::data::{Part, Split, synthetic};
use gimbal_neural::eval::{evaluate, judge};
use gimbal_neural::tune::{Rule, Ruled, TuneError, tune};
use gimbal_neural::{Dataset, Net};
use gimbal_temporal::Layer;
use gimbal_temporal::arbiter::{Tie, Weights};

use crate::support;

fn regret(data: &Dataset, choices: &[usize]) -> f64 {
    data.conflicts.iter().zip(choices).map(|(conflict, choice)| conflict.regret(*choice)).sum::<f64>()
        / data.conflicts.len() as f64
}

// covers: CTHA-071, CTHA-080
#[test]
fn tuned_weights_lose_less_than_the_default_ones_on_episodes_that_they_have_not_seen() {
    let data = synthetic::conflicts(3000, 11);
    let (train, test) = (data.part(&Split::default(), Part::Train), data.part(&Split::default(), Part::Test));
    let found = tune(&train, 2, 1).unwrap();
    assert_eq!(tune(&train, 2, 1).unwrap(), found, "the same seed gives the same weights");
    assert!(found.left < found.before, "{found:?}");
    let rule = Ruled::of(&data.header).unwrap();
    let lost = |tried: &Rule| regret(&test, &rule.choices(&test, tried).unwrap());
    let (tuned, default) = (lost(&found.rule), lost(&Rule::default()));
    assert!(tuned < 0.8 * default, "{tuned} against {default}");
    // The planted rule weighs confidence and not urgency.
    assert!(found.rule.weights.confidence > found.rule.weights.urgency, "{found:?}");
    assert!(found.tried > 100 && found.conflicts > 1000);
}

// covers: CTHA-071, CTHA-073
#[test]
fn the_rule_on_a_file_is_the_rule_of_the_arbiter() {
    let data = synthetic::conflicts(500, 3);
    let rule = Ruled::of(&data.header).unwrap();
    // Without a margin the choice of one party among several is the highest priority, which the synthetic conflicts hold. Their priorities are not
    // rounded to thousandths, so that a few close ones differ.
    let exact = Weights { epsilon: Milli::ZERO, ..Weights::default() };
    let choices = rule.choices(&data, &exact.into()).unwrap();
    let same = data.conflicts.iter().zip(&choices).filter(|(conflict, choice)| conflict.choices[0] == **choice).count();
    assert!(same >= 497, "{same}");
    // Bases alone: the slowest party, or the fastest.
    let still = Weights { urgency: Milli::ZERO, confidence: Milli::ZERO, epsilon: Milli::ZERO, ..Weights::default() };
    let slowest = rule.choices(&data, &still.clone().into()).unwrap();
    assert!(data.conflicts.iter().zip(&slowest).all(|(conflict, choice)| conflict.choices[1] == *choice));
    let fast = Weights { base: [500, 400, 300, 200, 100].map(Milli), ..still };
    let fastest = rule.choices(&data, &fast.into()).unwrap();
    assert!(data.conflicts.iter().zip(&fastest).all(|(conflict, choice)| conflict.choices[2] == *choice));
}

/// Conflicts of a faster call with a policy, in which one of the two is always right.
fn policies(faster_is_right: bool) -> Dataset {
    let mut data = synthetic::conflicts(200, 3);
    data.header.columns.push("call".to_owned());
    for conflict in &mut data.conflicts {
        conflict.parties.truncate(2);
        for (party, (layer, call)) in
            conflict.parties.iter_mut().zip([(Layer::Reflex, 1.0), (Layer::Institutional, 0.0)])
        {
            party.layer = layer;
            party.features.push(call);
        }
        conflict.excludes = vec![(0, 1)];
        conflict.candidates.truncate(2);
        conflict.candidates[0].mean = if faster_is_right { 1.0 } else { 0.0 };
        conflict.candidates[1].mean = 1.0 - conflict.candidates[0].mean;
        conflict.best = usize::from(!faster_is_right);
        conflict.choices.fill(0);
    }
    data
}

// covers: CTHA-076, CTHA-080
#[test]
fn the_search_may_drop_what_comes_before_the_score() {
    // No weights overrule a policy that comes before the score.
    let found = tune(&policies(true), 0, 1).unwrap();
    assert!(!found.rule.rules && found.left < 1e-9 && found.before > 0.9, "{found:?}");
    let found = tune(&policies(false), 0, 1).unwrap();
    assert!(found.rule.rules && found.left < 1e-9, "{found:?}");
}

// covers: CTHA-R01
#[test]
fn ties_are_part_of_a_rule_and_a_default_rule_is_written_in_full() {
    let data = policies(true);
    let even = Weights { base: [Milli::ZERO; 5], urgency: Milli::ZERO, confidence: Milli::ZERO, epsilon: Milli::ZERO };
    let choices = |tie: Tie| {
        let rule = Rule { weights: even.clone(), rules: false, tie };
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule, "{text}");
        Ruled::of(&data.header).unwrap().choices(&data, &rule).unwrap()
    };
    assert!(choices(Tie::KeepFaster).iter().all(|choice| *choice == 0));
    assert!(choices(Tie::KeepSlower).iter().all(|choice| *choice == 1));
    let plain = serde_json::to_value(Rule::default()).unwrap();
    assert_eq!(plain["rules"], true, "an arbiter without it fills in its own");
    assert_eq!(plain["tie"], "keep_faster");
    // Weights alone are the default rule: so older files have it.
    let alone = serde_json::to_value(Weights::default()).unwrap();
    assert_eq!(serde_json::from_value::<Rule>(alone).unwrap(), Rule::default());
    assert!(serde_json::from_value::<Rule>(serde_json::json!({ "base": [0, 0, 0, 0, 0] })).is_err());
}

#[test]
fn what_the_rule_cannot_read_is_refused() {
    let mut data = synthetic::conflicts(50, 3);
    data.conflicts[7].excludes.clear();
    let id = data.conflicts[7].id.clone();
    assert_eq!(tune(&data, 0, 1).unwrap_err(), TuneError::Excludes(id));
    let mut bare = synthetic::conflicts(50, 3);
    bare.header.columns[0] = "haste".to_owned();
    assert_eq!(tune(&bare, 0, 1).unwrap_err(), TuneError::Column("urgency"));
    let mut alike = synthetic::conflicts(50, 3);
    alike.conflicts.iter_mut().flat_map(|one| &mut one.candidates).for_each(|one| one.mean = 1.0);
    assert_eq!(tune(&alike, 0, 1).unwrap_err(), TuneError::Nothing);
}

#[test]
fn a_rule_is_a_row_of_the_evaluation_and_the_published_mix_weighs_conflicts() {
    let data = synthetic::conflicts(1000, 5);
    let choices = Ruled::of(&data.header).unwrap().choices(&data, &Rule::default()).unwrap();
    let more = data.with_rule("tuned", &choices);
    assert_eq!(Dataset::read(&more.write().unwrap()).unwrap(), more);
    let net: Net = support::net(support::tiny(), 1, false);
    let groups = evaluate(&more, &judge(&more, &net));
    let tuned = groups[0].choosers.iter().find(|one| one.name == "tuned").unwrap();
    assert!((tuned.regret.unwrap().value - regret(&data, &choices)).abs() < 1e-6);
    // Resource and effect stand to one another as 42.3 to 31.8, and the sum of weights stays.
    let mixed = data.published_mix();
    let sum = |kind: &str| -> f64 {
        mixed.conflicts.iter().filter(|one| one.kind == kind).map(|one| f64::from(one.weight)).sum()
    };
    assert!((sum("resource") / sum("effect") - 423.0 / 318.0).abs() < 1e-3);
    assert!((sum("resource") + sum("effect") - 1000.0).abs() < 0.1);
    let mut calls = data.clone();
    calls.conflicts.iter_mut().take(10).for_each(|one| one.kind = "call".to_owned());
    assert_eq!(calls.published_mix().conflicts.len(), 990, "two calls in a step are no conflict of the work");
}
