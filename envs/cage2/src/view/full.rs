//! The full true state, as recordings hold it at reset and end.

use super::inspect::{Inspect, optional_pid};
use super::{JsonSink, Sink};
use crate::dynamics::{BLUE_SESSIONS, GREEN_SESSIONS, Origin, Process, Session, SessionKind, blue_user};
use crate::facts::{DECOY_KINDS, HOSTS, Host, OT_SERVICE_PID, Os, Properties, User};

impl Inspect<'_> {
    /// The full true state.
    pub fn full_state(self, out: &mut Vec<u8>) {
        let mut sink = JsonSink::new(out);
        sink.map();
        for host in HOSTS {
            sink.key(host.name());
            self.full_host(host, &mut sink);
        }
        sink.key("_sessions");
        self.all_sessions(&mut sink);
        sink.end_map();
    }

    fn full_host(self, host: Host, sink: &mut JsonSink<'_>) {
        let inside = &self.state.hosts[host.index()];
        sink.map();
        sink.key("processes");
        sink.list();
        self.processes(host, sink);
        sink.end_list();
        sink.key("files");
        sink.list();
        for file in &inside.files {
            sink.map();
            sink.key("name");
            sink.text(file.name(host.os()));
            sink.key("path");
            sink.text(host.os().temporary_folder());
            sink.key("user");
            // A file belongs to nobody where the image does not know the user (NetworkService).
            if host.image().users.iter().any(|account| account.name == file.user.name()) {
                sink.text(file.user.name());
            } else {
                sink.null();
            }
            sink.key("density");
            sink.real(0.9);
            sink.key("signed");
            sink.boolean(false);
            sink.end_map();
        }
        sink.end_list();
        sink.key("services");
        sink.map();
        if host == Host::OpServer0 {
            sink.key("OTService");
            service(self.state.ot.active, self.state.ot.pid, sink);
        }
        for (decoy, pid) in inside.services.iter() {
            sink.key(DECOY_KINDS[usize::from(decoy & 7)].facts().service);
            service(true, Some(pid), sink);
        }
        sink.end_map();
        sink.key("ephemeral_ports");
        sink.list();
        inside.ephemeral.ports().iter().for_each(|port| sink.int(i64::from(*port)));
        sink.end_list();
        sink.key("sessions");
        sink.map();
        for (agent, hosts) in [("Blue", &BLUE_SESSIONS[..]), ("Green", &GREEN_SESSIONS[..])] {
            if hosts.contains(&host) {
                sink.key(agent);
                sink.list();
                for (id, _) in hosts.iter().enumerate().filter(|(_, at)| **at == host) {
                    sink.int(id as i64);
                }
                sink.end_list();
            }
        }
        if self.state.listed & host.bit() != 0 {
            sink.key("Red");
            sink.list();
            for session in self.state.sessions.iter().filter(|session| session.host == host) {
                sink.int(i64::from(session.id));
            }
            sink.end_list();
        }
        sink.end_map();
        sink.end_map();
    }

    fn processes(self, host: Host, sink: &mut JsonSink<'_>) {
        let state = self.state;
        for process in host.image().processes {
            if process.pid == OT_SERVICE_PID && host == Host::OpServer0 && !state.ot.running {
                continue;
            }
            let version = process.kind.version();
            process_head(process.pid, Some(process.ppid), process.name, process.user, sink);
            process_nature(process.path, process.kind.name(), version, false, process.properties, sink);
            for listener in process.listeners {
                listening(listener.port, listener.address, sink);
            }
            process_end(sink);
        }
        for (id, at) in BLUE_SESSIONS.into_iter().enumerate() {
            if at == host {
                let name = if id == 0 { "VelociraptorServer" } else { "VelociraptorClient" };
                plain_process(state.blue_pids[id], name, blue_user(host), sink);
                process_end(sink);
            }
        }
        for (id, at) in GREEN_SESSIONS.into_iter().enumerate() {
            if at == host {
                plain_process(state.green_pids[id], "green_session", User::GreenAgent, sink);
                process_end(sink);
            }
        }
        if host == Host::User0 {
            plain_process(state.red_pid, "RedAbstractSession", User::System, sink);
            for handle in &state.handles {
                sink.map();
                sink.key("local_port");
                sink.int(i64::from(handle.local));
                sink.key("Application Protocol");
                sink.text(if handle.ssh { "ssh" } else { "tcp" });
                sink.key("local_address");
                sink.address(state.addresses[Host::User0.index()]);
                sink.key("remote_address");
                sink.address(state.addresses[handle.host.index()]);
                sink.key("remote_port");
                sink.int(i64::from(handle.remote));
                sink.end_map();
            }
            process_end(sink);
        }
        for process in &state.hosts[host.index()].extra {
            self.added_process(host, process, sink);
        }
    }

    fn added_process(self, host: Host, process: &Process, sink: &mut JsonSink<'_>) {
        let user = process.user.name();
        match process.origin {
            Origin::Decoy(decoy) => {
                let facts = DECOY_KINDS[usize::from(decoy & 7)].facts();
                let properties = if facts.rfi { Properties::List } else { Properties::None };
                process_head(process.pid, Some(1), facts.process, user, sink);
                process_nature(None, facts.kind.name(), facts.kind.version(), true, properties, sink);
                listening(facts.port, "0.0.0.0", sink);
            }
            Origin::Shell => {
                let name = if host.os() == Os::Windows { "cmd.exe" } else { "cmd.sh" };
                let path = Some(host.os().temporary_folder());
                process_head(process.pid, Some(1), name, user, sink);
                process_nature(path, "UNKNOWN", None, false, Properties::None, sink);
                self.established(host, process, sink);
            }
            Origin::Ssh => {
                let at = crate::facts::HOST_FACTS[host.index()].sshd.map(usize::from);
                let sshd = at.and_then(|at| host.image().processes.get(at));
                process_head(process.pid, sshd.map(|sshd| sshd.pid), "sshd", user, sink);
                process_nature(sshd.and_then(|sshd| sshd.path), "SSH", None, false, Properties::None, sink);
                self.established(host, process, sink);
            }
        }
        process_end(sink);
    }

    fn established(self, host: Host, process: &Process, sink: &mut JsonSink<'_>) {
        sink.map();
        sink.key("local_port");
        sink.int(i64::from(process.port));
        sink.key("Application Protocol");
        sink.text("tcp");
        sink.key("remote_address");
        sink.address(self.state.addresses[Host::User0.index()]);
        sink.key("remote_port");
        sink.int(i64::from(process.remote));
        sink.key("local_address");
        sink.address(self.state.addresses[host.index()]);
        sink.end_map();
    }

    /// An agent's sessions in the order of its list: those of restored hosts were put back at the end.
    fn listed<const N: usize>(self, hosts: [Host; N]) -> [(usize, Host); N] {
        let mut listed: [(usize, Host); N] = std::array::from_fn(|id| (id, hosts[id]));
        listed.sort_by_key(|(id, host)| (self.state.hosts[host.index()].restored, *id));
        listed
    }

    fn all_sessions(self, sink: &mut JsonSink<'_>) {
        let state = self.state;
        sink.map();
        sink.key("Blue");
        sink.list();
        for (id, host) in self.listed(BLUE_SESSIONS) {
            let kind = if id == 0 { "VELOCIRAPTOR_SERVER" } else { "VELOCIRAPTOR_CLIENT" };
            let parent = (id > 0).then_some(0);
            session(id as i64, host, blue_user(host), state.blue_pids[id], kind, parent, sink);
        }
        sink.end_list();
        sink.key("Green");
        sink.list();
        for (id, host) in self.listed(GREEN_SESSIONS) {
            session(id as i64, host, User::GreenAgent, state.green_pids[id], "GREY_SESSION", None, sink);
        }
        sink.end_list();
        sink.key("Red");
        sink.list();
        for Session { id, pid, host, user, kind } in state.sessions.iter().copied() {
            let parent = (kind != SessionKind::Abstract).then_some(0);
            session(i64::from(id), host, user, pid, kind.symbol().0, parent, sink);
        }
        sink.end_list();
        sink.end_map();
    }
}

fn session(id: i64, host: Host, user: User, pid: u16, kind: &str, parent: Option<i64>, sink: &mut JsonSink<'_>) {
    sink.map();
    sink.key("id");
    sink.int(id);
    sink.key("host");
    sink.text(host.name());
    sink.key("user");
    sink.text(user.name());
    sink.key("pid");
    sink.int(i64::from(pid));
    sink.key("type");
    sink.text(kind);
    sink.key("parent");
    match parent {
        Some(parent) => sink.int(parent),
        None => sink.null(),
    }
    sink.end_map();
}

fn service(active: bool, pid: Option<u16>, sink: &mut JsonSink<'_>) {
    sink.map();
    sink.key("active");
    sink.boolean(active);
    sink.key("process");
    optional_pid(pid, sink);
    sink.end_map();
}

fn process_head(pid: u16, parent: Option<u16>, name: &str, user: &str, sink: &mut JsonSink<'_>) {
    sink.map();
    sink.key("pid");
    sink.int(i64::from(pid));
    sink.key("ppid");
    optional_pid(parent, sink);
    sink.key("name");
    sink.text(name);
    sink.key("user");
    sink.text(user);
}

fn process_nature(
    path: Option<&str>,
    kind: &str,
    version: Option<&str>,
    decoy: bool,
    properties: Properties,
    sink: &mut JsonSink<'_>,
) {
    sink.key("path");
    match path {
        Some(path) => sink.text(path),
        None => sink.null(),
    }
    sink.key("type");
    sink.text(kind);
    sink.key("version");
    match version {
        Some(version) => sink.text(version),
        None => sink.null(),
    }
    sink.key("decoy");
    sink.boolean(decoy);
    sink.key("props");
    if properties == Properties::Text {
        sink.text("rfi");
    } else {
        sink.list();
        if properties == Properties::List {
            sink.text("rfi");
        }
        sink.end_list();
    }
    sink.key("connections");
    sink.list();
}

fn plain_process(pid: u16, name: &str, user: User, sink: &mut JsonSink<'_>) {
    process_head(pid, None, name, user.name(), sink);
    process_nature(None, "UNKNOWN", None, false, Properties::None, sink);
}

fn process_end(sink: &mut JsonSink<'_>) {
    sink.end_list();
    sink.end_map();
}

fn listening(port: u16, address: &str, sink: &mut JsonSink<'_>) {
    sink.map();
    sink.key("local_port");
    sink.int(i64::from(port));
    sink.key("local_address");
    sink.text(address);
    sink.key("transport_protocol");
    sink.text("UNKNOWN");
    sink.end_map();
}
