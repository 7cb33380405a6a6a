//! Blue's raw observation.

use super::{Constant, Sink, Symbol};
use crate::Trinary;
use crate::dynamics::{Dropped, LaidDecoy, State};
use crate::facts::{DECOY_KINDS, HOSTS, Host, Os};
use crate::names::Names;

pub(super) const fn trinary(value: Trinary) -> Symbol {
    Symbol::new("TrinaryEnum", value.name(), value as u8)
}

pub(super) const fn os_type(os: Os) -> Symbol {
    match os {
        Os::Windows => Symbol::new("OperatingSystemType", "WINDOWS", 2),
        Os::Linux => Symbol::new("OperatingSystemType", "LINUX", 3),
    }
}

const fn distribution(os: Os) -> Symbol {
    match os {
        Os::Windows => Symbol::new("OperatingSystemDistribution", "WINDOWS_SVR_2008", 4),
        Os::Linux => Symbol::new("OperatingSystemDistribution", "UBUNTU", 8),
    }
}

const fn version(os: Os) -> Symbol {
    match os {
        Os::Windows => Symbol::new("OperatingSystemVersion", "W6_1_7601", 13),
        Os::Linux => Symbol::new("OperatingSystemVersion", "U18_04_3", 6),
    }
}

const X64: Symbol = Symbol::new("Architecture", "x64", 2);
const TEMP: Symbol = Symbol::new("Path", "TEMP", 5);
const UNKNOWN_FILE: Symbol = Symbol::new("FileType", "UNKNOWN", 1);

/// The order in which blue's monitor asks the hosts: that of its sessions, the server's own host last but four.
const MONITORED: [Host; 13] = [
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

pub(crate) fn system_info(host: Host, names: &Names, sink: &mut impl Sink) {
    sink.key("System info");
    sink.map();
    sink.key("Hostname");
    sink.text(names.host(host));
    sink.constant(Constant::System(host.os()));
    sink.end_map();
}

pub(super) fn system(os: Os, sink: &mut impl Sink) {
    sink.key("OSType");
    sink.symbol(os_type(os));
    sink.key("OSDistribution");
    sink.symbol(distribution(os));
    sink.key("OSVersion");
    sink.symbol(version(os));
    sink.key("Architecture");
    sink.symbol(X64);
}

pub(super) fn interface(state: &State, host: Host, sink: &mut impl Sink) {
    sink.key("Interface");
    sink.list();
    sink.map();
    sink.key("IP Address");
    sink.address(state.addresses[host.index()]);
    sink.end_map();
    sink.end_list();
}

pub(super) fn named_interface(state: &State, host: Host, sink: &mut impl Sink) {
    sink.key("Interface");
    sink.list();
    sink.map();
    sink.key("Interface Name");
    sink.text("eth0");
    sink.key("IP Address");
    sink.address(state.addresses[host.index()]);
    sink.key("Subnet");
    sink.network(state.blocks[host.subnet() as usize]);
    sink.end_map();
    sink.end_list();
}

/// Walks through blue's observation of the last step, or of the reset.
pub(crate) fn blue_observation(state: &State, names: &Names, sink: &mut impl Sink) {
    sink.map();
    sink.key("success");
    sink.symbol(names.success(state.blue.success));
    if state.step == 0 {
        for host in HOSTS {
            initial_host(state, host, names, sink);
        }
    } else {
        // The host of blue's own action comes first, then those with events.
        let own = match (state.blue.laid, state.blue.found) {
            (Some(LaidDecoy { host, .. }), _) | (None, Some((host, _))) => Some(host),
            (None, None) => None,
        };
        if let Some(host) = own {
            step_host(state, host, names, sink);
        }
        if state.event_hosts != 0 {
            for host in MONITORED {
                if state.event_hosts & host.bit() != 0 && own != Some(host) {
                    step_host(state, host, names, sink);
                }
            }
        }
    }
    sink.end_map();
}

fn step_host(state: &State, host: Host, names: &Names, sink: &mut impl Sink) {
    sink.key(names.host(host));
    sink.map();
    if let Some((found, kinds)) = state.blue.found
        && found == host
    {
        files(host, kinds, sink);
    }
    let laid = state.blue.laid.filter(|laid| laid.host == host);
    let seen = state.event_hosts & host.bit() != 0;
    if laid.is_some() || seen {
        sink.key("Processes");
        sink.list();
        if let Some(LaidDecoy { decoy, pid, user, .. }) = laid {
            let decoy = DECOY_KINDS[usize::from(decoy & 7)];
            sink.map();
            sink.key("PID");
            sink.int(i64::from(pid));
            sink.key("PPID");
            sink.int(1);
            sink.key("Service Name");
            sink.text(names.service(decoy));
            sink.key("Username");
            sink.text(user.name());
            if decoy.facts().rfi {
                sink.key("Properties");
                sink.list();
                sink.text("rfi");
                sink.end_list();
            }
            sink.end_map();
        }
        let home = state.addresses[Host::User0.index()];
        let own = state.addresses[host.index()];
        for event in &state.events {
            if event.host == host {
                sink.event(event.pid, event.local, event.remote, own, home);
            }
        }
        sink.end_list();
    }
    if seen {
        interface(state, host, sink);
        system_info(host, names, sink);
    }
    sink.end_map();
}

fn files(host: Host, kinds: [Option<bool>; 2], sink: &mut impl Sink) {
    let os = host.os();
    sink.key("Files");
    sink.list();
    for escalate in kinds.into_iter().flatten() {
        let file = Dropped { escalate, user: os.superuser() };
        sink.map();
        sink.key("Path");
        sink.text(os.temporary_folder());
        sink.key("Known Path");
        sink.symbol(TEMP);
        sink.key("File Name");
        sink.text(file.name(os));
        sink.key("Known File");
        sink.symbol(UNKNOWN_FILE);
        sink.key("Density");
        sink.real(0.9);
        sink.key("Signed");
        sink.boolean(false);
        sink.end_map();
    }
    sink.end_list();
}

fn initial_host(state: &State, host: Host, names: &Names, sink: &mut impl Sink) {
    let user = crate::dynamics::blue_user(host).name();
    let sessions =
        || crate::dynamics::BLUE_SESSIONS.iter().enumerate().filter(move |(_, at)| **at == host).map(|(id, _)| id);
    sink.key(names.host(host));
    sink.map();
    named_interface(state, host, sink);
    sink.key("Sessions");
    sink.list();
    for id in sessions() {
        sink.map();
        sink.key("Username");
        sink.text(user);
        sink.key("ID");
        sink.int(id as i64);
        sink.key("Timeout");
        sink.int(0);
        sink.key("PID");
        sink.int(i64::from(state.blue_pids[id]));
        sink.key("Type");
        sink.symbol(names.session(id == 0));
        sink.key("Agent");
        sink.text(names.agent());
        sink.end_map();
    }
    sink.end_list();
    sink.key("Processes");
    sink.list();
    for id in sessions() {
        sink.map();
        sink.key("PID");
        sink.int(i64::from(state.blue_pids[id]));
        sink.key("Username");
        sink.text(user);
        sink.end_map();
    }
    sink.end_list();
    if names.keeps_users() {
        sink.constant(Constant::Users(host));
    } else {
        users(host, |account| names.user(account), sink);
    }
    system_info(host, names, sink);
    sink.end_map();
}

/// The accounts of a host, each called what `called` makes of its name.
pub(super) fn users<'a>(host: Host, called: impl Fn(&'static str) -> &'a str, sink: &mut impl Sink) {
    sink.key("User Info");
    sink.list();
    for account in host.image().users {
        sink.map();
        sink.key("Username");
        sink.text(called(account.name));
        if let Some(password) = account.password {
            sink.key("Password");
            sink.text(password);
        }
        if let Some(gid) = account.gid {
            sink.key("Groups");
            sink.list();
            sink.map();
            sink.key("GID");
            sink.int(i64::from(gid));
            sink.end_map();
            sink.end_list();
        }
        sink.end_map();
    }
    sink.end_list();
}
