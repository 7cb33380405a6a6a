//! The hash of the true state.

use sha2::{Digest as _, Sha256};

use crate::dynamics::{Order, Origin, Outcome, RedAction, State};
use crate::facts::{Host, User};
use crate::options::Red;

/// Collects what decides the future apart from draws: the environment, red's mind, what blue remembers, and the score.
struct Bytes(Vec<u8>);

impl Bytes {
    fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    fn short(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A list of unknown length, after its length.
    fn shorts(&mut self, values: &[u16]) {
        self.word(values.len() as u32);
        values.iter().for_each(|value| self.short(*value));
    }

    fn user(&mut self, user: User) {
        self.byte(user as u8);
    }

    fn order(&mut self, order: &Order) {
        self.byte(order.iter().count() as u8);
        order.iter().for_each(|host| self.byte(host as u8));
    }

    fn optional_host(&mut self, host: Option<Host>) {
        self.byte(host.map_or(255, |host| host as u8));
    }
}

pub(crate) fn digest(state: &State) -> [u8; 32] {
    let mut bytes = Bytes(Vec::with_capacity(4096));
    bytes.word(state.step);
    bytes.0.extend_from_slice(&state.total.to_le_bytes());
    state.addresses.iter().for_each(|address| bytes.word(*address));
    state.blue_pids.iter().chain(&state.green_pids).for_each(|pid| bytes.short(*pid));
    bytes.short(state.red_pid);
    for host in &state.hosts {
        bytes.word(host.extra.len() as u32);
        for process in &host.extra {
            bytes.short(process.pid);
            bytes.short(process.port);
            bytes.short(process.remote);
            bytes.byte(match process.origin {
                Origin::Decoy(decoy) => decoy,
                Origin::Shell => 100,
                Origin::Ssh => 101,
            });
            bytes.user(process.user);
        }
        bytes.shorts(host.ephemeral.ports());
        bytes.shorts(&host.suspicious);
        bytes.shorts(&host.seen);
        bytes.word(host.files.len() as u32);
        for file in &host.files {
            bytes.byte(u8::from(file.escalate));
            bytes.user(file.user);
        }
        bytes.byte(host.services.iter().count() as u8);
        for (decoy, pid) in host.services.iter() {
            bytes.byte(decoy);
            bytes.short(pid);
        }
        bytes.word(host.restored);
    }
    bytes.word(state.sessions.len() as u32);
    for session in &state.sessions {
        bytes.word(session.id);
        bytes.short(session.pid);
        bytes.byte(session.host as u8);
        bytes.user(session.user);
        bytes.byte(session.kind.symbol().1);
    }
    bytes.word(state.next_session);
    bytes.short(state.listed);
    bytes.word(state.handles.len() as u32);
    for handle in &state.handles {
        bytes.byte(handle.host as u8);
        bytes.short(handle.local);
        bytes.short(handle.remote);
        bytes.byte(u8::from(handle.ssh));
    }
    bytes.byte(u8::from(state.ot.running));
    bytes.byte(u8::from(state.ot.active));
    bytes.short(state.ot.pid.unwrap_or_default());
    bytes.0.extend_from_slice(&state.table.bits.to_le_bytes());
    red(state, &mut bytes);
    Sha256::digest(&bytes.0).into()
}

fn red(state: &State, bytes: &mut Bytes) {
    let red = &state.red;
    bytes.byte(red.last.success as u8);
    let (action, target) = match red.last.action {
        RedAction::Sleep => (0, 0),
        RedAction::Sweep(subnet) => (1, subnet as u8),
        RedAction::Scan(host) => (2, host as u8),
        RedAction::Exploit(host) => (3, host as u8),
        RedAction::Escalate(host) => (4, host as u8),
        RedAction::Impact(host) => (5, host as u8),
    };
    bytes.byte(action);
    bytes.byte(target);
    bytes.byte(red.last.exploit.unwrap_or(255));
    // Red decides on whether its observation holds an entry.
    bytes.byte(u8::from(matches!(red.last.outcome, Outcome::Nothing)));
    bytes.order(&red.scanned);
    bytes.order(&red.os_known);
    bytes.byte(u8::from(red.ot_known));
    match red.kind {
        Red::BLine => {
            bytes.byte(red.bline.state);
            bytes.0.extend_from_slice(&red.bline.memory());
        }
        Red::Meander => {
            let lists = &red.meander;
            bytes.byte(lists.swept().count() as u8);
            lists.swept().for_each(|subnet| bytes.byte(subnet as u8));
            for order in [&lists.scanned, &lists.exploited, &lists.escalated, &lists.mapped] {
                bytes.order(order);
            }
            bytes.optional_host(lists.last_address);
            bytes.optional_host(lists.last_host);
            bytes.0.extend_from_slice(&lists.knowledge());
        }
        Red::Sleep => {}
    }
}
