//! The simulator: a scenario, a state and a source of randomness.

use thiserror::Error;

use crate::config::{Config, ConfigError};
use crate::draws::{Draws, Fast};
use crate::dynamics::{Executed, Ids, Intent, Raised, RedKind, Reported, State};
use crate::network::{DrawError, Generator, Network, NetworkError, Parameters, Uuid};
use crate::rules::{Kind, Rules};

/// Where a network comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A stored one, by its name.
    Stored(String),
    /// One that is made in code, always the same.
    Made {
        /// The generator with its arguments.
        generator: Generator,
        /// The seed that it is made with, by the generator of numbers that is asked for.
        seed: u64,
        /// Which draws it asks for.
        parameters: Parameters,
    },
    /// This one.
    Given(Network),
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The settings.
    pub config: Config,
    /// The network.
    pub network: Source,
    /// Red's agent.
    pub red: RedKind,
}

impl Default for Scenario {
    /// Mode `default` on `default_18` against the standard red.
    fn default() -> Self {
        Self { config: Config::default(), network: Source::Stored("default_18".to_owned()), red: RedKind::default() }
    }
}

/// Why a scenario cannot be played.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ScenarioError {
    /// The settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The draws of its building.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

impl Scenario {
    /// A mode on a stored network against the standard red.
    ///
    /// # Errors
    /// When there is no such mode.
    pub fn of(mode: &str, network: &str) -> Result<Self, ConfigError> {
        Ok(Self { config: Config::mode(mode)?, network: Source::Stored(network.to_owned()), ..Self::default() })
    }

    /// The network before its draws. A network made in code is made with Python's generator.
    ///
    /// # Errors
    /// When there is no such network.
    pub fn network(&self) -> Result<Network, NetworkError> {
        match &self.network {
            Source::Stored(name) => Network::stored(name),
            Source::Made { generator, seed, parameters } => {
                let mut network = generator.make(&mut gimbal_parity::Mersenne::new(*seed), &mut Fast::new(*seed));
                network.parameters = *parameters;
                Ok(network)
            }
            Source::Given(network) => Ok(network.clone()),
        }
    }
}

/// From where, and where to; none is outside of the network.
pub type Place = (Option<u16>, Option<u16>);

/// One environment and where its randomness comes from.
///
/// Neither `reset` nor `rebuild` nor `step` allocates.
///
/// # Examples
/// ```
/// use gimbal_yawning_titan::draws::Fast;
/// use gimbal_yawning_titan::{Scenario, Simulator};
///
/// let mut simulator = Simulator::new(&Scenario::default(), Fast::new(0))?;
/// simulator.rebuild(7)?;
/// while !simulator.done() {
///     simulator.step(0)?;
/// }
/// assert_eq!(simulator.vector().len(), 543);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulator<D> {
    state: State,
    parameters: Parameters,
    draws: D,
    /// Where the ids of deceptive nodes come from.
    ids: Fast,
    total: f64,
}

impl<D: Draws> Simulator<D> {
    /// A simulator of a scenario; call [`Simulator::rebuild`] before the first step.
    ///
    /// # Errors
    /// When the scenario cannot be played.
    pub fn new(scenario: &Scenario, draws: D) -> Result<Self, ScenarioError> {
        let network = scenario.network()?;
        let parameters = network.parameters;
        let state = State::new(Rules::of(&scenario.config)?, &network, scenario.red)?;
        Ok(Self { state, parameters, draws, ids: Fast::new(0), total: 0.0 })
    }

    /// Builds the environment anew and begins an episode: special nodes and vulnerabilities of the network are drawn,
    /// then everything that a reset draws.
    ///
    /// # Errors
    /// When the network cannot be drawn for.
    pub fn rebuild(&mut self, seed: u64) -> Result<(), Raised> {
        self.construct(seed)?;
        self.begin(seed)
    }

    /// Builds the environment anew, and begins no episode: [`Simulator::reset`] does.
    ///
    /// # Errors
    /// When the network cannot be drawn for.
    pub fn construct(&mut self, seed: u64) -> Result<(), Raised> {
        self.draws.seed(seed);
        self.state.draw_network(&mut self.draws, &self.parameters)?;
        self.state.draw_building(&mut self.draws);
        Ok(())
    }

    /// Begins another episode of the environment as it was built.
    ///
    /// # Errors
    /// When the network cannot be drawn for.
    pub fn reset(&mut self, seed: u64) -> Result<(), Raised> {
        self.draws.seed(seed);
        self.begin(seed)
    }

    fn begin(&mut self, seed: u64) -> Result<(), Raised> {
        // The ids are not of the environment's stream: they come from the operating system in the original.
        self.ids = Fast::new(Fast::new(seed ^ 0x6964_735F_6F66_6E6F).next_u64());
        self.total = 0.0;
        self.state.reset(&mut self.draws, &mut Ids::Stream(&mut self.ids))
    }

    /// A simulator of a state that is at hand.
    pub(crate) fn assembled(state: State, parameters: Parameters, draws: D) -> Self {
        Self { state, parameters, draws, ids: Fast::new(0), total: 0.0 }
    }

    /// Only the draws of a building, not those of the network.
    pub(crate) fn build(&mut self) {
        self.state.draw_building(&mut self.draws);
    }

    /// Begins an episode with these draws and ids.
    pub(crate) fn restart(&mut self, draws: D, ids: &mut Ids<'_>) -> Result<(), Raised> {
        self.draws = draws;
        self.total = 0.0;
        self.state.reset(&mut self.draws, ids)
    }

    /// One step: red, then blue's action by its index, then the reward. Nothing stops steps after the end.
    ///
    /// # Errors
    /// What the original raises; after that there are no more steps.
    #[inline]
    pub fn step(&mut self, action: u32) -> Result<f64, Raised> {
        self.state.advance(&mut self.draws, action)?;
        self.total += self.state.reward;
        Ok(self.state.reward)
    }

    /// The source of randomness.
    pub const fn draws(&mut self) -> &mut D {
        &mut self.draws
    }

    /// The same true state with another source of randomness: another future.
    pub fn fork<E: Draws>(&self, draws: E) -> Simulator<E> {
        Simulator {
            state: self.state.clone(),
            parameters: self.parameters,
            draws,
            ids: self.ids.clone(),
            total: self.total,
        }
    }
}

impl<D> Simulator<D> {
    /// Steps taken since the reset; a step that is lost before blue's turn does not count (SPEC 4).
    pub const fn steps(&self) -> i64 {
        self.state.steps
    }

    /// Whether the last step ended the episode.
    pub const fn done(&self) -> bool {
        self.state.done
    }

    /// Whether the episode was lost: it ended before blue's turn.
    pub fn lost(&self) -> bool {
        self.state.done && self.state.did == Executed::Failed
    }

    /// Blue's reward of the last step.
    pub const fn reward(&self) -> f64 {
        self.state.reward
    }

    /// The sum of rewards since the reset.
    pub const fn return_value(&self) -> f64 {
        self.total
    }

    /// What blue sees.
    #[inline]
    pub fn vector(&self) -> &[f32] {
        &self.state.vector
    }

    /// The length of the vector that the original announces; a missing target makes it one longer (QUIRK).
    pub fn announced_length(&self) -> usize {
        self.state.layout.announced()
    }

    /// 1 - exp(-0.1 E / 2n) of the initial network.
    pub const fn connectivity(&self) -> f64 {
        self.state.initial.connectivity
    }

    /// How many actions there are.
    pub fn action_count(&self) -> u32 {
        self.state.action_count()
    }

    /// What an action means now: on networks with deceptive nodes, slots move.
    pub fn intent(&self, action: u32) -> Intent {
        self.state.intent(action)
    }

    /// The index of an action on a node now; none if it is not to be had.
    pub fn index_on(&self, kind: Kind, node: u16) -> Option<u32> {
        self.state.index_on(kind, node)
    }

    /// The index of the first action that means this now; none if it is not to be had.
    pub fn index_of(&self, intent: Intent) -> Option<u32> {
        match intent {
            Intent::On(kind, node) => self.index_on(kind, node),
            Intent::Outside => Some(self.action_count()),
            other => (0..self.action_count()).find(|action| self.intent(*action) == other),
        }
    }

    /// The edges on which deceptive nodes can sit, by number.
    pub fn edges(&self) -> &[(u16, u16)] {
        &self.state.initial.edges
    }

    /// Whether a deceptive node can be placed between these two now.
    pub fn takes_deceptive(&self, one: u16, other: u16) -> bool {
        self.state.whole.joined(one, other)
    }

    /// What blue did in the last step.
    pub const fn did(&self) -> Executed {
        self.state.did
    }

    /// The attacks that blue noticed in the last step: source, where there is one, and target.
    pub fn detected(&self) -> &[(Option<u16>, u16)] {
        &self.state.detected
    }

    /// What red did in the last step: each action with its attacks or moves (source and target, success); an action
    /// without a place has its success alone.
    pub fn red(&self) -> impl Iterator<Item = (Reported, impl Iterator<Item = (Option<Place>, bool)>)> {
        let report = &self.state.report;
        report.acts.iter().enumerate().map(|(at, act)| {
            let rows = report.rows_of(at).iter().map(|row| (Some((row.source, row.target)), row.success));
            (act.kind, rows.chain(act.alone.map(|success| (None, success))))
        })
    }

    /// The nodes in play, in node order.
    pub fn nodes(&self) -> &[u16] {
        self.state.now.order()
    }

    /// All nodes that there can be: those of the network, then deceptive ones.
    pub fn node_count(&self) -> usize {
        self.state.names.len()
    }

    /// The nodes of the network itself.
    pub const fn base_count(&self) -> usize {
        self.state.base
    }

    /// The name of a node.
    pub fn name(&self, node: u16) -> &str {
        &self.state.names[node as usize]
    }

    /// The id of a node.
    pub fn uuid(&self, node: u16) -> Uuid {
        self.state.uuids[node as usize]
    }

    /// The neighbours of a node now.
    pub fn neighbours(&self, node: u16) -> &[u16] {
        self.state.now.neighbours(node)
    }

    /// Whether blue sees the node as compromised.
    pub fn seen_compromised(&self, node: u16) -> bool {
        self.state.view[node as usize]
    }

    /// Whether the node is compromised. The agent cannot see this.
    pub fn compromised(&self, node: u16) -> bool {
        self.state.compromised[node as usize]
    }

    /// The vulnerability of a node.
    pub fn vulnerability(&self, node: u16) -> f64 {
        self.state.vulnerability[node as usize]
    }

    /// Whether the node is isolated.
    pub fn isolated(&self, node: u16) -> bool {
        self.state.isolated[node as usize]
    }

    /// Whether red may come in at the node.
    pub fn entry(&self, node: u16) -> bool {
        self.state.entry[node as usize]
    }

    /// Whether the node is of high value.
    pub fn high_value(&self, node: u16) -> bool {
        self.state.high_value[node as usize]
    }

    /// The rules at play.
    pub const fn rules(&self) -> &Rules {
        &self.state.rules
    }

    /// The true state, for replays.
    pub(crate) const fn state(&self) -> &State {
        &self.state
    }
}
