//! Games behind the seams of Gimbal: the four tools, tolerant text, observations, tracker, policies, forks.
//!
//! Every call that fits the schema of its tool is a step, also one that the environment does not understand: then nothing
//! happens, as in the original. An episode ends when the task is solved or the calls are used up (CYC-050).

mod brief;
mod catalogue;
mod expert;
mod loaded;
mod reading;
mod seen;
mod settings;
mod tail;
pub mod tools;

pub use catalogue::{Alfworld, GENERATED_TASKS};
pub use expert::Expert;
pub use loaded::{GAME_FILE, GENERATED, HOUSEHOLD, HOUSEHOLD_FILE, Loaded, load};
pub use settings::{Offered, Settings, Words, data_folder};

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId, ToolCall,
    ToolSpec, Tracker, Transition,
};

use self::brief::SOLVED;
use self::tools::{COMMAND, Tool};
use crate::engine::{Facts, Play, Role};
use crate::library::Library;
use crate::tracker::ReceptacleTracker;

/// Names of the built-in policies.
pub const POLICIES: [&str; 4] = ["expert", "planner", "random", "nothing"];

/// One episode's environment.
#[derive(Clone, Debug)]
struct AlfworldEnvironment {
    settings: Arc<Settings>,
    library: Arc<Library>,
    loaded: Arc<Loaded>,
    play: Play,
    expert: Expert,
    planner: Expert,
    before: Facts,
    over: bool,
}

impl AlfworldEnvironment {
    fn new(settings: Settings, library: Arc<Library>) -> Result<Self, EnvError> {
        // An environment is there from the start, so that views before the first reset have something to show.
        let loaded = Arc::new(load(&format!("{GENERATED}0"), &settings, &library)?);
        let play = Play::new(Arc::clone(&loaded.game));
        let (expert, planner) = (Expert::default(), Expert::default());
        let before = play.state().clone();
        Ok(Self { settings: Arc::new(settings), library, loaded, play, expert, planner, before, over: false })
    }

    fn observation(&self, data: gimbal_core::Data) -> Observation {
        Observation { text: self.play.observation().to_owned(), data }
    }

    /// The call for one of the admissible commands.
    fn call_of(&self, at: usize) -> ToolCall {
        let role = self.play.role(at).unwrap_or(Role::Other);
        let tool = Tool::of(role, self.settings.tools);
        ToolCall::with(tool.name(), &[(COMMAND, self.play.command(at).unwrap_or_default())])
    }

    /// The command of a call.
    fn read(&self, call: &ToolCall) -> Result<String, Rejection> {
        reading::read(call, &self.loaded, &self.play, self.settings.tools)
    }
}

#[async_trait]
impl Environment for AlfworldEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.loaded.brief
    }

    async fn reset(&mut self, task: &TaskId, _seed: u64) -> Result<Observation, EnvError> {
        if self.loaded.id == task.0 {
            self.play.reset();
        } else {
            self.loaded = Arc::new(load(&task.0, &self.settings, &self.library)?);
            self.play = Play::new(Arc::clone(&self.loaded.game));
        }
        self.expert = Expert::new(&self.loaded.walkthrough);
        self.planner = Expert::default();
        self.over = false;
        Ok(self.observation(seen::first(&self.play, &self.loaded.lexicon)))
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.loaded.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        if parameter != COMMAND {
            return None;
        }
        let tool = Tool::from_name(tool)?;
        let commands = self.play.admissible().enumerate();
        let taken = commands.filter(|(at, _)| self.play.role(*at).is_some_and(|role| tool.takes(role)));
        Some(taken.map(|(_, command)| Cow::Borrowed(command)).collect())
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        reading::parse(text, &self.loaded, &self.play, self.settings.tools)
    }

    fn render(&self, call: &ToolCall) -> String {
        reading::render(call)
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.over {
            return Err(Rejection::new(RejectionKind::NotNow, "the episode is over: its last step was taken"));
        }
        let command = self.read(call)?;
        let data = match self.play.find(&command) {
            None => {
                self.play.step(&command);
                seen::after(&self.play, &self.loaded.lexicon, None)
            }
            Some(at) => {
                let done = self.play.role(at).zip(self.play.grounded(at).copied());
                let routes = [&self.expert, &self.planner].map(|expert| expert.would(&self.play, at));
                self.before.clone_from(self.play.state());
                self.play.step_at(at);
                let changed = self.before != *self.play.state();
                for (expert, same) in [&self.expert, &self.planner].into_iter().zip(routes) {
                    expert.took(same, changed);
                }
                seen::after(&self.play, &self.loaded.lexicon, done.as_ref().map(|(role, command)| (*role, command)))
            }
        };
        let won = self.play.won();
        let used = self.play.steps() >= u64::from(self.settings.max_calls);
        let done = if won { Some(EnvironmentStop::Solved) } else { used.then_some(EnvironmentStop::Horizon) };
        self.over = done.is_some();
        let reward = if won { SOLVED } else { Milli(0) };
        let observation = Arc::new(self.observation(data));
        Ok(Reply::Step(Transition { observation, reward, done }))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(ReceptacleTracker::default())
    }

    fn state(&self) -> Digest {
        let mut bytes = Vec::with_capacity(1024);
        self.play.state_bytes(&mut bytes);
        Digest::of_parts(&[self.loaded.id.as_bytes(), &bytes])
    }

    fn situation(&self) -> Digest {
        Digest::of(&self.loaded.lexicon.situation(&self.play))
    }

    fn simulator(&self) -> Option<&dyn gimbal_core::Simulator> {
        Some(self)
    }

    fn expert(&self) -> Option<&dyn gimbal_core::Expert> {
        Some(self)
    }

    fn policies(&self) -> &[&'static str] {
        &POLICIES
    }

    fn decide(&mut self, policy: &str, draws: &mut Rng) -> Option<ToolCall> {
        match policy {
            "expert" => Some(self.expert_call(&self.expert)),
            "planner" => Some(self.expert_call(&self.planner)),
            "random" => {
                let count = (self.play.admissible().len() as u64).max(1);
                Some(self.call_of(draws.below(count) as usize))
            }
            "nothing" => Some(self.loaded.brief.idle.clone()),
            _ => None,
        }
    }
}

impl AlfworldEnvironment {
    /// The expert's call; the idle one where nothing is left to do.
    fn expert_call(&self, expert: &Expert) -> ToolCall {
        expert.next(&self.loaded, &self.play).map_or_else(|| self.loaded.brief.idle.clone(), |at| self.call_of(at))
    }
}

impl gimbal_core::Simulator for AlfworldEnvironment {
    fn fork(&self, _future: u64) -> Box<dyn Environment> {
        // Nothing in these environments is left to chance.
        Box::new(self.clone())
    }
}

impl gimbal_core::Expert for AlfworldEnvironment {
    fn next_call(&self) -> Option<ToolCall> {
        self.expert.next(&self.loaded, &self.play).map(|at| self.call_of(at))
    }
}
