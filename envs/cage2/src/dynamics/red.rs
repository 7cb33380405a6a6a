//! Red's actions, what they bring red, and what it remembers.

use super::bline::Bline;
use super::meander::Meander;
use super::turn::{Outcome, RedAction, RedRecord};
use super::{Dropped, Order, State};
use crate::Trinary;
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{Host, Subnet};
use crate::options::Red;

const ESCALATE: Site = Site::new(Phase::Red, Purpose::EscalateSession);
const IMPACT: Site = Site::new(Phase::Red, Purpose::ImpactSession);

/// Red's agent and memory.
#[derive(Clone, Debug)]
pub(crate) struct RedState {
    pub kind: Red,
    pub last: RedRecord,
    pub bline: Bline,
    pub meander: Meander,
    /// Hosts whose ports red has seen, in order of first sight.
    pub scanned: Order,
    /// Hosts whose operating system red knows, in order.
    pub os_known: Order,
    pub ot_known: bool,
}

impl RedState {
    const START: RedRecord =
        RedRecord { action: RedAction::Sleep, success: Trinary::Unknown, exploit: None, outcome: Outcome::Start };

    pub(super) fn new(kind: Red) -> Self {
        Self {
            kind,
            last: Self::START,
            bline: Bline::default(),
            meander: Meander::default(),
            scanned: Order::default(),
            os_known: Order::default(),
            ot_known: false,
        }
    }

    pub(super) fn restart(&mut self) {
        self.last = Self::START;
        match self.kind {
            Red::BLine => self.bline = Bline::default(),
            Red::Meander => self.meander = Meander::default(),
            Red::Sleep => {}
        }
        self.scanned = Order::default();
        self.os_known = Order::default();
        self.ot_known = false;
    }
}

impl State {
    /// Red decides on its observation of the step before, and acts on the state as it is now.
    #[inline]
    pub(super) fn red_acts<D: Draws>(&mut self, draws: &mut D) {
        let action = match self.red.kind {
            Red::BLine => {
                let last = &self.red.last;
                let empty = matches!(last.outcome, Outcome::Nothing);
                self.red.bline.decide(draws, last.success == Trinary::True, empty)
            }
            Red::Meander => self.meander_decides(draws),
            Red::Sleep => RedAction::Sleep,
        };
        let record = &mut self.red.last;
        record.action = action;
        record.exploit = None;
        record.outcome = Outcome::Nothing;
        let success = match action {
            RedAction::Sleep => Trinary::Unknown,
            RedAction::Sweep(subnet) => self.sweep(subnet).into(),
            RedAction::Scan(host) => {
                self.scan(draws, host);
                Trinary::True
            }
            RedAction::Exploit(host) => self.exploit(draws, host).into(),
            RedAction::Escalate(host) => self.escalate(draws, host).into(),
            RedAction::Impact(host) => self.impact(draws, host).into(),
        };
        self.red.last.success = success;
        match self.red.kind {
            Red::BLine => self.red.bline.note(self.red.last.exploit),
            Red::Meander => self.red.meander.learn(&self.red.last),
            Red::Sleep => {}
        }
    }

    fn sweep(&mut self, subnet: Subnet) -> bool {
        let open = self.reachable(subnet.hosts()[0]);
        if open {
            self.red.last.outcome = Outcome::Swept(subnet);
        }
        open
    }

    /// QUIRK: a blocked scan is TRUE, sees nothing and changes nothing.
    fn scan<D: Draws>(&mut self, draws: &mut D, host: Host) {
        if !self.reachable(host) {
            return;
        }
        let from = self.events.len();
        self.scan_events(draws, Phase::Red, host);
        let state = &mut self.hosts[host.index()];
        state.seen.clear();
        state.seen.extend(self.events[from..].iter().map(|event| event.local));
        state.seen_set = crate::facts::HOST_FACTS[host.index()].ports;
        for process in &state.extra {
            if let super::Origin::Decoy(_) = process.origin {
                state.seen_set = state.seen_set.with(crate::facts::PortSet::of(process.port));
            }
        }
        self.red.scanned.push(host);
        self.red.last.outcome = Outcome::Scanned(host);
    }

    fn escalate<D: Draws>(&mut self, draws: &mut D, host: Host) -> bool {
        let mut count = 0;
        let mut privileged = None;
        for (at, session) in self.sessions.iter().enumerate() {
            if session.host == host {
                count += 1;
                if session.user.privileged() {
                    privileged = Some(at);
                    break;
                }
            }
        }
        if count == 0 {
            return false;
        }
        let (at, before) = if let Some(at) = privileged {
            (at, Some(self.sessions[at].pid))
        } else {
            let chosen = draws.choice(ESCALATE, count) as usize;
            let here = self.sessions.iter().enumerate().filter(|(_, session)| session.host == host);
            let at = here.map(|(at, _)| at).nth(chosen).unwrap_or_default();
            self.raise(host, at);
            (at, None)
        };
        let session = self.sessions[at];
        let mut ot_pid = None;
        if host == Host::OpServer0 {
            self.red.ot_known = true;
            ot_pid = self.ot.pid;
        }
        self.red.last.outcome =
            Outcome::Escalated { host, session: session.id, kind: session.kind, user: session.user, before, ot_pid };
        true
    }

    fn raise(&mut self, host: Host, at: usize) {
        let user = host.os().superuser();
        let session = &mut self.sessions[at];
        session.user = user;
        let pid = session.pid;
        let state = &mut self.hosts[host.index()];
        if let Some(process) = state.extra.iter_mut().find(|process| process.pid == pid) {
            process.user = user;
        }
        state.files.push(Dropped { escalate: true, user });
        self.privileged |= host.bit();
    }

    fn impact<D: Draws>(&mut self, draws: &mut D, host: Host) -> bool {
        let count = self.sessions.iter().filter(|session| session.host == host).count() as u32;
        if count == 0 {
            return false;
        }
        if self.privileged & host.bit() == 0 {
            draws.choice(IMPACT, count);
        }
        if !self.red.ot_known || host != Host::OpServer0 {
            return false;
        }
        if self.ot.active {
            self.ot.active = false;
            // QUIRK: after a restore the service knows no process, and nothing stops.
            if self.ot.pid.is_some() {
                self.ot.running = false;
            }
        }
        true
    }
}
