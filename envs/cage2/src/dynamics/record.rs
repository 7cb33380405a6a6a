//! What blue did in the last step.

use crate::Trinary;
use crate::action::Action;
use crate::facts::{Host, User};

/// The process of a decoy that blue laid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaidDecoy {
    /// Which kind of decoy.
    pub decoy: u8,
    pub host: Host,
    pub pid: u16,
    pub user: User,
}

/// What blue did in the last step and what it got, as far as views need it later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlueRecord {
    /// None at reset and for an invalid action.
    pub action: Option<Action>,
    pub success: Trinary,
    /// The decoy that was laid.
    pub laid: Option<LaidDecoy>,
    /// The files that an analysis found: the host, and kinds by last occurrence.
    pub found: Option<(Host, [Option<bool>; 2])>,
}

impl BlueRecord {
    pub(super) const START: Self = Self { action: None, success: Trinary::Unknown, laid: None, found: None };
}
