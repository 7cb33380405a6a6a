//! A turn of red: what it did, and what that brought it.

use super::SessionKind;
use crate::Trinary;
use crate::facts::{Host, Subnet, User};

/// What red does in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedAction {
    Sleep,
    Sweep(Subnet),
    Scan(Host),
    Exploit(Host),
    Escalate(Host),
    Impact(Host),
}

/// What red's last observation holds beside the success flag.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// Nothing else.
    Nothing,
    /// The observation at reset.
    Start,
    Swept(Subnet),
    /// The ports are in the host's `seen`.
    Scanned(Host),
    Shell {
        host: Host,
        exploit: u8,
        local: u16,
        session: u32,
    },
    Ssh {
        host: Host,
        remote: u16,
        session: u32,
    },
    SshRefused(Host),
    DecoyHit {
        host: Host,
        exploit: u8,
    },
    Escalated {
        host: Host,
        session: u32,
        kind: SessionKind,
        user: User,
        before: Option<u16>,
        ot_pid: Option<u16>,
    },
}

/// Red's last turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RedRecord {
    pub action: RedAction,
    pub success: Trinary,
    /// The exploit chosen, if it came to that.
    pub exploit: Option<u8>,
    pub outcome: Outcome,
}
