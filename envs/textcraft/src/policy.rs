//! Built-in players.

use std::sync::Arc;

use gimbal_parity::Fast;
use serde::{Deserialize, Serialize};

use crate::menu::Menu;
use crate::planner;
use crate::scene::Scene;
use crate::sim::Simulator;

/// The players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    /// Plans anew at every step ([`crate::planner`]).
    Expert,
    /// Any command of the menu, each equally likely.
    Random,
    /// Looks at the inventory.
    Nothing,
}

/// All of them.
pub const POLICIES: [PolicyKind; 3] = [PolicyKind::Expert, PolicyKind::Random, PolicyKind::Nothing];

impl PolicyKind {
    /// The name in options and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expert => "expert",
            Self::Random => "random",
            Self::Nothing => "nothing",
        }
    }

    /// The player of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        POLICIES.into_iter().find(|policy| policy.name() == name)
    }
}

/// A player in an episode. Its randomness is its own.
#[derive(Clone, Debug)]
pub struct Policy {
    kind: PolicyKind,
    coin: Fast,
    menu: Option<Menu>,
}

impl Policy {
    /// A player at the start of an episode.
    #[must_use]
    pub fn new(kind: PolicyKind, scene: &Arc<Scene>, seed: u64) -> Self {
        let mut mixer = Fast::new(seed ^ 0x0070_6F6C_6963_7900);
        let menu = (kind == PolicyKind::Random).then(|| Menu::of(scene));
        Self { kind, coin: Fast::new(mixer.next_u64()), menu }
    }

    /// Writes the next command.
    pub fn act(&mut self, simulator: &Simulator, command: &mut String) {
        command.clear();
        match (self.kind, &self.menu) {
            (PolicyKind::Random, Some(menu)) => menu.write(self.coin.below(menu.len() as u32) as usize, command),
            (PolicyKind::Expert, _) => match planner::next(simulator) {
                Some(next) => next.push_to(simulator.tree(), command),
                None => command.push_str("inventory"),
            },
            _ => command.push_str("inventory"),
        }
    }
}
