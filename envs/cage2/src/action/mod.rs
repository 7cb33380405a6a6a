//! Blue's 145 actions in CybORG's order, and their text.

mod grammar;

pub use grammar::{ActionError, parse, parse_as_artifact};
pub(crate) use grammar::{lenient_parts, read_parts, slipped};

use std::fmt;

use crate::facts::{HOST_COUNT, HOSTS, Host};
pub use crate::facts::{KINDS, Kind};
use crate::names::Names;

/// How many actions there are.
pub const ACTION_COUNT: usize = 145;

static TARGETS: [Option<(Kind, Host)>; ACTION_COUNT] = {
    let mut targets = [None; ACTION_COUNT];
    let mut at = 2;
    while at < ACTION_COUNT {
        targets[at] = Some((KINDS[(at - 2) / HOST_COUNT], HOSTS[(at - 2) % HOST_COUNT]));
        at += 1;
    }
    targets
};

/// One of blue's 145 legal actions, by its index in CybORG's order.
///
/// An illegal action is not a value of this type: it is the `None` of `Option<Action>`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action(u8);

impl Action {
    /// Nothing at all.
    pub const SLEEP: Self = Self(0);
    /// Looks at what is seen anyway: every step ends with an implicit monitor.
    pub const MONITOR: Self = Self(1);

    /// The action at `index`, if there is one.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < ACTION_COUNT { Some(Self(index as u8)) } else { None }
    }

    /// The action of that kind on that host.
    #[must_use]
    pub const fn on(kind: Kind, host: Host) -> Self {
        let kind = match kind {
            Kind::Analyse => 0,
            Kind::Remove => 1,
            Kind::Decoy(decoy) => 2 + decoy as u8,
            Kind::Restore => 10,
        };
        Self(2 + HOST_COUNT as u8 * kind + host as u8)
    }

    /// Its position in CybORG's order.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What it does to which host; none for Sleep and Monitor.
    #[must_use]
    #[inline]
    pub fn target(self) -> Option<(Kind, Host)> {
        TARGETS[usize::from(self.0) % ACTION_COUNT]
    }

    /// All actions in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ACTION_COUNT as u8).map(Self)
    }

    /// The text form in these names: `Kind Host`, or `Sleep`, `Monitor`.
    #[must_use]
    pub fn render(self, names: &Names) -> String {
        match self.target() {
            Some((kind, host)) => format!("{} {}", names.kind(kind), names.host(host)),
            None if self == Self::SLEEP => "Sleep".to_owned(),
            None => "Monitor".to_owned(),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.target() {
            Some((kind, host)) => write!(f, "{} {}", kind.name(), host.name()),
            None => f.write_str(if *self == Self::SLEEP { "Sleep" } else { "Monitor" }),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Action({} {self})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_scenario() {
        assert_eq!(Action::from_index(2).map(|action| action.to_string()).as_deref(), Some("Analyse Defender"));
        assert_eq!(Action::from_index(14).map(|action| action.to_string()).as_deref(), Some("Analyse User4"));
        assert_eq!(Action::from_index(28).map(|action| action.to_string()).as_deref(), Some("DecoyApache Defender"));
        assert_eq!(Action::from_index(144).map(|action| action.to_string()).as_deref(), Some("Restore User4"));
        assert_eq!(Action::from_index(145), None);
    }

    #[test]
    fn index_and_parts_agree() {
        for action in Action::all() {
            if let Some((kind, host)) = action.target() {
                assert_eq!(Action::on(kind, host), action);
            }
        }
    }
}
