//! How many steps a second one core plays, with a checksum that says that it really played them.
//!
//! Scenes and the texts of commands are made before the clock starts; what a bench times is the beginning of episodes and
//! their steps: each command is read from its text and each reply written as text, and both go into the checksum. Commands
//! are drawn at random and mostly make sense: see [`MIX`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use gimbal_parity::Fast;
use serde::Serialize;

use crate::checksum::Checksum;
use crate::planner;
use crate::policy::PolicyKind;
use crate::scene::Scene;
use crate::sim::{REPLIES, Simulator};
use crate::tree::Tree;

/// Kinds of drawn commands, with how many of a hundred they are.
pub const MIX: [(&str, u32); 5] = [
    ("craft a shown recipe, tags filled in", 45),
    ("get a shown item that can be got", 35),
    ("get a shown item that is made", 8),
    ("inventory", 7),
    ("a command with a mistake in it", 5),
];

/// What to play.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// The recipes.
    pub tree: Arc<Tree>,
    /// `random` draws from [`MIX`]; `expert` plays plans that were made before the clock started.
    pub policy: PolicyKind,
    /// How many steps.
    pub steps: u64,
    /// The longest episode; one that reaches its goal ends before.
    pub horizon: u32,
    /// The seed of draws, and of the first episode; the others count up.
    pub seed: u64,
    /// Whether the aliasing quirk is on.
    pub aliasing: bool,
}

/// What a bench measured; its keys are those of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct BenchReport {
    /// Steps by seconds of wall time, beginnings of episodes included, on one core.
    pub steps_per_second: f64,
    /// Steps played.
    pub steps: u64,
    /// Episodes begun.
    pub episodes: u64,
    /// Seconds of wall time.
    pub seconds: f64,
    /// Seconds that the scenes took before.
    pub scenes_seconds: f64,
    /// Scenes drawn before: one for each task.
    pub scenes: usize,
    /// Episodes that reached their goal.
    pub solved: u64,
    /// Characters of all replies.
    pub characters: u64,
    /// How many replies of each kind there were.
    pub replies: BTreeMap<&'static str, u64>,
    /// The checksum of all replies and rewards.
    pub checksum: String,
    /// The policy.
    pub policy: &'static str,
    /// The longest episode.
    pub horizon: u32,
    /// The seed.
    pub seed: u64,
}

/// Texts of commands for a scene, by kind.
#[derive(Clone, Debug)]
pub struct Pool {
    kinds: [Vec<String>; MIX.len()],
}

impl Pool {
    /// The commands of a scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let tree = scene.tree();
        let mut kinds: [Vec<String>; MIX.len()] = Default::default();
        for recipe in scene.recipes() {
            let inputs = &tree.recipe(recipe).inputs;
            // One command for each item of the first tag.
            let most = inputs.iter().filter(|input| input.tag).map(|input| tree.members(input.name).len()).max();
            for at in 0..most.unwrap_or(1) {
                let fill = |name| tree.members(name).iter().cycle().nth(at).copied().unwrap_or(name);
                let items = inputs.iter().map(|input| if input.tag { fill(input.name) } else { input.name });
                kinds[0].push(planner::Move::Craft(recipe, items.collect()).text(tree));
            }
        }
        for name in scene.names() {
            let kind = if tree.is_raw(name) { 1 } else { 2 };
            kinds[kind].extend((1..=8).map(|count| planner::Move::Get(name, count).text(tree)));
        }
        kinds[3].push("inventory".to_owned());
        let first = scene.lines().next().unwrap_or_default();
        kinds[4] =
            ["look around", "get stick", "craft 3", "", "Inventory", "get 1 unobtainium", "craft 1 stick using planks"]
                .map(str::to_owned)
                .to_vec();
        kinds[4].push([" ", first].concat());
        kinds[4].push([first, ", 1 stick"].concat());
        Self { kinds }
    }

    /// A command drawn by [`MIX`].
    #[inline]
    pub fn draw(&self, coin: &mut Fast) -> &str {
        let mut place = coin.below(100);
        for (kind, (_, share)) in self.kinds.iter().zip(MIX) {
            if place < share && !kind.is_empty() {
                return &kind[coin.below(kind.len() as u32) as usize];
            }
            place = place.saturating_sub(share);
        }
        "inventory"
    }
}

/// Plays and measures.
#[must_use]
pub fn bench(options: &BenchOptions) -> BenchReport {
    let tree = &options.tree;
    let before = Instant::now();
    let scenes: Vec<(Arc<Scene>, Pool, Vec<String>)> = (0..tree.tasks().len() as u64)
        .map(|seed| {
            let scene = Arc::new(Scene::of(tree, seed));
            let plan = match options.policy {
                PolicyKind::Expert => planner::plan(&Simulator::new(Arc::clone(&scene))).unwrap_or_default(),
                _ => Vec::new(),
            };
            let pool = Pool::of(&scene);
            (scene, pool, plan.iter().map(|step| step.text(tree)).collect())
        })
        .collect();
    let scenes_seconds = before.elapsed().as_secs_f64();
    let mut simulator = Simulator::new(Arc::clone(&scenes[0].0)).with_aliasing(options.aliasing);
    let mut coin = Fast::new(options.seed);
    let mut checksum = Checksum::default();
    let mut replies = [0_u64; REPLIES.len()];
    let (mut steps, mut episodes, mut solved, mut characters) = (0, 0_u64, 0, 0);
    let mut reply = String::with_capacity(4096);
    let start = Instant::now();
    while steps < options.steps {
        let place = options.seed.wrapping_add(episodes) % scenes.len() as u64;
        let (scene, pool, plan) = &scenes[place as usize];
        episodes += 1;
        simulator.begin(scene);
        // What the player reads first.
        reply.clear();
        reply.push_str(scene.prompt());
        checksum.step(&reply, false);
        for step in 0..options.horizon {
            if steps >= options.steps {
                break;
            }
            let command = match options.policy {
                PolicyKind::Random => pool.draw(&mut coin),
                PolicyKind::Expert => plan.get(step as usize).map_or("inventory", String::as_str),
                PolicyKind::Nothing => "inventory",
            };
            let outcome = simulator.step(command, &mut reply);
            steps += 1;
            characters += reply.len() as u64;
            replies[outcome.said as usize] += 1;
            checksum.step(&reply, outcome.done);
            if outcome.done {
                solved += 1;
                break;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    BenchReport {
        steps_per_second: steps as f64 / seconds.max(f64::MIN_POSITIVE),
        steps,
        episodes,
        seconds,
        scenes_seconds,
        scenes: scenes.len(),
        solved,
        characters,
        replies: REPLIES.iter().map(|said| (said.name(), replies[*said as usize])).collect(),
        checksum: checksum.hex(),
        policy: options.policy.name(),
        horizon: options.horizon,
        seed: options.seed,
    }
}
