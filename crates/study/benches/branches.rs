//! Forked steps a second through the seam, by environment: `cargo bench -p gimbal-study --bench branches`.
//!
//! A step is a call of a built-in policy in a branch, and the call itself. Branches that are over are made anew, so that the cost of forks is part
//! of it, as in rollouts. Before criterion's figures it prints steps a second of CPU time, which other work on the machine does not change;
//! `cargo test -p gimbal-study --bench branches` prints them for a development build, in which simulators are optimised.
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench that cannot begin has nothing to measure"
)]

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gimbal_alfworld::Alfworld;
use gimbal_cage2::environment::Cage2;
use gimbal_consensus::environment::Consensus;
use gimbal_core::{Branch, Catalogue, Digest, Limits, Stage};
use gimbal_study::stage::{EpisodeSetup, EpisodeStage, MemoryRecorder};
use gimbal_textcraft::environment::TextCraft;
use gimbal_triage::environment::Triage;
use gimbal_yawning_titan::environment::YawningTitan;
use serde_json::json;
use tokio::runtime::Runtime;

/// Steps of one sample.
const STEPS: u64 = 200;
/// Longest rollout, in steps.
const HORIZON: u64 = 20;
/// CPU time of a figure that is printed, in seconds: the system counts a thread's time in ticks of a few milliseconds.
const SECONDS: f64 = 1.0;
/// Samples between two looks at the time.
const SAMPLES: u64 = 50;

/// The stage of an episode that has just begun.
async fn begun(family: &dyn Catalogue) -> EpisodeStage {
    let options = family.resolve(&json!({})).expect("default options are options");
    let splits = family.splits().iter().filter_map(|split| family.tasks(split, &options).ok());
    let task = splits.flatten().next().expect("every family has a task");
    let mut setup = EpisodeSetup::new(Digest::of(b"bench"), task, 7, Arc::default());
    setup.limits = Limits { branch_calls: Some(u64::MAX), ..Limits::default() };
    let environment = family.open(&options).expect("default options open");
    EpisodeStage::begin(environment, setup, Arc::new(MemoryRecorder::default())).await.expect("the episode begins")
}

async fn branch(stage: &EpisodeStage, future: &mut u64) -> Box<dyn Branch> {
    *future += 1;
    stage.branch(*future).await.expect("the environment can be forked")
}

/// So many steps in branches.
async fn rollouts(stage: &EpisodeStage, policy: &str, future: &mut u64) {
    let (mut steps, mut rollout) = (0, branch(stage, future).await);
    let mut length = 0;
    while steps < STEPS {
        let call = rollout.policy(policy).expect("the policy is there");
        let done = rollout.act(&call).await.map_or(true, |transition| transition.done.is_some());
        (steps, length) = (steps + 1, length + 1);
        if done || length == HORIZON {
            (rollout, length) = (branch(stage, future).await, 0);
        }
    }
}

/// CPU time of this thread so far in seconds, where the system says.
fn on_cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// Steps in branches, and branches, a second of CPU time.
fn print(runtime: &Runtime, stage: &EpisodeStage, name: &str, policy: &str) {
    let mut future = 0;
    let mut each = |count: u64, sample: &mut dyn FnMut(&mut u64)| {
        let Some(before) = on_cpu() else { return "an unknown number of".to_owned() };
        let (mut samples, mut taken) = (0, 0.0);
        while taken < SECONDS {
            (0..SAMPLES).for_each(|_| sample(&mut future));
            samples += SAMPLES;
            taken = on_cpu().map_or(f64::INFINITY, |now| now - before);
        }
        format!("{:.0}", (samples * count) as f64 / taken)
    };
    let steps = each(STEPS, &mut |future| runtime.block_on(rollouts(stage, policy, future)));
    let branches = each(1, &mut |future| drop(runtime.block_on(branch(stage, future))));
    println!("{name}, {policy}: {steps} forked steps a second of CPU, {branches} branches");
}

fn branches(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let families: [(Box<dyn Catalogue>, &str); 6] = [
        (Box::new(Cage2), "restore_changed"),
        (Box::new(YawningTitan), "reactive"),
        (Box::new(TextCraft), "expert"),
        (Box::new(Alfworld::over(None)), "expert"),
        // A case is one call long, so that a step is a fork too.
        (Box::new(Triage), "rules"),
        (Box::new(Consensus), "median"),
    ];
    let mut group = criterion.benchmark_group("forked");
    for (family, policy) in &families {
        let stage = runtime.block_on(begun(&**family));
        print(&runtime, &stage, family.name(), policy);
        let mut future = 0;
        group.throughput(Throughput::Elements(STEPS));
        group.bench_function(format!("steps/{}/{policy}", family.name()), |bencher| {
            bencher.iter(|| runtime.block_on(rollouts(&stage, policy, &mut future)));
        });
        group.throughput(Throughput::Elements(1));
        group.bench_function(format!("branch/{}", family.name()), |bencher| {
            bencher.iter(|| runtime.block_on(branch(&stage, &mut future)));
        });
    }
    group.finish();
}

criterion_group!(benches, branches);
criterion_main!(benches);
