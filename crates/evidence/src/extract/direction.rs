//! Whether traffic stays inside, leaves, comes in, or passes by, as private addresses tell (ARES-013).

use std::net::IpAddr;

/// Where traffic goes: `internal`, `outbound`, `inbound` or `external`.
pub(super) fn direction(source: IpAddr, target: IpAddr) -> &'static str {
    match (is_inside(source), is_inside(target) || is_local_group(target)) {
        (true, true) => "internal",
        (true, false) => "outbound",
        (false, _) if is_inside(target) => "inbound",
        (false, _) => "external",
    }
}

/// Whether an address is of a private, link-local or loopback range.
fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_private() || address.is_link_local() || address.is_loopback(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local(),
    }
}

/// Whether an address names many machines of a network.
fn is_local_group(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use super::direction;

    // covers: ARES-013
    #[test]
    fn private_ranges_tell_the_direction() {
        let of = |source: &str, target: &str| direction(source.parse().unwrap(), target.parse().unwrap());
        assert_eq!(of("10.0.0.1", "172.31.0.1"), "internal");
        assert_eq!(of("192.168.1.1", "198.51.100.1"), "outbound");
        assert_eq!(of("198.51.100.1", "fd00::1"), "inbound");
        assert_eq!(of("198.51.100.1", "2001:db8::1"), "external");
        assert_eq!(of("10.0.0.1", "239.255.255.250"), "internal");
        assert_eq!(of("::ffff:10.0.0.1", "172.32.0.1"), "outbound");
    }
}
