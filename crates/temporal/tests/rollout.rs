//! Ways to resolve a conflict, their values, and labels.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use gimbal_core::{
    Branch, BranchError, Catalogue, Digest, Environment, Milli, Reply, Rng, TaskId, ToolCall, Transition, legal_calls,
};
use gimbal_temporal::arbiter::{Arbiter, Mode, Scene, Tie, Weights};
use gimbal_temporal::authority::Authority;
use gimbal_temporal::commitments::Commitments;
use gimbal_temporal::rollout::{
    COLUMNS, Candidate, Choices, Contenders, Features, Held, Labelled, Recent, Replacement, Rollout, RolloutError,
    Rule, action, nearest, value,
};
use gimbal_temporal::{Directive, Layer, Pattern, Proposal};
use gimbal_testkit::environments::counter::CounterFamily;
use gimbal_testkit::environments::lamps::Lamps;
use proptest::prelude::*;
use serde_json::json;

/// Small environments wait for nothing: their futures are ready at once.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the environment waits for something"),
    }
}

/// A branch of a small environment.
struct Copy {
    environment: Box<dyn Environment>,
    draws: Rng,
}

impl Copy {
    fn of(family: &dyn Catalogue, options: &serde_json::Value, task: &str) -> Self {
        let mut environment = family.open(options).unwrap();
        block_on(environment.reset(&TaskId(task.to_owned()), 1)).unwrap();
        Self { environment, draws: Rng::stream(0, "policy") }
    }

    /// Lamps in a wind of so many percent.
    fn lamps(wind: u64) -> Self {
        Self::of(&Lamps, &json!({ "wind": wind }), "evening")
    }
}

#[async_trait]
impl Branch for Copy {
    async fn act(&mut self, call: &ToolCall) -> Result<Transition, BranchError> {
        match self.environment.call(call).await {
            Ok(Reply::Step(taken)) => Ok(taken),
            Ok(Reply::Ask(ask)) => Err(BranchError::Asks { role: ask.role }),
            Err(rejection) => Err(BranchError::Rejected(rejection)),
        }
    }

    fn legal(&self, cap: usize) -> Vec<ToolCall> {
        legal_calls(&*self.environment, cap)
    }

    fn policy(&mut self, name: &str) -> Result<ToolCall, BranchError> {
        let unknown = || BranchError::NoPolicy(name.to_owned());
        // Lamps wait by any other name.
        if !self.environment.policies().contains(&name) {
            return Err(unknown());
        }
        self.environment.decide(name, &mut self.draws).ok_or_else(unknown)
    }

    fn state(&self) -> Digest {
        self.environment.state()
    }

    fn fork(&self, future: u64) -> Result<Box<dyn Branch>, BranchError> {
        let environment = self.environment.simulator().ok_or(BranchError::Unsupported)?.fork(future);
        Ok(Box::new(Self { environment, draws: Rng::stream(future, "policy") }))
    }
}

fn light(lamp: &str) -> ToolCall {
    ToolCall::with("Light", &[("lamp", lamp)])
}

fn wait() -> ToolCall {
    ToolCall::bare("Wait")
}

fn rule(id: &str, forbids: &[&str], until: Option<u32>) -> Held {
    let forbids = forbids.iter().map(|text| Pattern::new(text)).collect();
    let directive = Directive { id: id.to_owned(), text: "words".to_owned(), forbids, only: Vec::new() };
    Held { layer: Layer::Strategic, directive, until }
}

fn way(call: ToolCall, holds: Vec<Held>) -> Candidate {
    Candidate { kept: Vec::new(), sets: Vec::new(), call, caller: None, holds, is_full: true }
}

fn rollout(idle: &ToolCall, replacement: Replacement) -> Rollout<'_> {
    Rollout { policy: "light", futures: 1, step: 1, steps: 20, replacement, legal: 100, idle }
}

fn worth(wind: u64, call: ToolCall, holds: Vec<Held>, rollout: &Rollout<'_>) -> Vec<Milli> {
    block_on(value(&mut Copy::lamps(wind), &way(call, holds), rollout)).unwrap()
}

// covers: CTHA-080
#[test]
fn a_way_is_worth_its_call_and_what_the_policy_earns_after_it() {
    let idle = wait();
    let plain = rollout(&idle, Replacement::Nearest);
    // Four lamps take four steps, each but the last at -1.
    assert_eq!(worth(0, light("lamp_1"), Vec::new(), &plain), [Milli(-3000)]);
    assert_eq!(worth(0, wait(), Vec::new(), &plain), [Milli(-4000)]);
    assert_eq!(worth(0, light("lamp_9"), Vec::new(), &plain), [Milli(-4000)], "a refused call is the idle call");
    let short = Rollout { steps: 2, ..plain.clone() };
    assert_eq!(worth(0, light("lamp_1"), Vec::new(), &short), [Milli(-2000)], "the horizon ends it");
}

// covers: CTHA-080
#[test]
fn the_policy_is_held_to_what_the_directives_allow_while_they_last() {
    let idle = wait();
    let (near, still) = (rollout(&idle, Replacement::Nearest), rollout(&idle, Replacement::Idle));
    let first = |until| vec![rule("r", &["light lamp_1"], until)];
    // The call itself is the arbiter's and not held to anything. Lamp 1 may be lit from step 4 on.
    assert_eq!(worth(0, wait(), first(Some(3)), &still), [Milli(-6000)]);
    // The nearest call to `Light lamp_1` that is allowed is `Light lamp_2`, again and again.
    assert_eq!(worth(0, wait(), first(Some(3)), &near), [Milli(-5000)]);
    // Forever: the last lamp is never lit.
    assert_eq!(worth(0, wait(), first(None), &near), [Milli(-20_000)]);
    assert_eq!(worth(0, wait(), vec![rule("r", &["*"], None)], &near), [Milli(-20_000)], "idle is always open");
    // A directive that has ended, and one of words alone.
    assert_eq!(worth(0, wait(), first(Some(1)), &near), [Milli(-4000)]);
    assert_eq!(worth(0, wait(), vec![rule("r", &[], None)], &near), [Milli(-4000)]);
    let only = Held {
        directive: Directive { only: vec![Pattern::new("light lamp_2")], ..Directive::default() },
        ..rule("o", &[], Some(2))
    };
    assert_eq!(worth(0, wait(), vec![only], &near), [Milli(-4000)], "lamp 2 comes first, then the others");
}

// covers: CTHA-080
#[test]
fn all_ways_meet_the_same_futures() {
    let idle = wait();
    let many = Rollout { futures: 64, ..rollout(&idle, Replacement::Nearest) };
    let once = worth(60, light("lamp_1"), Vec::new(), &many);
    assert_eq!(once, worth(60, light("lamp_1"), Vec::new(), &many));
    assert!(once.iter().any(|one| *one != once[0]), "the wind differs from future to future");
    let waited = worth(60, wait(), Vec::new(), &many);
    let sum = |all: &[Milli]| all.iter().map(|one| one.0).sum::<i64>();
    assert!(sum(&waited) < sum(&once));
}

#[test]
fn the_nearest_call_is_the_one_with_the_fewest_other_letters() {
    let calls = [light("lamp_33"), light("lamp_3"), light("lamp_2"), wait()];
    let all: Vec<&ToolCall> = calls.iter().collect();
    assert_eq!(
        nearest(&light("lamp_1"), &all),
        Some(&light("lamp_2")),
        "of those alike the first in the order of words"
    );
    assert_eq!(nearest(&light("lamp_1"), &[]), None);
}

// covers: CTHA-080
#[test]
fn a_way_that_cannot_be_valued_says_why() {
    let idle = wait();
    let plain = rollout(&idle, Replacement::Nearest);
    let error = |present: &mut Copy, rollout: &Rollout<'_>| {
        block_on(value(present, &way(wait(), Vec::new()), rollout)).unwrap_err().to_string()
    };
    let none = Rollout { futures: 0, ..plain.clone() };
    assert!(error(&mut Copy::lamps(0), &none).starts_with("a rollout needs at least one future and one step"));
    let lost = Rollout { policy: "lihgt", ..plain.clone() };
    let expected = "future 0, step 2: the environment has no built-in policy `lihgt`";
    assert_eq!(error(&mut Copy::lamps(0), &lost), expected);
    let mut counter = Copy::of(&CounterFamily, &json!({}), "count");
    assert_eq!(error(&mut counter, &plain), "future 0, step 1: this environment cannot be forked");
    let strange = ToolCall::bare("Rest");
    let refused = Rollout { idle: &strange, ..plain };
    let found = block_on(value(&mut Copy::lamps(0), &way(light("lamp_9"), Vec::new()), &refused)).unwrap_err();
    assert!(matches!(found, RolloutError::Idle { future: 0, step: 1, .. }), "{found}");
}

/// Reflex and Tactical want two calls, and a policy forbids the one of Reflex.
fn case() -> (Vec<Proposal>, Commitments) {
    let mut table = Commitments::new();
    let policy = Directive {
        id: "secret-policy".to_owned(),
        text: "secret words".to_owned(),
        forbids: vec![Pattern::new("light lamp_1")],
        only: Vec::new(),
    };
    let policy = Proposal { until: Some(9), ..Proposal::directive(Layer::Institutional, policy) };
    table.commit(&policy.scored(Milli(0), Milli(1000)), 1);
    let reflex =
        Proposal::call(Layer::Reflex, light("lamp_1")).using("secret-resource", true).scored(Milli(900), Milli(800));
    let tactical = Proposal::call(Layer::Tactical, light("lamp_2")).using("secret-resource", true);
    (vec![reflex, tactical.making("secret-effect", "lit")], table)
}

fn scene(idle: &ToolCall) -> Scene<'_> {
    Scene { idle, open: &|call| call.tool == "Light", stops: &|_| false }
}

fn choices(proposals: &[Proposal], table: &Commitments, rules: &[Rule], most: usize) -> Option<Choices> {
    let live: Vec<_> = table.live(2).collect();
    let wanted = Contenders { proposals, commitments: &live };
    Choices::of(&Arbiter::default(), rules, wanted, &scene(&wait()), most)
}

// covers: CTHA-073, CTHA-080
#[test]
fn the_ways_are_all_that_algorithm_1_could_leave() {
    let (proposals, table) = case();
    let found = choices(&proposals, &table, &Rule::standard(&Authority::published()), 64).unwrap();
    assert_eq!((found.parties.len(), found.conflicts.len(), found.cut), (3, 2, false));
    let ways: Vec<(&ToolCall, &[usize], bool)> =
        found.candidates.iter().map(|way| (&way.call, way.kept.as_slice(), way.is_full)).collect();
    let (one, two, idle) = (light("lamp_1"), light("lamp_2"), wait());
    // Tactical and the policy; Reflex alone; the policy alone, which Algorithm 1 as printed may leave.
    assert_eq!(ways, [(&two, &[1, 2][..], true), (&one, &[0][..], true), (&idle, &[2][..], false)]);
    for way in &found.candidates {
        let held: Vec<&str> = way.holds.iter().map(|held| held.directive.id.as_str()).collect();
        assert_eq!(held, ["secret-policy"], "a policy that is passed over holds on");
        assert_eq!(way.holds[0].until, Some(9));
    }
    assert_eq!(found.by_rule["faster"], 1);
    assert_eq!(found.by_rule["slower"], 0);
    assert_eq!(found.by_rule["greedy"], 0);
    assert!(choices(&proposals[..1], &Commitments::new(), &[], 64).is_none(), "nobody excludes anybody");
}

#[test]
fn too_many_ways_are_cut_and_those_of_rules_stay() {
    let (proposals, table) = case();
    let found = choices(&proposals, &table, &Rule::standard(&Authority::published()), 1).unwrap();
    assert!(found.cut && found.candidates.len() == 2, "the first, and Reflex's, which `faster` takes");
    assert_eq!(found.candidates[found.by_rule["faster"]].call, light("lamp_1"));
}

fn label(wind: u64, futures: u64) -> Labelled {
    let (proposals, table) = case();
    let live: Vec<_> = table.live(2).collect();
    let wanted = Contenders { proposals: &proposals, commitments: &live };
    let idle = wait();
    let found = choices(&proposals, &table, &Rule::standard(&Authority::published()), 64).unwrap();
    let recent = Recent { step: 2, steps_left: 19, horizon: 20, harm: 1, refusals: 0 };
    let parties = Features::of(&found, wanted, &scene(&idle), recent);
    let rollout = Rollout { futures, step: 2, steps: 19, ..rollout(&idle, Replacement::Nearest) };
    let mut present = Copy::lamps(wind);
    let returns = found.candidates.iter().map(|way| block_on(value(&mut present, way, &rollout)).unwrap()).collect();
    Labelled::of(&found, parties, returns).unwrap()
}

// covers: CTHA-080
#[test]
fn a_label_is_the_best_way_and_the_regret_of_every_rule() {
    let label = label(0, 1);
    let means: Vec<i64> = label.ways.iter().map(|way| way.mean.0).collect();
    // Lamp 1 now: three more steps, and the directive forbids nothing that is still wanted. Else the player wants lamp 1 until the directive has
    // ended, after step 9, and lights the nearest, lamp 2, again and again: steps 2 to 9, and lamps 1, 3 and 4.
    assert_eq!(means, [-10_000, -3000, -10_000]);
    assert_eq!((label.best, label.tied, label.halves), (1, false, None));
    assert_eq!(label.margin.map(|margin| margin.mean), Some(Milli(7000)));
    assert_eq!(label.regret["faster"], Milli(0));
    assert_eq!(label.regret["slower"], Milli(7000));
    assert_eq!(label.regret["random"], Milli(3500), "two full ways");
    assert_eq!((label.spread(), label.target()), (Milli(7000), vec![true, false, false]));
    let text = serde_json::to_string(&label).unwrap();
    for name in ["secret", "lamp", "Light", "Wait"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert_eq!(serde_json::from_str::<Labelled>(&text).unwrap(), label);
}

#[test]
fn a_label_over_futures_has_halves_and_an_interval() {
    let label = label(30, 16);
    assert!(label.ways.iter().all(|way| way.returns.len() == 16));
    assert_eq!(label.halves.map(|(one, _)| one), Some(label.best));
    assert!(label.margin.unwrap().half.0 > 0);
}

#[test]
fn ways_of_one_value_are_tied_and_returns_must_fit() {
    let (proposals, table) = case();
    let found = choices(&proposals, &table, &[], 64).unwrap();
    let of = |returns: &[&[i64]]| {
        let returns = returns.iter().map(|all| all.iter().map(|one| Milli(*one)).collect()).collect();
        Labelled::of(&found, Vec::new(), returns)
    };
    let label = of(&[&[5, 5], &[5, 5], &[0, 0]]).unwrap();
    assert_eq!((label.best, label.tied), (0, true));
    assert_eq!(label.halves, Some((0, 0)));
    assert!(of(&[&[5], &[5]]).is_none() && of(&[&[5], &[5], &[]]).is_none() && of(&[&[], &[], &[]]).is_none());
    assert!(!of(&[&[5], &[6], &[0]]).unwrap().tied);
}

// covers: CTHA-077
#[test]
fn features_have_a_number_for_every_column_and_no_name() {
    let label = label(0, 1);
    let rows: Vec<Vec<f32>> = label.parties.iter().map(Features::row).collect();
    for row in &rows {
        assert_eq!(row.len(), COLUMNS.len());
        assert!(row.iter().all(|number| (0.0..=1.0).contains(number)), "{row:?}");
    }
    let column = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap();
    let of = |name: &str| rows.iter().map(|row| row[column(name)]).collect::<Vec<_>>();
    assert_eq!(of("call"), [1.0, 1.0, 0.0]);
    assert_eq!(of("commitment"), [0.0, 0.0, 1.0]);
    assert_eq!(of("urgency"), [0.9, 0.0, 0.0]);
    assert_eq!(of("conflicts"), [0.25, 0.125, 0.125]);
    assert_eq!(of("sharing"), [0.125, 0.125, 0.0]);
    assert_eq!(of("by_directive"), [0.125, 0.0, 0.125]);
    assert_eq!(of("age"), [0.0, 0.0, 0.01]);
    assert_eq!(of("span"), [0.01, 0.01, 0.08]);
    assert_eq!(of("harm"), [0.125; 3]);
    let mut names: Vec<&str> = COLUMNS.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), COLUMNS.len());
    let (proposals, _) = case();
    assert!(action(&proposals[0], 2048) < 2048 && action(&proposals[0], 0) == 0);
    assert_ne!(action(&proposals[0], 10_000), action(&proposals[1], 10_000));
}

/// A party of a random conflict: its layer, the resource that it writes, and its call or what it forbids.
fn party() -> impl Strategy<Value = Proposal> {
    (0..4_usize, 0..3_u8, 1..5_u8, any::<bool>(), 0..20_i64, 0..20_i64).prop_map(
        |(layer, resource, lamp, writes, urgency, confidence)| {
            let layer = Layer::ALL[layer];
            let name = format!("lamp_{lamp}");
            let proposal = if layer <= Layer::Tactical {
                Proposal::call(layer, light(&name))
            } else {
                let forbids = vec![Pattern::new(&format!("light {name}"))];
                Proposal::directive(layer, Directive { id: name, forbids, ..Directive::default() })
            };
            proposal.using(&format!("r{resource}"), writes).scored(Milli(urgency * 50), Milli(confidence * 50))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_the_arbiter_leaves_is_among_the_ways(
        proposals in proptest::collection::vec(party(), 2..6),
        base in proptest::array::uniform5(0..20_i64),
        greedy in any::<bool>(), slower in any::<bool>(), rules in any::<bool>(),
    ) {
        let table = Commitments::new();
        let Some(found) = choices(&proposals, &table, &[], usize::MAX) else { return Ok(()) };
        prop_assert!(!found.cut);
        // Without a margin Algorithm 1 as printed leaves someone of every group.
        let weights = Weights { base: base.map(|one| Milli(one * 50)), epsilon: Milli::ZERO, ..Weights::default() };
        let mode = if greedy { Mode::Greedy } else { Mode::Literal };
        let tie = if slower { Tie::KeepSlower } else { Tie::KeepFaster };
        let arbiter = Arbiter { weights, mode, tie, rules, ..Arbiter::default() };
        let again = choices(&proposals, &table, &[Rule::new("this", arbiter)], usize::MAX).unwrap();
        prop_assert_eq!(again.candidates.len(), found.candidates.len());
        // Ways differ in what decides their value, and nobody in effect excludes anyone else in effect.
        for (place, way) in found.candidates.iter().enumerate() {
            let excluded = found.conflicts.iter().any(|one| way.kept.contains(&one.one) && way.kept.contains(&one.other));
            prop_assert!(!excluded);
            let idle = wait();
            let allowed = way.call == idle || way.holds.iter().all(|held| held.allows(&way.call, 2));
            prop_assert!(allowed, "{:?}", way);
            let twin = found.candidates[..place].iter().any(|other| (&other.call, &other.holds) == (&way.call, &way.holds));
            prop_assert!(!twin);
        }
        prop_assert!(found.candidates.iter().any(|way| way.is_full));
    }
}
