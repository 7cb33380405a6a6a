//! The scenario behind the seams of Gimbal: tools, tolerant text, observations, tracker, policies, forks.

mod brief;
mod catalogue;
mod interface;
mod settings;

pub use catalogue::Cage2;
pub use settings::{LONGEST_HORIZON, Naming, Settings, Validation};

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Data, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId,
    ToolCall, ToolSpec, Tracker, Transition,
};

use crate::action::{self, Action, ActionError};
use crate::bench::Generator;
use crate::draws::{Draws, Fast, Mersenne, Site};
use crate::facts::HOSTS;
use crate::policy::{POLICIES, Policy, PolicyKind};
use crate::sim::Simulator;
use crate::tracker::{HOSTNAME, HostBelief, HostTracker};
use interface::EpisodeInterface;

/// Either generator, chosen by an option.
#[derive(Clone, Debug)]
enum Source {
    Fast(Fast),
    Mersenne(Mersenne),
}

macro_rules! either {
    ($self:ident, $draws:ident => $draw:expr) => {
        match $self {
            Self::Fast($draws) => $draw,
            Self::Mersenne($draws) => $draw,
        }
    };
}

impl Draws for Source {
    fn seed(&mut self, seed: u64) {
        either!(self, draws => draws.seed(seed));
    }
    fn choice(&mut self, site: Site, count: u32) -> u32 {
        either!(self, draws => draws.choice(site, count))
    }
    fn choices(&mut self, site: Site, count: u32) -> u32 {
        either!(self, draws => draws.choices(site, count))
    }
    fn random(&mut self, site: Site) -> f64 {
        either!(self, draws => draws.random(site))
    }
    fn randrange(&mut self, site: Site, start: u32, stop: u32) -> u32 {
        either!(self, draws => draws.randrange(site, start, stop))
    }
    fn sample(&mut self, site: Site, count: u32, chosen: &mut [u32]) {
        either!(self, draws => draws.sample(site, count, chosen));
    }
    fn shuffle(&mut self, site: Site, items: &mut [u8]) {
        either!(self, draws => draws.shuffle(site, items));
    }
}

/// One episode's environment.
#[derive(Clone, Debug)]
struct Cage2Environment {
    settings: Settings,
    simulator: Simulator<Source>,
    /// Everything that depends on names; of all episodes in the same names.
    interface: Arc<EpisodeInterface>,
    /// The built-in policy at play, from its first decision on.
    policy: Option<(PolicyKind, Policy)>,
}

impl Cage2Environment {
    fn new(settings: Settings) -> Result<Self, EnvError> {
        let draws = match settings.draws {
            Generator::Fast => Source::Fast(Fast::new(0)),
            Generator::Mersenne => Source::Mersenne(Mersenne::new(0)),
        };
        let mut simulator = Simulator::growing(settings.options(), draws);
        // An environment is there from the start, so that views before the first reset have something to show.
        simulator.reset(0);
        Ok(Self { settings, simulator, interface: EpisodeInterface::of(&settings, 0)?, policy: None })
    }

    fn observation(&self) -> Observation {
        // The first one tells everything of every host.
        let begins = self.simulator.steps() == 0;
        let room = if begins { FIRST_BYTES } else { 512 };
        let (mut text, mut json) = (Vec::with_capacity(room), Vec::with_capacity(room));
        self.simulator.write_observation(&self.interface.names, &mut text);
        self.simulator.write_observation_json(&self.interface.names, &mut json);
        text.shrink_to_fit();
        let data = if begins { Data::beside(utf8(json), &self.interface.model) } else { Data::json(utf8(json)) };
        Observation { text: utf8(text), data }
    }

    /// The action of a call; `None` is one that only the artifact's checks let through.
    fn action_of(&self, call: &ToolCall) -> Result<Option<Action>, Rejection> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (key, value) in &call.arguments {
            let Some(value) = value.as_str() else {
                // An argument that the action does not have is refused for that, whatever its value.
                let read = action::read_parts(&call.tool, &[(Some(key.as_str()), "")], &self.interface.names);
                if let Err(error @ ActionError::UnknownParameter { .. }) = read {
                    return Err(rejection(&error));
                }
                let message = format!("`{key}` of `{}` must be a text, the name of a host", call.tool);
                return Err(Rejection::new(RejectionKind::BadValue, message));
            };
            arguments.push((Some(key.as_str()), value));
        }
        let read = action::read_parts(&call.tool, &arguments, &self.interface.names);
        match (read, self.settings.validation) {
            (Ok(action), _) => Ok(Some(action)),
            (Err(error), Validation::Artifact) => {
                action::lenient_parts(&call.tool, &arguments, &self.interface.names).map_err(|_| rejection(&error))
            }
            (Err(error), Validation::Full) => Err(rejection(&error)),
        }
    }

    fn call_of(&self, action: Action) -> ToolCall {
        match action.target() {
            Some((kind, host)) => {
                ToolCall::with(self.interface.names.kind(kind), &[(HOSTNAME, self.interface.names.host(host))])
            }
            None => ToolCall::bare(if action == Action::SLEEP { "Sleep" } else { "Monitor" }),
        }
    }
}

fn rejection(error: &ActionError) -> Rejection {
    let kind = match error {
        ActionError::Empty | ActionError::Nameless(_) | ActionError::TwoActions(_) => RejectionKind::Unreadable,
        ActionError::UnknownAction { .. } | ActionError::Placeholder(_) => RejectionKind::UnknownTool,
        ActionError::MissingHost { .. } => RejectionKind::MissingArgument,
        ActionError::UnknownHost { .. } | ActionError::TwoHosts { .. } => RejectionKind::BadValue,
        ActionError::UnknownParameter { .. } => RejectionKind::UnknownArgument,
    };
    Rejection::new(kind, error.to_string())
}

/// Length of a first observation, about.
const FIRST_BYTES: usize = 12 << 10;

/// What our own printers wrote.
fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[async_trait]
impl Environment for Cage2Environment {
    fn brief(&self) -> &Arc<Brief> {
        &self.interface.brief
    }

    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        catalogue::check_task(task)?;
        self.simulator.reset(seed);
        self.policy = None;
        if self.settings.names == Naming::Neutral {
            self.interface = EpisodeInterface::of(&self.settings, seed)?;
        }
        Ok(self.observation())
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.interface.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        let hosts = parameter == HOSTNAME && self.interface.names.find_kind(tool).is_some();
        hosts.then(|| HOSTS.iter().map(|host| Cow::Borrowed(self.interface.names.host(*host))).collect())
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        match self.settings.validation {
            Validation::Full => action::parse(text, &self.interface.names)
                .map(|action| self.call_of(action))
                .map_err(|error| rejection(&error)),
            Validation::Artifact => match action::parse_as_artifact(text, &self.interface.names) {
                Ok(Some(action)) => Ok(self.call_of(action)),
                Ok(None) => {
                    let (kind, host) = action::slipped(text, &self.interface.names);
                    Ok(match host {
                        Some(host) => ToolCall::with(&kind, &[(HOSTNAME, &host)]),
                        None => ToolCall::bare(&kind),
                    })
                }
                Err(error) => Err(rejection(&error)),
            },
        }
    }

    fn render(&self, call: &ToolCall) -> String {
        match call.string(HOSTNAME) {
            Some(host) => format!("{} {HOSTNAME}={host}", call.tool),
            None => call.tool.clone(),
        }
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.simulator.done() {
            return Err(Rejection::new(RejectionKind::NotNow, "the episode is over: its last step was taken"));
        }
        let action = self.action_of(call)?;
        let tenths = self.simulator.step(action);
        Ok(Reply::Step(Transition {
            observation: Arc::new(self.observation()),
            reward: Milli::from_tenths(i64::from(tenths)),
            done: self.simulator.done().then_some(EnvironmentStop::Horizon),
        }))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(HostTracker::new(HostBelief::new(self.interface.decoys.clone())))
    }

    fn state(&self) -> Digest {
        Digest(self.simulator.digest())
    }

    fn situation(&self) -> Digest {
        // Ports and process ids never come twice; what an agent can tell apart again is its table.
        Digest::of(&self.simulator.vector().to_be_bytes())
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
        let kind = PolicyKind::from_name(policy)?;
        if self.policy.as_ref().is_none_or(|(known, _)| *known != kind) {
            let mut fresh = Policy::new(kind);
            fresh.reset(draws.next_u64());
            self.policy = Some((kind, fresh));
        }
        let vector = self.simulator.vector();
        let action = self.policy.as_mut().map(|(_, policy)| policy.act(vector))?;
        Some(self.call_of(action))
    }
}

impl gimbal_core::Simulator for Cage2Environment {
    fn fork(&self, future: u64) -> Box<dyn Environment> {
        let draws = match self.settings.draws {
            Generator::Fast => Source::Fast(Fast::new(future)),
            Generator::Mersenne => Source::Mersenne(Mersenne::new(future)),
        };
        let mut copy = self.clone();
        copy.simulator = self.simulator.fork(draws);
        copy.policy = None;
        Box::new(copy)
    }
}

impl gimbal_core::Expert for Cage2Environment {
    fn next_call(&self) -> Option<ToolCall> {
        // The best of the baselines: decoys first, then restores. It sees the table only.
        let mut expert = Policy::new(PolicyKind::GreedyDecoysThenRestore);
        expert.go_to(self.simulator.steps());
        Some(self.call_of(expert.act(self.simulator.vector())))
    }
}
