//! Red's turn (SPEC 7).

use serde::{Deserialize, Serialize};

use super::{Raised, State};
use crate::draws::{Draws, Purpose, Site};
use crate::rules::RedAction;

/// The red agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedKind {
    /// The one that chances drive.
    #[default]
    Standard,
    /// The one whose zeal rises and falls (SPEC 13).
    Sine,
}

/// All red agents.
pub const REDS: [RedKind; 2] = [RedKind::Standard, RedKind::Sine];

impl RedKind {
    /// The name in options and recordings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Sine => "sine",
        }
    }

    /// The red agent of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        REDS.into_iter().find(|red| red.name() == name)
    }
}

/// What red reports of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the recordings' own")]
pub enum Reported {
    NaturalSpread,
    ZeroDay,
    Spread,
    Intrude,
    BasicAttack,
    DoNothing,
    RandomMove,
    NoPossibleTargets,
}

impl Reported {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NaturalSpread => "natural_spread",
            Self::ZeroDay => "zero_day",
            Self::Spread => "spread",
            Self::Intrude => "intrude",
            Self::BasicAttack => "basic_attack",
            Self::DoNothing => "do_nothing",
            Self::RandomMove => "random_move",
            Self::NoPossibleTargets => "no_possible_targets",
        }
    }
}

/// One attack or move of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub source: Option<u16>,
    pub target: Option<u16>,
    pub success: bool,
    /// Whether blue may notice it.
    pub attack: bool,
}

/// One action of a turn: its kind, where its rows begin, and its success where it has no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub kind: Reported,
    pub from: usize,
    pub alone: Option<bool>,
}

/// What red did in a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub acts: Vec<Act>,
    pub rows: Vec<Row>,
    /// QUIRK of the sine-wave red: what is in here is overwritten by the next entry.
    pub passing: bool,
}

impl Report {
    pub fn with_room(nodes: usize) -> Self {
        // Natural spreading tries each node once, spread each pair of a compromised and a safe one.
        Self {
            acts: Vec::with_capacity(16),
            rows: Vec::with_capacity(8 * nodes + nodes * nodes.min(64)),
            passing: false,
        }
    }

    pub fn clear(&mut self) {
        self.acts.clear();
        self.rows.clear();
        self.passing = false;
    }

    /// Begins the entry of an action with rows to follow.
    pub fn begin(&mut self, kind: Reported) {
        if self.passing {
            self.clear();
        }
        self.acts.push(Act { kind, from: self.rows.len(), alone: None });
    }

    /// The entry of an action without source and target.
    pub fn alone(&mut self, kind: Reported, success: bool) {
        self.begin(kind);
        if let Some(act) = self.acts.last_mut() {
            act.alone = Some(success);
        }
    }

    pub fn attack(&mut self, source: Option<u16>, target: u16, success: bool) {
        self.rows.push(Row { source, target: Some(target), success, attack: true });
    }

    /// The rows of an entry.
    pub fn rows_of(&self, at: usize) -> &[Row] {
        let to = self.acts.get(at + 1).map_or(self.rows.len(), |next| next.from);
        self.acts.get(at).map_or(&[], |act| &self.rows[act.from..to])
    }
}

impl State {
    pub(super) fn red_turn<D: Draws>(&mut self, draws: &mut D) -> Result<(), Raised> {
        if self.sine.is_some() {
            return self.sine_turn(draws);
        }
        if self.rules.spreads {
            self.natural_spread(draws)?;
        }
        let attacked = self.rules.zero_day && self.zero_day(draws)?;
        if !attacked && !self.act(draws)? {
            self.random_move(draws);
        }
        self.zero_day_clock();
        self.detect(draws);
        Ok(())
    }

    /// Draws an action and does it; whether there was anything to do it to.
    pub(super) fn act<D: Draws>(&mut self, draws: &mut D) -> Result<bool, Raised> {
        const NUMBERS: [u16; 5] = [0, 1, 2, 3, 4];
        let count = self.rules.red_actions.len();
        if count == 0 {
            return Err(Raised::Index);
        }
        let at = draws.weighted(Site::new(Purpose::Action), &NUMBERS[..count], &self.rules.red_weights);
        match self.rules.red_actions[at] {
            RedAction::Spread => self.spread(draws)?,
            RedAction::RandomInfect => self.random_infect(draws)?,
            RedAction::BasicAttack => return self.basic_attack(draws),
            RedAction::DoNothing => self.report.alone(Reported::DoNothing, true),
            RedAction::Move => self.random_move(draws),
        }
        Ok(true)
    }

    fn basic_attack<D: Draws>(&mut self, draws: &mut D) -> Result<bool, Raised> {
        let Some((node, source)) = self.target(draws)? else {
            self.report.alone(Reported::NoPossibleTargets, false);
            return Ok(false);
        };
        let success = self.standard_attack(draws, node, false)?;
        self.report.begin(Reported::BasicAttack);
        self.report.attack(source, node, success);
        if success {
            self.follow(node);
        }
        Ok(true)
    }

    /// A sure attack, if the stock allows it and there is a target; whether it was made.
    pub(super) fn zero_day<D: Draws>(&mut self, draws: &mut D) -> Result<bool, Raised> {
        if self.stock < 1 {
            return Ok(false);
        }
        let Some((node, source)) = self.target(draws)? else { return Ok(false) };
        self.stock -= 1;
        let success = self.standard_attack(draws, node, true)?;
        self.report.begin(Reported::ZeroDay);
        self.report.attack(source, node, success);
        if success {
            self.follow(node);
        }
        Ok(true)
    }

    /// QUIRK: the day that completes the wait does not count, so a zero-day comes every days + 1 turns.
    pub(super) fn zero_day_clock(&mut self) {
        if self.rules.zero_day {
            if self.day == self.rules.zero_day_days {
                self.stock += 1;
                self.day = 0;
            } else {
                self.day += 1;
            }
        }
    }

    /// Red goes to a compromised node next to it, or comes in at a compromised entry node. Which of them is drawn from a
    /// hash set in the original, from node order here.
    pub(super) fn random_move<D: Draws>(&mut self, draws: &mut D) {
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        nodes.clear();
        let old = self.location;
        nodes.extend(self.now.order().iter().filter(|node| {
            let within_reach = old.map_or(self.entry[**node as usize], |from| self.now.joined(from, **node));
            within_reach && self.compromised[**node as usize]
        }));
        let success = !nodes.is_empty();
        if success {
            draws.arrange(Purpose::Move, &mut nodes);
            self.location = Some(nodes[draws.choices(Site::new(Purpose::Move), &nodes)]);
        }
        self.scratch.nodes = nodes;
        self.report.begin(Reported::RandomMove);
        self.report.rows.push(Row { source: old, target: self.location, success, attack: false });
    }

    fn spread<D: Draws>(&mut self, draws: &mut D) -> Result<(), Raised> {
        self.report.begin(Reported::Spread);
        if self.rules.main_node_only {
            let location = self.location;
            return self.spread_from(draws, location);
        }
        if !self.rules.any_node {
            return Ok(());
        }
        let mut sources = std::mem::take(&mut self.scratch.others);
        sources.clear();
        sources.extend(self.now.order().iter().filter(|node| self.compromised[**node as usize]));
        let result = sources.iter().try_for_each(|source| self.spread_from(draws, Some(*source)));
        self.scratch.others = sources;
        result
    }

    fn spread_from<D: Draws>(&mut self, draws: &mut D, source: Option<u16>) -> Result<(), Raised> {
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        nodes.clear();
        match source {
            Some(from) => nodes.extend_from_slice(self.now.neighbours(from)),
            None => nodes.extend(self.now.order().iter().filter(|node| self.entry[**node as usize])),
        }
        nodes.retain(|node| !self.compromised[*node as usize]);
        let (chance, sure) = (self.rules.spread_chance, self.rules.always_succeeds);
        let result = nodes.iter().try_for_each(|node| {
            let success = self.attack(draws, *node, chance, true, sure)?;
            self.report.attack(source, *node, success);
            if success && self.location == source {
                self.location = Some(*node);
            }
            Ok(())
        });
        self.scratch.nodes = nodes;
        result
    }

    fn random_infect<D: Draws>(&mut self, draws: &mut D) -> Result<(), Raised> {
        self.report.begin(Reported::Intrude);
        let (chance, sure) = (self.rules.infect_chance, self.rules.always_succeeds);
        // No node is met twice, so that those safe at the start are those safe when it is their turn.
        for at in 0..self.now.order().len() {
            let node = self.now.order()[at];
            if !self.compromised[node as usize] {
                let success = self.attack(draws, node, chance, true, sure)?;
                self.report.attack(None, node, success);
            }
        }
        Ok(())
    }
}
