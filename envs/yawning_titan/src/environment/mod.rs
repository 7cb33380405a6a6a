//! The scenario behind the seams of Gimbal: tools, tolerant text, observations, tracker, policies, forks.
//!
//! An episode builds the environment anew from its seed: special nodes and vulnerabilities of the network are drawn, then
//! everything that a reset draws. Where the original would raise an exception in play (SPEC 14), the episode ends as
//! failed with a reward of 0.

mod brief;
mod catalogue;
mod settings;

pub use catalogue::YawningTitan;
pub use settings::{Loss, Naming, Settings};

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use gimbal_core::stop::EnvironmentStop;
use gimbal_core::{
    Brief, Data, Digest, EnvError, Environment, Milli, Observation, Rejection, RejectionKind, Reply, Rng, TaskId,
    ToolCall, ToolSpec, Tracker, Transition,
};
use serde_json::Value;

use crate::action::{self, ADD_DECEPTIVE, ActionError, DO_NOTHING, EDGE, NODE, SCAN, Vocabulary};
use crate::draws::{Draws, Fast, Python, Site};
use crate::dynamics::{Intent, Raised};
use crate::generator::Numbers;
use crate::names::Names;
use crate::policy::{POLICIES, Policy, PolicyKind};
use crate::sim::Simulator;
use crate::tracker::NodeTracker;
use crate::view::Viewer;

/// One of both generators, chosen by an option.
#[derive(Clone, Debug)]
enum AnyDraws {
    Fast(Fast),
    Python(Box<Python>),
}

impl AnyDraws {
    fn new(numbers: Numbers, seed: u64) -> Self {
        match numbers {
            Numbers::Fast => Self::Fast(Fast::new(seed)),
            Numbers::Mersenne => Self::Python(Box::new(Python::new(seed))),
        }
    }
}

macro_rules! either {
    ($self:ident, $draws:ident => $draw:expr) => {
        match $self {
            Self::Fast($draws) => $draw,
            Self::Python($draws) => $draw,
        }
    };
}

impl Draws for AnyDraws {
    fn seed(&mut self, seed: u64) {
        either!(self, draws => draws.seed(seed));
    }
    fn randint(&mut self, site: Site, low: i32, high: i32) -> i32 {
        either!(self, draws => draws.randint(site, low, high))
    }
    fn uniform(&mut self, site: Site, low: f64, high: f64) -> f64 {
        either!(self, draws => draws.uniform(site, low, high))
    }
    fn weighted(&mut self, site: Site, population: &[u16], weights: &[f64]) -> usize {
        either!(self, draws => draws.weighted(site, population, weights))
    }
    fn choices(&mut self, site: Site, population: &[u16]) -> usize {
        either!(self, draws => draws.choices(site, population))
    }
    fn sample(&mut self, site: Site, population: &[u16], chosen: &mut [u32]) {
        either!(self, draws => draws.sample(site, population, chosen));
    }
    fn shuffle(&mut self, site: Site, items: &mut [u16]) {
        either!(self, draws => draws.shuffle(site, items));
    }
    fn numpy_choice(&mut self, site: Site, population: &[u16], probabilities: &[f64], chosen: &mut [u32]) {
        either!(self, draws => draws.numpy_choice(site, population, probabilities, chosen));
    }
}

/// Everything that depends on names.
#[derive(Debug)]
struct EpisodeInterface {
    vocabulary: Vocabulary,
    brief: Arc<Brief>,
    tools: Arc<[ToolSpec]>,
}

/// One episode's environment.
#[derive(Clone, Debug)]
struct TitanEnvironment {
    settings: Settings,
    function: String,
    simulator: Simulator<AnyDraws>,
    interface: Arc<EpisodeInterface>,
    viewer: Viewer,
    last: Arc<Observation>,
    seed: u64,
    /// The original raised an exception here.
    broken: bool,
    /// The built-in policy at play, from its first decision on.
    policy: Option<(PolicyKind, Policy)>,
}

impl TitanEnvironment {
    fn new(settings: Settings) -> Result<Self, EnvError> {
        let scenario = settings.scenario()?;
        let function = scenario.config.text("rewards.function").unwrap_or_default().to_owned();
        let refused = |error: &dyn std::fmt::Display| EnvError::Usage(format!("options of `yawning_titan`: {error}"));
        let simulator = Simulator::new(&scenario, AnyDraws::new(settings.draws, 0)).map_err(|error| refused(&error))?;
        let interface = Arc::new(EpisodeInterface::new(&settings, &simulator, &function, 0)?);
        let mut environment = Self {
            settings,
            function,
            simulator,
            interface,
            viewer: Viewer::default(),
            last: Arc::default(),
            seed: 0,
            broken: false,
            policy: None,
        };
        // An environment is there from the start, so that views before the first reset have something to show.
        environment.begin(0).map_err(|error| refused(&error))?;
        Ok(environment)
    }

    fn begin(&mut self, seed: u64) -> Result<(), Raised> {
        self.simulator.rebuild(seed)?;
        self.seed = seed;
        self.broken = false;
        self.policy = None;
        let text = self.viewer.first(&self.simulator, &self.interface.vocabulary.names);
        self.last = Arc::new(Observation { data: Data::json(text.clone()), text });
        Ok(())
    }

    /// The action of a call.
    fn intent_of(&self, call: &ToolCall) -> Result<Intent, Rejection> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for (key, value) in &call.arguments {
            let Some(value) = value.as_str() else {
                // An argument that the action does not have is refused for that, whatever its value.
                let read = self.interface.vocabulary.read_parts(&call.tool, &[(Some(key.as_str()), "")]);
                if let Err(error @ ActionError::UnknownParameter { .. }) = read {
                    return Err(rejection(&error));
                }
                let message = format!("`{key}` of `{}` must be a text, the name of a node or an edge", call.tool);
                return Err(Rejection::new(RejectionKind::BadValue, message));
            };
            arguments.push((Some(key.as_str()), value));
        }
        self.interface.vocabulary.read_parts(&call.tool, &arguments).map_err(|error| rejection(&error))
    }

    fn index_of(&self, intent: Intent) -> Result<u32, Rejection> {
        let nothing = self.simulator.action_count();
        match intent {
            Intent::On(kind, node) => self.simulator.index_on(kind, node).ok_or_else(|| {
                rejection(&ActionError::NotInPlay { node: self.interface.vocabulary.names.node(node).to_owned() })
            }),
            // Where it is switched off, any index beyond the space does nothing.
            Intent::DoNothing => Ok(self.simulator.index_of(Intent::DoNothing).unwrap_or(nothing)),
            other => Ok(self.simulator.index_of(other).unwrap_or(nothing)),
        }
    }

    fn call_of(&self, intent: Intent) -> ToolCall {
        let vocabulary = &self.interface.vocabulary;
        match intent {
            Intent::On(kind, node) => ToolCall::with(action::tool(kind), &[(NODE, vocabulary.names.node(node))]),
            Intent::Deceive(edge) => match vocabulary.edges.get(edge as usize) {
                Some(edge) => ToolCall::with(ADD_DECEPTIVE, &[(EDGE, &vocabulary.names.edge(*edge))]),
                None => ToolCall::bare(DO_NOTHING),
            },
            Intent::Scan => ToolCall::bare(SCAN),
            Intent::DoNothing | Intent::Empty(_) | Intent::Outside => ToolCall::bare(DO_NOTHING),
        }
    }
}

impl EpisodeInterface {
    fn new(settings: &Settings, simulator: &Simulator<AnyDraws>, function: &str, seed: u64) -> Result<Self, EnvError> {
        let (base, rules) = (simulator.base_count(), simulator.rules());
        // Where blue may not place them, there is no name for them either.
        let deceptive = if rules.deceptive { rules.deceptive_count } else { 0 };
        let names = match settings.names {
            Naming::Ordered => Names::ordered(base, deceptive),
            Naming::Shuffled => Names::shuffled(base, deceptive, seed),
        };
        let edges = if deceptive > 0 { simulator.edges().to_vec() } else { Vec::new() };
        let vocabulary = Vocabulary { names, kinds: rules.kinds.clone(), scan: rules.scan, edges };
        let brief = Arc::new(brief::of(rules, function, &vocabulary, base)?);
        let tools = brief::FILE.described(tools(&vocabulary))?;
        Ok(Self { vocabulary, brief, tools })
    }
}

/// The tools that the mode switches on, with nodes and edges as literals; the glossary describes them.
fn tools(vocabulary: &Vocabulary) -> Vec<ToolSpec> {
    let names = &vocabulary.names;
    let mut tools = vec![ToolSpec::of_strings(DO_NOTHING, "", &[])];
    if vocabulary.scan {
        tools.push(ToolSpec::of_strings(SCAN, "", &[]));
    }
    for kind in &vocabulary.kinds {
        let mut tool = ToolSpec::of_strings(action::tool(*kind), "", &[(NODE, "Name of the node.")]);
        tool.parameters["properties"][NODE]["enum"] = names.all().map(Value::from).collect();
        tools.push(tool);
    }
    if !vocabulary.edges.is_empty() {
        let mut tool =
            ToolSpec::of_strings(ADD_DECEPTIVE, "", &[(EDGE, "The connection: the names of its two nodes.")]);
        tool.parameters["properties"][EDGE]["enum"] =
            vocabulary.edges.iter().map(|edge| Value::from(names.edge(*edge))).collect();
        tools.push(tool);
    }
    tools
}

fn rejection(error: &ActionError) -> Rejection {
    let kind = match error {
        ActionError::Empty { .. } | ActionError::Nameless { .. } | ActionError::TwoActions(_) => {
            RejectionKind::Unreadable
        }
        ActionError::UnknownAction { .. } => RejectionKind::UnknownTool,
        ActionError::Missing { .. } => RejectionKind::MissingArgument,
        ActionError::UnknownValue { .. } | ActionError::Two { .. } => RejectionKind::BadValue,
        ActionError::UnknownParameter { .. } => RejectionKind::UnknownArgument,
        ActionError::NotInPlay { .. } => RejectionKind::NotNow,
    };
    Rejection::new(kind, error.to_string())
}

#[async_trait]
impl Environment for TitanEnvironment {
    fn brief(&self) -> &Arc<Brief> {
        &self.interface.brief
    }

    async fn reset(&mut self, task: &TaskId, seed: u64) -> Result<Observation, EnvError> {
        catalogue::check_task(task)?;
        if self.settings.names == Naming::Shuffled {
            self.interface = Arc::new(EpisodeInterface::new(&self.settings, &self.simulator, &self.function, seed)?);
        }
        self.begin(seed).map_err(|raised| EnvError::Service(format!("the network cannot be drawn for: {raised}")))?;
        Ok((*self.last).clone())
    }

    fn tools(&self) -> &Arc<[ToolSpec]> {
        &self.interface.tools
    }

    fn choices(&self, tool: &str, parameter: &str) -> Option<Vec<Cow<'_, str>>> {
        let vocabulary = &self.interface.vocabulary;
        if parameter == EDGE && tool == ADD_DECEPTIVE && !vocabulary.edges.is_empty() {
            // A connection with a decoy on it takes no other.
            let free = vocabulary.edges.iter().filter(|(one, other)| self.simulator.takes_deceptive(*one, *other));
            return Some(free.map(|edge| Cow::Owned(vocabulary.names.edge(*edge))).collect());
        }
        let on_node = parameter == NODE && vocabulary.kinds.iter().any(|kind| action::tool(*kind) == tool);
        on_node.then(|| {
            let in_play = vocabulary.names.order().iter().filter(|node| self.simulator.nodes().contains(node));
            in_play.map(|node| Cow::Borrowed(vocabulary.names.node(*node))).collect()
        })
    }

    fn parse(&self, text: &str) -> Result<ToolCall, Rejection> {
        self.interface.vocabulary.parse(text).map(|intent| self.call_of(intent)).map_err(|error| rejection(&error))
    }

    fn render(&self, call: &ToolCall) -> String {
        match (call.string(NODE), call.string(EDGE)) {
            (Some(node), _) => format!("{} {NODE}={node}", call.tool),
            (None, Some(edge)) => format!("{} {EDGE}={edge}", call.tool),
            (None, None) => call.tool.clone(),
        }
    }

    async fn call(&mut self, call: &ToolCall) -> Result<Reply, Rejection> {
        if self.simulator.done() || self.broken {
            return Err(Rejection::new(RejectionKind::NotNow, "the episode is over: its last step was taken"));
        }
        let index = self.index_of(self.intent_of(call)?)?;
        let (reward, done) = match self.simulator.step(index) {
            Ok(reward) if self.simulator.lost() => (reward, Some(EnvironmentStop::Failed)),
            Ok(reward) => (reward, self.simulator.done().then_some(EnvironmentStop::Horizon)),
            Err(_) => {
                self.broken = true;
                (0.0, Some(EnvironmentStop::Broken))
            }
        };
        // A lost step shows what the step before showed (QUIRK), and so does one that broke.
        if !matches!(done, Some(EnvironmentStop::Failed | EnvironmentStop::Broken)) {
            let text = self.viewer.next(&self.simulator, &self.interface.vocabulary.names);
            self.last = Arc::new(Observation { data: Data::json(text.clone()), text });
        }
        Ok(Reply::Step(Transition { observation: Arc::clone(&self.last), reward: Milli::from_f64(reward), done }))
    }

    fn tracker(&self) -> Box<dyn Tracker> {
        Box::new(NodeTracker::default())
    }

    fn state(&self) -> Digest {
        Digest(self.simulator.digest())
    }

    fn situation(&self) -> Digest {
        let bytes: Vec<u8> = self.simulator.vector().iter().flat_map(|value| value.to_bits().to_be_bytes()).collect();
        Digest::of(&bytes)
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
        let simulator = &self.simulator;
        let action = self.policy.as_mut().map(|(_, policy)| policy.act(simulator))?;
        Some(self.call_of(self.simulator.intent(action)))
    }
}

impl gimbal_core::Simulator for TitanEnvironment {
    fn fork(&self, future: u64) -> Box<dyn Environment> {
        let simulator = self.simulator.fork(AnyDraws::new(self.settings.draws, future));
        Box::new(Self { simulator, policy: None, ..self.clone() })
    }
}

impl gimbal_core::Expert for TitanEnvironment {
    fn next_call(&self) -> Option<ToolCall> {
        // The best of the baselines. It sees what blue sees; its coin is that of the episode and the step.
        let mut expert = Policy::new(PolicyKind::Reactive);
        let step = u64::try_from(self.simulator.steps()).unwrap_or_default();
        expert.reset(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(step));
        Some(self.call_of(self.simulator.intent(expert.act(&self.simulator))))
    }
}
