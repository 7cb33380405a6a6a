//! Each rule on trajectories that show it, and on neighbours that do not.

use super::{CAPABILITY, CASCADE, CAUTION, PASSIVITY};
use gimbal_analysis::profile::{
    Action, ActionClass, ActionFacts, AgentCount, Invocation, Profile, RoleCalls, StepProfile, Suggestion,
};

fn facts() -> ActionFacts {
    let entry = |name: &str, class: &str| ActionClass { name: name.to_owned(), class: class.to_owned() };
    ActionFacts {
        actions: vec![
            entry("Watch", "passive"),
            entry("Clean", "reactive"),
            entry("Rebuild", "reactive"),
            entry("LureKIND", "proactive"),
        ],
        idle: "Watch".to_owned(),
        harm: Some(-1_000),
        floor: Some(-13_000),
    }
}

fn step(number: u32, action: &str, reward: i64) -> StepProfile {
    let (tool, subject) = action.split_once(' ').map_or((action, None), |(tool, subject)| (tool, Some(subject)));
    StepProfile {
        step: number,
        action: Some(Action {
            tool: tool.to_owned(),
            subject: subject.map(str::to_owned),
            arguments: subject.unwrap_or_default().to_owned(),
        }),
        reward,
        calls: vec![RoleCalls { role: "planner".to_owned(), calls: 1, input: 100, output: 10 }],
        ..StepProfile::default()
    }
}

fn deliberating(mut step: StepProfile, agents: &[(&str, u32)]) -> StepProfile {
    step.deliberations =
        agents.iter().map(|(name, count)| AgentCount { name: (*name).to_owned(), count: *count }).collect();
    step
}

fn suggesting(mut step: StepProfile, entries: &[(&str, i64)]) -> StepProfile {
    step.suggestions = entries
        .iter()
        .map(|(action, confidence)| Suggestion { action: (*action).to_owned(), confidence: Some(*confidence) })
        .collect();
    step.calls.push(RoleCalls { role: "chooser".to_owned(), calls: 1, input: 50, output: 5 });
    step.invocations.push(Invocation { agent: "chooser".to_owned(), messages: 2 });
    step
}

fn episode(steps: Vec<StepProfile>) -> Profile {
    let return_thousandths = steps.iter().map(|step| step.reward).sum();
    Profile {
        cell: "hier-delib".to_owned(),
        task: "default".to_owned(),
        return_thousandths,
        steps,
        ..Profile::default()
    }
}

// covers: BOG-220
#[test]
fn a_cascade_is_rising_deliberation_at_the_floor_without_a_remedy() {
    let at_floor = |number, action: &str, times| deliberating(step(number, action, -13_100), &[("planner", times)]);
    let calm = |number| deliberating(step(number, "Watch", 0), &[("planner", 1)]);
    let rising = episode(vec![calm(1), calm(2), at_floor(3, "Watch", 2), at_floor(4, "Watch", 3)]);
    assert_eq!((CASCADE.look)(&rising, &facts()), Some(vec![3, 4]));
    // As much as before is not a rise.
    let steady = episode(vec![calm(1), calm(2), at_floor(3, "Watch", 1), at_floor(4, "Watch", 1)]);
    assert_eq!((CASCADE.look)(&steady, &facts()), Some(vec![]));
    // A remedy in each second step leaves no run of two.
    let remedied =
        episode(vec![calm(1), at_floor(2, "Watch", 5), at_floor(3, "Rebuild a", 5), at_floor(4, "Watch", 5)]);
    assert_eq!((CASCADE.look)(&remedied, &facts()), Some(vec![]));
    // The floor itself counts, just above does not.
    let edge = episode(vec![
        calm(1),
        deliberating(step(2, "Watch", -13_000), &[("a", 9)]),
        deliberating(step(3, "Watch", -12_999), &[("a", 9)]),
    ]);
    assert_eq!((CASCADE.look)(&edge, &facts()), Some(vec![]));
    // Nobody deliberates, or no floor is stated: nothing to tell.
    let silent = episode(vec![step(1, "Watch", -13_100), step(2, "Watch", -13_100)]);
    assert_eq!((CASCADE.look)(&silent, &facts()), None);
    assert_eq!((CASCADE.look)(&rising, &ActionFacts { floor: None, ..facts() }), None);
}

// covers: BOG-221
#[test]
fn passivity_is_a_remedy_put_off_while_decoys_are_up() {
    let ranked = |number, entries: &[(&str, i64)]| suggesting(step(number, "Watch", -1_000), entries);
    let passive = [("Watch", 900), ("Watch a", 800), ("Rebuild a", 700)];
    let shown = episode(vec![step(1, "LureWeb a", 0), ranked(2, &passive)]);
    assert_eq!((PASSIVITY.look)(&shown, &facts()), Some(vec![2]));
    // The confidence decides, not the place in the list.
    let remedy_first = episode(vec![step(1, "LureWeb a", 0), ranked(2, &[("Watch", 600), ("Rebuild a", 700)])]);
    assert_eq!((PASSIVITY.look)(&remedy_first, &facts()), Some(vec![]));
    // No decoys; decoys wiped by the strongest remedy; harm that eases.
    assert_eq!((PASSIVITY.look)(&episode(vec![ranked(1, &passive)]), &facts()), Some(vec![]));
    let wiped = episode(vec![step(1, "LureWeb a", 0), step(2, "Rebuild a", 0), ranked(3, &passive)]);
    assert_eq!((PASSIVITY.look)(&wiped, &facts()), Some(vec![]));
    let elsewhere = episode(vec![step(1, "LureWeb a", 0), step(2, "Rebuild b", 0), ranked(3, &passive)]);
    assert_eq!((PASSIVITY.look)(&elsewhere, &facts()), Some(vec![3]));
    let eases = episode(vec![step(1, "LureWeb a", -2_000), ranked(2, &passive)]);
    assert_eq!((PASSIVITY.look)(&eases, &facts()), Some(vec![]));
    // A small steady loss is the price of an environment that is held, and calls for no remedy.
    let small = episode(vec![step(1, "LureWeb a", 0), suggesting(step(2, "Watch", -999), &passive)]);
    assert_eq!((PASSIVITY.look)(&small, &facts()), Some(vec![]));
    // Without rankings three steps in a row are needed.
    let waits = |steps: u32| {
        episode(
            std::iter::once(step(1, "LureWeb a", 0)).chain((2..2 + steps).map(|n| step(n, "Watch", -1_000))).collect(),
        )
    };
    assert_eq!((PASSIVITY.look)(&waits(2), &facts()), Some(vec![]));
    assert_eq!((PASSIVITY.look)(&waits(3), &facts()), Some(vec![2, 3, 4]));
    let plain = ActionFacts { actions: vec![], ..facts() };
    assert_eq!((PASSIVITY.look)(&shown, &plain), None);
}

// covers: BOG-222
#[test]
fn distributed_caution_is_agreement_on_waiting_and_a_late_remedy() {
    let cautious = |number| suggesting(step(number, "Watch", -1_000), &[("Watch", 900), ("Rebuild a", 100)]);
    let late: Vec<StepProfile> = (1..=10).map(cautious).chain([step(11, "Rebuild a", -1_000)]).collect();
    assert_eq!((CAUTION.look)(&episode(late.clone()), &facts()), Some((1..=10).collect()));
    let early: Vec<StepProfile> = (1..=9).map(cautious).chain([step(10, "Clean a", -1_000)]).collect();
    assert_eq!((CAUTION.look)(&episode(early), &facts()), Some(vec![]));
    // A chooser that asks for the remedy is not cautious, though it is not heard.
    let unheard: Vec<StepProfile> =
        (1..=12).map(|number| suggesting(step(number, "Watch", -1_000), &[("Rebuild a", 900)])).collect();
    assert_eq!((CAUTION.look)(&episode(unheard), &facts()), Some(vec![]));
    // One loop alone is not distributed.
    let alone: Vec<StepProfile> = (1..=12).map(|number| step(number, "Watch", -1_000)).collect();
    assert_eq!((CAUTION.look)(&episode(alone), &facts()), None);
    let two: Vec<StepProfile> =
        (1..=12).map(|number| deliberating(step(number, "Watch", -1_000), &[("planner", 1), ("analyst", 1)])).collect();
    assert_eq!((CAUTION.look)(&episode(two), &facts()), Some((1..=12).collect()));
}

// covers: BOG-225
#[test]
fn the_capability_floor_is_measured_by_invalid_attempts_and_fallbacks() {
    let wrong = |number, rejected, failed, fallback: bool| StepProfile {
        rejected,
        failed,
        fallbacks: fallback.into(),
        ..step(number, "Watch", 0)
    };
    // Two attempts of which one is invalid: half.
    let half = episode(vec![wrong(1, 1, 0, false)]);
    assert_eq!((CAPABILITY.look)(&half, &facts()), Some(vec![1]));
    let third = episode(vec![wrong(1, 0, 1, false), wrong(2, 0, 0, false)]);
    assert_eq!((CAPABILITY.look)(&third, &facts()), Some(vec![]));
    let mut fallback: Vec<StepProfile> = (1..=10).map(|number| wrong(number, 0, 0, false)).collect();
    fallback[3].fallbacks = 1;
    assert_eq!((CAPABILITY.look)(&episode(fallback.clone()), &facts()), Some(vec![4]));
    fallback.push(wrong(11, 0, 0, false));
    assert_eq!((CAPABILITY.look)(&episode(fallback), &facts()), Some(vec![]));
    let policy = episode(vec![StepProfile { calls: vec![], ..step(1, "Watch", 0) }]);
    assert_eq!((CAPABILITY.look)(&policy, &facts()), None);
}
