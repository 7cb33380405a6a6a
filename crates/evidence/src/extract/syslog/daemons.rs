//! Logons at servers of mail and files, and at a small SSH server.

use super::reading::{Reading, between};
use crate::Class;

/// Dropbear: `Bad password attempt for 'NAME' from ADDRESS:PORT`, `Password auth succeeded for 'NAME' from ADDRESS:PORT`, and so on.
pub(super) fn dropbear(message: &str) -> Option<Reading<'_>> {
    let message = message.trim_end();
    for (start, class, action) in [
        ("Bad password attempt for ", Class::LogonFailed, "password refused"),
        ("Bad PAM password attempt for ", Class::LogonFailed, "password refused"),
        ("Login attempt for nonexistent user", Class::LogonFailed, "unknown account"),
        ("Login attempt with wrong user ", Class::LogonFailed, "account not allowed"),
        ("Password auth succeeded for ", Class::Logon, "password accepted"),
        ("PAM password auth succeeded for ", Class::Logon, "password accepted"),
        ("Pubkey auth succeeded for ", Class::Logon, "publickey accepted"),
    ] {
        let Some(rest) = message.strip_prefix(start) else { continue };
        // The address is written last: a name cannot change it.
        let (head, from) = rest.rsplit_once("from ")?;
        let (address, port) = address(from);
        let name = head.trim_start().strip_prefix('\'').and_then(|head| head.rsplit_once('\''));
        let reading = Reading::new(class, action).by_machine(address).on_account(name.map_or("", |(name, _)| name));
        return Some(reading.with("port", port));
    }
    if let Some(rest) = message.strip_prefix("Child connection from ") {
        let (address, port) = address(rest);
        return Some(Reading::new(Class::SshEvent, "connection opened").by_machine(address).with("port", port));
    }
    None
}

/// `ADDRESS:PORT`, with or without brackets around either.
fn address(text: &str) -> (&str, &str) {
    let text = text.trim_matches(['<', '>', ' ']);
    let (address, port) = text.rsplit_once(':').unwrap_or((text, ""));
    (address.trim_start_matches('[').trim_end_matches(']'), port)
}

/// Logons at Dovecot: `imap-login: Login: user=<NAME>, ..., rip=ADDRESS, ...`, and those that ended before a logon.
pub(super) fn dovecot(message: &str) -> Option<Reading<'_>> {
    let (service, rest) = message.split_once("-login: ")?;
    // What is said of the end comes before the name, which may hold any text.
    let (said, rest) = rest.split_once("user=<")?;
    let (class, action) = if said.starts_with("Login: ") {
        (Class::Logon, "login accepted")
    } else if said.contains("auth failed") {
        (Class::LogonFailed, "password refused")
    } else {
        return None;
    };
    // The server writes the address behind the name.
    let (head, tail) = rest.rsplit_once(", rip=")?;
    let address = tail.split(',').next().unwrap_or(tail);
    let (name, method) = head.rsplit_once(">, method=").unwrap_or((head.strip_suffix('>').unwrap_or(head), ""));
    let attempts = between(said, "auth failed, ", " attempts").unwrap_or_default();
    let reading = Reading::new(class, action).by_machine(address).on_account(name).with("service", service);
    Some(reading.with("method", method).with("attempts", attempts))
}

/// `[NAME] FAIL LOGIN: Client "ADDRESS"`, `[NAME] OK LOGIN: Client "ADDRESS"`.
pub(super) fn vsftpd(message: &str) -> Option<Reading<'_>> {
    if message.starts_with("pam_") {
        return super::pam::read(message);
    }
    let text = message.trim_end().strip_suffix('"')?;
    let (head, address) = text.rsplit_once(" LOGIN: Client \"")?;
    let (name, outcome) = head.rsplit_once("] ")?;
    let (_, name) = name.split_once('[')?;
    let (class, action) = match outcome {
        "OK" => (Class::Logon, "login accepted"),
        "FAIL" => (Class::LogonFailed, "password refused"),
        _ => return None,
    };
    Some(Reading::new(class, action).by_machine(address).on_account(name))
}

/// Postfix: `warning: HOST[ADDRESS]: SASL METHOD authentication failed: ...`.
pub(super) fn postfix(message: &str) -> Option<Reading<'_>> {
    let rest = message.strip_prefix("warning: ")?;
    let (client, rest) = rest.split_once("]: SASL ")?;
    let (host, address) = client.rsplit_once('[')?;
    let (method, rest) = rest.split_once(" authentication failed")?;
    let name = rest.rsplit_once("sasl_username=").map_or("", |(_, name)| name.trim());
    let reading = Reading::new(Class::LogonFailed, "authentication failure").by_machine(address).on_account(name);
    Some(reading.with("client", host).with("method", method))
}
