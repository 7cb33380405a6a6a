//! The rules. The state holds no source of randomness; every draw is asked of one that is given.

mod attack;
mod blue;
mod deceptive;
mod graph;
mod natural;
mod observation;
mod red;
mod reset;
mod reward;
mod sine;
mod targets;

use thiserror::Error;

use crate::config::ConfigError;
use crate::draws::Draws;
use crate::network::{DrawError, Network, Special, Uuid};
use crate::rules::{Kind, Rules};
pub use blue::{Executed, Intent};
pub(crate) use graph::Graph;
use observation::Layout;
pub(crate) use red::Report;
pub use red::{RedKind, Reported};
pub(crate) use reset::Ids;
pub(crate) use sine::Sine;

/// What the original raises in play. The state is then as far as it came, and no more steps can be taken.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Raised {
    /// A candidate cannot be reached from the node that red is after.
    #[error("KeyError: red's target cannot be reached from node {0}")]
    Key(u16),
    /// A weight or a score is divided by 0.
    #[error("ZeroDivisionError: division by zero")]
    ZeroDivision,
    /// Red has no action to choose from.
    #[error("IndexError: red has no action switched on")]
    Index,
    /// Red has no way to choose a target, or the node that it is after does not exist.
    #[error("Exception: red has no way to choose its target")]
    NoTarget,
    /// The network cannot be drawn for.
    #[error("ValueError: {0}")]
    Draw(#[from] DrawError),
}

impl Raised {
    /// The name of the original's exception.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key(_) => "KeyError",
            Self::ZeroDivision => "ZeroDivisionError",
            Self::Index => "IndexError",
            Self::NoTarget => "Exception",
            Self::Draw(_) => "ValueError",
        }
    }
}

/// The environment as it was built, to which every reset goes back.
#[derive(Clone, Debug)]
pub(crate) struct Initial {
    pub graph: Graph,
    pub entry: Vec<bool>,
    pub high_value: Vec<bool>,
    pub vulnerability: Vec<f64>,
    /// Nodes in the order of their ids.
    pub by_uuid: Vec<u16>,
    /// The edges, in edge order: deceptive nodes sit on them.
    pub edges: Vec<(u16, u16)>,
    /// 1 - exp(-0.1 E / 2n).
    pub connectivity: f64,
}

/// One environment: the truth, what blue sees, and red's mind.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub rules: Rules,
    pub initial: Initial,
    pub special: Special,
    pub random_vulnerabilities: bool,
    pub lower: f64,
    pub upper: f64,
    /// Nodes of the network; deceptive ones come after them.
    pub base: usize,
    pub names: Vec<String>,
    pub uuids: Vec<Uuid>,
    pub target: Option<u16>,

    /// The network as it is, and as it would be with nothing isolated.
    pub now: Graph,
    pub whole: Graph,
    /// Nodes of `now` in the order of their ids: blue's slots, and the order of red's targets.
    pub by_uuid: Vec<u16>,
    pub entry: Vec<bool>,
    pub high_value: Vec<bool>,
    pub vulnerability: Vec<f64>,
    /// To which restoring sets the vulnerability back.
    pub original: Vec<f64>,
    pub compromised: Vec<bool>,
    pub view: Vec<bool>,
    pub known: Vec<bool>,
    pub isolated: Vec<bool>,

    pub location: Option<u16>,
    pub stock: i64,
    pub day: i64,
    pub sine: Option<Sine>,
    pub report: Report,
    pub detected: Vec<(Option<u16>, u16)>,

    pub pointer: usize,
    pub in_play: usize,
    pub full: bool,
    pub steps: i64,

    pub reward: f64,
    pub done: bool,
    pub did: Executed,
    pub raised: Option<Raised>,

    pub layout: Layout,
    pub vector: Vec<f32>,
    /// Whether nodes, edges or marks of nodes changed since the vector was written.
    pub moved: bool,
    /// Whether vulnerabilities changed since the vector was written.
    pub changed: bool,
    /// Whether `scratch.marks` and `scratch.sources` still are of the nodes next to compromised ones.
    pub marked: bool,
    pub scratch: Scratch,
}

/// Room to work in, so that no step allocates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub marks: Vec<bool>,
    pub sources: Vec<Option<u16>>,
    pub nodes: Vec<u16>,
    pub others: Vec<u16>,
    pub weights: Vec<f64>,
    pub hops: Vec<Option<u16>>,
}

impl State {
    /// The environment of a network as it is (after the draws of its making), before its first reset.
    ///
    /// # Errors
    /// When the rules cannot be played on this network.
    pub fn new(rules: Rules, network: &Network, red: RedKind) -> Result<Self, ConfigError> {
        network.check().map_err(|error| ConfigError::Unplayable(error.to_string()))?;
        let base = network.nodes.len();
        let extra = rules.deceptive_count;
        let room = base + extra;
        let mut graph = Graph::new(room);
        (0..base as u16).for_each(|node| graph.insert(node));
        // Each list as it is: joining edge by edge would order them otherwise.
        graph.adopt(&network.neighbours);
        let mut by_uuid: Vec<u16> = (0..base as u16).collect();
        by_uuid.sort_unstable_by_key(|node| network.nodes[*node as usize].uuid);
        by_uuid.reserve(extra);
        let padded =
            |values: Vec<bool>| values.into_iter().chain(std::iter::repeat_n(false, extra)).collect::<Vec<_>>();
        let entry = padded(network.nodes.iter().map(|node| node.entry).collect());
        let high_value = padded(network.nodes.iter().map(|node| node.high_value).collect());
        let vulnerability: Vec<f64> = network.nodes.iter().map(|node| node.vulnerability).collect();
        let target = rules.target.as_deref();
        let target = target.and_then(|name| network.nodes.iter().position(|node| node.name == name));
        let names = network.nodes.iter().map(|node| node.name.clone());
        let layout = Layout::new(&rules, base, target.is_some());
        let padded_real: Vec<f64> = vulnerability.iter().copied().chain(std::iter::repeat_n(0.0, extra)).collect();
        let skill = rules.skill;
        let initial = Initial {
            entry: entry[..base].to_vec(),
            high_value: high_value[..base].to_vec(),
            vulnerability,
            edges: network.edges().collect(),
            connectivity: network.connectivity(),
            by_uuid: by_uuid.clone(),
            graph: graph.with_room(),
        };
        let ids = network.nodes.iter().map(|node| node.uuid);
        let spare = Uuid::random(&mut crate::draws::Fast::new(0));
        let mut state = Self {
            special: Special::new(network),
            random_vulnerabilities: network.parameters.random_vulnerabilities,
            lower: network.parameters.lower,
            upper: network.parameters.upper,
            base,
            names: names.chain((0..extra).map(|at| format!("d{at}"))).collect(),
            uuids: ids.chain(std::iter::repeat_n(spare, extra)).collect(),
            target: target.map(|at| at as u16),
            now: graph.with_room(),
            whole: graph.with_room(),
            by_uuid,
            entry,
            high_value,
            original: padded_real.clone(),
            vulnerability: padded_real,
            compromised: vec![false; room],
            view: vec![false; room],
            known: vec![false; room],
            isolated: vec![false; room],
            location: None,
            stock: 0,
            day: 0,
            sine: (red == RedKind::Sine).then(|| Sine::new(skill)),
            report: Report::with_room(room),
            detected: Vec::with_capacity(4 * room * room.min(64)),
            pointer: 0,
            in_play: 0,
            full: false,
            steps: 0,
            reward: 0.0,
            done: false,
            did: Executed::DoNothing,
            raised: None,
            vector: vec![0.0; layout.length],
            layout,
            moved: true,
            changed: true,
            marked: false,
            scratch: Scratch {
                marks: vec![false; room],
                sources: vec![None; room],
                nodes: Vec::with_capacity(room),
                others: Vec::with_capacity(room),
                weights: Vec::with_capacity(room),
                hops: vec![None; room],
            },
            rules,
            initial,
        };
        state.observe();
        Ok(state)
    }

    /// One step (SPEC 4): red, then blue, then the reward and what blue sees.
    ///
    /// # Errors
    /// What the original raises.
    pub fn advance<D: Draws>(&mut self, draws: &mut D, action: u32) -> Result<(), Raised> {
        if let Some(raised) = self.raised {
            return Err(raised);
        }
        self.detected.clear();
        self.report.clear();
        if self.rules.grace <= self.steps
            && let Err(raised) = self.red_turn(draws)
        {
            self.raised = Some(raised);
            return Err(raised);
        }
        if self.lost() {
            self.did = Executed::Failed;
            self.reward = self.rules.for_loss;
            if self.rules.loss_by_time {
                self.reward *= 1.0 - self.steps as f64 / self.rules.max_steps as f64;
            }
            self.done = true;
            // QUIRK: the observation is that of the step before, and the clock does not advance.
            return Ok(());
        }
        let intent = self.intent(action);
        let before = self.before(intent);
        let seen = self.blue_turn(draws, intent);
        self.reward = self.reward_of(&before, seen);
        self.observe();
        self.steps += 1;
        self.done = self.steps == self.rules.max_steps;
        if self.done {
            // QUIRK: it replaces the reward of the step.
            self.reward = self.rules.for_end;
            if self.rules.end_by_state {
                let nodes = self.now.order().len() as f64;
                let safe = nodes - self.count_compromised() as f64;
                self.reward *= safe / nodes;
            }
        }
        Ok(())
    }

    fn lost(&self) -> bool {
        let rules = &self.rules;
        let nodes = self.now.order();
        let compromised = |node: &u16| self.compromised[*node as usize];
        (rules.loss_all && nodes.iter().all(compromised))
            || rules.loss_share.is_some_and(|share| self.count_compromised() as f64 / nodes.len() as f64 >= share)
            // Only nodes of the network itself are of high value.
            || (rules.loss_high_value
                && self.high_value[..self.base].iter().zip(&self.compromised).any(|(high, taken)| *high && *taken))
            || (rules.loss_target && self.target.is_some_and(|node| compromised(&node)))
    }

    /// Compromised nodes.
    #[inline]
    pub fn count_compromised(&self) -> usize {
        self.count(&self.compromised)
    }

    /// Nodes in play of which a flag holds. Those of the network itself are always in play and in their order.
    #[inline]
    pub fn count(&self, flags: &[bool]) -> usize {
        let own: usize = flags[..self.base].iter().map(|flag| usize::from(*flag)).sum();
        own + self.deceptive_in_play().iter().filter(|node| flags[**node as usize]).count()
    }

    /// The sum of vulnerabilities, in node order.
    #[inline]
    pub fn total_vulnerability(&self) -> f64 {
        let own = self.vulnerability[..self.base].iter().fold(0.0, |sum, value| sum + value);
        self.deceptive_in_play().iter().fold(own, |sum, node| sum + self.vulnerability[*node as usize])
    }

    #[inline]
    fn deceptive_in_play(&self) -> &[u16] {
        &self.now.order()[self.base..]
    }

    /// Whether a node is one of blue's deceptive ones.
    #[inline]
    pub const fn is_deceptive(&self, node: u16) -> bool {
        node as usize >= self.base
    }

    /// How many actions blue has.
    pub fn action_count(&self) -> u32 {
        self.first_global() + self.globals() + (self.rules.kinds.len() * self.names.len()) as u32
    }

    /// Actions before the global ones.
    fn first_global(&self) -> u32 {
        if self.rules.deceptive { self.initial.edges.len() as u32 } else { 0 }
    }

    fn globals(&self) -> u32 {
        u32::from(self.rules.scan) + u32::from(self.rules.do_nothing)
    }

    /// What an action index means now.
    pub fn intent(&self, action: u32) -> Intent {
        if action >= self.action_count() {
            return Intent::Outside;
        }
        let Some(rest) = action.checked_sub(self.first_global()) else { return Intent::Deceive(action as u16) };
        let Some(rest) = rest.checked_sub(self.globals()) else {
            return if self.rules.scan && rest == 0 { Intent::Scan } else { Intent::DoNothing };
        };
        let kinds = self.rules.kinds.len() as u32;
        let kind = self.rules.kinds[(rest % kinds) as usize];
        match self.by_uuid.get((rest / kinds) as usize) {
            Some(node) => Intent::On(kind, *node),
            None => Intent::Empty(kind),
        }
    }

    /// The index of an action on a node now; none if the kind is switched off or the node is not in play.
    pub fn index_on(&self, kind: Kind, node: u16) -> Option<u32> {
        let kinds = &self.rules.kinds;
        let place = kinds.iter().position(|known| *known == kind)?;
        let slot = self.by_uuid.iter().position(|known| *known == node)?;
        Some(self.first_global() + self.globals() + (slot * kinds.len() + place) as u32)
    }
}
