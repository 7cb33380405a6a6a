//! The names that a player reads and writes: the scenario's own, or neutral aliases.
//!
//! Models may know this benchmark by heart. With neutral names everything that its authors named is called something that
//! says nothing: hosts, subnets, services, the account of its own users, the defender's sessions and whose they are, and
//! the enumeration of its own invention that says whether an action succeeded. All are mapped at the interface, when text is
//! written or read, and the environment stays the same. What any such network would show stays as it is: operating systems,
//! ports, addresses, paths, the accounts of common images, and the shape of the dictionaries.

use crate::Trinary;
use crate::draws::Fast;
use crate::facts::{DECOY_KINDS, Decoy, HOSTS, Host, KINDS, Kind, SUBNETS, Subnet, User};
use crate::view::Symbol;

/// What hosts, subnets and services are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    hosts: [String; 13],
    subnets: [String; 3],
    decoy_actions: [String; 8],
    decoy_services: [String; 8],
    decoy_processes: [String; 8],
    operational_service: String,
    /// The user of green's sessions.
    users_agent: &'static str,
    /// The types of blue's sessions: the server's, and those of its clients.
    sessions: [Symbol; 2],
    /// The enumeration that says whether an action succeeded.
    success: &'static str,
    /// Whose blue's sessions are.
    agent: &'static str,
    /// Hosts sorted by name, as the table lists them.
    sorted: [Host; 13],
}

/// The account under which green plays, in the scenario.
const USERS_AGENT: &str = User::GreenAgent.name();

const fn session(name: &'static str, value: u8) -> Symbol {
    Symbol::new("SessionType", name, value)
}

const WOODS: [&str; 8] = ["Alder", "Birch", "Cedar", "Elder", "Hazel", "Larch", "Maple", "Rowan"];

impl Names {
    /// The scenario's own names.
    #[must_use]
    pub fn original() -> Self {
        Self::sorted(Self {
            hosts: HOSTS.map(|host| host.name().to_owned()),
            subnets: SUBNETS.map(|subnet| subnet.name().to_owned()),
            decoy_actions: DECOY_KINDS.map(|decoy| decoy.facts().action.to_owned()),
            decoy_services: DECOY_KINDS.map(|decoy| decoy.facts().service.to_owned()),
            decoy_processes: DECOY_KINDS.map(|decoy| decoy.facts().process.to_owned()),
            operational_service: "OTService".to_owned(),
            users_agent: USERS_AGENT,
            success: "TrinaryEnum",
            agent: "Blue",
            sessions: [session("VELOCIRAPTOR_SERVER", 8), session("VELOCIRAPTOR_CLIENT", 7)],
            sorted: HOSTS,
        })
    }

    /// Aliases, dealt out by `seed`: `Node01` to `Node13`, `Zone1` to `Zone3`, decoys named after woods.
    #[must_use]
    pub fn neutral(seed: u64) -> Self {
        let mut deal = Fast::new(seed ^ 0x6E65_7574_7261_6C00);
        let hosts: [u8; 13] = shuffled(&mut deal);
        let subnets: [u8; 3] = shuffled(&mut deal);
        let woods: [u8; 8] = shuffled(&mut deal);
        let woods = woods.map(|wood| WOODS[usize::from(wood)]);
        Self::sorted(Self {
            hosts: hosts.map(|number| format!("Node{:02}", number + 1)),
            subnets: subnets.map(|number| format!("Zone{}", number + 1)),
            decoy_actions: woods.map(|wood| format!("Decoy{wood}")),
            decoy_services: woods.map(str::to_lowercase),
            decoy_processes: woods.map(str::to_lowercase),
            operational_service: "CoreService".to_owned(),
            users_agent: "UserAgent",
            success: "Outcome",
            agent: "Own",
            sessions: [session("MONITOR_SERVER", 8), session("MONITOR_CLIENT", 7)],
            sorted: HOSTS,
        })
    }

    fn sorted(mut self) -> Self {
        let hosts = &self.hosts;
        self.sorted.sort_by(|one, other| hosts[one.index()].cmp(&hosts[other.index()]));
        self
    }

    /// What a host is called.
    #[must_use]
    pub fn host(&self, host: Host) -> &str {
        &self.hosts[host.index()]
    }

    /// The host that is called so, whatever the case.
    #[must_use]
    pub fn find_host(&self, name: &str) -> Option<Host> {
        HOSTS.into_iter().find(|host| self.host(*host).eq_ignore_ascii_case(name))
    }

    /// What a subnet is called.
    #[must_use]
    pub fn subnet(&self, subnet: Subnet) -> &str {
        &self.subnets[subnet as usize]
    }

    /// What an action is called.
    #[must_use]
    pub fn kind(&self, kind: Kind) -> &str {
        match kind {
            Kind::Decoy(decoy) => &self.decoy_actions[decoy as usize],
            other => other.name(),
        }
    }

    /// The action that is called so, whatever the case.
    #[must_use]
    pub fn find_kind(&self, name: &str) -> Option<Kind> {
        KINDS.into_iter().find(|kind| self.kind(*kind).eq_ignore_ascii_case(name))
    }

    /// The service name of a decoy.
    #[must_use]
    pub fn service(&self, decoy: Decoy) -> &str {
        &self.decoy_services[decoy as usize]
    }

    /// The process name of a decoy.
    #[must_use]
    pub fn process(&self, decoy: Decoy) -> &str {
        &self.decoy_processes[decoy as usize]
    }

    /// The name of the operational service.
    #[must_use]
    pub fn operational_service(&self) -> &str {
        &self.operational_service
    }

    /// What a user account is called: as in the scenario, but for one that would name the benchmark.
    #[must_use]
    pub fn user<'a>(&'a self, account: &'a str) -> &'a str {
        if account == USERS_AGENT { self.users_agent } else { account }
    }

    /// Whether an action succeeded, as observations show it.
    #[must_use]
    pub const fn success(&self, value: Trinary) -> Symbol {
        Symbol::new(self.success, value.name(), value as u8)
    }

    /// Whose blue's sessions are, as observations show it.
    #[must_use]
    pub const fn agent(&self) -> &'static str {
        self.agent
    }

    /// The type of blue's sessions: the server's own, or its clients'.
    #[must_use]
    pub const fn session(&self, server: bool) -> Symbol {
        let [own, client] = self.sessions;
        if server { own } else { client }
    }

    /// Whether the fixed parts of observations read as in the scenario.
    pub(crate) fn keeps_users(&self) -> bool {
        self.users_agent == USERS_AGENT
    }

    /// The hosts sorted by what they are called.
    #[must_use]
    pub const fn sorted_hosts(&self) -> &[Host; 13] {
        &self.sorted
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::original()
    }
}

fn shuffled<const N: usize>(deal: &mut Fast) -> [u8; N] {
    let mut items = std::array::from_fn(|at| at as u8);
    for last in (1..N).rev() {
        items.swap(last, deal.below(last as u32 + 1) as usize);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_dealt_by_the_seed_and_are_all_different() {
        let one = Names::neutral(1);
        assert_eq!(one, Names::neutral(1));
        assert_ne!(one, Names::neutral(2));
        let mut hosts: Vec<&str> = HOSTS.iter().map(|host| one.host(*host)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        assert_eq!(hosts.len(), 13);
        for host in HOSTS {
            assert_eq!(one.find_host(&one.host(host).to_uppercase()), Some(host));
        }
        for kind in KINDS {
            assert_eq!(one.find_kind(one.kind(kind)), Some(kind));
        }
    }

    #[test]
    fn the_table_of_the_original_names_is_in_scenario_order() {
        assert_eq!(Names::original().sorted_hosts(), &HOSTS);
    }
}
