//! Blue's actions.

use super::reset::blue_user;
use super::{BlueRecord, Dropped, LaidDecoy, Origin, Process, State};
use crate::Trinary;
use crate::action::{Action, Kind};
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{DECOYS, HOST_FACTS, Host, PortSet, User};

const SESSION: Site = Site::new(Phase::Blue, Purpose::BlueSession);
const FACTORY: Site = Site::new(Phase::Blue, Purpose::DecoyFactory);

impl State {
    /// Carries blue's action out and gives its own cost in tenths.
    pub(super) fn blue_acts<D: Draws>(&mut self, draws: &mut D, action: Option<Action>) -> i32 {
        self.blue = BlueRecord { action, success: Trinary::True, laid: None, found: None };
        let Some(action) = action else {
            self.blue.success = Trinary::False;
            return 1;
        };
        let Some((kind, host)) = action.target() else {
            if action == Action::SLEEP {
                self.blue.success = Trinary::Unknown;
            }
            return 0;
        };
        // Which of its sessions blue acts through has no effect: on Defender both have the same user.
        draws.choice(SESSION, if host == Host::Defender { 2 } else { 1 });
        match kind {
            Kind::Analyse => self.analyse(host),
            Kind::Remove => self.remove(draws, host),
            Kind::Decoy(decoy) => self.lay_decoy(draws, decoy as u8, host),
            Kind::Restore => {
                self.restore(host);
                return 10;
            }
        }
        0
    }

    fn analyse(&mut self, host: Host) {
        let files = &self.hosts[host.index()].files;
        let last = |escalate: bool| files.iter().rposition(|file| file.escalate == escalate);
        let kinds = match (last(false), last(true)) {
            (None, None) => return,
            (Some(_), None) => [Some(false), None],
            (None, Some(_)) => [Some(true), None],
            (Some(command), Some(escalate)) if command < escalate => [Some(false), Some(true)],
            _ => [Some(true), Some(false)],
        };
        self.blue.found = Some((host, kinds));
    }

    /// QUIRK: always says TRUE; only reverse shells below root and SYSTEM can be killed.
    fn remove<D: Draws>(&mut self, draws: &mut D, host: Host) {
        for at in 0..self.hosts[host.index()].suspicious.len() {
            let state = &self.hosts[host.index()];
            let pid = state.suspicious[at];
            let Some(slot) = state.extra.iter().position(|process| process.pid == pid) else { continue };
            if !state.extra[slot].user.privileged() {
                self.kill(draws, host, slot);
            }
        }
    }

    fn kill<D: Draws>(&mut self, draws: &mut D, host: Host, slot: usize) {
        let state = &mut self.hosts[host.index()];
        let process = state.extra.remove(slot);
        let registered = state.services.iter().any(|(_, pid)| pid == process.pid);
        if let Some(at) = self.sessions.iter().position(|session| session.host == host && session.pid == process.pid) {
            self.sessions.remove(at);
            self.recount_host(host);
        }
        if registered {
            // QUIRK: a copy is started under a new pid; the service keeps the old one.
            let pid = self.fresh_pid(draws, Phase::Blue, host);
            self.hosts[host.index()].extra.push(Process { pid, ..process });
        }
        self.recount_ports(host);
    }

    fn lay_decoy<D: Draws>(&mut self, draws: &mut D, decoy: u8, host: Host) {
        let facts = &DECOYS[usize::from(decoy & 7)];
        let used = HOST_FACTS[host.index()].ports.with(self.hosts[host.index()].extra_ports);
        if used.meets(PortSet::of(facts.tested_port)) || facts.os.is_some_and(|os| os != host.os()) {
            self.blue.success = Trinary::False;
            return;
        }
        draws.choice(FACTORY, 1);
        let pid = self.fresh_pid(draws, Phase::Blue, host);
        let user = if facts.system { User::System } else { blue_user(host) };
        let state = &mut self.hosts[host.index()];
        state.extra.push(Process { pid, port: facts.port, remote: 0, origin: Origin::Decoy(decoy), user });
        state.extra_ports = state.extra_ports.with(PortSet::of(facts.port));
        state.services.register(decoy, pid);
        self.blue.laid = Some(LaidDecoy { decoy, host, pid, user });
    }

    /// Back to how the host was after the reset; what the agents remember stays.
    fn restore(&mut self, host: Host) {
        let step = self.step + 1;
        let state = &mut self.hosts[host.index()];
        state.restored = step;
        state.extra.clear();
        state.extra_ports = PortSet::default();
        state.ephemeral.clear();
        state.files.clear();
        state.services.count = 0;
        self.listed &= !host.bit() | Host::User0.bit();
        if self.held & host.bit() != 0 {
            // Red's first session is part of the backup and survives.
            let first = self.sessions.iter().copied().find(|session| session.host == host && session.id == 0);
            self.sessions.retain(|session| session.host != host);
            self.sessions.extend(first);
            self.recount_host(host);
        }
        match host {
            Host::User0 => self.handles.clear(),
            Host::OpServer0 => {
                // QUIRK: the backup of a service has lost its process id: a later impact stops nothing.
                self.ot = super::OtService { running: true, active: true, pid: None };
            }
            _ => {}
        }
    }
}

impl Dropped {
    /// CybORG's file name.
    pub(crate) const fn name(self, os: crate::facts::Os) -> &'static str {
        match (self.escalate, os) {
            (false, crate::facts::Os::Windows) => "cmd.exe",
            (false, crate::facts::Os::Linux) => "cmd.sh",
            (true, crate::facts::Os::Windows) => "escalate.exe",
            (true, crate::facts::Os::Linux) => "escalate.sh",
        }
    }
}
