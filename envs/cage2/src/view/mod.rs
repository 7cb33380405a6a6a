//! Views of the state: computed when asked for, never kept.

use crate::facts::{Host, Os};

mod blue;
mod digest;
mod full;
mod inspect;
mod json;
mod node;
mod python;
mod red;
mod symbol;
mod table;

pub use inspect::Inspect;
pub use json::JsonSink;
pub use node::{Node, NodeSink};
pub use python::PythonSink;
pub use symbol::Symbol;
pub use table::BlueRow;

pub(crate) use blue::blue_observation;
pub(crate) use digest::digest;
pub(crate) use red::red_observation;
pub(crate) use table::{rows, write_table};

/// Takes an observation piece by piece, in order; one walk serves JSON, Python's text and the typed form.
pub trait Sink {
    /// Opens a dictionary.
    fn map(&mut self);
    /// Closes it.
    fn end_map(&mut self);
    /// Opens a list.
    fn list(&mut self);
    /// Closes it.
    fn end_list(&mut self);
    /// The key of the next value: one of the scenario's own, which needs no escaping.
    fn key(&mut self, key: &str);
    /// The key of the next value, whatever it holds.
    fn foreign_key(&mut self, key: &str);
    /// A text.
    fn text(&mut self, text: &str);
    /// A whole number.
    fn int(&mut self, value: i64);
    /// A real number.
    fn real(&mut self, value: f64);
    /// A truth value.
    fn boolean(&mut self, value: bool);
    /// Python's `None`.
    fn null(&mut self);
    /// A member of an enumeration.
    fn symbol(&mut self, symbol: Symbol);
    /// An IPv4 address.
    fn address(&mut self, address: u32);
    /// A /28 network.
    fn network(&mut self, base: u32);

    /// A dictionary key that is an address.
    fn address_key(&mut self, address: u32) {
        self.key(&std::net::Ipv4Addr::from_bits(address).to_string());
    }

    /// A part of a host that never changes; sinks may keep it as text.
    #[inline]
    fn constant(&mut self, part: Constant)
    where
        Self: Sized,
    {
        part.walk(self);
    }

    /// An item of a monitor's `Processes`: process id and remote port are 0 where the event has none.
    #[inline]
    fn event(&mut self, pid: u16, local: u16, remote: u16, local_address: u32, remote_address: u32) {
        self.map();
        if pid != 0 {
            self.key("PID");
            self.int(i64::from(pid));
        }
        self.key("Connections");
        self.list();
        self.map();
        self.key("local_port");
        self.int(i64::from(local));
        if remote != 0 {
            self.key("remote_port");
            self.int(i64::from(remote));
        }
        self.key("local_address");
        self.address(local_address);
        self.key("remote_address");
        self.address(remote_address);
        self.end_map();
        self.end_list();
        self.end_map();
    }
}

/// Parts of a blue observation that depend on the kind of machine only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// The entries of `System info` after the host's name.
    System(Os),
    /// `User Info`, by any host of that image.
    Users(Host),
}

impl Constant {
    /// Walks through the part.
    pub(crate) fn walk(self, sink: &mut impl Sink) {
        match self {
            Self::System(os) => blue::system(os, sink),
            Self::Users(host) => blue::users(host, |account| account, sink),
        }
    }
}

/// Appends a whole number in decimal.
pub(crate) fn push_int(out: &mut Vec<u8>, value: i64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends an address in dotted form.
#[inline]
pub(crate) fn push_address(out: &mut Vec<u8>, address: u32) {
    let (text, length) = dotted(address);
    out.extend_from_slice(&text[..length]);
}

/// An address in dotted form and its length.
#[inline]
pub(crate) fn dotted(address: u32) -> ([u8; 16], usize) {
    // All octets as text with their length, so that an address is four short copies.
    static OCTETS: [([u8; 3], u8); 256] = {
        let mut all = [([b'0'; 3], 1); 256];
        let mut at = 0;
        while at < 256 {
            let (hundreds, tens, ones) = (b'0' + (at / 100) as u8, b'0' + (at / 10 % 10) as u8, b'0' + (at % 10) as u8);
            all[at] = if at >= 100 {
                ([hundreds, tens, ones], 3)
            } else if at >= 10 {
                ([tens, ones, 0], 2)
            } else {
                ([ones, 0, 0], 1)
            };
            at += 1;
        }
        all
    };
    let mut text = [b'.'; 16];
    let mut at = 0;
    for octet in address.to_be_bytes() {
        let (digits, count) = &OCTETS[usize::from(octet)];
        text[at..at + 3].copy_from_slice(digits);
        at += usize::from(*count & 3);
        text[at] = b'.';
        at += 1;
    }
    (text, at - 1)
}

/// Appends a real as Python and JSON write it: the shortest form that reads back, with a fraction.
pub(crate) fn push_real(out: &mut Vec<u8>, value: f64) {
    use std::io::Write as _;
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_addresses() {
        let mut out = Vec::new();
        for value in [0, 7, 10, 65_535, -12, i64::MIN] {
            push_int(&mut out, value);
            out.push(b' ');
        }
        for octets in [[10, 0, 132, 17], [10, 0, 0, 1], [255, 255, 255, 255], [0, 0, 0, 0], [10, 100, 99, 9]] {
            push_address(&mut out, u32::from_be_bytes(octets));
            out.push(b' ');
        }
        push_real(&mut out, 0.9);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "0 7 10 65535 -12 -9223372036854775808 10.0.132.17 10.0.0.1 255.255.255.255 0.0.0.0 10.100.99.9 0.9"
        );
    }
}
