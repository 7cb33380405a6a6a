//! How often the built-in players reach their goals, and in how many calls.

use std::sync::Arc;

use serde::Serialize;

use crate::policy::{Policy, PolicyKind};
use crate::scene::Scene;
use crate::sim::Simulator;
use crate::tasks::max_calls;
use crate::tree::Tree;

/// What to play.
#[derive(Clone, Debug)]
pub struct ReturnsOptions {
    /// The recipes.
    pub tree: Arc<Tree>,
    /// The player.
    pub policy: PolicyKind,
    /// The tasks, by place; episodes take them in turn.
    pub tasks: Vec<usize>,
    /// Episodes.
    pub episodes: u64,
    /// Calls of an episode; none for those of the depth (CYC-050).
    pub horizon: Option<u32>,
    /// Seed of the player's draws in the first episode; the others count up.
    pub seed: u64,
    /// Whether the aliasing quirk is on.
    pub aliasing: bool,
}

/// The results; its keys are those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReturnsReport {
    /// The mean return: the share of episodes that reached their goal.
    pub mean: f64,
    /// The standard deviation of a return (over n - 1); none of fewer than two.
    pub sd: Option<f64>,
    /// The standard error of the mean; none of fewer than two.
    pub se: Option<f64>,
    /// Episodes played.
    pub episodes: u64,
    /// Episodes that reached their goal.
    pub solved: u64,
    /// Mean calls of those; none if there are none.
    pub calls_solved: Option<f64>,
    /// Most calls of those.
    pub calls_most: Option<u64>,
    /// Mean calls of all.
    pub calls_mean: f64,
}

/// Plays one episode; gives its calls, and whether it reached its goal.
#[must_use]
pub fn play(scene: &Arc<Scene>, policy: PolicyKind, seed: u64, horizon: Option<u32>, aliasing: bool) -> (u64, bool) {
    let mut simulator = Simulator::new(Arc::clone(scene)).with_aliasing(aliasing);
    let mut player = Policy::new(policy, scene, seed);
    let (mut command, mut reply) = (String::new(), String::new());
    let horizon = horizon.unwrap_or_else(|| max_calls(scene.task().depth));
    for call in 1..=u64::from(horizon) {
        player.act(&simulator, &mut command);
        if simulator.step(&command, &mut reply).done {
            return (call, true);
        }
    }
    (u64::from(horizon), false)
}

/// Plays episodes; memory does not grow with their number.
#[must_use]
pub fn returns(options: &ReturnsOptions) -> ReturnsReport {
    let mut scenes: Vec<Option<Arc<Scene>>> = vec![None; options.tasks.len()];
    let mut report = ReturnsReport::default();
    let (mut calls_solved, mut calls_all) = (0_u64, 0_u64);
    for episode in 0..options.episodes {
        if options.tasks.is_empty() {
            break;
        }
        let at = (episode % options.tasks.len() as u64) as usize;
        let place = options.tasks[at];
        let draw = || Arc::new(Scene::draw(&options.tree, place, &gimbal_parity::Seed::from(place as u64)));
        let scene = scenes[at].get_or_insert_with(draw);
        let seed = options.seed.wrapping_add(episode);
        let (calls, solved) = play(scene, options.policy, seed, options.horizon, options.aliasing);
        report.episodes += 1;
        calls_all += calls;
        if solved {
            report.solved += 1;
            calls_solved += calls;
            report.calls_most = report.calls_most.max(Some(calls));
        }
    }
    if report.episodes == 0 {
        return report;
    }
    let (count, solved) = (report.episodes as f64, report.solved as f64);
    report.mean = solved / count;
    report.calls_mean = calls_all as f64 / count;
    report.calls_solved = (report.solved > 0).then(|| calls_solved as f64 / solved);
    report.sd = (count > 1.0).then(|| (count * report.mean * (1.0 - report.mean) / (count - 1.0)).max(0.0).sqrt());
    report.se = report.sd.map(|sd| sd / count.sqrt());
    report
}
