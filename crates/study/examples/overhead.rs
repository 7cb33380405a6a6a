//! Prints what the engine itself costs: CPU a turn, bytes a turn, peak memory, start to first call.
//!
//! `cargo run --release -p gimbal-study --example overhead`: `react` on CAGE-2 with observation, history and status, a
//! model that answers at once (but gives way to others first, so that episodes in flight truly are), and everything on
//! disk with group sync. Each line is measured in a process of its own. Arguments: turns, episodes, in flight, environment.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, unsafe_code, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gimbal_study::plan::{self, Options, Plan};
use gimbal_study::registry::{Library, Registry};
use gimbal_study::runner::{self, RunStop, Settings};
use gimbal_study::stage::Cancel;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [turns, episodes, jobs, environment] = arguments.as_slice() {
        return measure(turns.parse().unwrap(), episodes.parse().unwrap(), jobs.parse().unwrap(), environment);
    }
    println!(
        "{:>6} {:>9} {:>9} {:>12} {:>11} {:>8} {:>14}",
        "turns", "episodes", "in flight", "ms CPU/turn", "bytes/turn", "peak MB", "ms to a call"
    );
    for (turns, episodes) in [(1, 4000), (30, 600), (300, 60)] {
        for jobs in [1, 1000] {
            let episodes = if jobs == 1 { episodes } else { episodes.max(1000) };
            let arguments = [turns.to_string(), episodes.to_string(), jobs.to_string(), "cage2".to_owned()];
            let status = Command::new(std::env::current_exe().unwrap()).args(arguments).status().unwrap();
            assert!(status.success());
        }
    }
}

fn plan(turns: u64, episodes: u64, environment: &str) -> Plan {
    let architecture = match environment {
        "cage2" => "{ base: react, context: [observation, history, status], flags: { inject_action_list: true } }",
        _ => "{ base: learner }",
    };
    let text = format!(
        "study: overhead\nenvironment: {{ name: {environment}, horizon: {turns} }}\narchitectures: [{architecture}]\n\
         roles: [{{ default: monitor }}]\nepisodes: {{ runs: {episodes}, tasks: {{ limit: 1 }} }}\n"
    );
    let mut registry: Registry = common::registry();
    registry.environments.push(Arc::new(gimbal_cage2::environment::Cage2));
    registry.architectures.extend(gimbal_architectures::kinds());
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let study = plan::parse(&text, "overhead").unwrap();
    plan::resolve(study, &Options::default(), &registry, &common::TestModels, &Library::new(&[], vec![root])).unwrap()
}

fn measure(turns: u64, episodes: u64, jobs: usize, environment: &str) {
    let began = Instant::now();
    let folder = tempfile::tempdir_in(".").unwrap();
    let path = folder.path().join("run");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let first = Arc::new(Mutex::new(None));
    let settings = Settings { jobs: Some(jobs), ..Settings::new(&path) };
    let plan = Arc::new(plan(turns, episodes, environment));
    let watch = watch_ledger(&path, Arc::clone(&first), began);
    let summary =
        runtime.block_on(runner::run(plan, Arc::new(common::TestModels), settings, Cancel::default(), |_| {})).unwrap();
    watch.join().unwrap();
    let (cpu, peak) = used();
    assert_eq!(summary.ended, RunStop::Done);
    let total = (turns * episodes) as f64;
    println!(
        "{turns:>6} {episodes:>9} {jobs:>9} {:>12.4} {:>11.0} {peak:>8.1} {:>14.1}",
        cpu * 1000.0 / total,
        size(&path) as f64 / total,
        first.lock().unwrap().unwrap_or_default(),
    );
}

/// Notes when the first row is in the ledger: the first request has left.
fn watch_ledger(path: &Path, first: Arc<Mutex<Option<f64>>>, began: Instant) -> std::thread::JoinHandle<()> {
    let ledger = path.join("ledger/000001.log");
    std::thread::spawn(move || {
        while std::fs::metadata(&ledger).map_or(0, |data| data.len()) == 0 && began.elapsed().as_secs() < 30 {
            std::thread::sleep(std::time::Duration::from_micros(500));
        }
        *first.lock().unwrap() = Some(began.elapsed().as_secs_f64() * 1000.0);
    })
}

/// User and system CPU seconds, and peak memory in MB, of this process.
fn used() -> (f64, f64) {
    // SAFETY: getrusage fills the structure that it is given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 / 1024.0)
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| if entry.path().is_dir() { size(&entry.path()) } else { entry.metadata().unwrap().len() }).sum()
}
