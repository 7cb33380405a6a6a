//! Blue's baseline policies: three of the original's statistics, and one that acts on what changed and nothing else.

use serde::{Deserialize, Serialize};

use crate::draws::Fast;
use crate::dynamics::Intent;
use crate::rules::Kind;
use crate::sim::Simulator;

/// The policies. They see what blue sees and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    /// Nothing: the action of that name, or an index beyond the space where it is switched off.
    Nothing,
    /// Any action of the space, each equally likely.
    Random,
    /// Fixes the first node that shows as compromised. Where none does: places a deceptive node with chance 0.1, scans
    /// with 0.4, as far as these are switched on; else lowers the highest vulnerability.
    Reactive,
    /// Restores the first node that shows as compromised, or makes it safe where restoring is switched off. Where none
    /// does: scans, or does nothing where scanning is switched off. It tosses no coin and looks at no vulnerability: what a
    /// list of changed nodes alone is worth.
    RestoreChanged,
}

/// All policies.
pub const POLICIES: [PolicyKind; 4] =
    [PolicyKind::Nothing, PolicyKind::Random, PolicyKind::Reactive, PolicyKind::RestoreChanged];

impl PolicyKind {
    /// The name in options, tables and recordings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Random => "random",
            Self::Reactive => "reactive",
            Self::RestoreChanged => "restore_changed",
        }
    }

    /// The policy of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        POLICIES.into_iter().find(|policy| policy.name() == name)
    }
}

/// A policy at play. Its randomness is its own and does not touch the environment's.
#[derive(Clone, Debug)]
pub struct Policy {
    kind: PolicyKind,
    coin: Fast,
}

impl Policy {
    /// A policy at the start of an episode of seed 0.
    #[must_use]
    pub const fn new(kind: PolicyKind) -> Self {
        Self { kind, coin: Fast::new(0) }
    }

    /// Begins an episode. The environment's seed may be given: the streams differ.
    pub fn reset(&mut self, seed: u64) {
        let mut mixer = Fast::new(seed ^ 0x0070_6F6C_6963_7900);
        self.coin = Fast::new(mixer.next_u64());
    }

    /// The next action, as an index.
    #[inline]
    pub fn act<D>(&mut self, simulator: &Simulator<D>) -> u32 {
        match self.kind {
            PolicyKind::Nothing => nothing(simulator),
            PolicyKind::Random => self.coin.below(simulator.action_count()),
            PolicyKind::Reactive => self.reactive(simulator),
            PolicyKind::RestoreChanged => restore_changed(simulator),
        }
    }

    fn reactive<D>(&mut self, simulator: &Simulator<D>) -> u32 {
        let rules = simulator.rules();
        if let Some(node) = first_changed(simulator) {
            let fixes = [Kind::Restore, Kind::MakeSafe].map(|kind| simulator.index_on(kind, node));
            let fix = match fixes {
                [Some(one), Some(other)] => Some(if self.coin.below(2) == 0 { one } else { other }),
                [one, other] => one.or(other),
            };
            if let Some(fix) = fix {
                return fix;
            }
        }
        if rules.deceptive && !simulator.edges().is_empty() && self.coin.unit() < 0.1 {
            return self.coin.below(simulator.edges().len() as u32);
        }
        if rules.scan
            && self.coin.unit() < 0.4
            && let Some(scan) = simulator.index_of(Intent::Scan)
        {
            return scan;
        }
        most_vulnerable(simulator)
            .and_then(|node| simulator.index_on(Kind::ReduceVulnerability, node))
            .unwrap_or_else(|| nothing(simulator))
    }
}

/// The first node that blue sees as compromised.
fn first_changed<D>(simulator: &Simulator<D>) -> Option<u16> {
    simulator.nodes().iter().copied().find(|node| simulator.seen_compromised(*node))
}

fn restore_changed<D>(simulator: &Simulator<D>) -> u32 {
    let fix = first_changed(simulator)
        .and_then(|node| simulator.index_on(Kind::Restore, node).or_else(|| simulator.index_on(Kind::MakeSafe, node)));
    let scan = || simulator.rules().scan.then(|| simulator.index_of(Intent::Scan)).flatten();
    fix.or_else(scan).unwrap_or_else(|| nothing(simulator))
}

fn nothing<D>(simulator: &Simulator<D>) -> u32 {
    if simulator.rules().do_nothing {
        simulator.index_of(Intent::DoNothing).unwrap_or_else(|| simulator.action_count())
    } else {
        simulator.action_count()
    }
}

/// The first of the most vulnerable nodes.
fn most_vulnerable<D>(simulator: &Simulator<D>) -> Option<u16> {
    simulator
        .nodes()
        .iter()
        .copied()
        .reduce(|best, node| if simulator.vulnerability(node) > simulator.vulnerability(best) { node } else { best })
}
