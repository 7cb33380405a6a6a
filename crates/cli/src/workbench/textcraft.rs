//! TextCraft at the workbench: thin calls into its library.

use std::path::Path;
use std::sync::Arc;

use gimbal_core::nearest;
use gimbal_textcraft::bench::{BenchOptions, MIX};
use gimbal_textcraft::policy::{POLICIES, PolicyKind};
use gimbal_textcraft::replay::{ReplayOptions, ReplayReport};
use gimbal_textcraft::returns::{ReturnsOptions, ReturnsReport, returns};
use gimbal_textcraft::tasks::{self, SPLITS, TIERS};
use gimbal_textcraft::{Scene, Simulator, Table, Tree};
use serde::Serialize;

use super::Workbench;
use super::cage2::{choice, known};
use crate::args::{Draws, EnvBench, EnvEvaluate, EnvPlay, EnvReplay, EnvReturns, EnvSettings, Observe};
use crate::commands::print_json;
use crate::exit::Failure;

/// ADaPT's TextCraft.
pub struct TextCraft;

/// Calls of a benched episode: the original's reset comes no more often.
const BENCH_HORIZON: u32 = 50;

fn policy(name: &str) -> Result<PolicyKind, Failure> {
    let known: Vec<(&str, PolicyKind)> = POLICIES.iter().map(|kind| (kind.name(), *kind)).collect();
    choice("--policy", name, &known)
}

/// What `--set` may change.
const SETTINGS: [&str; 3] = ["recipes", "aliasing", "split"];

/// Recipes, quirk and tasks.
struct Environment {
    tree: Arc<Tree>,
    aliasing: bool,
    split: Option<String>,
    horizon: Option<u32>,
}

impl Environment {
    fn of(environment: &EnvSettings) -> Result<Self, Failure> {
        let other = [
            ("--red", environment.red.is_some()),
            ("--mode", environment.mode.is_some()),
            ("--network", environment.network.is_some()),
        ];
        if let Some((name, _)) = other.into_iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!("{name}: `textcraft` has none; leave it out")));
        }
        if environment.horizon == Some(0) {
            return Err(Failure::Usage("--horizon must be at least 1".to_owned()));
        }
        let (mut recipes, mut aliasing, mut split) = (None, false, None);
        for setting in &environment.set {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                Failure::Usage(format!("--set {setting}: write it as NAME=VALUE, such as `aliasing=true`"))
            })?;
            match name.trim() {
                "recipes" => recipes = Some(value.to_owned()),
                "aliasing" => aliasing = choice("--set aliasing", value, &[("true", true), ("false", false)])?,
                "split" => {
                    let known: Vec<(&str, &str)> = SPLITS.iter().map(|split| (*split, *split)).collect();
                    split = Some(choice("--set split", value, &known)?.to_owned());
                }
                other => {
                    let hint = nearest::hint(other, SETTINGS);
                    let known = SETTINGS.join(", ");
                    return Err(Failure::Usage(format!("--set: there is no `{other}`{hint} (known: {known})")));
                }
            }
        }
        let tree = match &recipes {
            None => Tree::shipped().map_err(Failure::usage)?,
            Some(path) => {
                let table = Table::open(Path::new(path)).map_err(Failure::usage)?;
                let tree = Tree::of(&table).map_err(Failure::usage)?;
                for (line, left) in tree.left_out() {
                    eprintln!("{path}:{line}: left out, as the original would: {}", left.why());
                }
                Arc::new(tree)
            }
        };
        if split.is_some() && recipes.is_some() {
            let message = "--set split: splits are those of the built-in recipes; leave it out with `recipes`";
            return Err(Failure::Usage(message.to_owned()));
        }
        Ok(Self { tree, aliasing, split, horizon: environment.horizon })
    }

    /// The tasks to play, by place.
    fn tasks(&self) -> Vec<usize> {
        let split = self.split.as_deref().and_then(|split| tasks::split(&self.tree, split));
        split.unwrap_or_else(|| (0..self.tree.tasks().len()).collect())
    }

    fn returns(&self, policy: PolicyKind, tasks: Vec<usize>, episodes: u64, seed: u64) -> ReturnsReport {
        let (tree, aliasing) = (Arc::clone(&self.tree), self.aliasing);
        returns(&ReturnsOptions { tree, policy, tasks, episodes, horizon: self.horizon, seed, aliasing })
    }
}

impl Workbench for TextCraft {
    fn contrast(&self) -> [&'static str; 2] {
        ["random", "expert"]
    }

    fn play(&self, options: &EnvPlay) -> Result<(), Failure> {
        let environment = Environment::of(&options.environment)?;
        let scene = match environment.split {
            None => Scene::of(&environment.tree, options.seed),
            Some(_) => {
                let places = environment.tasks();
                let count = places.len().max(1) as u64;
                let Some(place) = places.get((options.seed % count) as usize) else {
                    return Err(Failure::Usage("--set split: this split has no tasks; name another".to_owned()));
                };
                Scene::of(&environment.tree, *place as u64)
            }
        };
        let horizon = environment.horizon.unwrap_or_else(|| tasks::max_calls(scene.task().depth));
        let mut simulator = Simulator::new(Arc::new(scene)).with_aliasing(environment.aliasing);
        let (mut input, mut output) = (std::io::stdin().lock(), gimbal_analysis::Printable(std::io::stdout().lock()));
        gimbal_textcraft::play::play(&mut simulator, horizon, &mut input, &mut output)
            .map(|_| ())
            .map_err(Failure::external)
    }

    fn replay(&self, options: &EnvReplay) -> Result<(), Failure> {
        if options.checksum.is_some() {
            let message = "--checksum: textcraft has none for recordings; every reply is compared as it stands";
            return Err(Failure::Usage(message.to_owned()));
        }
        if options.draws == Draws::Seed {
            // A recording holds no draws: its seed is all there ever is.
            eprintln!("--draws seed: recordings of textcraft hold no other draws");
        }
        let tree = Tree::shipped().map_err(Failure::usage)?;
        let report = gimbal_textcraft::replay::replay_all(&ReplayOptions { files: options.files.clone(), tree });
        println!("{} rows, {} steps, {} mismatches", report.rows, report.steps, report.mismatches);
        if report.aliased > 0 {
            println!("{} rows of kind `alias` were played with the aliasing quirk, the others without", report.aliased);
        }
        if report.unrecorded > 0 {
            println!("{} fields are not in these recordings and were not compared", report.unrecorded);
        }
        if let Some(first) = &report.first {
            let step = first.step.map_or_else(|| "at its reset".to_owned(), |step| format!("step {step}"));
            println!("first: {}:{}, seed {}, {step}, {}", first.file, first.line, first.seed, first.field);
            println!("  expected {}\n  got      {}", first.expected, first.got);
        }
        if options.json {
            print_json(&report)?;
        }
        verdict(&report)
    }

    fn bench(&self, options: &EnvBench) -> Result<(), Failure> {
        if !options.actions.is_empty() || options.save.is_some() {
            let message = "--actions, --save: textcraft keeps no action lists; `replay` plays its recordings";
            return Err(Failure::Usage(message.to_owned()));
        }
        if options.observe.is_some_and(|observe| observe != Observe::Raw) {
            let message = "--observe: in textcraft every reply is written as text; leave it out, or give `raw`";
            return Err(Failure::Usage(message.to_owned()));
        }
        choice("--draws", &options.draws, &[("fast", ())])?;
        let environment = Environment::of(&options.environment)?;
        let report = gimbal_textcraft::bench::bench(&BenchOptions {
            tree: environment.tree,
            policy: policy(&options.policy)?,
            steps: options.steps,
            horizon: environment.horizon.unwrap_or(BENCH_HORIZON),
            seed: options.seed,
            aliasing: environment.aliasing,
        });
        println!(
            "{:.0} steps/s: {} steps of {} episodes in {:.3} s, beginnings of episodes included, one core",
            report.steps_per_second, report.steps, report.episodes, report.seconds
        );
        println!(
            "policy {}, at most {} steps an episode, {} goals reached, {} characters of replies, checksum {}",
            report.policy, report.horizon, report.solved, report.characters, report.checksum
        );
        if report.policy == PolicyKind::Random.name() {
            let mix: Vec<String> = MIX.iter().map(|(what, share)| format!("{share} % {what}")).collect();
            println!("commands: {}", mix.join("; "));
        }
        let share = |count: u64| 100.0 * count as f64 / report.steps.max(1) as f64;
        let replies: Vec<String> =
            report.replies.iter().map(|(said, count)| format!("{:.1} % {said}", share(*count))).collect();
        println!("replies: {}", replies.join(", "));
        println!(
            "before the clock started: {} scenes and their commands in {:.3} s",
            report.scenes, report.scenes_seconds
        );
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn returns(&self, options: &EnvReturns) -> Result<(), Failure> {
        if options.against.is_some() {
            let message = "--against: there are no recorded returns of textcraft; `replay` compares every reply";
            return Err(Failure::Usage(message.to_owned()));
        }
        if options.episodes == 0 {
            return Err(Failure::Usage("--episodes must be at least 1".to_owned()));
        }
        choice("--draws", &options.draws, &[("fast", ())])?;
        let environment = Environment::of(&options.environment)?;
        let policy = policy(options.policy.as_deref().unwrap_or("expert"))?;
        let tasks = environment.tasks();
        if tasks.is_empty() {
            return Err(Failure::Usage("--set split: this split has no tasks; name another".to_owned()));
        }
        let report = environment.returns(policy, tasks, options.episodes, options.seed);
        println!(
            "mean {:.4}, SD {}, SE {}: {} of {} episodes reach their goal",
            report.mean,
            known(report.sd),
            known(report.se),
            report.solved,
            report.episodes
        );
        println!("calls {} in those, {:.2} in all", known(report.calls_solved), report.calls_mean);
        if options.json { print_json(&report) } else { Ok(()) }
    }

    fn evaluate(&self, options: &EnvEvaluate) -> Result<(), Failure> {
        // What the command calls a player that does nothing.
        let policy = policy(options.policy.as_deref().unwrap_or("nothing"))?;
        let environment =
            Environment { tree: Tree::shipped().map_err(Failure::usage)?, aliasing: false, split: None, horizon: None };
        let mut rows = Vec::new();
        println!(
            "{:<8} {:>6} {:>9} {:>8} {:>8} {:>12} {:>12}",
            "depth", "tasks", "calls", "episodes", "mean", "calls if won", "most"
        );
        for tier in TIERS {
            let tasks = tasks::split(&environment.tree, &format!("depth-{}", tier.depth)).unwrap_or_default();
            let report = environment.returns(policy, tasks, options.episodes, options.seed);
            println!(
                "{:<8} {:>6} {:>9} {:>8} {:>8.4} {:>12} {:>12}",
                tier.depth,
                tier.count,
                tier.max_calls,
                report.episodes,
                report.mean,
                known(report.calls_solved),
                report.calls_most.map_or_else(|| "–".to_owned(), |most| most.to_string())
            );
            rows.push(Row { depth: tier.depth, max_calls: tier.max_calls, policy, report });
        }
        if options.json { print_json(&rows) } else { Ok(()) }
    }

    fn sample(&self, policy: &str, episodes: u64, seed: u64) -> Result<Vec<i64>, Failure> {
        let policy = self::policy(policy)?;
        let tree = Tree::shipped().map_err(Failure::usage)?;
        let played = (0..episodes).map(|episode| {
            let seed = seed.wrapping_add(episode);
            let scene = Arc::new(Scene::of(&tree, seed));
            let (_, solved) = gimbal_textcraft::returns::play(&scene, policy, seed, None, false);
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

/// A difference fails the check; a file that cannot be read is the user's, and named in either case.
fn verdict(report: &ReplayReport) -> Result<(), Failure> {
    let messages: Vec<&str> = report.unreadable.iter().map(|file| file.message.as_str()).collect();
    if report.agrees() {
        return if messages.is_empty() { Ok(()) } else { Err(Failure::Usage(messages.join("\n"))) };
    }
    for message in messages {
        eprintln!("gimbal: {message}");
    }
    Err(Failure::Check("the recordings and the simulator differ".to_owned()))
}
