//! Blue's turn (SPEC 5).

use super::State;
use super::sine::round;
use crate::draws::{Draws, Purpose, Site};
use crate::facts::tables::REDUCTION;
use crate::rules::Kind;

/// What an action index means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A deceptive node onto an edge, by its number.
    Deceive(u16),
    /// A scan of all nodes.
    Scan,
    /// Nothing.
    DoNothing,
    /// An action on one node.
    On(Kind, u16),
    /// An action on an empty slot: nothing is done.
    Empty(Kind),
    /// Beyond the space: nothing is done.
    Outside,
}

/// What blue is reported to have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum Executed {
    ReduceVulnerability,
    Restore,
    MakeSafe,
    Isolate,
    Connect,
    Scan,
    DoNothing,
    AddDeceptiveNode,
    /// The game was lost before blue's turn.
    Failed,
}

impl Executed {
    /// As recordings write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReduceVulnerability => "reduce_vulnerability",
            Self::Restore => "restore_node",
            Self::MakeSafe => "make_node_safe",
            Self::Isolate => "isolate",
            Self::Connect => "connect",
            Self::Scan => "scan",
            Self::DoNothing => "do_nothing",
            Self::AddDeceptiveNode => "add_deceptive_node",
            Self::Failed => "failed",
        }
    }
}

impl State {
    /// Does what an index means. Gives the compromised nodes that a scan newly shows.
    pub(super) fn blue_turn<D: Draws>(&mut self, draws: &mut D, intent: Intent) -> usize {
        let mut found = 0;
        self.did = match intent {
            Intent::Deceive(edge) => self.deceive(draws, edge),
            Intent::Scan => {
                found = self.scan(draws);
                Executed::Scan
            }
            Intent::DoNothing | Intent::Empty(_) | Intent::Outside => Executed::DoNothing,
            Intent::On(kind, node) => self.on_node(draws, kind, node),
        };
        found
    }

    fn on_node<D: Draws>(&mut self, draws: &mut D, kind: Kind, node: u16) -> Executed {
        let at = node as usize;
        self.changed = true;
        match kind {
            Kind::ReduceVulnerability => {
                // QUIRK: raises one that was below the bound.
                let lowered = self.vulnerability[at] - REDUCTION;
                self.vulnerability[at] = if lowered < self.lower { self.lower } else { lowered };
                Executed::ReduceVulnerability
            }
            Kind::Restore => {
                self.make_safe(draws, node);
                self.vulnerability[at] = self.original[at];
                Executed::Restore
            }
            Kind::MakeSafe => {
                self.make_safe(draws, node);
                if self.rules.safe_increases {
                    let changed = self.vulnerability[at] + self.rules.safe_change;
                    self.vulnerability[at] = changed.max(self.lower).min(self.upper);
                } else if self.rules.safe_random {
                    let site = Site::of(Purpose::VulnerabilityMakeSafe, node);
                    self.vulnerability[at] = round(draws.uniform(site, self.lower, self.upper), 2);
                }
                Executed::MakeSafe
            }
            Kind::Isolate => {
                self.isolated[at] = true;
                self.now.isolate(node);
                self.moved = true;
                self.marked = false;
                Executed::Isolate
            }
            Kind::Connect => {
                self.connect(node);
                Executed::Connect
            }
        }
    }

    fn make_safe<D: Draws>(&mut self, draws: &mut D, node: u16) {
        let at = node as usize;
        self.marked &= !self.compromised[at];
        self.compromised[at] = false;
        self.view[at] = false;
        if self.location == Some(node) {
            self.push_red(draws);
        }
        self.known[at] = false;
    }

    /// Red must leave its node: for the first compromised one of its shuffled neighbours, or out of the network.
    pub(super) fn push_red<D: Draws>(&mut self, draws: &mut D) {
        let Some(from) = self.location else { return };
        let mut nodes = std::mem::take(&mut self.scratch.nodes);
        nodes.clear();
        nodes.extend_from_slice(self.now.neighbours(from));
        draws.shuffle(Site::new(Purpose::Push), &mut nodes);
        self.location = nodes.iter().copied().find(|node| self.compromised[*node as usize]);
        self.scratch.nodes = nodes;
    }

    /// Puts the edges of an isolated node back.
    pub(super) fn connect(&mut self, node: u16) {
        if !self.isolated[node as usize] {
            return;
        }
        self.isolated[node as usize] = false;
        for at in 0..self.whole.neighbours(node).len() {
            let other = self.whole.neighbours(node)[at];
            if !self.isolated[other as usize] {
                self.now.join(node, other);
            }
        }
        self.moved = true;
        self.marked = false;
    }

    fn scan<D: Draws>(&mut self, draws: &mut D) -> usize {
        let chance = self.rules.seen_on_scan * 100.0;
        let mut found = 0;
        for at in 0..self.now.order().len() {
            let node = self.now.order()[at];
            let (at, unseen) = (node as usize, !self.view[node as usize]);
            if self.known[at] {
                self.view[at] = true;
            } else if self.compromised[at] {
                let roll = draws.randint(Site::of(Purpose::ScanRoll, node), 0, 99);
                // QUIRK: drawn for deceptive nodes too, which are seen in any case.
                if f64::from(roll) < chance || self.is_deceptive(node) {
                    self.known[at] = true;
                    self.view[at] = true;
                }
            }
            found += usize::from(unseen && self.view[at] && self.compromised[at]);
        }
        found
    }
}
