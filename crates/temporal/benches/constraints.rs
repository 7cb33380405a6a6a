//! What the constraints of a step cost without model time: `cargo bench -p gimbal-temporal --bench constraints`.
//!
//! `step` is what all mechanisms of a step with four layers cost together: three messages projected, authority of two calls, and the arbiter with
//! commitments and conflicts. It must stay below a millisecond, `early_exit` below five microseconds.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gimbal_core::{Milli, ToolCall};
use gimbal_temporal::arbiter::search::{GRID, Setting, search};
use gimbal_temporal::arbiter::{Arbiter, Mode, Scene, Tie};
use gimbal_temporal::authority::{Authority, Category, Decision};
use gimbal_temporal::commitments::{Commitment, Commitments};
use gimbal_temporal::contracts::{Contracts, Envelope, Kind, Plan, Policy};
use gimbal_temporal::mathematics::{ITERATIONS, Matrix, Parameters, Projections, Switches};
use gimbal_temporal::{Layer, Proposal};
use serde_json::{Value, json};

fn messages() -> [(Kind, Layer, Layer, Value); 3] {
    let subgoal = |number: usize| {
        json!({ "id": format!("g{number}"), "description": "look at the hosts of the subnet and restore what is lost",
            "success_criteria": "no host is lost", "dependencies": if number > 0 { vec![format!("g{}", number - 1)] } else { vec![] } })
    };
    let summary = json!({
        "layer_id": 1, "timestamp": 12, "state_digest": "two hosts scanned", "observations": ["scan on user1", "scan on user2"],
        "anomalies": [{ "type": "error", "description": "restore failed" }]
    });
    let plan = json!({
        "goal_id": "hold", "priority": 0.5, "deadline": 20, "constraints": ["forbid decoy *"],
        "subgoals": (0..5).map(subgoal).collect::<Vec<_>>(), "rollback": { "condition": "refusals >= 2", "action": "escalate" }
    });
    let rule = |number: usize| json!({ "id": format!("r{number}"), "condition": "call remove *", "action": "deny", "priority": 60 });
    let policy = json!({ "rules": (0..8).map(rule).collect::<Vec<_>>(), "thresholds": { "tokens": 4000 }, "forbidden": ["wipe *"] });
    [
        (Kind::Summary, Layer::Reflex, Layer::Tactical, summary),
        (Kind::Plan, Layer::Strategic, Layer::Tactical, plan),
        (Kind::Policy, Layer::Institutional, Layer::Strategic, policy),
    ]
}

fn constraints(criterion: &mut Criterion) {
    let Ok(contracts) = Contracts::published() else { return };
    let messages = messages();
    let project = |(kind, sender, receiver, value): &(Kind, Layer, Layer, Value)| {
        contracts.project(*kind, value.clone(), &Envelope::new(*sender, *receiver, Milli(1000)))
    };
    for message in &messages {
        criterion.bench_function(&format!("project_{}", message.0.name()), |bench| {
            bench.iter(|| project(black_box(message)))
        });
    }

    let authority = Authority::published();
    let calls: Vec<Decision> =
        (0..145).map(|number| Decision::new(Category::ToolInvocation, &format!("restore host{number}"))).collect();
    let plan = Decision::new(Category::PlanRevision, "restore all hosts");
    let layers = Layer::of_count(4);
    // The dearest case: a call on another time scale, so that the words of all calls are compared.
    let mut slow = Decision::new(Category::ToolInvocation, "restore host 7");
    slow.span = Some((Milli(3_600_000), Milli(7_200_000)));
    criterion.bench_function("authority_145_calls", |bench| {
        bench.iter(|| authority.project(Layer::Reflex, layers, black_box(&slow), &calls));
    });

    let call = |tool: &str, host: &str| ToolCall::with(tool, &[("host", host)]);
    let quiet = [
        Proposal::call(Layer::Reflex, call("restore", "user1")).using("user1", true).scored(Milli(200), Milli(800)),
        Proposal::call(Layer::Tactical, call("restore", "user1")).using("log", false).scored(Milli(300), Milli(600)),
    ];
    let loud = [
        quiet[0].clone(),
        Proposal::call(Layer::Tactical, call("remove", "user1")).using("user1", true).making("user1", "clean"),
    ];
    let (Ok(sent), Ok(policy)) = (Plan::read(&messages[1].3), Policy::read(&messages[2].3)) else {
        panic!("the plan and the policy follow their contracts")
    };
    let mut table = Commitments::new();
    table.set_plan(Layer::Strategic, &sent, &Default::default(), 1, 1);
    table.set_policy(Layer::Institutional, &policy, 1, None);
    let live: Vec<&Commitment> = table.live(2).collect();
    let idle = ToolCall::bare("sleep");
    let scene = Scene { idle: &idle, open: &|_| true, stops: &|_| false };
    let arbiter = Arbiter::default();
    let resolve = |proposals: &[Proposal], live: &[&Commitment]| arbiter.resolve(proposals, live, &[], &scene);
    assert!(resolve(&quiet, &[]).early && !resolve(&loud, &live).early);
    criterion.bench_function("early_exit", |bench| bench.iter(|| resolve(black_box(&quiet), &[])));
    criterion.bench_function("resolve_11_commitments", |bench| bench.iter(|| resolve(black_box(&loud), &live)));

    criterion.bench_function("step", |bench| {
        bench.iter(|| {
            let projected = messages.each_ref().map(project);
            let decisions =
                [&plan, &calls[0]].map(|decision| authority.project(Layer::Reflex, layers, decision, &calls));
            (projected, decisions, resolve(black_box(&loud), &live))
        });
    });

    let mut rng = gimbal_core::Rng::stream(1, "bench");
    let parameters = Parameters::random(4, 64, 1.0, &mut rng);
    let state = Matrix::of(4, 64, |_, _| rng.unit());
    criterion.bench_function("maps_4_x_64", |bench| {
        bench.iter(|| parameters.maps(black_box(&state), Projections::Stochastic(ITERATIONS), Switches::ALL));
    });
    criterion.bench_function("search_84750_cases", |bench| {
        let setting = Setting { mode: Mode::Literal, tie: Tie::KeepSlower, epsilon: Milli(50), rules: false };
        bench.iter(|| search(black_box(setting), &GRID, 4));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30);
    targets = constraints
}
criterion_main!(benches);
