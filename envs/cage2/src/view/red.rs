//! Red's raw observation.

use super::blue::{interface, named_interface, os_type, system_info, trinary};
use super::{Sink, Symbol};
use crate::dynamics::{Outcome, SessionKind, State};
use crate::facts::{EXPLOITS, Host, REVERSE_SHELL_PORT, User, UserAccountId};
use crate::names::Names;

const fn process_type(name: &'static str) -> Symbol {
    Symbol::new("ProcessType", name, 0)
}

/// Walks through red's observation of the last step, or of the reset.
pub(crate) fn red_observation(state: &State, names: &Names, sink: &mut impl Sink) {
    sink.map();
    sink.key("success");
    sink.symbol(trinary(state.red.last.success));
    let address = |host: Host| state.addresses[host.index()];
    match state.red.last.outcome {
        Outcome::Nothing => {}
        Outcome::Start => start(state, names, sink),
        Outcome::Swept(subnet) => {
            for host in subnet.hosts() {
                sink.address_key(address(*host));
                sink.map();
                sink.key("Interface");
                sink.list();
                sink.map();
                sink.key("IP Address");
                sink.address(address(*host));
                sink.key("Subnet");
                sink.network(state.blocks[subnet as usize]);
                sink.end_map();
                sink.end_list();
                sink.end_map();
            }
        }
        Outcome::Scanned(host) => {
            sink.address_key(address(host));
            sink.map();
            sink.key("Processes");
            sink.list();
            for port in &state.hosts[host.index()].seen {
                sink.map();
                sink.key("Connections");
                sink.list();
                sink.map();
                sink.key("local_port");
                sink.int(i64::from(*port));
                sink.key("local_address");
                sink.address(address(host));
                sink.end_map();
                sink.end_list();
                sink.end_map();
            }
            sink.end_list();
            interface(state, host, sink);
            sink.end_map();
        }
        Outcome::Shell { host, exploit, local, session } => shell(state, names, host, exploit, local, session, sink),
        Outcome::Ssh { host, remote, session } => ssh(state, names, host, remote, session, sink),
        Outcome::SshRefused(host) => {
            sink.address_key(address(host));
            sink.map();
            sink.key("Processes");
            sink.list();
            open_port(state, host, 4, sink);
            sink.end_list();
            interface(state, host, sink);
            sink.end_map();
        }
        Outcome::DecoyHit { host, exploit } => {
            sink.key("1");
            sink.map();
            interface(state, host, sink);
            sink.end_map();
            sink.address_key(address(host));
            sink.map();
            sink.key("Processes");
            sink.list();
            open_port(state, host, exploit, sink);
            sink.end_list();
            interface(state, host, sink);
            sink.end_map();
        }
        Outcome::Escalated { host, session, kind, user, before, ot_pid } => {
            let own = |sink: &mut _| escalated(state, names, (host, session, kind, user), before, ot_pid, sink);
            own(sink);
            if let Some(linked) = host.linked() {
                sink.key(names.host(linked));
                sink.map();
                interface(state, linked, sink);
                sink.end_map();
            }
        }
    }
    sink.end_map();
}

fn start(state: &State, names: &Names, sink: &mut impl Sink) {
    sink.key(names.host(Host::User0));
    sink.map();
    named_interface(state, Host::User0, sink);
    own_session(0, User::System, SessionKind::Abstract, Some(state.red_pid), sink);
    own_process(state.red_pid, User::System, sink);
    system_info(Host::User0, names, sink);
    sink.end_map();
}

fn own_session(id: u32, user: User, kind: SessionKind, pid: Option<u16>, sink: &mut impl Sink) {
    let (name, value) = kind.symbol();
    sink.key("Sessions");
    sink.list();
    sink.map();
    sink.key("Username");
    sink.text(user.name());
    sink.key("ID");
    sink.int(i64::from(id));
    if let Some(pid) = pid {
        sink.key("Timeout");
        sink.int(0);
        sink.key("PID");
        sink.int(i64::from(pid));
    }
    sink.key("Type");
    sink.symbol(Symbol::new("SessionType", name, value));
    sink.key("Agent");
    sink.text("Red");
    sink.end_map();
    sink.end_list();
}

fn own_process(pid: u16, user: User, sink: &mut impl Sink) {
    sink.key("Processes");
    sink.list();
    sink.map();
    sink.key("PID");
    sink.int(i64::from(pid));
    sink.key("Username");
    sink.text(user.name());
    sink.end_map();
    sink.end_list();
}

fn escalated(
    state: &State,
    names: &Names,
    (host, session, kind, user): (Host, u32, SessionKind, User),
    before: Option<u16>,
    ot_pid: Option<u16>,
    sink: &mut impl Sink,
) {
    // The parts explored are in scenario order: an address on the way to a lower host would come first, but the
    // host itself is already there from its session.
    sink.key(names.host(host));
    sink.map();
    own_session(session, user, kind, before, sink);
    if host == Host::OpServer0 {
        sink.key("Processes");
        sink.list();
        if let Some(pid) = before {
            sink.map();
            sink.key("PID");
            sink.int(i64::from(pid));
            sink.key("Username");
            sink.text(user.name());
            sink.end_map();
        }
        sink.map();
        if let Some(pid) = ot_pid {
            sink.key("PID");
            sink.int(i64::from(pid));
        }
        sink.key("Service Name");
        sink.text(names.operational_service());
        sink.end_map();
        sink.end_list();
    } else if let Some(pid) = before {
        own_process(pid, user, sink);
    }
    named_interface(state, host, sink);
    sink.end_map();
}

fn open_port(state: &State, host: Host, exploit: u8, sink: &mut impl Sink) {
    let facts = &EXPLOITS[usize::from(exploit & 7)];
    sink.map();
    sink.key("Connections");
    sink.list();
    sink.map();
    sink.key("local_port");
    sink.int(i64::from(facts.port));
    sink.key("local_address");
    sink.address(state.addresses[host.index()]);
    sink.key("Status");
    sink.symbol(Symbol::new("ProcessState", "OPEN", 2));
    sink.end_map();
    sink.end_list();
    sink.key("Process Type");
    sink.symbol(process_type(facts.kind.name()));
    sink.end_map();
}

fn connection(
    state: &State,
    (from, local): (Host, u16),
    (to, remote): (Host, u16),
    kind: Option<&'static str>,
    sink: &mut impl Sink,
) {
    sink.map();
    sink.key("Connections");
    sink.list();
    sink.map();
    sink.key("local_port");
    sink.int(i64::from(local));
    sink.key("remote_port");
    sink.int(i64::from(remote));
    sink.key("local_address");
    sink.address(state.addresses[from.index()]);
    sink.key("remote_address");
    sink.address(state.addresses[to.index()]);
    sink.end_map();
    sink.end_list();
    if let Some(kind) = kind {
        sink.key("Process Type");
        sink.symbol(process_type(kind));
    }
    sink.end_map();
}

fn shell(state: &State, names: &Names, host: Host, exploit: u8, local: u16, session: u32, sink: &mut impl Sink) {
    let home = Host::User0;
    sink.address_key(state.addresses[home.index()]);
    sink.map();
    sink.key("Processes");
    sink.list();
    connection(state, (home, REVERSE_SHELL_PORT), (host, local), Some("REVERSE_SESSION_HANDLER"), sink);
    // User0 may attack itself: then both sides are one entry.
    if host != home {
        sink.end_list();
        interface(state, home, sink);
        sink.end_map();
        sink.address_key(state.addresses[host.index()]);
        sink.map();
        sink.key("Processes");
        sink.list();
    }
    connection(state, (host, local), (home, REVERSE_SHELL_PORT), Some("REVERSE_SESSION"), sink);
    open_port(state, host, exploit, sink);
    sink.end_list();
    interface(state, host, sink);
    sink.key("Sessions");
    sink.list();
    sink.map();
    sink.key("ID");
    sink.int(i64::from(session));
    sink.key("Type");
    sink.symbol(Symbol::new("SessionType", "RED_REVERSE_SHELL", 11));
    sink.key("Agent");
    sink.text("Red");
    sink.end_map();
    sink.end_list();
    short_system_info(host, names, sink);
    sink.end_map();
}

fn ssh(state: &State, names: &Names, host: Host, remote: u16, session: u32, sink: &mut impl Sink) {
    let home = Host::User0;
    sink.address_key(state.addresses[host.index()]);
    sink.map();
    sink.key("Processes");
    sink.list();
    open_port(state, host, 4, sink);
    if host == home {
        connection(state, (home, remote), (host, 22), None, sink);
    }
    connection(state, (host, 22), (home, remote), Some("SSH"), sink);
    sink.end_list();
    interface(state, host, sink);
    let user = host.image().brute_forceable.unwrap_or(User::Pi);
    own_session(session, user, SessionKind::Ssh, None, sink);
    sink.key("User Info");
    sink.list();
    if let Some(account) = host.image().users.iter().find(|account| account.name == user.name()) {
        sink.map();
        sink.key("Username");
        sink.text(account.name);
        sink.key("UID");
        match account.uid {
            Some(UserAccountId::Number(uid)) => sink.int(i64::from(uid)),
            Some(UserAccountId::Text(uid)) => sink.text(uid),
            None => sink.null(),
        }
        sink.key("Password");
        sink.text(account.password.unwrap_or_default());
        sink.end_map();
    }
    sink.end_list();
    short_system_info(host, names, sink);
    sink.end_map();
    if host != home {
        sink.address_key(state.addresses[home.index()]);
        sink.map();
        sink.key("Processes");
        sink.list();
        connection(state, (home, remote), (host, 22), None, sink);
        sink.end_list();
        interface(state, home, sink);
        sink.end_map();
    }
}

fn short_system_info(host: Host, names: &Names, sink: &mut impl Sink) {
    sink.key("System info");
    sink.map();
    sink.key("Hostname");
    sink.text(names.host(host));
    sink.key("OSType");
    sink.symbol(os_type(host.os()));
    sink.end_map();
}
