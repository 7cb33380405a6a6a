//! The arbiter: Algorithm 1 searched exhaustively, and decisions as a whole.

use gimbal_core::{Milli, ToolCall};
use gimbal_temporal::arbiter::search::{Case, GRID, Setting, search};
use gimbal_temporal::arbiter::{Arbiter, Mode, Party, Rank, Scene, Score, Skip, Tie, Verdict, Weights, mask};
use gimbal_temporal::commitments::{Commitment, Commitments};
use gimbal_temporal::{Content, Directive, Layer, Pattern, Proposal};
use proptest::prelude::*;

use crate::conflict::any_proposal;
use crate::support::call;

fn scores(priorities: &[i64]) -> Vec<Score> {
    priorities.iter().map(|priority| Score { rank: Rank::Ordinary, priority: Milli(*priority) }).collect()
}

fn masked(priorities: &[i64], conflicts: &[(usize, usize)], epsilon: i64, mode: Mode, tie: Tie) -> Vec<bool> {
    let masks = mask(&scores(priorities), conflicts, Milli(epsilon), mode, tie);
    masks.iter().map(Option::is_some).collect()
}

// covers: CTHA-R01
#[test]
fn line_13_of_the_algorithm_keeps_the_slower_layer_and_its_comment_the_faster() {
    let tied = |tie| masked(&[500, 500], &[(0, 1)], 50, Mode::Literal, tie);
    assert_eq!(tied(Tie::KeepSlower), [true, false]);
    assert_eq!(tied(Tie::KeepFaster), [false, true]);
    // A difference of exactly the margin is a tie.
    assert_eq!(masked(&[500, 550], &[(0, 1)], 50, Mode::Literal, Tie::KeepFaster), [false, true]);
    assert_eq!(masked(&[500, 551], &[(0, 1)], 50, Mode::Literal, Tie::KeepFaster), [true, false]);
}

// covers: CTHA-R02, CTHA-073
#[test]
fn the_literal_algorithm_may_mask_everybody_and_the_greedy_one_never_does() {
    let all = [(0, 1), (0, 2), (1, 2)];
    let priorities = [1000, 950, 900];
    assert_eq!(masked(&priorities, &all, 80, Mode::Literal, Tie::KeepSlower), [true, true, true]);
    assert_eq!(masked(&priorities, &all, 80, Mode::Greedy, Tie::KeepSlower), [true, false, true]);
    assert_eq!(masked(&priorities, &all, 80, Mode::Greedy, Tie::KeepFaster), [false, true, true]);
    assert_eq!(masked(&priorities, &all, 0, Mode::Literal, Tie::KeepSlower), [false, true, true]);
}

#[test]
fn pairs_that_name_nobody_are_passed_over() {
    let masks = mask(&scores(&[1, 2]), &[(0, 7), (1, 1)], Milli::ZERO, Mode::Literal, Tie::KeepFaster);
    assert_eq!(masks, [None, None]);
    assert!(mask(&[], &[], Milli::ZERO, Mode::Greedy, Tie::KeepFaster).is_empty());
}

/// Cases, all masked, needlessly masked, slowest masked; counted a second time by an independent program.
type Counts = (u64, u64, u64, u64);

fn counts(mode: Mode, tie: Tie, epsilon: i64, rules: bool) -> (Counts, Option<Case>) {
    let found = search(Setting { mode, tie, epsilon: Milli(epsilon), rules }, &GRID, 4);
    assert_eq!((found.residual, found.by_order, found.unsettled), (0, 0, 0), "{mode:?} {tie:?} {epsilon} {rules}");
    ((found.cases, found.all_masked, found.needless, found.slowest_masked), found.first_all_masked)
}

// covers: CTHA-073, CTHA-075, CTHA-076, CTHA-R01, CTHA-R02, CTHA-151
#[test]
fn every_small_conflict_is_searched_under_both_tie_rules() {
    use Mode::{Greedy, Literal};
    use Tie::{KeepFaster, KeepSlower};
    let expected = [
        (Literal, KeepFaster, 0, (84_750, 0, 23_544, 50_743)),
        (Literal, KeepFaster, 50, (84_750, 370, 24_822, 59_838)),
        (Literal, KeepFaster, 80, (84_750, 370, 24_822, 59_838)),
        (Literal, KeepSlower, 0, (84_750, 0, 23_544, 38_425)),
        (Literal, KeepSlower, 50, (84_750, 370, 24_822, 27_150)),
        (Literal, KeepSlower, 80, (84_750, 370, 24_822, 27_150)),
        (Greedy, KeepFaster, 0, (84_750, 0, 0, 43_281)),
        (Greedy, KeepFaster, 50, (84_750, 0, 0, 50_096)),
        (Greedy, KeepSlower, 0, (84_750, 0, 0, 33_375)),
        (Greedy, KeepSlower, 50, (84_750, 0, 0, 24_451)),
    ];
    for (mode, tie, epsilon, counted) in expected {
        assert_eq!(counts(mode, tie, epsilon, false).0, counted, "{mode:?} {tie:?} {epsilon}");
    }
    // With the rule before the score no faster layer overrides a policy, and it is always there to be kept.
    for (mode, epsilon, needless) in [(Literal, 0, 23_544), (Literal, 50, 23_784), (Greedy, 50, 0)] {
        for tie in [KeepFaster, KeepSlower] {
            assert_eq!(counts(mode, tie, epsilon, true).0, (84_750, 0, needless, 0), "{mode:?} {tie:?} {epsilon}");
        }
    }
    let first = counts(Literal, KeepSlower, 50, false).1.unwrap();
    assert_eq!(first.conflicts, [(0, 1), (0, 2), (1, 2)]);
}

// covers: CTHA-071, CTHA-072
#[test]
fn a_priority_is_base_urgency_confidence_and_what_is_learned() {
    let weights = Weights::default();
    let wanted = Proposal::call(Layer::Tactical, call("look", "x")).scored(Milli(700), Milli(333));
    assert_eq!(weights.priority(&wanted, Milli(-25)), Milli(200 + 350 + 100 - 25));
    assert_eq!(weights.priority(&wanted.clone().scored(Milli(9000), Milli(-5)), Milli::ZERO), Milli(700));
    assert!(Layer::ALL.windows(2).all(|pair| weights.base(pair[0]) < weights.base(pair[1])));
    assert_eq!(weights.priority(&wanted, Milli(i64::MAX)), Milli(i64::MAX));
}

fn idle() -> ToolCall {
    ToolCall::bare("wait")
}

fn decide(arbiter: &Arbiter, proposals: &[Proposal], commitments: &[&Commitment]) -> Verdict {
    let idle = idle();
    let scene = Scene {
        idle: &idle,
        open: &|call| call.string("subject") != Some("c"),
        stops: &|call| call.string("subject") == Some("a"),
    };
    arbiter.resolve(proposals, commitments, &[], &scene)
}

fn forbidding(layer: Layer, pattern: &str) -> Proposal {
    let (id, text) = (format!("no {pattern}"), String::new());
    Proposal::directive(layer, Directive { id, text, forbids: vec![Pattern::new(pattern)], only: Vec::new() })
}

// covers: CTHA-076, CTHA-R18
#[test]
fn a_stop_in_an_emergency_comes_before_a_policy_and_nothing_else_does() {
    let policy = forbidding(Layer::Institutional, "*");
    let reflex = |subject: &str, emergency: bool| Proposal {
        emergency,
        ..Proposal::call(Layer::Reflex, call("look", subject)).scored(Milli(1000), Milli(1000))
    };
    let arbiter = Arbiter::default();
    let called = |one: Proposal| decide(&arbiter, &[one, policy.clone()], &[]).composed.call;
    assert_eq!(called(reflex("a", true)), call("look", "a"));
    assert_eq!(called(reflex("b", true)), idle(), "a call that begins something is no stop");
    assert_eq!(called(reflex("a", false)), idle());
    let tactical = Proposal { layer: Layer::Tactical, ..reflex("a", true) };
    assert_eq!(called(tactical), idle(), "emergencies are for Reflex to call");
    // By the score alone, as printed, an urgent and confident Reflex overrides the policy.
    let printed = Arbiter { rules: false, ..Arbiter::default() };
    assert_eq!(decide(&printed, &[reflex("b", false), policy], &[]).composed.call, call("look", "b"));
}

// covers: CTHA-074, CTHA-075
#[test]
fn the_idle_call_is_there_when_nothing_else_is() {
    let arbiter = Arbiter::default();
    assert_eq!(decide(&arbiter, &[], &[]).composed.call, idle());
    let everything = [forbidding(Layer::Institutional, "*"), Proposal::call(Layer::Reflex, idle())];
    assert_eq!(decide(&arbiter, &everything, &[]).composed.call, idle());
    let shut = decide(&arbiter, &[Proposal::call(Layer::Reflex, call("look", "c"))], &[]);
    assert_eq!((shut.composed.call, shut.skipped[0].why), (idle(), Skip::NotNow));
    // A slower layer that names a call calls a tool, which is beyond its scope; it masks nobody.
    let called =
        [Proposal::call(Layer::Reflex, call("look", "b")), Proposal::call(Layer::Institutional, call("look", "a"))];
    let verdict = decide(&arbiter, &called, &[]);
    assert_eq!((verdict.composed.call, verdict.skipped[0].why), (call("look", "b"), Skip::Authority));
}

// covers: CTHA-074
#[test]
fn policies_come_before_plans_and_one_call_after_them() {
    let proposals = [
        forbidding(Layer::Strategic, "x"),
        Proposal::call(Layer::Tactical, call("look", "b")),
        forbidding(Layer::Institutional, "y"),
        Proposal::call(Layer::Reflex, call("look", "b")),
    ];
    let verdict = decide(&Arbiter::default(), &proposals, &[]);
    assert!(verdict.early);
    let layers: Vec<Layer> = verdict.composed.directives.iter().map(|(layer, _)| *layer).collect();
    assert_eq!(layers, [Layer::Institutional, Layer::Strategic]);
    assert_eq!((verdict.composed.caller, verdict.kept.len()), (Some(Layer::Reflex), 4));
}

// covers: CTHA-070, CTHA-110
#[test]
fn commitments_take_part_and_end_where_they_lose_unless_they_are_policies() {
    let mut table = Commitments::new();
    table.commit(&forbidding(Layer::Strategic, "look b"), 1);
    table.commit(&forbidding(Layer::Institutional, "look a"), 1);
    let live: Vec<&Commitment> = table.live(2).collect();
    let reflex = |subject: &str| Proposal::call(Layer::Reflex, call("look", subject)).scored(Milli(1000), Milli(1000));
    let verdict = decide(&Arbiter::default(), &[reflex("b")], &live);
    assert_eq!((verdict.composed.call.clone(), verdict.released), (call("look", "b"), vec![(1, Layer::Reflex)]));
    assert_eq!(verdict.parties[0], Party::Proposal(0));
    let stop = Proposal { emergency: true, ..reflex("a") };
    let verdict = decide(&Arbiter::default(), &[stop], &live);
    assert_eq!((verdict.composed.call, verdict.released.len(), verdict.masked.len()), (call("look", "a"), 0, 1));
    // A layer replaces its own commitment without a conflict.
    let anew = forbidding(Layer::Strategic, "look a").making("k", "on");
    assert!(decide(&Arbiter::default(), &[anew], &live).early);
}

fn any_arbiter() -> impl Strategy<Value = Arbiter> {
    let mode = prop::sample::select(vec![Mode::Literal, Mode::Greedy]);
    let tie = prop::sample::select(vec![Tie::KeepFaster, Tie::KeepSlower]);
    (mode, tie, any::<bool>(), any::<bool>()).prop_map(|(mode, tie, rules, printed)| {
        let detector = if printed { Arbiter::published().detector } else { Arbiter::default().detector };
        Arbiter { mode, tie, rules, detector, ..Arbiter::default() }
    })
}

/// The proposals that are in effect.
fn in_effect(verdict: &Verdict, proposals: &[Proposal]) -> Vec<Proposal> {
    let kept = verdict.kept.iter().filter_map(|place| match verdict.parties[*place] {
        Party::Proposal(at) => Some(proposals[at].clone()),
        Party::Commitment(_) => None,
    });
    kept.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    // covers: CTHA-073, CTHA-074, CTHA-075, CTHA-076, CTHA-082
    #[test]
    fn a_decision_is_one_call_without_conflict_within_authority_and_composing_it_again_changes_nothing(
        arbiter in any_arbiter(), proposals in prop::collection::vec(any_proposal(), 0..7),
    ) {
        let verdict = decide(&arbiter, &proposals, &[]);
        // Determinism, and the early exit is the whole way.
        let whole = Arbiter { early_exit: false, ..arbiter.clone() };
        prop_assert_eq!(&decide(&whole, &proposals, &[]), &verdict);
        // No conflict is left among what is not masked.
        let lost = |place: usize| verdict.masked.iter().any(|one| one.place == place);
        prop_assert!(verdict.conflicts.iter().all(|conflict| lost(conflict.one) || lost(conflict.other)));
        // One call that the environment takes, or the idle call; within its layer's authority, and let through by what holds.
        let call = &verdict.composed.call;
        prop_assert!(*call == idle() || call.string("subject") != Some("c"));
        if verdict.composed.caller.is_some() && *call != idle() {
            prop_assert!(verdict.composed.directives.iter().all(|(_, directive)| directive.allows(call)));
        }
        for proposal in in_effect(&verdict, &proposals) {
            prop_assert!(arbiter.authority.permits(proposal.layer, proposal.category));
        }
        // No policy loses but to a stop in an emergency or another policy.
        if arbiter.rules {
            for one in verdict.masked.iter().filter(|one| verdict.scores[one.place].rank == Rank::Policy) {
                prop_assert!(verdict.scores[one.by].rank >= Rank::Policy);
            }
        }
        if arbiter.mode == Mode::Greedy && verdict.masked.len() + verdict.skipped.len() < verdict.parties.len() {
            prop_assert!(!verdict.kept.is_empty());
        }
        // Compositional closure.
        let kept = in_effect(&verdict, &proposals);
        let again = decide(&arbiter, &kept, &[]);
        prop_assert!(again.early && again.masked.is_empty() && again.skipped.is_empty(), "{:?}", again);
        prop_assert_eq!(again.composed, verdict.composed);
    }

    // covers: CTHA-075
    #[test]
    fn the_order_of_proposals_changes_nothing_but_which_of_two_alike_is_named(
        arbiter in any_arbiter(), mut proposals in prop::collection::vec(any_proposal(), 0..4),
    ) {
        // One proposal for each layer, as the hierarchy makes them.
        proposals.sort_by_key(|one| one.layer);
        proposals.dedup_by_key(|one| one.layer);
        let composed = decide(&arbiter, &proposals, &[]).composed;
        proposals.reverse();
        prop_assert_eq!(decide(&arbiter, &proposals, &[]).composed, composed);
    }
}

#[test]
fn a_call_of_a_directive_is_no_call() {
    let directive = forbidding(Layer::Strategic, "x");
    assert!(matches!(directive.content, Content::Directive(_)) && directive.as_call().is_none());
}
