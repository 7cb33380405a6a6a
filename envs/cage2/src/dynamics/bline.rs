//! Red's agent B_line: straight to the operational server, with jumps back on failure.

use super::turn::RedAction;
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{Host, Subnet};

const TARGET: Site = Site::new(Phase::Red, Purpose::BlineTarget);

/// Where a failure in each state leads.
const ON_FAILURE: [u8; 15] = [0, 1, 2, 2, 2, 2, 5, 5, 5, 5, 9, 9, 9, 12, 13];
const LAST: u8 = 14;

/// Its state. The action of a state is made once and then repeated unchanged; all of them follow from the user
/// host that it draws first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bline {
    /// The state of the action just taken.
    pub state: u8,
    made: u16,
    target: Host,
    /// Per state, the exploit of its last attempt that came to choosing one.
    exploits: [Option<u8>; 15],
}

impl Default for Bline {
    fn default() -> Self {
        Self { state: 0, made: 0, target: Host::User1, exploits: [None; 15] }
    }
}

impl Bline {
    /// Its next action, from the success and emptiness of its last observation.
    #[inline]
    pub(super) fn decide<D: Draws>(&mut self, draws: &mut D, success: bool, empty: bool) -> RedAction {
        self.move_on(success);
        if self.made & (1 << self.state) == 0 {
            if self.state == 12 && empty {
                // A blocked scan says TRUE and shows no entry: it starts again with the same observation.
                self.state = 0;
                self.move_on(success);
            }
            if self.state == 1 && self.made & 2 == 0 {
                let drawn = draws.choice(TARGET, 4);
                self.target = [Host::User1, Host::User2, Host::User3, Host::User4][drawn as usize & 3];
            }
            self.made |= 1 << self.state;
        }
        let first = self.first_enterprise();
        match self.state {
            0 => RedAction::Sweep(Subnet::User),
            1 => RedAction::Scan(self.target),
            2 => RedAction::Exploit(self.target),
            3 => RedAction::Escalate(self.target),
            4 => RedAction::Scan(first),
            5 => RedAction::Exploit(first),
            6 => RedAction::Escalate(first),
            7 => RedAction::Sweep(Subnet::Enterprise),
            8 => RedAction::Scan(Host::Enterprise2),
            9 => RedAction::Exploit(Host::Enterprise2),
            10 => RedAction::Escalate(Host::Enterprise2),
            11 => RedAction::Scan(Host::OpServer0),
            12 => RedAction::Exploit(Host::OpServer0),
            13 => RedAction::Escalate(Host::OpServer0),
            _ => RedAction::Impact(Host::OpServer0),
        }
    }

    fn move_on(&mut self, success: bool) {
        self.state = if success { (self.state + 1).min(LAST) } else { ON_FAILURE[usize::from(self.state.min(LAST))] };
    }

    fn first_enterprise(&self) -> Host {
        self.target.linked().unwrap_or(Host::Enterprise1)
    }

    pub(super) fn note(&mut self, exploit: Option<u8>) {
        if let (Some(slot), Some(_)) = (self.exploits.get_mut(usize::from(self.state)), exploit) {
            *slot = exploit;
        }
    }

    /// Everything that it remembers beside its state.
    pub(crate) fn memory(&self) -> [u8; 18] {
        let mut memory = [self.target as u8; 18];
        memory[1..3].copy_from_slice(&self.made.to_le_bytes());
        for (slot, exploit) in memory[3..].iter_mut().zip(self.exploits) {
            *slot = exploit.unwrap_or(255);
        }
        memory
    }

    /// The exploit that its action object shows. QUIRK: the object is used again, so an attempt that stopped early
    /// shows that of an earlier one.
    pub(crate) fn shown_exploit(&self) -> Option<u8> {
        self.exploits.get(usize::from(self.state)).copied().flatten()
    }
}
