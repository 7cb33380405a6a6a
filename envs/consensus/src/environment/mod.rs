//! The game behind the seams of Gimbal: one call a round, what each agent was told as data for the tracker, policies, forks.
//!
//! Whoever calls speaks for all agents that are played; what it sees is all that they see together. `panel` with `rounds` keeps them apart: each
//! seat gets the view of its agent alone, from the tracker's query `view`. The last observation ends with an [`Ended`] line.

mod brief;
mod catalogue;
mod settings;
mod task;

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId, ToolCall,
    ToolSpec, Tracker, Transition,
};
use gimbal_messages::records::consensus::{Ended, Outcome};

pub use catalogue::Consensus;
pub use settings::Settings;

use crate::action;
use crate::game::{Game, Setup, Starts};
use crate::rules::Rule;
use crate::tools::{self, specs};
use crate::tracker::{GameTracker, GameView};

/// Names of the policies.
pub(crate) const POLICIES: [&str; 7] = ["median", "min", "phase_king", "eig", "random", "stubborn", "expert"];

/// One episode's environment.
#[derive(Clone, Debug)]
struct ConsensusEnvironment {
    settings: Settings,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
    task: TaskId,
    game: Game,
}

impl ConsensusEnvironment {
    fn new(settings: Settings) -> Result<Self, EnvError> {
        Ok(Self {
            brief: Arc::new(brief::of(&settings)?),
            tools: brief::FILE.described(specs(settings.agents))?,
            task: TaskId(String::new()),
            game: settings.game(Starts::Uniform, 0),
            settings,
        })
    }

    fn observation(&self) -> Observation {
        let told = GameView::of(&self.game);
        let text = told.text();
        let text = match self.game.ended() {
            Some(ended) => ended.behind(&text),
            None => text,
        };
        Observation { text, data: told.data().into() }
    }
}

impl Settings {
    /// The game of a seed under these settings.
    #[must_use]
    pub fn game(&self, starts: Starts, seed: u64) -> Game {
        let size = (self.agents, self.adversaries);
        Game::new(Setup::draw(seed, starts, size, self.strategy, (self.mentioned, self.rounds)))
    }
}

/// How an episode ends.
const fn ending(ended: &Ended) -> EnvironmentStop {
    match ended.outcome {
        Outcome::Valid => EnvironmentStop::Solved,
        Outcome::Invalid => EnvironmentStop::Failed,
        Outcome::None => EnvironmentStop::Horizon,
    }
}

#[async_trait]
impl Environment for ConsensusEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.brief
    }

    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        self.game = self.settings.game(task::starts(task)?, seed);
        self.task = task.clone();
        Ok(self.observation())
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.tools
    }

    fn choices(&self, _tool: &str, _parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        None
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        let call = action::parse(text)?;
        tools::read(&call, &self.game).map(|_| call)
    }

    fn render(&self, call: &ToolCall) -> String {
        action::render(call)
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.game.ended().is_some() {
            return Err(Rejection::new(RejectionKind::NotNow, "the game is over"));
        }
        let ballots = tools::read(call, &self.game)?;
        self.game.play(&ballots);
        let done = self.game.ended().map(ending);
        let reward = if done == Some(EnvironmentStop::Solved) { Milli(1000) } else { Milli::ZERO };
        Ok(Reply::Step(Transition { observation: self.observation().into(), reward, done }))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(GameTracker::default())
    }

    fn state(&self) -> Digest {
        // The number of rounds that were played is a clock on which the rules depend.
        let data = GameView::of(&self.game).data().to_string();
        let rounds = self.game.rounds().len().to_string();
        let hidden: String =
            (0..self.settings.agents).map(|agent| format!("{} ", self.game.setup().start(agent))).collect();
        Digest::of_parts(&[self.task.0.as_bytes(), data.as_bytes(), rounds.as_bytes(), hidden.as_bytes()])
    }

    fn situation(&self) -> Digest {
        Digest::of(GameView::of(&self.game).data().to_string().as_bytes())
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
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == policy)?;
        Some(tools::call(&rule.ballots(&self.game, draws)))
    }
}

impl gimbal_core::Simulator for ConsensusEnvironment {
    /// Everything is decided by the seed of the game: every future is the same.
    fn fork(&self, _future: u64) -> Box<dyn Environment> {
        Box::new(self.clone())
    }
}

impl gimbal_core::Expert for ConsensusEnvironment {
    fn next_call(&self) -> Option<ToolCall> {
        if self.game.ended().is_some() {
            return None;
        }
        // An expert draws nothing.
        Some(tools::call(&Rule::Expert.ballots(&self.game, &mut Rng::stream(0, "expert"))))
    }
}
