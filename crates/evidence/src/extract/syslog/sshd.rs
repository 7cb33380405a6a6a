//! Messages of an SSH server.

use super::pam;
use super::reading::{Reading, between};
use crate::Class;

/// What a message of an SSH server says; `None` for one that no rule here knows.
pub(super) fn read(message: &str) -> Option<Reading<'_>> {
    let message = message.strip_prefix("error: ").or_else(|| message.strip_prefix("fatal: ")).unwrap_or(message);
    let text = message.trim_end();
    let text = text.strip_suffix("[preauth]").map_or(text, str::trim_end);
    let first = text.split(' ').next().unwrap_or(text);
    let rest = text.get(first.len()..).unwrap_or_default().trim_start();
    match first {
        "Accepted" => authentication(rest, Class::Logon),
        "Failed" => authentication(rest, Class::LogonFailed),
        "Invalid" => unknown_account(rest.strip_prefix("user ")?, Class::LogonFailed),
        "input_userauth_request:" => unknown_account(rest.strip_prefix("invalid user ")?, Class::SshEvent),
        "PAM" | "PAM:" => pam_failures(rest),
        "maximum" => too_many(rest),
        "Disconnected" => ended("disconnected", rest.strip_prefix("from ")?),
        "Disconnecting" | "Disconnecting:" => disconnecting(rest),
        "Received" => received(rest),
        "Connection" => connection(rest),
        "Did" => event("no identification", rest.strip_prefix("not receive identification string from ")?),
        "Bad" => rejected("protocol version refused", rest.strip_prefix("protocol version identification ")?),
        "banner" => rejected("banner refused", rest.strip_prefix("exchange: ")?),
        "Unable" => event("negotiation failed", rest.strip_prefix("to negotiate with ")?),
        "kex_exchange_identification:" | "ssh_dispatch_run_fatal:" => Some(exchange(rest)),
        "Magic" => rejected("handshake refused", rest),
        "reverse" | "Address" => Some(names(text)),
        "refused" => refused(rest.strip_prefix("connect from ")?),
        "Close" => session(Class::SessionClosed, "session closed", rest.strip_prefix("session: ")?),
        "Starting" => session(Class::SessionOpened, "session opened", rest.strip_prefix("session: ")?),
        "User" => not_allowed(rest),
        "Server" => event("listening", rest.strip_prefix("listening on ")?),
        _ if first.starts_with("pam_") => pam::read(message),
        _ => None,
    }
}

/// An end of a connection, and what comes before it: `... ADDRESS port PORT ...` or `... ADDRESS`.
struct Peer<'a> {
    before: &'a str,
    address: &'a str,
    port: &'a str,
    after: &'a str,
}

/// Reads from the right: the name of an account may hold any text, what the server adds follows it.
fn peer(text: &str) -> Peer<'_> {
    let text = text.trim_end();
    let (head, port, after) = match text.rfind(" port ") {
        Some(at) => {
            let tail = text.get(at + 6..).unwrap_or_default();
            let length = tail.bytes().take_while(u8::is_ascii_digit).count();
            let (port, after) = tail.split_at(length);
            (text.get(..at).unwrap_or_default(), port, after)
        }
        None => (text, "", ""),
    };
    let (before, address) = head.rsplit_once(' ').unwrap_or(("", head));
    Peer { before, address, port, after: after.trim_start_matches([' ', ':']) }
}

/// `METHOD for [invalid user ]NAME from ADDRESS port PORT ssh2[: KEY]`.
fn authentication(text: &str, class: Class) -> Option<Reading<'_>> {
    let (method, rest) = text.split_once(" for ")?;
    let (name, from) = rest.rsplit_once(" from ")?;
    let (invalid, name) = match name.strip_prefix("invalid user ") {
        Some(name) => ("yes", name),
        None => ("", name),
    };
    let action = match (class, method) {
        (Class::Logon, "password") => "password accepted",
        (Class::Logon, "publickey") => "publickey accepted",
        (Class::Logon, _) => "authentication accepted",
        (_, "password") => "password refused",
        (_, "publickey") => "publickey refused",
        (_, "none") => "no authentication offered",
        _ => "authentication refused",
    };
    // The address comes first here, and a key may follow the port.
    let (address, rest) = from.split_once(' ').unwrap_or((from, ""));
    let port = rest.strip_prefix("port ").unwrap_or_default();
    let (port, tail) = port.split_once(' ').unwrap_or((port, ""));
    let (protocol, key) = tail.split_once(": ").unwrap_or((tail, ""));
    let reading = Reading::new(class, action).by_machine(address).on_account(name);
    let reading = reading.with("method", method).with("invalid_user", invalid).with("port", port);
    Some(reading.with("protocol", protocol).with("key", key))
}

/// `NAME from ADDRESS[ port PORT]`; old servers name no address in the second of two lines.
fn unknown_account(text: &str, class: Class) -> Option<Reading<'_>> {
    let reading = Reading::new(class, "unknown account").with("invalid_user", "yes");
    let Some((name, from)) = text.rsplit_once(" from ") else { return Some(reading.on_account(text)) };
    let peer = peer(from);
    Some(reading.by_machine(peer.address).on_account(name).with("port", peer.port))
}

/// `N more authentication failures; ... rhost=ADDRESS  user=NAME`, or `Authentication failure for NAME from ADDRESS`.
fn pam_failures(text: &str) -> Option<Reading<'_>> {
    if let Some((name, from)) = text.split_once(" for ").and_then(|(_, rest)| rest.rsplit_once(" from ")) {
        let name = name.strip_prefix("illegal user ").unwrap_or(name);
        return Some(Reading::new(Class::LogonFailed, "authentication failure").by_machine(from).on_account(name));
    }
    let (count, rest) = text.split_once(" more authentication failure")?;
    let (_, pairs) = rest.split_once(';')?;
    Some(pam::failure(pairs, "more authentication failures").with("count", count))
}

fn too_many(text: &str) -> Option<Reading<'_>> {
    let rest = text.strip_prefix("authentication attempts exceeded for ")?;
    let (name, from) = rest.rsplit_once(" from ")?;
    let name = name.strip_prefix("invalid user ").unwrap_or(name);
    let peer = peer(from);
    // The server writes it after the last refused attempt, and in place of attempts that it does not log.
    let reading = Reading::new(Class::LogonFailed, "too many attempts").by_machine(peer.address);
    Some(reading.on_account(name).with("port", peer.port))
}

/// `[authenticating user |invalid user |user ]NAME ADDRESS port PORT`, or an address alone.
fn ended<'a>(action: &'static str, text: &'a str) -> Option<Reading<'a>> {
    let peer = peer(text);
    // `totobad user NAME` and the like: what comes before ` user ` says what the server took the account for.
    let (kind, name) = match peer.before.strip_prefix("user ") {
        Some(name) => ("", name),
        None => peer.before.split_once(" user ").unwrap_or(("", "")),
    };
    // Who leaves while the server still asks who it is was not let in. Nothing else is logged where keys alone are allowed.
    let class = if matches!(kind, "authenticating" | "invalid") { Class::LogonFailed } else { Class::SshEvent };
    let reading = Reading::new(class, action).by_machine(peer.address);
    let reading = reading.with("port", peer.port).with("reason", peer.after);
    Some(reading.on_account(name).with("user_kind", kind))
}

fn disconnecting(text: &str) -> Option<Reading<'_>> {
    let action = if text.contains("Too many authentication failures") { "too many attempts" } else { "disconnecting" };
    let reading = match text.contains(" port ") {
        true => ended(action, text.strip_prefix("from ").unwrap_or(text))?,
        false => Reading::new(Class::SshEvent, action),
    };
    Some(match text.strip_prefix("Too many authentication failures for ") {
        Some(name) => reading.on_account(name),
        None => reading,
    })
}

fn received(text: &str) -> Option<Reading<'_>> {
    if let Some(signal) = text.strip_prefix("signal ") {
        let number = signal.split(';').next().unwrap_or(signal);
        return Some(Reading::new(Class::SshEvent, "signal received").with("signal", number));
    }
    let rest = text.strip_prefix("disconnect from ")?;
    let end = rest.find(" port ").or_else(|| rest.find(": ")).unwrap_or(rest.len());
    let (address, tail) = rest.split_at(end);
    let (port, reason) = match tail.strip_prefix(" port ") {
        Some(tail) => tail.split_once(':').unwrap_or((tail, "")),
        None => ("", tail.strip_prefix(": ").unwrap_or_default()),
    };
    let reading = Reading::new(Class::SshEvent, "disconnect received").by_machine(address);
    Some(reading.with("port", port).with("reason", reason.trim_start()))
}

fn connection(text: &str) -> Option<Reading<'_>> {
    if let Some(rest) = text.strip_prefix("from ") {
        let (from, to) = rest.split_once(" on ").unwrap_or((rest, ""));
        return event("connection opened", from).map(|reading| reading.with("local", to));
    }
    if let Some(rest) = text.strip_prefix("closed by ") {
        return ended("connection closed", rest);
    }
    ended("connection reset", text.strip_prefix("reset by ")?)
}

/// An event of an address: `ADDRESS port PORT[: REASON]`.
fn event<'a>(action: &'static str, text: &'a str) -> Option<Reading<'a>> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    // An address of version 6 may end in a colon of its own.
    let is_address = word.parse::<std::net::IpAddr>().is_ok();
    let address = if is_address { word } else { word.trim_end_matches(':') };
    let (port, reason) = match rest.strip_prefix("port ") {
        Some(tail) => tail.split_once(':').unwrap_or((tail, "")),
        None => ("", rest),
    };
    let reading = Reading::new(Class::SshEvent, action).by_machine(address);
    Some(reading.with("port", port.trim()).with("reason", reason.trim()))
}

/// A text that the server refused, with the address at its end.
fn rejected<'a>(action: &'static str, text: &'a str) -> Option<Reading<'a>> {
    let (_, from) = text.rsplit_once("from ")?;
    event(action, from)
}

/// `client sent invalid protocol identifier`, `Connection closed by remote host`, `Connection from ADDRESS port PORT: ...`.
fn exchange(text: &str) -> Reading<'_> {
    let found = text.strip_prefix("Connection from ").and_then(|from| event("key exchange failed", from));
    found.unwrap_or_else(|| Reading::new(Class::SshEvent, "key exchange failed").with("reason", text))
}

/// Lookups of the name of an address that did not agree: `getaddrinfo for NAME [ADDRESS] failed`, `Address ADDRESS maps to NAME, but`.
fn names(text: &str) -> Reading<'_> {
    let reading = Reading::new(Class::SshEvent, "reverse lookup failed");
    if let Some(rest) = text.strip_prefix("Address ") {
        let (address, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let name = rest.strip_prefix("maps to ").and_then(|rest| rest.split(',').next()).unwrap_or_default();
        return reading.by_machine(address).with("name", name);
    }
    let reading = reading.with("name", between(text, " for ", " [").unwrap_or_default());
    match between(text, "[", "]") {
        Some(address) => reading.by_machine(address),
        None => reading,
    }
}

/// `NAME (ADDRESS)`.
fn refused(text: &str) -> Option<Reading<'_>> {
    let (name, address) = text.split_once(" (").unwrap_or(("", text));
    let reading = Reading::new(Class::SshEvent, "connection refused").by_machine(address.trim_end_matches(')'));
    Some(reading.with("name", name))
}

/// `user NAME from ADDRESS port PORT id 0`, or `shell on pts/0 for NAME from ADDRESS port PORT id 0`.
fn session<'a>(class: Class, action: &'static str, text: &'a str) -> Option<Reading<'a>> {
    let (head, from) = text.rsplit_once(" from ")?;
    let (kind, name) = match head.strip_prefix("user ") {
        Some(name) => ("", name),
        None => head.split_once(" for ")?,
    };
    let peer = peer(from);
    let reading = Reading::new(class, action).by_machine(peer.address).on_account(name);
    Some(reading.with("port", peer.port).with("session", kind).with("channel", peer.after))
}

/// `NAME from ADDRESS not allowed because REASON`.
fn not_allowed(text: &str) -> Option<Reading<'_>> {
    let (head, reason) = text.rsplit_once(" not allowed because ")?;
    let (name, address) = head.rsplit_once(" from ").unwrap_or((head, ""));
    let reading = Reading::new(Class::LogonFailed, "account not allowed").by_machine(address);
    Some(reading.on_account(name).with("reason", reason))
}
