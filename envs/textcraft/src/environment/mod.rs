//! The simulator behind the seams of Gimbal: tools with literals, tolerant text, tracker, policies, forks.
//!
//! The environment answers every command that a tool lets through, and each such answer is a step; calls that do not fit the
//! schema of a tool are rejections and change nothing. An episode ends when its goal is made, or when its calls are used up.

mod brief;
mod catalogue;
mod settings;

pub use catalogue::TextCraft;
pub use settings::{Draws, Settings};

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Data, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId,
    ToolCall, ToolSpec, Tracker, Transition,
};
use gimbal_parity::Seed;
use serde_json::Value;

use crate::action::{self, COMMAND, CRAFT, CRAFTING, GET_ITEM, ITEM, SELECT, Toolset};
use crate::menu::Menu;
use crate::planner;
use crate::policy::{POLICIES, PolicyKind};
use crate::scene::Scene;
use crate::sim::Simulator;
use crate::tasks;
use crate::tracker::ItemTracker;
use crate::tree::Tree;

fn borrowed(list: &[String]) -> Vec<Cow<'_, str>> {
    list.iter().map(|text| Cow::Borrowed(text.as_str())).collect()
}

/// Everything that depends on the scene and the tools.
#[derive(Debug)]
struct EpisodeInterface {
    menu: Menu,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
}

/// One episode's environment.
#[derive(Clone, Debug)]
struct CraftEnvironment {
    settings: Settings,
    simulator: Simulator,
    interface: Arc<EpisodeInterface>,
    horizon: u32,
    /// The goal is made, or the calls are used up.
    over: bool,
    reply: String,
}

/// The scene of a task of the built-in recipes, drawn with the task's own seed: kept, since every episode shows it.
fn shipped_scene(tree: &Arc<Tree>, place: usize) -> Arc<Scene> {
    static SCENES: OnceLock<Vec<OnceLock<Arc<Scene>>>> = OnceLock::new();
    let scenes = SCENES.get_or_init(|| (0..tree.tasks().len()).map(|_| OnceLock::new()).collect());
    let draw = || Arc::new(Scene::draw(tree, place, &Seed::from(place as u64)));
    Arc::clone(scenes[place].get_or_init(draw))
}

impl CraftEnvironment {
    fn new(options: &Value) -> Result<Self, EnvError> {
        let (settings, tree) = Settings::with_tree(options)?;
        // An environment is there from the start, so that views before the first reset have something to show.
        let scene = Self::scene(&settings, &tree, 0, &Seed::from(0), 0);
        let (interface, horizon) = Self::interface(&settings, &scene)?;
        let simulator = Simulator::new(scene).with_aliasing(settings.aliasing);
        Ok(Self { settings, simulator, interface, horizon, over: false, reply: String::new() })
    }

    fn scene(settings: &Settings, tree: &Arc<Tree>, place: usize, own: &Seed, seed: u64) -> Arc<Scene> {
        match settings.draws {
            Draws::Task if settings.recipes.is_none() && own.small() == Some(place as u64) => {
                shipped_scene(tree, place)
            }
            Draws::Task => Arc::new(Scene::draw(tree, place, own)),
            // A seed of the original that plays the same task.
            Draws::Episode => {
                let round = seed & u64::from(u32::MAX);
                Arc::new(Scene::draw(tree, place, &Seed::from(place as u64 + tree.tasks().len() as u64 * round)))
            }
        }
    }

    fn interface(settings: &Settings, scene: &Scene) -> Result<(Arc<EpisodeInterface>, u32), EnvError> {
        let horizon = settings.max_calls.unwrap_or_else(|| tasks::max_calls(scene.task().depth));
        let menu = Menu::of(scene);
        let brief = Arc::new(brief::of(scene, &menu, settings.tools, horizon)?);
        let tools = brief::FILE.described(action::tools(settings.tools, &menu))?;
        Ok((Arc::new(EpisodeInterface { menu, brief, tools }), horizon))
    }

    fn toolset(&self) -> Toolset {
        self.settings.tools
    }

    /// The call of a command.
    fn call_of(&self, command: &str) -> ToolCall {
        let fallback = |_| ToolCall::with(SELECT, &[(COMMAND, command)]);
        action::parse(command, self.toolset(), &self.interface.menu).unwrap_or_else(fallback)
    }

    fn first(&self) -> Observation {
        Observation { text: self.simulator.scene().prompt().to_owned(), data: Data::default() }
    }
}

#[async_trait]
impl Environment for CraftEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.interface.brief
    }

    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        let tree = Arc::clone(self.simulator.scene().tree());
        let (place, own) = tasks::find(&tree, &task.0).map_err(|near| {
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let place = tree.place();
            EnvError::Usage(format!(
                "`textcraft` has no task `{task}` with the recipes of {place}{hint} (a task is an item that takes two crafting \
                 steps, such as `{}`, or a seed from 0)",
                tree.tasks().first().map_or("", |task| tree.names().id(task.goal))
            ))
        })?;
        let scene = Self::scene(&self.settings, &tree, place, &own, seed);
        (self.interface, self.horizon) = Self::interface(&self.settings, &scene)?;
        self.simulator.begin(&scene);
        self.over = false;
        Ok(self.first())
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.interface.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        let menu = &self.interface.menu;
        match (tool, parameter) {
            _ if !self.toolset().has(tool) => None,
            (CRAFT, CRAFTING) => Some(borrowed(&menu.possible)),
            (GET_ITEM, ITEM) => Some(borrowed(&menu.names)),
            // Any text may be written; what makes sense is listed.
            (SELECT, COMMAND) => {
                let mut text = String::new();
                let commands = (0..menu.len()).map(|place| {
                    menu.write(place, &mut text);
                    text.clone()
                });
                let shown = commands.filter(|text| menu.possible.contains(text) || !menu.crafts.contains(text));
                Some(shown.map(Cow::Owned).collect())
            }
            _ => None,
        }
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        action::parse(text, self.toolset(), &self.interface.menu)
    }

    fn render(&self, call: &ToolCall) -> String {
        action::render(call, self.toolset(), &self.interface.menu)
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.over {
            let why = if self.simulator.solved() { "the goal is made" } else { "its calls are used up" };
            return Err(Rejection::new(RejectionKind::NotNow, format!("the episode is over: {why}")));
        }
        let command = action::checked(call, self.toolset(), &self.interface.menu)?;
        let mut reply = std::mem::take(&mut self.reply);
        let outcome = self.simulator.step(&command, &mut reply);
        let done = match outcome.done {
            true => Some(EnvironmentStop::Solved),
            false => (self.simulator.steps() >= u64::from(self.horizon)).then_some(EnvironmentStop::Horizon),
        };
        self.over = done.is_some();
        let observation = Arc::new(Observation { text: reply.clone(), data: Data::default() });
        self.reply = reply;
        Ok(Reply::Step(Transition { observation, reward: Milli(if outcome.done { 1000 } else { 0 }), done }))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(ItemTracker::default())
    }

    fn state(&self) -> Digest {
        self.simulator.state()
    }

    fn situation(&self) -> Digest {
        self.simulator.situation()
    }

    fn simulator(&self) -> Option<&dyn gimbal_core::Simulator> {
        Some(self)
    }

    fn expert(&self) -> Option<&dyn gimbal_core::Expert> {
        Some(self)
    }

    fn policies(&self) -> &[&'static str] {
        gimbal_env_kit::names_of!(POLICIES)
    }

    fn decide(&mut self, policy: &str, draws: &mut Rng) -> Option<ToolCall> {
        match PolicyKind::from_name(policy)? {
            PolicyKind::Expert => gimbal_core::Expert::next_call(self),
            PolicyKind::Nothing => Some(brief::idle(self.toolset())),
            PolicyKind::Random => {
                let menu = &self.interface.menu;
                let mut command = String::new();
                menu.write(usize::try_from(draws.below(menu.len() as u64)).unwrap_or_default(), &mut command);
                Some(self.call_of(&command))
            }
        }
    }
}

impl gimbal_core::Simulator for CraftEnvironment {
    /// There is no chance in this environment after its reset: every future is the same.
    fn fork(&self, _future: u64) -> Box<dyn Environment> {
        Box::new(self.clone())
    }
}

impl gimbal_core::Expert for CraftEnvironment {
    fn next_call(&self) -> Option<ToolCall> {
        let next = planner::next(&self.simulator)?;
        Some(self.call_of(&next.text(self.simulator.tree())))
    }
}
