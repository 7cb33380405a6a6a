//! Recordings of our own making, in the form of those of the original: one episode a line, as JSON.
//!
//! | key | what |
//! |---|---|
//! | `seed`, `depth`, `goal`, `kind` | the episode; rows of kind `alias` are played with the aliasing quirk |
//! | `prompt` | what the reset said |
//! | `core`, `pool` | commands below the goal, and those that distractors were drawn from, sorted |
//! | `steps` | `cmd`, `obs`, `reward`, `done` of every step |

use std::io::{self, Write};
use std::sync::Arc;

use gimbal_parity::Fast;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bench::Pool;
use crate::planner;
use crate::scene::Scene;
use crate::sim::Simulator;
use crate::tree::Tree;

/// Who plays a recorded episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The expert.
    Clean,
    /// The expert, and every other step a drawn command.
    Noisy,
    /// Drawn commands.
    Random,
    /// The goal is asked for with what a recipe below it takes.
    Alias,
}

/// All kinds.
pub const KINDS: [Kind; 4] = [Kind::Clean, Kind::Noisy, Kind::Random, Kind::Alias];

impl Kind {
    /// The name in recordings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Noisy => "noisy",
            Self::Random => "random",
            Self::Alias => "alias",
        }
    }
}

/// Steps of a recorded episode at most.
const LONGEST: usize = 100;

/// Plays and writes one line for each seed and kind.
///
/// # Errors
/// When writing fails.
pub fn record(
    tree: &Arc<Tree>,
    seeds: impl Iterator<Item = u64>,
    kinds: &[Kind],
    out: &mut impl Write,
) -> io::Result<()> {
    for seed in seeds {
        let scene = Arc::new(Scene::of(tree, seed));
        for kind in kinds {
            let row = row(tree, &scene, seed, *kind);
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}

fn row(tree: &Arc<Tree>, scene: &Arc<Scene>, seed: u64, kind: Kind) -> Value {
    let mut simulator = Simulator::new(Arc::clone(scene)).with_aliasing(kind == Kind::Alias);
    let pool = Pool::of(scene);
    let mut coin = Fast::new(seed ^ 0x7265_636F_7264);
    let mut steps = Vec::new();
    let (mut reply, mut done) = (String::new(), false);
    let aliases = alias_commands(tree, scene);
    while steps.len() < LONGEST && !done {
        let drawn = kind == Kind::Random || (kind == Kind::Noisy && coin.below(2) == 0);
        let command = match (kind, drawn) {
            (Kind::Alias, _) => match aliases.get(steps.len()) {
                Some(command) => command.clone(),
                None => break,
            },
            (_, true) => pool.draw(&mut coin).to_owned(),
            (_, false) => match planner::next(&simulator) {
                Some(next) => next.text(tree),
                None => break,
            },
        };
        let outcome = simulator.step(&command, &mut reply);
        done = outcome.done;
        steps.push(json!({ "cmd": command, "obs": reply, "reward": u8::from(done), "done": done }));
    }
    json!({
        "seed": seed,
        "depth": scene.task().depth,
        "goal": tree.names().shown(scene.task().goal),
        "kind": kind.name(),
        "prompt": scene.prompt(),
        "core": scene.core().collect::<Vec<_>>(),
        "pool": scene.pool().collect::<Vec<_>>(),
        "steps": steps,
    })
}

/// Gets what a recipe below the goal takes, and asks for the goal with it.
fn alias_commands(tree: &Tree, scene: &Scene) -> Vec<String> {
    let goal = scene.task().goal;
    let below = scene.recipes_of(goal, true).iter().map(|recipe| tree.recipe(*recipe));
    let mut raw = below.filter(|recipe| {
        recipe.output != goal && recipe.inputs.iter().all(|input| !input.tag && tree.is_raw(input.name))
    });
    let Some(recipe) = raw.next() else { return Vec::new() };
    let names = tree.names();
    let list: Vec<String> =
        recipe.inputs.iter().map(|input| format!("{} {}", input.count, names.shown(input.name))).collect();
    let mut commands: Vec<String> = list.iter().map(|one| format!("get {one}")).collect();
    commands.push(format!("craft 1 {} using {}", names.shown(goal), list.join(", ")));
    commands.push("inventory".to_owned());
    commands
}
