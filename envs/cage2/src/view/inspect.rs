//! What recordings keep beside the observations: true state, its short form, red's mind, scores.

use super::{JsonSink, Sink};
use crate::dynamics::{Origin, RedAction, State};
use crate::facts::{DECOY_KINDS, EXPLOITS, HOSTS, Host, SUBNETS, confidentiality_tenths};
use crate::options::Red;

/// Views for recordings and checks; an agent may not see them. Each appends ordered JSON, in original names.
#[derive(Clone, Copy)]
pub struct Inspect<'a> {
    pub(super) state: &'a State,
}

impl<'a> Inspect<'a> {
    pub(crate) const fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// Subnet name to network, and host to address.
    pub fn layout(self, subnets: &mut Vec<u8>, addresses: &mut Vec<u8>) {
        let mut sink = JsonSink::new(subnets);
        sink.map();
        for subnet in SUBNETS {
            sink.key(subnet.name());
            sink.network(self.state.blocks[subnet as usize]);
        }
        sink.end_map();
        let mut sink = JsonSink::new(addresses);
        sink.map();
        for subnet in SUBNETS {
            for host in subnet.hosts() {
                sink.key(host.name());
                sink.address(self.state.addresses[host.index()]);
            }
        }
        sink.end_map();
    }

    /// Green's action of the last step: class and parameters.
    pub fn green_action(self, out: &mut Vec<u8>) {
        let mut sink = JsonSink::new(out);
        sink.list();
        match self.state.green {
            None => {
                sink.text("Sleep");
                sink.map();
            }
            Some(host) => {
                sink.text("GreenPortScan");
                sink.map();
                sink.key("hostname");
                sink.text(host.name());
                sink.key("ip_address");
                sink.address(self.state.addresses[host.index()]);
            }
        }
        sink.end_map();
        sink.end_list();
    }

    /// Red's action of the last step: class and parameters, and the exploit that it shows.
    pub fn red_action(self, out: &mut Vec<u8>) {
        let red = &self.state.red;
        let mut sink = JsonSink::new(out);
        sink.list();
        let address = |host: Host| self.state.addresses[host.index()];
        match red.last.action {
            RedAction::Sleep => {
                sink.text("Sleep");
                sink.map();
            }
            RedAction::Sweep(subnet) => {
                sink.text("DiscoverRemoteSystems");
                sink.map();
                sink.key("subnet");
                sink.network(self.state.blocks[subnet as usize]);
            }
            RedAction::Scan(host) => {
                sink.text("DiscoverNetworkServices");
                sink.map();
                sink.key("ip_address");
                sink.address(address(host));
            }
            RedAction::Exploit(host) => {
                sink.text("ExploitRemoteService");
                sink.map();
                sink.key("ip_address");
                sink.address(address(host));
                let shown = match red.kind {
                    Red::BLine => red.bline.shown_exploit(),
                    _ => red.last.exploit,
                };
                if let Some(exploit) = shown {
                    sink.key("sub_action");
                    sink.text(EXPLOITS[usize::from(exploit & 7)].name);
                }
            }
            RedAction::Escalate(host) => {
                sink.text("PrivilegeEscalate");
                sink.map();
                sink.key("hostname");
                sink.text(host.name());
            }
            RedAction::Impact(host) => {
                sink.text("Impact");
                sink.map();
                sink.key("hostname");
                sink.text(host.name());
            }
        }
        sink.end_map();
        sink.end_list();
    }

    /// Red's reward of the last step.
    #[must_use]
    pub fn red_reward(self) -> f64 {
        f64::from(self.state.confidentiality_loss() + self.state.availability_loss()) / 10.0
    }

    /// Host to [confidentiality, availability], where not 0.
    pub fn scores(self, out: &mut Vec<u8>) {
        let mut sink = JsonSink::new(out);
        sink.map();
        for host in HOSTS {
            let confidentiality =
                if self.state.privileged & host.bit() == 0 { 0 } else { confidentiality_tenths(host) };
            let availability = if host == Host::OpServer0 { self.state.availability_loss() } else { 0 };
            if confidentiality == 0 && availability == 0 {
                continue;
            }
            sink.key(host.name());
            sink.list();
            for part in [confidentiality, availability] {
                if part == 0 { sink.int(0) } else { sink.real(-f64::from(part) / 10.0) }
            }
            sink.end_list();
        }
        sink.end_map();
    }

    /// Red's memory: ports per address, system per host, the service, and its agent's lists.
    pub fn red_mind(self, out: &mut Vec<u8>) {
        let (state, red) = (self.state, &self.state.red);
        let mut sink = JsonSink::new(out);
        let address = |host: Host| state.addresses[host.index()];
        sink.map();
        sink.key("ports");
        sink.map();
        for host in red.scanned.iter() {
            sink.address_key(address(host));
            sink.list();
            for port in &state.hosts[host.index()].seen {
                sink.int(i64::from(*port));
            }
            sink.end_list();
        }
        sink.end_map();
        sink.key("os");
        sink.map();
        for host in red.os_known.iter() {
            sink.key(host.name());
            sink.text(host.os().name());
        }
        sink.end_map();
        sink.key("ot_service");
        if red.ot_known {
            sink.text("OTService")
        } else {
            sink.null()
        }
        match red.kind {
            Red::BLine => {
                sink.key("fsm");
                sink.int(i64::from(red.bline.state));
            }
            Red::Meander => {
                let lists = &red.meander;
                sink.key("scanned_subnets");
                sink.list();
                lists.swept().for_each(|subnet| sink.network(state.blocks[subnet as usize]));
                sink.end_list();
                sink.key("scanned_ips");
                sink.list();
                lists.scanned.iter().for_each(|host| sink.address(address(host)));
                sink.end_list();
                sink.key("exploited_ips");
                sink.list();
                lists.exploited.iter().for_each(|host| sink.address(address(host)));
                sink.end_list();
                sink.key("escalated_hosts");
                sink.list();
                lists.escalated.iter().for_each(|host| sink.text(host.name()));
                sink.end_list();
                sink.key("host_ip_map");
                sink.map();
                for host in lists.mapped.iter() {
                    sink.key(host.name());
                    sink.address(address(host));
                }
                sink.end_map();
                sink.key("last_host");
                match lists.last_host {
                    Some(host) => sink.text(host.name()),
                    None => sink.null(),
                }
                sink.key("last_ip");
                match lists.last_address {
                    Some(host) => sink.address(address(host)),
                    None => sink.null(),
                }
            }
            Red::Sleep => {}
        }
        sink.end_map();
    }

    /// The true state in short: only hosts where there is something.
    pub fn truth(self, out: &mut Vec<u8>) {
        let state = self.state;
        let mut sink = JsonSink::new(out);
        sink.map();
        for host in HOSTS {
            let inside = &state.hosts[host.index()];
            let held = state.held & host.bit() != 0;
            let decoys = || {
                inside.extra.iter().filter_map(|process| match process.origin {
                    Origin::Decoy(decoy) => Some((DECOY_KINDS[usize::from(decoy & 7)], process.pid)),
                    _ => None,
                })
            };
            let any_decoy = decoys().next().is_some();
            if !held && !any_decoy && inside.files.is_empty() && host != Host::OpServer0 {
                continue;
            }
            sink.key(host.name());
            sink.map();
            if held {
                sink.key("red");
                sink.text(if state.privileged & host.bit() == 0 { "user" } else { "privileged" });
                sink.key("sessions");
                sink.list();
                for session in state.sessions.iter().filter(|session| session.host == host) {
                    sink.list();
                    sink.int(i64::from(session.id));
                    sink.text(session.user.name());
                    sink.text(session.kind.symbol().0);
                    sink.int(i64::from(session.pid));
                    sink.end_list();
                }
                sink.end_list();
            }
            if any_decoy {
                sink.key("decoys");
                sink.list();
                for (decoy, pid) in decoys() {
                    sink.list();
                    sink.text(decoy.facts().process);
                    sink.int(i64::from(pid));
                    sink.end_list();
                }
                sink.end_list();
            }
            if !inside.files.is_empty() {
                sink.key("files");
                sink.list();
                inside.files.iter().for_each(|file| sink.text(file.name(host.os())));
                sink.end_list();
            }
            if host == Host::OpServer0 {
                sink.key("ot");
                sink.list();
                sink.boolean(state.ot.running);
                sink.boolean(state.ot.active);
                optional_pid(state.ot.pid, &mut sink);
                sink.end_list();
            }
            sink.end_map();
        }
        sink.end_map();
    }
}

/// A process id, or nothing.
pub(super) fn optional_pid(pid: Option<u16>, sink: &mut JsonSink<'_>) {
    match pid {
        Some(pid) => sink.int(i64::from(pid)),
        None => sink.null(),
    }
}
