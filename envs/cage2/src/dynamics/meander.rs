//! Red's agent Meander: everything it can see, one subnet after the other, in shuffled order.

use super::turn::{Outcome, RedAction, RedRecord};
use super::{Order, State};
use crate::Trinary;
use crate::draws::{Draws, Phase, Purpose, Site};
use crate::facts::{ENTERPRISE_HOSTS, HOSTS, Host, OPERATIONAL_HOSTS, SUBNETS, Subnet};

const ORDER: Site = Site::new(Phase::Red, Purpose::MeanderOrder);

/// Its lists. A host and its address are one thing here: addresses never change hands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meander {
    subnets: [Option<Subnet>; 3],
    pub scanned: Order,
    pub exploited: Order,
    pub escalated: Order,
    /// Hosts whose address it has mapped.
    pub mapped: Order,
    /// The address of its last exploit.
    pub last_address: Option<Host>,
    /// The host of its last escalation or impact.
    pub last_host: Option<Host>,
    known_subnets: u8,
    known_addresses: u16,
    known_hosts: u16,
}

impl Default for Meander {
    fn default() -> Self {
        Self {
            subnets: [None; 3],
            scanned: Order::default(),
            exploited: Order::default(),
            escalated: Order::default(),
            mapped: Order::default(),
            last_address: None,
            last_host: None,
            known_subnets: 1 << Subnet::User as u8,
            known_addresses: Host::User0.bit(),
            known_hosts: Host::User0.bit(),
        }
    }
}

impl Meander {
    /// The subnets that it swept, in order.
    pub(crate) fn swept(&self) -> impl Iterator<Item = Subnet> + '_ {
        self.subnets.iter().flatten().copied()
    }

    /// The subnets, addresses and hosts that it knows.
    pub(crate) fn knowledge(&self) -> [u8; 5] {
        let [address_low, address_high] = self.known_addresses.to_le_bytes();
        let [host_low, host_high] = self.known_hosts.to_le_bytes();
        [self.known_subnets, address_low, address_high, host_low, host_high]
    }

    /// What an observation teaches: subnets, addresses, host names.
    pub(super) fn learn(&mut self, last: &RedRecord) {
        match last.outcome {
            Outcome::Swept(subnet) => {
                self.known_subnets |= 1 << subnet as u8;
                for host in subnet.hosts() {
                    self.known_addresses |= host.bit();
                }
            }
            Outcome::Shell { host, .. } | Outcome::Ssh { host, .. } => self.known_hosts |= host.bit(),
            Outcome::Escalated { host, .. } => {
                self.known_subnets |= 1 << host.subnet() as u8;
                if let Some(linked) = host.linked() {
                    self.known_addresses |= linked.bit();
                }
            }
            _ => {}
        }
    }

    fn digest_result(&mut self, success: bool) {
        if let Some(host) = self.last_address.take() {
            if success {
                self.mapped.push(host);
            } else {
                self.exploited.remove(host);
                // QUIRK: one failure throws all progress in the innermost zone away.
                let zone =
                    if self.escalated.mask & OPERATIONAL_HOSTS != 0 { OPERATIONAL_HOSTS } else { ENTERPRISE_HOSTS };
                for lost in HOSTS.into_iter().filter(|lost| zone & lost.bit() != 0) {
                    if self.escalated.has(lost) {
                        self.escalated.remove(lost);
                        self.forget_address(lost);
                    }
                }
            }
        }
        if let Some(host) = self.last_host.take()
            && !success
        {
            self.escalated.remove(host);
            self.forget_address(host);
        }
    }

    fn forget_address(&mut self, host: Host) {
        if self.mapped.has(host) {
            self.exploited.remove(host);
        }
    }
}

impl State {
    pub(super) fn meander_decides<D: Draws>(&mut self, draws: &mut D) -> RedAction {
        let failed = self.red.last.success == Trinary::False;
        let success = self.red.last.success == Trinary::True;
        let lists = &mut self.red.meander;
        lists.digest_result(if lists.last_host.is_some() { !failed } else { success });
        if lists.escalated.has(Host::OpServer0) {
            lists.last_host = Some(Host::OpServer0);
            return RedAction::Impact(Host::OpServer0);
        }
        for subnet in SUBNETS {
            if lists.known_subnets & (1 << subnet as u8) != 0 && !lists.subnets.contains(&Some(subnet)) {
                if let Some(slot) = lists.subnets.iter_mut().find(|slot| slot.is_none()) {
                    *slot = Some(subnet);
                }
                return RedAction::Sweep(subnet);
            }
        }
        let mut addresses: [u8; 13] = std::array::from_fn(|at| at as u8);
        draws.shuffle(ORDER, &mut addresses);
        let unscanned = lists.known_addresses & !lists.scanned.mask;
        if let Some(host) = first_of(&addresses, unscanned) {
            lists.scanned.push(host);
            return RedAction::Scan(host);
        }
        let mut names: [u8; 13] = std::array::from_fn(|at| at as u8);
        draws.shuffle(ORDER, &mut names);
        let ready = lists.known_hosts & !lists.escalated.mask & !(lists.mapped.mask & !lists.exploited.mask);
        if let Some(host) = first_of(&names, ready) {
            lists.escalated.push(host);
            lists.last_host = Some(host);
            return RedAction::Escalate(host);
        }
        if let Some(host) = first_of(&addresses, lists.known_addresses & !lists.exploited.mask) {
            lists.exploited.push(host);
            lists.last_address = Some(host);
            return RedAction::Exploit(host);
        }
        // CybORG raises an error here. It cannot come to that: Defender is never held.
        RedAction::Sleep
    }
}

fn first_of(order: &[u8; 13], wanted: u16) -> Option<Host> {
    if wanted == 0 {
        return None;
    }
    order.iter().find(|at| wanted & (1 << **at) != 0).map(|at| HOSTS[usize::from(*at)])
}
