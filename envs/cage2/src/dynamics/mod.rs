//! The true state of the scenario and how it changes; everything here is crate-private machinery.
//!
//! Layout: fixed arrays for what is bounded, one growing list each for what is not (processes, ports, files,
//! sessions). The lists keep their room from one episode to the next, so that play does not allocate.

mod bline;
mod blue;
mod exploit;
mod green;
mod meander;
mod record;
mod red;
mod reset;
mod table;
mod turn;

pub(crate) use record::{BlueRecord, LaidDecoy};
pub(crate) use red::RedState;
pub(crate) use reset::{BLUE_SESSIONS, GREEN_SESSIONS, blue_user};
pub(crate) use table::Table;
pub use table::{Activity, Compromised};
pub(crate) use turn::{Outcome, RedAction};

use crate::action::Action;
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{DECOYS, HOST_COUNT, HOST_FACTS, Host, OT_SERVICE_PID, PortSet, User};
use crate::options::Options;

/// What an added process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A decoy, by its index in [`DECOYS`].
    Decoy(u8),
    /// A reverse shell of red.
    Shell,
    /// A brute-forced SSH session of red.
    Ssh,
}

/// A process that was added after the reset. All others are constant but for the operational service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub pid: u16,
    /// The local port of its one connection.
    pub port: u16,
    /// The remote port of that connection; unused for decoys, which listen.
    pub remote: u16,
    pub origin: Origin,
    pub user: User,
}

/// What red's session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionKind {
    Abstract,
    Shell,
    Ssh,
}

impl SessionKind {
    pub(crate) const fn symbol(self) -> (&'static str, u8) {
        match self {
            Self::Abstract => ("RED_ABSTRACT_SESSION", 10),
            Self::Shell => ("RED_REVERSE_SHELL", 11),
            Self::Ssh => ("SSH", 2),
        }
    }
}

/// A session of red.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    pub id: u32,
    pub pid: u16,
    pub host: Host,
    pub user: User,
    pub kind: SessionKind,
}

/// A network event, seen by blue's monitor at the end of the step. The remote side is always User0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetworkEvent {
    pub host: Host,
    pub local: u16,
    /// Nought if the event has none.
    pub remote: u16,
    /// Nought if the event has none.
    pub pid: u16,
}

/// A connection of red's first process, on User0, to a host that it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    pub host: Host,
    pub local: u16,
    pub remote: u16,
    pub ssh: bool,
}

/// A file that red dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// `escalate`, else `cmd`.
    pub escalate: bool,
    pub user: User,
}

/// The registered decoy services of a host, in order of registration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Services {
    kinds: [u8; 8],
    pids: [u16; 8],
    count: u8,
}

impl Services {
    fn register(&mut self, decoy: u8, pid: u16) {
        let count = usize::from(self.count);
        if count < self.kinds.len() && !self.kinds[..count].contains(&decoy) {
            self.kinds[count] = decoy;
            self.pids[count] = pid;
            self.count += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, u16)> + '_ {
        let count = usize::from(self.count);
        self.kinds.iter().zip(&self.pids).take(count).map(|(kind, pid)| (*kind, *pid))
    }
}

/// Ports handed out, in order, with a coarse filter before them: most ports asked for are new.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ephemeral {
    filter: [u64; 4],
    ports: Vec<u16>,
}

impl Ephemeral {
    fn with_capacity(capacity: usize) -> Self {
        Self { filter: [0; 4], ports: Vec::with_capacity(capacity) }
    }

    #[inline]
    fn contains(&self, port: u16) -> bool {
        self.filter[usize::from(port >> 6 & 3)] & (1 << (port & 63)) != 0 && self.ports.contains(&port)
    }

    #[inline]
    fn push(&mut self, port: u16) {
        self.filter[usize::from(port >> 6 & 3)] |= 1 << (port & 63);
        self.ports.push(port);
    }

    pub(crate) fn clear(&mut self) {
        self.filter = [0; 4];
        self.ports.clear();
    }

    pub(crate) fn ports(&self) -> &[u16] {
        &self.ports
    }
}

/// What changes on a host.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostState {
    /// Processes after those of the image and of the starting sessions.
    pub extra: Vec<Process>,
    /// Ephemeral ports handed out.
    pub ephemeral: Ephemeral,
    pub files: Vec<Dropped>,
    /// Process ids that blue saw in events; never cleared.
    pub suspicious: Vec<u16>,
    /// Ports that red saw at its last scan.
    pub seen: Vec<u16>,
    /// The same as a set.
    pub seen_set: PortSet,
    /// Ports of added processes.
    pub extra_ports: PortSet,
    pub services: Services,
    /// The step of the last restore, from one; a restore moves the host's sessions to the end of each agent's list.
    pub restored: u32,
    /// Process ids of the starting sessions.
    pub session_pids: [u16; 3],
    pub session_count: u8,
}

/// The operational service of Op_Server0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtService {
    pub running: bool,
    pub active: bool,
    pub pid: Option<u16>,
}

/// Up to thirteen hosts in order of insertion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Order {
    items: [u8; HOST_COUNT],
    count: u8,
    pub mask: u16,
}

impl Order {
    pub(crate) fn push(&mut self, host: Host) {
        if self.mask & host.bit() == 0 {
            self.items[usize::from(self.count)] = host as u8;
            self.count += 1;
            self.mask |= host.bit();
        }
    }

    pub(crate) fn remove(&mut self, host: Host) {
        if self.mask & host.bit() == 0 {
            return;
        }
        self.mask &= !host.bit();
        let mut kept = 0;
        for at in 0..usize::from(self.count) {
            if self.items[at] != host as u8 {
                self.items[kept] = self.items[at];
                kept += 1;
            }
        }
        self.count = kept as u8;
    }

    pub(crate) const fn has(&self, host: Host) -> bool {
        self.mask & host.bit() != 0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Host> + '_ {
        self.items[..usize::from(self.count)].iter().map(|item| crate::facts::HOSTS[usize::from(*item)])
    }
}

/// The whole of an episode's state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub options: Options,
    /// Steps taken.
    pub step: u32,
    /// The address of the first host address block of each subnet.
    pub blocks: [u32; 3],
    pub addresses: [u32; HOST_COUNT],
    pub blue_pids: [u16; 14],
    pub green_pids: [u16; 8],
    pub red_pid: u16,
    pub hosts: [HostState; HOST_COUNT],
    /// Red's sessions in order of creation; a restore of User0 moves the first to the end.
    pub sessions: Vec<Session>,
    pub next_session: u32,
    /// Hosts with a session of red.
    pub held: u16,
    /// Hosts with a privileged session of red.
    pub privileged: u16,
    /// Hosts with a list of red's sessions, be it empty: killing a session leaves its list, a restore drops it.
    pub listed: u16,
    pub handles: Vec<Handle>,
    pub ot: OtService,
    /// Events of the last step.
    pub events: Vec<NetworkEvent>,
    /// Hosts with events in the last step.
    pub event_hosts: u16,
    pub blue: BlueRecord,
    /// The host that green scanned in the last step.
    pub green: Option<Host>,
    pub red: RedState,
    pub table: Table,
    /// Blue's reward of the last step, in tenths.
    pub reward: i32,
    /// The sum of rewards, in tenths.
    pub total: i64,
}

impl State {
    pub(crate) fn new(options: Options) -> Self {
        Self::with_room(options, Some(options.horizon as usize))
    }

    /// A state with room for so many steps, or with none at first.
    pub(crate) fn with_room(options: Options, steps: Option<usize>) -> Self {
        let room = |each: usize, more: usize| steps.map_or(0, |steps| each * steps + more);
        // Room for what play reaches within the horizon; beyond it (hundreds of stacked decoys scanned again and
        // again) the lists grow and keep what they got.
        let host = || HostState {
            extra: Vec::with_capacity(room(2, 8)),
            ephemeral: Ephemeral::with_capacity(room(24, 64)),
            files: Vec::with_capacity(room(2, 8)),
            suspicious: Vec::with_capacity(room(1, 8)),
            seen: Vec::with_capacity(room(1, 16)),
            ..HostState::default()
        };
        Self {
            options,
            step: 0,
            blocks: [0; 3],
            addresses: [0; HOST_COUNT],
            blue_pids: [0; 14],
            green_pids: [0; 8],
            red_pid: 0,
            hosts: std::array::from_fn(|_| host()),
            sessions: Vec::with_capacity(room(1, 8)),
            next_session: 0,
            held: 0,
            privileged: 0,
            listed: 0,
            handles: Vec::with_capacity(room(1, 8)),
            ot: OtService { running: true, active: true, pid: Some(OT_SERVICE_PID) },
            events: Vec::with_capacity(room(2, 64)),
            event_hosts: 0,
            blue: BlueRecord::START,
            green: None,
            red: RedState::new(options.red),
            table: Table::default(),
            reward: 0,
            total: 0,
        }
    }

    /// One step of the scenario. `None` is an invalid action: it does nothing and costs 0.1.
    pub(crate) fn advance<D: Draws>(&mut self, draws: &mut D, action: Option<Action>) -> i32 {
        self.events.clear();
        self.event_hosts = 0;
        let cost = self.blue_acts(draws, action);
        self.green_acts(draws);
        self.red_acts(draws);
        self.reward = -(self.confidentiality_loss() + self.availability_loss()) - cost;
        self.total += i64::from(self.reward);
        self.monitor();
        self.step += 1;
        self.reward
    }

    /// Privileged hosts' confidentiality, in tenths, as a positive number.
    #[inline]
    pub(crate) fn confidentiality_loss(&self) -> i32 {
        const MEDIUM: u16 = crate::facts::ENTERPRISE_HOSTS | Host::OpServer0.bit();
        const LOW: u16 = !(MEDIUM | Host::User0.bit());
        10 * (self.privileged & MEDIUM).count_ones() as i32 + (self.privileged & LOW).count_ones() as i32
    }

    /// The stopped service's availability, in tenths, as a positive number.
    #[inline]
    pub(crate) const fn availability_loss(&self) -> i32 {
        if self.ot.running { 0 } else { 100 }
    }

    /// Blue's implicit monitor: suspicious processes are remembered, the table is brought up to date.
    fn monitor(&mut self) {
        for event in &self.events {
            if event.pid != 0 {
                self.hosts[event.host.index()].suspicious.push(event.pid);
            }
        }
        self.table.update(&self.blue, &self.events, self.event_hosts);
    }

    #[inline]
    fn event(&mut self, host: Host, local: u16, remote: u16, pid: u16) {
        self.events.push(NetworkEvent { host, local, remote, pid });
        self.event_hosts |= host.bit();
    }

    /// Whether traffic of red, all of which starts on User0, reaches this host now.
    #[inline]
    pub(crate) const fn reachable(&self, host: Host) -> bool {
        crate::facts::OPERATIONAL_HOSTS & host.bit() == 0 || self.held & crate::facts::ENTERPRISE_HOSTS != 0
    }

    fn pid_in_use(&self, host: Host, pid: u16) -> bool {
        let state = &self.hosts[host.index()];
        (HOST_FACTS[host.index()].pids().contains(&pid)
            && (pid != OT_SERVICE_PID || host != Host::OpServer0 || self.ot.running))
            || state.session_pids[..usize::from(state.session_count & 3)].contains(&pid)
            || state.extra.iter().any(|process| process.pid == pid)
    }

    #[inline]
    fn fresh_pid<D: Draws>(&self, draws: &mut D, phase: Phase, host: Host) -> u16 {
        loop {
            let pid = draws.randrange(Site::new(phase, Purpose::Pid), 0, 32_768) as u16;
            if pid != 0 && !self.pid_in_use(host, pid) {
                return pid;
            }
        }
    }

    #[inline]
    fn ephemeral_port<D: Draws>(&mut self, draws: &mut D, phase: Phase, host: Host) -> u16 {
        let site = Site::new(phase, Purpose::Port);
        let taken = &mut self.hosts[host.index()].ephemeral;
        let mut port = draws.randrange(site, 49_152, 60_000) as u16;
        if taken.contains(port) {
            // QUIRK: drawn once more, and then taken whatever it is.
            port = draws.randrange(site, 49_152, 60_000) as u16;
        }
        taken.push(port);
        port
    }

    /// Events of a service scan of `host`: one for each listening connection, in process order.
    fn scan_events<D: Draws>(&mut self, draws: &mut D, phase: Phase, host: Host) {
        for port in HOST_FACTS[host.index()].listening() {
            let remote = self.ephemeral_port(draws, phase, host);
            self.event(host, *port, remote, 0);
        }
        for at in 0..self.hosts[host.index()].extra.len() {
            let process = self.hosts[host.index()].extra[at];
            if let Origin::Decoy(_) = process.origin {
                let remote = self.ephemeral_port(draws, phase, host);
                self.event(host, process.port, remote, 0);
            }
        }
    }

    fn recount_host(&mut self, host: Host) {
        let (mut held, mut privileged) = (false, false);
        for session in &self.sessions {
            if session.host == host {
                held = true;
                privileged |= session.user.privileged();
            }
        }
        self.held = if held { self.held | host.bit() } else { self.held & !host.bit() };
        self.privileged = if privileged { self.privileged | host.bit() } else { self.privileged & !host.bit() };
    }

    fn recount_ports(&mut self, host: Host) {
        let state = &mut self.hosts[host.index()];
        state.extra_ports =
            state.extra.iter().fold(PortSet::default(), |set, process| set.with(PortSet::of(process.port)));
    }
}

/// The facts of a decoy process.
pub(crate) const fn decoy_facts(decoy: u8) -> &'static crate::facts::DecoyFacts {
    &DECOYS[(decoy & 7) as usize]
}
