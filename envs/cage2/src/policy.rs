//! Blue's baseline policies, as the recordings of the original name them, and one that knows no more than a prompt says.

use serde::{Deserialize, Serialize};

use crate::action::{ACTION_COUNT, Action, Kind};
use crate::draws::Fast;
use crate::dynamics::{Compromised, Table};
use crate::facts::{Decoy, HOSTS, Host};

/// The policies. They see the 52-bit vector and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyKind {
    /// Always Sleep.
    Sleep,
    /// Always Monitor.
    Monitor,
    /// One of the 145 actions, each equally likely.
    Random,
    /// One of the 104 decoy actions, each equally likely.
    RandomDecoy,
    /// Restore the first host but User0 that the table does not call clean, else Monitor.
    RestoreChanged,
    /// As `RestoreChanged`, and User0 too. That User0 is where the attacker begins and stays is knowledge that no prompt holds
    /// (BOG-025): this is the yardstick of a player that restores what it is shown.
    RestoreShown,
    /// Of the first such host: Remove if it looks held at user level, then Restore or Analyse by the toss of a coin;
    /// Restore at once if privileged; else Sleep.
    RemoveThenRestore,
    /// Thirteen decoys in a fixed order, then as `RestoreChanged`.
    GreedyDecoysThenRestore,
}

/// All policies.
pub const POLICIES: [PolicyKind; 8] = [
    PolicyKind::Sleep,
    PolicyKind::Monitor,
    PolicyKind::Random,
    PolicyKind::RandomDecoy,
    PolicyKind::RestoreChanged,
    PolicyKind::RestoreShown,
    PolicyKind::RemoveThenRestore,
    PolicyKind::GreedyDecoysThenRestore,
];

impl PolicyKind {
    /// The name in options, tables and recordings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sleep => "sleep",
            Self::Monitor => "monitor",
            Self::Random => "random",
            Self::RandomDecoy => "random_decoy",
            Self::RestoreChanged => "restore_changed",
            Self::RestoreShown => "restore_shown",
            Self::RemoveThenRestore => "remove_then_restore",
            Self::GreedyDecoysThenRestore => "greedy_decoys_then_restore",
        }
    }

    /// The policy of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        POLICIES.into_iter().find(|policy| policy.name() == name)
    }
}

const fn decoy(decoy: Decoy, host: Host) -> Action {
    Action::on(Kind::Decoy(decoy), host)
}

const GREEDY: [Action; 13] = [
    decoy(Decoy::HarakaSmpt, Host::Enterprise0),
    decoy(Decoy::Tomcat, Host::Enterprise0),
    decoy(Decoy::Apache, Host::Enterprise0),
    decoy(Decoy::Vsftpd, Host::Enterprise0),
    decoy(Decoy::Femitter, Host::Enterprise1),
    decoy(Decoy::Femitter, Host::Enterprise2),
    decoy(Decoy::Sshd, Host::User3),
    decoy(Decoy::Vsftpd, Host::User4),
    decoy(Decoy::Femitter, Host::User2),
    decoy(Decoy::Smss, Host::User1),
    decoy(Decoy::Svchost, Host::User1),
    decoy(Decoy::Tomcat, Host::OpServer0),
    decoy(Decoy::HarakaSmpt, Host::OpServer0),
];

/// A policy at play. Its randomness is its own and does not touch the environment's.
#[derive(Clone, Debug)]
pub struct Policy {
    kind: PolicyKind,
    coin: Fast,
    step: usize,
    /// The host of the last Remove, until the next Restore.
    removed: Option<Host>,
}

impl Policy {
    /// A policy at the start of an episode of seed 0.
    #[must_use]
    pub const fn new(kind: PolicyKind) -> Self {
        Self { kind, coin: Fast::new(0), step: 0, removed: None }
    }

    /// Begins an episode. The environment's seed may be given: the streams differ.
    pub fn reset(&mut self, seed: u64) {
        let mut mixer = Fast::new(seed ^ 0x0070_6F6C_6963_7900);
        self.coin = Fast::new(mixer.next_u64());
        self.step = 0;
        self.removed = None;
    }

    /// Goes to a step: what it does then may depend on how many it has done.
    pub(crate) const fn go_to(&mut self, step: u32) {
        self.step = step as usize;
    }

    /// The next action, from the vector after the last step (0 at the start).
    #[inline]
    pub fn act(&mut self, vector: u64) -> Action {
        let step = self.step;
        self.step += 1;
        match self.kind {
            PolicyKind::Random => self.any(0, ACTION_COUNT),
            PolicyKind::Sleep => Action::SLEEP,
            PolicyKind::Monitor => Action::MONITOR,
            PolicyKind::RandomDecoy => self.any(28, 132),
            PolicyKind::RestoreChanged => restore_changed(vector),
            PolicyKind::RestoreShown => restore(changed(vector).next()),
            PolicyKind::RemoveThenRestore => self.remove_then_restore(vector),
            PolicyKind::GreedyDecoysThenRestore => GREEDY.get(step).copied().unwrap_or_else(|| restore_changed(vector)),
        }
    }

    #[inline]
    fn any(&mut self, from: usize, to: usize) -> Action {
        let index = from + self.coin.below((to - from) as u32) as usize;
        Action::from_index(index).unwrap_or(Action::SLEEP)
    }

    fn remove_then_restore(&mut self, vector: u64) -> Action {
        let Some((host, state)) = but_user0(vector).next() else { return Action::SLEEP };
        let kind = if state == Compromised::Privileged {
            Kind::Restore
        } else if state == Compromised::Unknown || self.removed == Some(host) {
            if self.coin.below(2) == 0 { Kind::Restore } else { Kind::Analyse }
        } else {
            Kind::Remove
        };
        match kind {
            Kind::Remove => self.removed = Some(host),
            Kind::Restore => self.removed = None,
            _ => {}
        }
        Action::on(kind, host)
    }
}

/// The hosts that the table does not call clean, in its order.
fn changed(vector: u64) -> impl Iterator<Item = (Host, Compromised)> {
    let table = Table { bits: vector };
    HOSTS.into_iter().map(move |host| (host, table.compromised(host))).filter(|(_, state)| *state != Compromised::No)
}

fn but_user0(vector: u64) -> impl Iterator<Item = (Host, Compromised)> {
    changed(vector).filter(|(host, _)| *host != Host::User0)
}

fn restore_changed(vector: u64) -> Action {
    restore(but_user0(vector).next())
}

fn restore(found: Option<(Host, Compromised)>) -> Action {
    found.map_or(Action::MONITOR, |(host, _)| Action::on(Kind::Restore, host))
}
