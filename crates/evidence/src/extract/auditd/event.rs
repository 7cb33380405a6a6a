//! What the records of one event say together.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::super::fill::name_of;
use super::record::{Record, from_hex};
use crate::{Class, EntityKind};

/// The name of an entity that may have been put together.
pub(in super::super) type Owned = Option<(EntityKind, String)>;

/// What an event says.
#[derive(Debug)]
pub(in super::super) struct Event {
    pub class: Class,
    pub action: Cow<'static, str>,
    pub actor: Owned,
    pub object: Owned,
    /// The address of the other side of a connection, and its port.
    pub port: Option<u16>,
}

/// Reads an event from its records, in their order.
pub(in super::super) fn read(records: &[Record<'_>]) -> Event {
    let of = |kind: &str| records.iter().find(|record| record.kind == kind);
    if let Some(syscall) = of("SYSCALL") {
        return system_call(syscall, records);
    }
    // An agent puts call and arguments into one record.
    if let Some(record) = of("EXECVE").filter(|record| !record.get("syscall").is_empty()) {
        return system_call(record, records);
    }
    match records.first() {
        Some(record) => user(record),
        None => Event::new(Class::Message, "empty"),
    }
}

impl Event {
    fn new(class: Class, action: impl Into<Cow<'static, str>>) -> Self {
        Self { class, action: action.into(), actor: None, object: None, port: None }
    }

    pub fn actor(&self) -> Option<(EntityKind, &str)> {
        self.actor.as_ref().map(|(kind, name)| (*kind, name.as_str()))
    }

    pub fn object(&self) -> Option<(EntityKind, &str)> {
        self.object.as_ref().map(|(kind, name)| (*kind, name.as_str()))
    }
}

fn owned(kind: EntityKind, name: impl Into<String>) -> Owned {
    let name = name.into();
    name_of(&name).is_some().then_some((kind, name))
}

/// The account of a record: by its name where the log has names, else its number as `#1000`.
pub(in super::super) fn account(record: &Record<'_>) -> Owned {
    for name in ["UID", "user"] {
        let found = record.get(name);
        if !found.is_empty() && found != "unset" {
            return owned(EntityKind::Account, found);
        }
    }
    let number = record.get("uid");
    if number.is_empty() { None } else { owned(EntityKind::Account, format!("#{number}")) }
}

/// The process of a record.
pub(in super::super) fn process(record: &Record<'_>) -> Owned {
    let (exe, comm, pid) = (record.get("exe"), record.get("comm"), record.get("pid"));
    let image = if exe.is_empty() { comm } else { exe };
    match (image.is_empty(), pid.is_empty()) {
        (true, _) => None,
        (false, true) => owned(EntityKind::Process, image),
        (false, false) => owned(EntityKind::Process, format!("{image} ({pid})")),
    }
}

fn system_call(record: &Record<'_>, records: &[Record<'_>]) -> Event {
    let number = record.get("syscall");
    let named = record.get("SYSCALL");
    let name: Cow<'static, str> = match (named.is_empty(), call(&record.get("arch"), &number)) {
        (false, _) => named.into_owned().into(),
        (true, Some(name)) => name.into(),
        (true, None) if number.bytes().all(|byte| byte.is_ascii_digit()) => format!("syscall {number}").into(),
        (true, None) => number.into_owned().into(),
    };
    let name = if name_of(&name).is_some_and(|name| name.len() <= 64) { name } else { "syscall".into() };
    let success = record.get("success") == "yes";
    if !success {
        let mut event = Event::new(Class::Syscall, format!("{name} failed"));
        event.actor = process(record);
        event.object = path(records, "").or_else(|| owned(EntityKind::File, record.get("name")));
        return event;
    }
    if matches!(name.as_ref(), "execve" | "execveat") {
        let mut event = Event::new(Class::ProcessStarted, name);
        (event.actor, event.object) = (account(record), process(record));
        return event;
    }
    let (class, object) = match name.as_ref() {
        "unlink" | "unlinkat" | "rmdir" => (Class::FileDeleted, path(records, "DELETE")),
        "open" | "openat" | "creat" => match path(records, "CREATE") {
            Some(file) => (Class::FileCreated, Some(file)),
            None => (Class::FileAccessed, path(records, "NORMAL")),
        },
        "mkdir" | "mkdirat" => (Class::FileCreated, path(records, "CREATE")),
        "rename" | "renameat" | "renameat2" | "chmod" | "fchmod" | "fchmodat" | "chown" | "fchown" | "fchownat" => {
            (Class::FileChanged, path(records, "CREATE").or_else(|| path(records, "NORMAL")))
        }
        "init_module" | "finit_module" => (Class::ModuleLoaded, None),
        "settimeofday" | "clock_settime" | "adjtimex" => (Class::ClockChanged, None),
        _ => (Class::Syscall, path(records, "")),
    };
    let mut event = Event::new(class, name.clone());
    (event.actor, event.object) = (process(record), object);
    if matches!(name.as_ref(), "connect" | "sendto" | "accept" | "bind")
        && let Some((address, port)) = peer(records)
    {
        event.class = Class::Connection;
        event.object = owned(EntityKind::Address, address);
        event.port = Some(port);
    }
    event
}

/// The file of the first path of a kind (`CREATE`, `DELETE`, `NORMAL`), or of the first path at all.
fn path(records: &[Record<'_>], kind: &str) -> Owned {
    let mut paths = records.iter().filter(|record| record.kind == "PATH");
    let found = paths.find(|record| kind.is_empty() || record.get("nametype") == kind)?;
    owned(EntityKind::File, found.get("name"))
}

/// The address and port of a socket address of the internet.
fn peer(records: &[Record<'_>]) -> Option<(String, u16)> {
    let record = records.iter().find(|record| record.kind == "SOCKADDR")?;
    let bytes = from_hex(&record.get("saddr"))?;
    match bytes.as_slice() {
        [2, 0, p1, p2, a, b, c, d, ..] => {
            Some((Ipv4Addr::new(*a, *b, *c, *d).to_string(), u16::from_be_bytes([*p1, *p2])))
        }
        [10, 0, p1, p2, _, _, _, _, rest @ ..] => {
            let address: [u8; 16] = rest.get(..16)?.try_into().ok()?;
            Some((Ipv6Addr::from(address).to_string(), u16::from_be_bytes([*p1, *p2])))
        }
        _ => None,
    }
}

/// The name of a system call on the usual machines.
fn call(arch: &str, number: &str) -> Option<&'static str> {
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(match (arch, number) {
        ("c000003e" | "x86_64", number) => match number {
            "2" => "open",
            "41" => "socket",
            "42" => "connect",
            "43" => "accept",
            "44" => "sendto",
            "49" => "bind",
            "56" => "clone",
            "59" => "execve",
            "62" => "kill",
            "82" => "rename",
            "83" => "mkdir",
            "84" => "rmdir",
            "85" => "creat",
            "87" => "unlink",
            "90" => "chmod",
            "91" => "fchmod",
            "92" => "chown",
            "93" => "fchown",
            "101" => "ptrace",
            "105" => "setuid",
            "106" => "setgid",
            "159" => "adjtimex",
            "164" => "settimeofday",
            "165" => "mount",
            "175" => "init_module",
            "176" => "delete_module",
            "227" => "clock_settime",
            "257" => "openat",
            "258" => "mkdirat",
            "260" => "fchownat",
            "263" => "unlinkat",
            "264" => "renameat",
            "268" => "fchmodat",
            "313" => "finit_module",
            "316" => "renameat2",
            "322" => "execveat",
            _ => return None,
        },
        ("c00000b7" | "aarch64", "221") | ("40000003" | "i386", "11") => "execve",
        ("c00000b7" | "aarch64", "281") | ("40000003" | "i386", "358") => "execveat",
        _ => return None,
    })
}

/// Records that programs write.
fn user(record: &Record<'_>) -> Event {
    let result = record.get("res");
    let failed = matches!(result.as_ref(), "failed" | "0" | "no");
    let (class, action) = match (record.kind, failed) {
        ("USER_LOGIN", false) => (Class::Logon, "login"),
        ("USER_LOGIN", true) => (Class::LogonFailed, "login refused"),
        ("USER_AUTH" | "USER_ERR", true) => (Class::LogonFailed, "authentication failure"),
        ("USER_START", false) => (Class::SessionOpened, "session opened"),
        ("USER_END", false) => (Class::SessionClosed, "session closed"),
        ("USER_LOGOUT", false) => (Class::Logoff, "logout"),
        ("USER_CMD", false) => (Class::CommandAsOther, "sudo"),
        ("ADD_USER", false) => (Class::AccountCreated, "account created"),
        ("DEL_USER", false) => (Class::AccountDeleted, "account deleted"),
        ("USER_MGMT" | "ACCT_LOCK" | "ACCT_UNLOCK", false) => (Class::AccountChanged, "account changed"),
        ("ADD_GROUP" | "DEL_GROUP" | "GRP_MGMT", false) => (Class::GroupChanged, "group changed"),
        ("USER_CHAUTHTOK", false) => (Class::PasswordChanged, "password changed"),
        ("SERVICE_START", false) => (Class::ServiceChanged, "started"),
        ("SERVICE_STOP", false) => (Class::ServiceChanged, "stopped"),
        ("SYSTEM_BOOT", _) => (Class::SystemStarted, "boot"),
        ("SYSTEM_SHUTDOWN", _) => (Class::SystemStopped, "shutdown"),
        ("CONFIG_CHANGE", false) => (Class::PolicyChanged, "audit rules changed"),
        ("DAEMON_START" | "DAEMON_END" | "DAEMON_ROTATE", _) => (Class::LogStarted, "audit daemon"),
        (kind, failed) => {
            let ending = if failed { " failed" } else { "" };
            // Kinds are capitals, digits and underscores; a record of another kind is damaged or made up.
            let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let kind = if kind.len() <= 64 && kind.bytes().all(known) { kind } else { "record" };
            let mut event = Event::new(Class::Message, format!("{}{ending}", kind.to_ascii_lowercase()));
            (event.actor, event.object) = (process(record), owned(EntityKind::Account, record.get("acct")));
            return event;
        }
    };
    let mut event = Event::new(class, action);
    let unit = record.get("unit");
    if class == Class::ServiceChanged {
        (event.actor, event.object) = (account(record), owned(EntityKind::Service, unit));
        return event;
    }
    let address = record.get("addr");
    let machine = super::super::fill::machine(&address).map(|(kind, name)| (kind, name.into_owned()));
    event.actor = machine.filter(|_| !address.is_empty()).or_else(|| account(record));
    let named = record.get("acct");
    let named = if named.is_empty() { record.get("ID") } else { named };
    event.object = owned(EntityKind::Account, named);
    event
}

/// The arguments of a program, from its records `EXECVE`, with blanks between them.
pub(in super::super) fn arguments(records: &[Record<'_>]) -> String {
    let mut found: Vec<(u32, u32, Cow<'_, str>)> = Vec::new();
    for field in records.iter().filter(|record| record.kind == "EXECVE").flat_map(Record::fields) {
        // `a3`, or `a3[1]` for the second part of a long one; `a3_len` is a length.
        let Some(number) = field.name.strip_prefix('a') else { continue };
        let (index, part) = number.strip_suffix(']').and_then(|rest| rest.split_once('[')).unwrap_or((number, "0"));
        if let (Ok(index), Ok(part)) = (index.parse(), part.parse()) {
            found.push((index, part, field.decoded()));
        }
    }
    found.sort_by_key(|(index, part, _)| (*index, *part));
    let mut text = String::new();
    let mut last = None;
    for (index, _, piece) in found {
        if last.is_some_and(|last| last != index) {
            text.push(' ');
        }
        text.push_str(&piece);
        last = Some(index);
    }
    text
}
