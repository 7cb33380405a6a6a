//! Blue's table: what the challenge's wrapper makes of the raw observations, and its 52 bits.

use super::{BlueRecord, NetworkEvent};
use crate::action::Kind;
use crate::facts::{HOSTS, Host, REVERSE_SHELL_PORT};

/// What the table says of a host's traffic in the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Activity {
    None,
    Scan,
    Exploit,
}

impl Activity {
    /// As the table prints it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Scan => "Scan",
            Self::Exploit => "Exploit",
        }
    }
}

/// What the table believes of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Compromised {
    No,
    Unknown,
    User,
    Privileged,
}

impl Compromised {
    /// As the table prints it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "No",
            Self::Unknown => "Unknown",
            Self::User => "User",
            Self::Privileged => "Privileged",
        }
    }
}

/// Four bits a host, the first host highest: two for activity, two for compromise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub bits: u64,
}

/// The activity bits of all hosts.
const ACTIVITIES: u64 = 0xC_CCCC_CCCC_CCCC;

const fn shift(host: Host) -> u32 {
    48 - 4 * host as u32
}

impl Table {
    #[inline]
    fn set_compromised(&mut self, host: Host, code: u64) {
        let at = shift(host);
        self.bits = (self.bits & !(3 << at)) | (code << at);
    }

    #[inline]
    pub(super) fn update(&mut self, blue: &BlueRecord, events: &[NetworkEvent], mut hosts: u16) {
        self.bits &= !ACTIVITIES;
        match blue.action.and_then(crate::Action::target) {
            Some((Kind::Restore, host)) => self.set_compromised(host, 0),
            Some((Kind::Remove, host)) if self.bits >> shift(host) & 3 != 0 => self.set_compromised(host, 2),
            _ => {}
        }
        while hosts != 0 {
            let host = HOSTS[hosts.trailing_zeros() as usize % HOSTS.len()];
            hosts &= hosts - 1;
            let decoy = blue.laid.is_some_and(|laid| laid.host == host);
            match classify(events.iter().filter(|event| event.host == host), decoy) {
                Activity::None => {}
                Activity::Scan => self.bits |= 0b1000 << shift(host),
                Activity::Exploit => {
                    self.bits |= 0b1100 << shift(host);
                    self.set_compromised(host, 1);
                }
            }
        }
        if let Some((host, _)) = blue.found {
            // QUIRK: any dropped file counts as privileged.
            self.set_compromised(host, 3);
        }
    }

    pub(crate) fn activity(self, host: Host) -> Activity {
        match self.bits >> (shift(host) + 2) & 3 {
            0 => Activity::None,
            2 => Activity::Scan,
            _ => Activity::Exploit,
        }
    }

    pub(crate) fn compromised(self, host: Host) -> Compromised {
        match self.bits >> shift(host) & 3 {
            0 => Compromised::No,
            2 => Compromised::Unknown,
            1 => Compromised::User,
            _ => Compromised::Privileged,
        }
    }
}

/// The wrapper's reading of one host's processes; `decoy` is the item of a decoy laid this step, which comes first.
#[inline]
fn classify<'a>(events: impl Iterator<Item = &'a NetworkEvent>, decoy: bool) -> Activity {
    let mut items = usize::from(decoy);
    let mut ports = [0; 3];
    let mut distinct = 0;
    let mut called_home = false;
    for event in events {
        items += 1;
        called_home |= event.remote == REVERSE_SHELL_PORT;
        if distinct < 3 && !ports[..distinct].contains(&event.local) {
            ports[distinct] = event.local;
            distinct += 1;
        }
    }
    // QUIRK: a scan outranks a reverse shell, and a decoy laid this step hides a small scan.
    if items >= 3 && distinct >= 3 {
        Activity::Scan
    } else if called_home || (items >= 3 && distinct == 1) {
        Activity::Exploit
    } else if decoy || items == 0 {
        Activity::None
    } else {
        Activity::Scan
    }
}
