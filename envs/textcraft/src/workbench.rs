//! What `gimbal env textcraft` does beside what every environment can.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::EnvError;
use gimbal_env_kit::replay;
use gimbal_env_kit::workbench::{
    BenchRequest, EvaluateRequest, Observe, Output, ReplayRequest, ReturnsRequest, Setup, Verb, Workbench, choice,
    choice_of, number, only_fast_draws,
};
use serde::Serialize;

use crate::bench::{BenchOptions, MIX, bench};
use crate::environment::{Settings, TextCraft};
use crate::policy::{POLICIES, PolicyKind};
use crate::replay::{ReplayOptions, replay_all};
use crate::returns::{ReturnsOptions, ReturnsReport, play, returns};
use crate::scene::Scene;
use crate::table::Table;
use crate::tasks::{self, SPLITS, TIERS};
use crate::tree::Tree;

/// Calls of a benched episode: the original's reset comes no more often.
const BENCH_HORIZON: u32 = 50;

fn usage(error: impl std::fmt::Display) -> EnvError {
    EnvError::Usage(error.to_string())
}

fn policy(name: &str) -> Result<PolicyKind, EnvError> {
    choice_of("--policy", name, &POLICIES, PolicyKind::name)
}

/// Recipes, options and the split that is played.
struct Played {
    tree: Arc<Tree>,
    settings: Settings,
    split: Option<String>,
    /// Recipes that were left out, with their lines.
    notes: Vec<String>,
}

impl Played {
    fn of(setup: &Setup) -> Result<Self, EnvError> {
        let settings = Settings::read(&setup.options())?;
        let mut notes = Vec::new();
        let tree = match &settings.recipes {
            None => Tree::shipped().map_err(usage)?,
            Some(path) => {
                let tree = Tree::of(&Table::open(Path::new(path)).map_err(usage)?).map_err(usage)?;
                let place = path.display();
                let left_out = tree.left_out().iter();
                notes
                    .extend(left_out.map(|(line, left)| {
                        format!("{place}:{line}: left out, as the original would: {}", left.why())
                    }));
                Arc::new(tree)
            }
        };
        if setup.split.is_some() && settings.recipes.is_some() {
            return Err(usage("--set split: splits are those of the built-in recipes; leave it out with `recipes`"));
        }
        Ok(Self { tree, settings, split: setup.split.clone(), notes })
    }

    /// The tasks to play, by place.
    fn tasks(&self) -> Result<Vec<usize>, EnvError> {
        let Some(split) = &self.split else { return Ok((0..self.tree.tasks().len()).collect()) };
        let known = SPLITS.map(|name| (name, name));
        let tasks = tasks::split(&self.tree, choice("--set split", split, &known)?).unwrap_or_default();
        if tasks.is_empty() {
            return Err(usage(format!("--set split: the split `{split}` has no tasks; name another")));
        }
        Ok(tasks)
    }

    fn returns(&self, policy: PolicyKind, tasks: Vec<usize>, episodes: u64, seed: u64) -> ReturnsReport {
        let (tree, aliasing) = (Arc::clone(&self.tree), self.settings.aliasing);
        returns(&ReturnsOptions { tree, policy, tasks, episodes, horizon: self.settings.max_calls, seed, aliasing })
    }
}

#[async_trait]
impl Workbench for TextCraft {
    fn written(&self) -> &[Verb] {
        &[Verb::Replay, Verb::Bench, Verb::Evaluate]
    }

    fn contrast(&self) -> [String; 2] {
        ["random", "expert"].map(str::to_owned)
    }

    fn replay(&self, request: &ReplayRequest) -> Result<Output, EnvError> {
        if request.checksum.is_some() {
            return Err(usage("--checksum: recordings of `textcraft` have none; every reply is compared as it is"));
        }
        let files = request.files.clone();
        let tree = Tree::shipped().map_err(usage)?;
        let mut output = replay::output(&replay_all(&ReplayOptions { files, tree }))?;
        if request.from_seed {
            output.notes.push("--draws seed: recordings of `textcraft` hold no other draws".to_owned());
        }
        Ok(output)
    }

    fn bench(&self, request: &BenchRequest) -> Result<Output, EnvError> {
        if !request.actions.is_empty() || request.save.is_some() {
            return Err(usage("--actions, --save: `textcraft` keeps no action lists; `replay` plays its recordings"));
        }
        if request.observe.is_some_and(|observe| observe != Observe::Raw) {
            return Err(usage("--observe: in `textcraft` every reply is written as text; leave it out, or give `raw`"));
        }
        only_fast_draws(&request.draws)?;
        let played = Played::of(&request.setup)?;
        let report = bench(&BenchOptions {
            tree: played.tree,
            policy: policy(&request.policy)?,
            steps: request.steps,
            horizon: played.settings.max_calls.unwrap_or(BENCH_HORIZON),
            seed: request.seed,
            aliasing: played.settings.aliasing,
        });
        let mut text = format!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, beginnings of episodes included, one core\n\
             policy {}, at most {} steps an episode, {} goals reached, {} characters of replies, checksum {}\n",
            report.steps_per_second,
            report.steps,
            report.episodes,
            report.seconds,
            report.policy,
            report.horizon,
            report.solved,
            report.characters,
            report.checksum
        );
        if report.policy == PolicyKind::Random.name() {
            let mix: Vec<String> = MIX.iter().map(|(what, share)| format!("{share} % {what}")).collect();
            text.push_str(&format!("commands: {}\n", mix.join("; ")));
        }
        let share = |count: u64| 100.0 * count as f64 / report.steps.max(1) as f64;
        let replies: Vec<String> =
            report.replies.iter().map(|(reply, count)| format!("{:.1} % {reply}", share(*count))).collect();
        text.push_str(&format!(
            "replies: {}\nbefore the clock started: {} scenes and their commands in {:.3} s\n",
            replies.join(", "),
            report.scenes,
            report.scenes_seconds
        ));
        Ok(Output { notes: played.notes, ..Output::of(text, &report)? })
    }

    async fn returns(&self, request: &ReturnsRequest) -> Result<Output, EnvError> {
        if request.against.is_some() {
            return Err(usage(
                "--against: there are no recorded returns of `textcraft`; `replay` compares every reply",
            ));
        }
        only_fast_draws(&request.draws)?;
        let played = Played::of(&request.setup)?;
        let policy = policy(request.policy.as_deref().unwrap_or("expert"))?;
        let report = played.returns(policy, played.tasks()?, request.episodes, request.seed);
        let text = format!(
            "mean {:.4}, SD {}, SE {}: {} of {} episodes reach their goal\ncalls {} in those, {:.2} in all\n",
            report.mean,
            number(report.sd),
            number(report.se),
            report.solved,
            report.episodes,
            number(report.calls_solved),
            report.calls_mean
        );
        Ok(Output { notes: played.notes, ..Output::of(text, &report)? })
    }

    fn evaluate(&self, request: &EvaluateRequest) -> Result<Output, EnvError> {
        let policy = policy(request.policy.as_deref().unwrap_or("nothing"))?;
        let played = Played::of(&Setup::default())?;
        let mut text = format!(
            "{:<8} {:>6} {:>9} {:>8} {:>8} {:>12} {:>12}\n",
            "depth", "tasks", "calls", "episodes", "mean", "calls if won", "most"
        );
        let mut rows = Vec::new();
        for tier in TIERS {
            let tasks = tasks::split(&played.tree, &format!("depth-{}", tier.depth)).unwrap_or_default();
            let report = played.returns(policy, tasks, request.episodes, request.seed);
            text.push_str(&format!(
                "{:<8} {:>6} {:>9} {:>8} {:>8.4} {:>12} {:>12}\n",
                tier.depth,
                tier.count,
                tier.max_calls,
                report.episodes,
                report.mean,
                number(report.calls_solved),
                report.calls_most.map_or_else(|| "–".to_owned(), |most| most.to_string())
            ));
            rows.push(Row { depth: tier.depth, max_calls: tier.max_calls, policy, report });
        }
        Output::of(text, &rows)
    }

    async fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, EnvError> {
        let policy = self::policy(policy)?;
        let tree = Tree::shipped().map_err(usage)?;
        let played = (0..episodes).map(|episode| {
            let seed = seed.wrapping_add(episode);
            let (_, solved) = play(&Arc::new(Scene::of(&tree, seed)), policy, seed, None, false);
            if solved { 1000 } else { 0 }
        });
        Ok(played.collect())
    }
}

#[derive(Serialize)]
struct Row {
    depth: u32,
    max_calls: u32,
    policy: PolicyKind,
    #[serde(flatten)]
    report: ReturnsReport,
}
