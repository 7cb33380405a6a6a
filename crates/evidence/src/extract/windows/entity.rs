//! How fields of an event name what it is about.

use std::fmt::Write as _;
use std::net::IpAddr;

use super::event::Event;
use crate::EntityKind;

/// Longest name of an entity, in bytes.
const MAX_NAME: usize = 512;

/// What an entity is called, by the fields that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `DOMAIN\name`, by the fields of domain and name; `name` where the domain is missing.
    Account(&'static str, &'static str),
    /// `IMAGE (PID)`, by the fields of image and number.
    Process(&'static str, &'static str),
    /// A network address in its canonical text; one that is not an address names nothing.
    Address(&'static str),
    /// A host without the dot behind or the backslashes before its name.
    Host(&'static str),
    /// The host of a URL: an address or a name.
    Url(&'static str),
    /// A file on a share, by the fields of the share and the path in it.
    Shared(&'static str, &'static str),
    /// A logon session; `0x0` is none.
    Session(&'static str),
    /// The value as found.
    Plain(EntityKind, &'static str),
    /// The object of an access, where it is a file, a process or a service.
    Object,
    /// The value of a line `KEY=value` in a field.
    Line(EntityKind, &'static str),
    /// The host that logged the event.
    Computer,
    /// The identifier of the account under which the event was logged.
    SystemUser,
}

impl Form {
    /// Writes the name into `out`; `None` where the event does not say it.
    pub(super) fn name(self, event: &Event<'_>, out: &mut String) -> Option<EntityKind> {
        out.clear();
        let kind = self.write(event, out)?;
        let sound = !out.is_empty() && out.len() <= MAX_NAME && !out.chars().any(char::is_control);
        sound.then_some(kind)
    }

    fn write(self, event: &Event<'_>, out: &mut String) -> Option<EntityKind> {
        match self {
            Self::Account(domain, name) => {
                let name = event.get(name)?;
                let domain = event.get(domain).filter(|_| !name.contains('\\'));
                let name = name.trim();
                if let Some(domain) = domain {
                    let domain = domain.trim();
                    out.push_str(domain);
                    out.push('\\');
                    out.push_str(without_realm(name, domain));
                } else {
                    out.push_str(name);
                }
                Some(EntityKind::Account)
            }
            Self::Process(image, number) => {
                out.push_str(event.get(image)?.trim());
                if let Some(number) = event.get(number).as_deref().and_then(process_number) {
                    // Writing to a text cannot fail.
                    let _ = write!(out, " ({number})");
                }
                Some(EntityKind::Process)
            }
            Self::Address(field) => address(event.get(field)?.trim(), out),
            Self::Host(field) => {
                out.push_str(event.get(field)?.trim().trim_start_matches('\\').trim_end_matches('.'));
                Some(EntityKind::Host)
            }
            Self::Url(field) => host_of(&event.get(field)?, out),
            Self::Shared(share, path) => {
                let share = event.get(share)?;
                out.push_str(share.trim());
                if let Some(path) = event.get(path).filter(|path| path.trim() != "\\") {
                    if !share.ends_with('\\') && !path.starts_with('\\') {
                        out.push('\\');
                    }
                    out.push_str(path.trim());
                }
                Some(EntityKind::File)
            }
            Self::Session(field) => {
                let session = event.get(field)?;
                out.push_str(session.trim());
                (out != "0x0").then_some(EntityKind::Session)
            }
            Self::Plain(kind, field) => {
                let value = event.get(field)?;
                let value = value.trim();
                // Defender writes paths as `file:_PATH`, several of them with `;` between.
                let path = value.strip_prefix("file:_").map(|paths| paths.split(';').next().unwrap_or(paths));
                out.push_str(path.unwrap_or(value));
                Some(kind)
            }
            Self::Object => {
                let kind = match event.get("ObjectType")?.trim() {
                    "File" => EntityKind::File,
                    "Process" => EntityKind::Process,
                    "SERVICE OBJECT" => EntityKind::Service,
                    _ => return None,
                };
                out.push_str(event.get("ObjectName")?.trim());
                Some(kind)
            }
            Self::Line(kind, key) => {
                out.push_str(&event.fields().find_map(|(_, _, value)| line(&value, key).map(str::to_owned))?);
                Some(kind)
            }
            Self::Computer => {
                out.push_str(&event.computer());
                Some(EntityKind::Host)
            }
            Self::SystemUser => {
                out.push_str(event.user_id().trim());
                Some(EntityKind::Account)
            }
        }
    }
}

/// A name without its realm, where the realm is the domain that is written before it.
fn without_realm<'a>(name: &'a str, domain: &str) -> &'a str {
    match name.rsplit_once('@') {
        Some((name, realm)) if realm.eq_ignore_ascii_case(domain) && !name.is_empty() => name,
        _ => name,
    }
}

/// The number of a process, which events write in decimal or as `0x…`.
fn process_number(text: &str) -> Option<u64> {
    let text = text.trim();
    text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |digits| u64::from_str_radix(digits, 16).ok())
}

/// Writes an address in its canonical text: no zone, and IPv4 addresses that are mapped into IPv6 as IPv4.
pub(super) fn address(text: &str, out: &mut String) -> Option<EntityKind> {
    let text = text.split_once('%').map_or(text, |(address, _)| address);
    let address: IpAddr = text.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    // Writing to a text cannot fail.
    let _ = write!(out, "{}", address.to_canonical());
    Some(EntityKind::Address)
}

/// Writes the host of a URL.
fn host_of(url: &str, out: &mut String) -> Option<EntityKind> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let named = match host.strip_prefix('[') {
        Some(inner) => inner.split_once(']').map_or(inner, |(inner, _)| inner),
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    if let Some(kind) = address(named, out) {
        return Some(kind);
    }
    out.push_str(named.trim_end_matches('.'));
    Some(EntityKind::Host)
}

/// The value of the first line that assigns to a key.
fn line<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let value = line.trim().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
        (!value.is_empty()).then_some(value)
    })
}

/// Everything that an event may name beside its actor and object, whatever the event is.
pub(super) const OTHERS: &[Form] = &[
    Form::Computer,
    Form::Account("SubjectDomainName", "SubjectUserName"),
    Form::Account("TargetDomainName", "TargetUserName"),
    Form::Account("TargetOutboundDomainName", "TargetOutboundUserName"),
    Form::Account("TargetDomainName", "OldTargetUserName"),
    Form::Account("TargetDomainName", "NewTargetUserName"),
    Form::Account("AccountDomain", "AccountName"),
    Form::Account("", "User"),
    Form::Account("", "ParentUser"),
    Form::Account("", "SourceUser"),
    Form::Account("", "TargetUser"),
    Form::Account("", "ServiceAccount"),
    Form::Account("", "MemberName"),
    Form::Account("", "MemberSid"),
    Form::Account("", "ModifyingUser"),
    Form::Line(EntityKind::Account, "UserId"),
    Form::Line(EntityKind::Account, "User"),
    Form::SystemUser,
    Form::Process("NewProcessName", "NewProcessId"),
    Form::Process("ParentProcessName", "ProcessId"),
    Form::Process("ProcessName", "ProcessId"),
    Form::Process("Image", "ProcessId"),
    Form::Process("ParentImage", "ParentProcessId"),
    Form::Process("SourceImage", "SourceProcessId"),
    Form::Process("TargetImage", "TargetProcessId"),
    Form::Process("Application", "ProcessId"),
    Form::Process("Application", "ProcessID"),
    Form::Address("IpAddress"),
    Form::Address("ClientAddress"),
    Form::Address("SourceIp"),
    Form::Address("DestinationIp"),
    Form::Address("SourceAddress"),
    Form::Address("DestAddress"),
    Form::Address("Address"),
    Form::Host("Workstation"),
    Form::Host("WorkstationName"),
    Form::Host("ClientName"),
    Form::Host("TargetServerName"),
    Form::Host("SourceHostname"),
    Form::Host("DestinationHostname"),
    Form::Url("url"),
    Form::Object,
    Form::Shared("ShareName", "RelativeTargetName"),
    Form::Plain(EntityKind::File, "TargetFilename"),
    Form::Plain(EntityKind::File, "ImageLoaded"),
    Form::Plain(EntityKind::File, "PipeName"),
    Form::Plain(EntityKind::File, "Path"),
    Form::Plain(EntityKind::File, "KeyFilePath"),
    Form::Plain(EntityKind::File, "ApplicationPath"),
    Form::Plain(EntityKind::File, "ModifyingApplication"),
    Form::Plain(EntityKind::Service, "ServiceName"),
    Form::Plain(EntityKind::Task, "TaskName"),
    Form::Session("SubjectLogonId"),
    Form::Session("TargetLogonId"),
    Form::Session("LogonId"),
    Form::Session("LogonID"),
];

#[cfg(test)]
mod tests {
    use super::{address, host_of, line, process_number, without_realm};

    #[test]
    fn names_have_one_form() {
        assert_eq!(process_number("0x16d0"), Some(5840));
        assert_eq!(process_number("5840"), Some(5840));
        assert_eq!(without_realm("user@EXAMPLE.ORG", "EXAMPLE.ORG"), "user");
        assert_eq!(without_realm("user@other", "EXAMPLE.ORG"), "user@other");
        for (text, expected) in
            [("::ffff:192.0.2.7", "192.0.2.7"), ("fe80:0::1%12", "fe80::1"), ("2001:DB8::1", "2001:db8::1")]
        {
            let mut out = String::new();
            assert!(address(text, &mut out).is_some());
            assert_eq!(out, expected);
        }
        assert!(address("LOCAL", &mut String::new()).is_none());
        for (url, expected) in [
            ("https://a:b@files.example:8443/x?y", "files.example"),
            ("http://[2001:db8::1]:80/", "2001:db8::1"),
            ("http://192.0.2.7", "192.0.2.7"),
        ] {
            let mut out = String::new();
            assert!(host_of(url, &mut out).is_some());
            assert_eq!(out, expected);
        }
        assert_eq!(line("a=1\n\tUserId=CORP\\eve\n", "UserId"), Some("CORP\\eve"));
        assert_eq!(line("        User = CORP\\eve", "User"), Some("CORP\\eve"));
    }
}
