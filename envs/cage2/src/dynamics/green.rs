//! Green: asleep in the official evaluation, else a user who scans ports now and then.

use super::State;
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::Host;
use crate::options::Green;

const GREEN: Site = Site::new(Phase::Green, Purpose::Green);

const SCANNED: [Host; 8] = [
    Host::User0,
    Host::User1,
    Host::User2,
    Host::User3,
    Host::User4,
    Host::Enterprise0,
    Host::Enterprise1,
    Host::Enterprise2,
];

impl State {
    #[inline]
    pub(super) fn green_acts<D: Draws>(&mut self, draws: &mut D) {
        self.green = None;
        if self.options.green == Green::Sleep || draws.choice(GREEN, 2) == 0 {
            return;
        }
        let host = SCANNED[draws.choice(GREEN, 8) as usize & 7];
        self.scan_events(draws, Phase::Green, host);
        self.green = Some(host);
    }
}
