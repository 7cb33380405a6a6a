//! Which addresses may be reached: none that leads into a private network, whatever name or notation it hides behind.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Whether an address belongs to the public internet: not to this machine, a private network, a link, a provider's
/// metadata service, documentation, or a tunnel that could lead to one of these.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::net::is_public;
///
/// assert!(is_public("93.184.216.34".parse()?));
/// assert!(!is_public("169.254.169.254".parse()?));
/// assert!(!is_public("::ffff:127.0.0.1".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        // This network, carrier-grade translation, protocol assignments, relays, benchmarks, reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    // An IPv4 address in IPv6 clothes counts as what it is.
    let inner = match segments {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(embedded(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(embedded(high, low)),
        [0x2002, high, low, ..] => Some(embedded(high, low)),
        _ => None,
    };
    if let Some(inner) = inner {
        return !address.is_loopback() && !address.is_unspecified() && is_public_v4(inner);
    }
    // Global unicast alone, without documentation, Teredo and other assignments of 2001::/23, and local translation.
    (segments[0] & 0xe000) == 0x2000
        && !(segments[0] == 0x2001 && segments[1] < 0x0200)
        && !(segments[0] == 0x2001 && segments[1] == 0x0db8)
        && !(segments[0] == 0x3fff && segments[1] < 0x1000)
}

/// A name or address that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The host as the address names it.
    pub host: String,
    /// The address that it resolves to.
    pub address: IpAddr,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` leads to {}, which is no public address", self.host, self.address)
    }
}

impl std::error::Error for Refused {}

/// Resolves names and refuses those that lead into a private network. It is asked at the very connection, so that a
/// name cannot point elsewhere between check and use.
#[derive(Clone, Copy, Debug)]
pub struct Resolver {
    /// Whether private addresses are let through.
    pub allow_private: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow = self.allow_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One private address among several is enough: which of them is taken is not ours to say.
            if let Some(bad) = found.iter().find(|found| !allow && !is_public(found.ip())) {
                return Err(Refused { host: name.as_str().to_owned(), address: bad.ip() }.into());
            }
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn private_addresses_are_known_in_every_notation() {
        for address in [
            "127.0.0.1",
            "127.255.0.3",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.0.2.5",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:0:1::1",
            "2001:db8::1",
            "fec0::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "192.1.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "2002:808:808::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
