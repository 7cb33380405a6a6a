//! Addresses and protocols as text, without an allocation for each flow.

use std::fmt::Write as _;
use std::net::IpAddr;

/// An address in its canonical text.
pub(super) struct AddressText {
    bytes: [u8; 48],
    length: usize,
}

impl AddressText {
    #[inline]
    pub fn of(address: IpAddr) -> Self {
        let mut text = Self { bytes: [0; 48], length: 0 };
        match address {
            IpAddr::V4(address) => {
                for (index, octet) in address.octets().into_iter().enumerate() {
                    if index > 0 {
                        text.push(b'.');
                    }
                    if octet >= 100 {
                        text.push(b'0' + octet / 100);
                    }
                    if octet >= 10 {
                        text.push(b'0' + octet / 10 % 10);
                    }
                    text.push(b'0' + octet % 10);
                }
            }
            // An address has at most 45 characters.
            IpAddr::V6(address) => drop(write!(text, "{address}")),
        }
        text
    }

    #[inline]
    pub fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(free) = self.bytes.get_mut(self.length) {
            *free = byte;
            self.length += 1;
        }
    }
}

impl std::fmt::Write for AddressText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        text.bytes().for_each(|byte| self.push(byte));
        Ok(())
    }
}

/// What a flow of a protocol did, by the protocol's number.
#[inline]
pub(super) fn action(protocol: Option<u8>) -> &'static str {
    match protocol {
        Some(1) => "icmp flow",
        Some(2) => "igmp flow",
        Some(6) => "tcp flow",
        Some(17) => "udp flow",
        Some(47) => "gre flow",
        Some(50) => "esp flow",
        Some(58) => "icmp6 flow",
        Some(89) => "ospf flow",
        Some(132) => "sctp flow",
        _ => "flow",
    }
}

/// The number of a protocol that a text names, by number or name.
pub(super) fn protocol(text: &str) -> Option<u8> {
    // What nearly all rows say.
    match text {
        "tcp" => return Some(6),
        "udp" => return Some(17),
        _ => {}
    }
    let names = [
        ("icmp", 1),
        ("igmp", 2),
        ("tcp", 6),
        ("udp", 17),
        ("gre", 47),
        ("esp", 50),
        ("icmp6", 58),
        ("ipv6-icmp", 58),
        ("icmpv6", 58),
        ("ospf", 89),
        ("sctp", 132),
    ];
    let named = names.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|(_, number)| *number);
    named.or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::AddressText;

    proptest! {
        #[test]
        fn addresses_are_written_as_the_library_writes_them(v4: u32, v6: u128) {
            for address in [IpAddr::V4(Ipv4Addr::from(v4)), IpAddr::V6(Ipv6Addr::from(v6))] {
                let text = AddressText::of(address);
                prop_assert_eq!(text.as_str(), address.to_string());
            }
        }
    }
}
