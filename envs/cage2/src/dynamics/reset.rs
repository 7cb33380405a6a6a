//! A new environment: addresses, starting sessions, and everything else as the images have it.

use super::{BlueRecord, OtService, Session, SessionKind, State, Table};
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{HOSTS, Host, OT_SERVICE_PID, PortSet, SUBNETS, User};

/// The hosts of blue's sessions by session id; the first is the server.
pub(crate) const BLUE_SESSIONS: [Host; 14] = [
    Host::Defender,
    Host::User0,
    Host::User1,
    Host::User2,
    Host::User3,
    Host::User4,
    Host::Enterprise0,
    Host::Enterprise1,
    Host::Enterprise2,
    Host::Defender,
    Host::OpServer0,
    Host::OpHost0,
    Host::OpHost1,
    Host::OpHost2,
];

/// The hosts of green's sessions by session id.
pub(crate) const GREEN_SESSIONS: [Host; 8] =
    [Host::User0, Host::User1, Host::User2, Host::User3, Host::User4, Host::OpHost0, Host::OpHost1, Host::OpHost2];

/// The user of blue's session on a host.
pub(crate) const fn blue_user(host: Host) -> User {
    match host {
        Host::Enterprise1 | Host::Enterprise2 => User::System,
        _ => User::Ubuntu,
    }
}

impl State {
    /// Builds a new environment, with draws in CybORG's order.
    pub(crate) fn reset<D: Draws>(&mut self, draws: &mut D) {
        self.step = 0;
        self.reward = 0;
        self.total = 0;
        self.clear();
        self.lay_out(draws);
        for (id, host) in BLUE_SESSIONS.into_iter().enumerate() {
            self.blue_pids[id] = self.start_session(draws, host);
        }
        for (id, host) in GREEN_SESSIONS.into_iter().enumerate() {
            self.green_pids[id] = self.start_session(draws, host);
        }
        self.red_pid = self.start_session(draws, Host::User0);
        self.sessions.push(Session {
            id: 0,
            pid: self.red_pid,
            host: Host::User0,
            user: User::System,
            kind: SessionKind::Abstract,
        });
        self.next_session = 1;
        self.held = Host::User0.bit();
        self.privileged = Host::User0.bit();
        self.listed = Host::User0.bit();
        self.red.restart();
    }

    fn clear(&mut self) {
        for host in &mut self.hosts {
            host.extra.clear();
            host.ephemeral.clear();
            host.files.clear();
            host.suspicious.clear();
            host.seen.clear();
            host.seen_set = PortSet::default();
            host.extra_ports = PortSet::default();
            host.services.count = 0;
            host.session_count = 0;
            host.restored = 0;
        }
        self.sessions.clear();
        self.handles.clear();
        self.events.clear();
        self.event_hosts = 0;
        self.ot = OtService { running: true, active: true, pid: Some(OT_SERVICE_PID) };
        self.blue = BlueRecord::START;
        self.green = None;
        self.table = Table::default();
    }

    fn lay_out<D: Draws>(&mut self, draws: &mut D) {
        const FIRST: u32 = 10 << 24;
        let site = Site::new(Phase::Reset, Purpose::Layout);
        let mut blocks = [0; 3];
        draws.sample(site, 4096, &mut blocks);
        let mut offsets = [0; 5];
        for subnet in SUBNETS {
            let base = FIRST + 16 * blocks[subnet as usize];
            self.blocks[subnet as usize] = base;
            // A draw without effect, but a draw.
            draws.choice(site, 1);
            let members = subnet.hosts();
            draws.sample(site, 14, &mut offsets[..members.len()]);
            for (host, offset) in members.iter().zip(offsets) {
                self.addresses[host.index()] = base + 1 + offset;
            }
        }
    }

    fn start_session<D: Draws>(&mut self, draws: &mut D, host: Host) -> u16 {
        let pid = self.fresh_pid(draws, Phase::Reset, host);
        let state = &mut self.hosts[host.index()];
        let slot = usize::from(state.session_count);
        if let Some(place) = state.session_pids.get_mut(slot) {
            *place = pid;
            state.session_count += 1;
        }
        pid
    }
}

const _: () = assert!(HOSTS.len() == 13);
