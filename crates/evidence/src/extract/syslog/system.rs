//! Messages of sudo, su, cron, systemd, the tools that manage accounts, and the packet filter.

use super::pam;
use super::reading::{Reading, between, pairs, quoted};
use crate::{Class, EntityKind};

/// `NAME : [REASON ; ]TTY=... ; PWD=... ; USER=... ; COMMAND=...`.
pub(super) fn sudo(message: &str) -> Option<Reading<'_>> {
    if message.starts_with("pam_") {
        return pam::read(message);
    }
    let (name, rest) = message.trim_start().split_once(" : ")?;
    // A command may hold any text, and is the last part.
    let (head, command) = match rest.find("COMMAND=") {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 8..).unwrap_or_default()),
        None => (rest, ""),
    };
    let part = |key: &str| head.split(" ; ").find_map(|part| part.trim().strip_prefix(key)).unwrap_or_default();
    let reason = head.split(" ; ").next().map(str::trim).filter(|part| !part.contains('=')).unwrap_or_default();
    let (class, action) = match reason {
        "" => (Class::CommandAsOther, "sudo"),
        reason if reason.contains("incorrect password") => (Class::LogonFailed, "sudo password refused"),
        reason if reason.contains("unable to") || reason.contains("problem with") => return None,
        _ => (Class::LogonFailed, "sudo refused"),
    };
    let reading = Reading::new(class, action).by_account(name.trim()).on_account(part("USER="));
    let reading = reading.with("command", command).with("tty", part("TTY=")).with("pwd", part("PWD="));
    Some(reading.with("reason", reason))
}

/// `(to NAME) OTHER on TTY`, `Successful su for NAME by OTHER`, `+ TTY OTHER:NAME`, and their failures.
pub(super) fn su(message: &str) -> Option<Reading<'_>> {
    if message.starts_with("pam_") {
        return pam::read(message);
    }
    let opened = |by, name| Reading::new(Class::CommandAsOther, "su").by_account(by).on_account(name);
    let failed = |by, name| Reading::new(Class::LogonFailed, "su refused").by_account(by).on_account(name);
    let to = |text| -> Option<(&str, &str, &str)> {
        let (name, rest) = str::strip_prefix(text, "(to ")?.split_once(") ")?;
        let (by, tty) = rest.split_once(" on ").unwrap_or((rest, ""));
        Some((name, by, tty))
    };
    if let Some((name, by, tty)) = to(message) {
        return Some(opened(by, name).with("tty", tty));
    }
    if let Some((name, by, tty)) = message.strip_prefix("FAILED SU ").and_then(to) {
        return Some(failed(by, name).with("tty", tty));
    }
    if let Some((name, by)) = message.strip_prefix("Successful su for ").and_then(|rest| rest.split_once(" by ")) {
        return Some(opened(by, name));
    }
    if let Some((name, by)) = message.strip_prefix("FAILED su for ").and_then(|rest| rest.split_once(" by ")) {
        return Some(failed(by, name));
    }
    let (sign, rest) = message.split_once(' ')?;
    let (tty, names) = rest.split_once(' ')?;
    let (by, name) = names.split_once(':')?;
    match sign {
        "+" => Some(opened(by, name).with("tty", tty)),
        "-" => Some(failed(by, name).with("tty", tty)),
        _ => None,
    }
}

/// `(NAME) CMD (COMMAND)`, and changes of a table of jobs.
pub(super) fn cron(message: &str) -> Option<Reading<'_>> {
    if message.starts_with("pam_") {
        return pam::read(message);
    }
    let (name, rest) = message.strip_prefix('(')?.split_once(") ")?;
    let (verb, rest) = rest.split_once(" (")?;
    let inside = rest.trim_end();
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let (class, action) = match verb {
        "CMD" => {
            let reading = Reading::new(Class::TaskRun, "cron command").by_account(name);
            return Some(reading.on(EntityKind::Task, inside).with("command", inside));
        }
        "REPLACE" => (Class::TaskChanged, "crontab replaced"),
        "DELETE" => (Class::TaskDeleted, "crontab deleted"),
        _ => return None,
    };
    Some(Reading::new(class, action).by_account(name).on_account(inside))
}

/// Units that start and stop.
pub(super) fn systemd(message: &str) -> Option<Reading<'_>> {
    let message = message.trim_end();
    let (verb, rest) = message.split_once(' ')?;
    let action = match verb {
        "Started" => "started",
        "Starting" => "starting",
        "Stopped" => "stopped",
        "Stopping" => "stopping",
        "Reloaded" => "reloaded",
        "Reloading" => "reloading",
        "Startup" => return Some(Reading::new(Class::SystemStarted, "startup finished")),
        unit => {
            let unit = unit.strip_suffix(".service:")?;
            let action = if rest.starts_with("Succeeded") || rest.starts_with("Deactivated successfully") {
                "ended"
            } else if rest.starts_with("Failed with result") || rest.starts_with("Main process exited") {
                "failed"
            } else {
                return None;
            };
            return Some(
                Reading::new(Class::ServiceChanged, action).on(EntityKind::Service, unit).with("result", rest),
            );
        }
    };
    let name = rest.strip_suffix("...").or_else(|| rest.strip_suffix('.')).unwrap_or(rest);
    // Newer versions write `Started cron.service - Regular background program processing daemon.`
    let (unit, description) = name.split_once(" - ").unwrap_or((name, ""));
    let reading = Reading::new(Class::ServiceChanged, action).on(EntityKind::Service, unit);
    Some(reading.with("description", description))
}

/// `New session ID of user NAME.`, `Removed session ID.`.
pub(super) fn logind(message: &str) -> Option<Reading<'_>> {
    let message = message.trim_end();
    let text = message.strip_suffix('.').unwrap_or(message);
    if let Some((id, name)) = text.strip_prefix("New session ").and_then(|rest| rest.split_once(" of user ")) {
        let reading = Reading::new(Class::SessionOpened, "session opened").by_account(name);
        return Some(reading.on(EntityKind::Session, id));
    }
    let id = match text.strip_prefix("Removed session ") {
        Some(id) => id,
        None => text.strip_prefix("Session ")?.split_once(" logged out")?.0,
    };
    Some(Reading::new(Class::SessionClosed, "session closed").on(EntityKind::Session, id))
}

/// What useradd, usermod, userdel, groupadd, groupmod, groupdel, gpasswd, passwd and chage did.
pub(super) fn accounts(message: &str) -> Option<Reading<'_>> {
    let of = Reading::new;
    if message.starts_with("pam_") {
        return pam::read(message);
    }
    if let Some(rest) = message.strip_prefix("new user: ") {
        let field = |key: &str| rest.split(", ").find_map(|part| part.strip_prefix(key)).unwrap_or_default();
        let reading = of(Class::AccountCreated, "account created").on_account(field("name="));
        let reading = reading.with("uid", field("UID=")).with("gid", field("GID=")).with("home", field("home="));
        return Some(reading.with("shell", field("shell=")).with("from", field("from=")));
    }
    if let Some(rest) = message.strip_prefix("new group: ").or_else(|| message.strip_prefix("group added to ")) {
        let name = between(rest, "name=", ",").or_else(|| rest.split_once("name=").map(|(_, name)| name));
        return Some(of(Class::GroupChanged, "group created").with("group", name.unwrap_or_default()));
    }
    if let Some((name, rest)) = message.strip_prefix("add ").and_then(quoted) {
        let group =
            rest.find(['\'', '`']).and_then(|at| rest.get(at..)).and_then(quoted).map_or("", |(group, _)| group);
        return Some(of(Class::GroupChanged, "member added").on_account(name).with("group", group));
    }
    if let Some((name, rest)) = message.strip_prefix("delete ").and_then(quoted) {
        let group =
            rest.find(['\'', '`']).and_then(|at| rest.get(at..)).and_then(quoted).map_or("", |(group, _)| group);
        return Some(of(Class::GroupChanged, "member removed").on_account(name).with("group", group));
    }
    if let Some((name, _)) = message.strip_prefix("delete user ").and_then(quoted) {
        return Some(of(Class::AccountDeleted, "account deleted").on_account(name));
    }
    let group = ["removed group ", "remove group ", "group "].into_iter().find_map(|start| message.strip_prefix(start));
    if let Some((group, rest)) = group.and_then(quoted)
        && (message.starts_with("remove") || rest.contains("removed"))
    {
        return Some(of(Class::GroupChanged, "group removed").with("group", group));
    }
    if let Some((name, rest)) = message.strip_prefix("change user ").and_then(quoted) {
        let what = rest.trim();
        return Some(match what {
            "password" => of(Class::PasswordChanged, "password changed").on_account(name),
            _ => of(Class::AccountChanged, "account changed").on_account(name).with("what", what),
        });
    }
    if let Some((name, rest)) = message.strip_prefix("lock user ").and_then(quoted) {
        return Some(of(Class::AccountChanged, "account locked").on_account(name).with("what", rest.trim()));
    }
    if let Some((name, rest)) = message.strip_prefix("unlock user ").and_then(quoted) {
        return Some(of(Class::AccountChanged, "account unlocked").on_account(name).with("what", rest.trim()));
    }
    if let Some((name, rest)) = message.strip_prefix("password for ").and_then(quoted) {
        let by = rest.strip_prefix(" changed by ").and_then(quoted)?.0;
        return Some(of(Class::PasswordChanged, "password changed").by_account(by).on_account(name));
    }
    if let Some(name) = message.strip_prefix("changed password expiry for ") {
        return Some(of(Class::AccountChanged, "password expiry changed").on_account(name.trim_end()));
    }
    let (name, rest) = message.strip_prefix("user ")?.split_once(' ')?;
    if let Some((by, group)) = rest.strip_prefix("added by ").and_then(|rest| rest.split_once(" to group ")) {
        return Some(of(Class::GroupChanged, "member added").by_account(by).on_account(name).with("group", group));
    }
    let (by, group) = rest.strip_prefix("removed by ")?.split_once(" from group ")?;
    Some(of(Class::GroupChanged, "member removed").by_account(by).on_account(name).with("group", group))
}

/// A packet that the packet filter logged: `[PREFIX] IN=... OUT=... SRC=... DST=... PROTO=... SPT=... DPT=...`.
pub(super) fn kernel(message: &str) -> Option<Reading<'_>> {
    let at = message.find("IN=")?;
    let (prefix, text) = message.split_at(at);
    // One pass: these messages come by the thousand.
    let (mut source, mut target, mut protocol) = ("", "", "");
    for (name, value) in pairs(text) {
        match name {
            "SRC" => source = value,
            "DST" => target = value,
            "PROTO" => {
                protocol = value;
                break;
            }
            _ => {}
        }
    }
    if source.is_empty() || target.is_empty() {
        return None;
    }
    let action = match protocol {
        "TCP" | "6" => "tcp packet",
        "UDP" | "17" => "udp packet",
        "ICMP" | "1" => "icmp packet",
        "ICMPv6" | "58" => "icmp6 packet",
        _ => "packet",
    };
    let mut reading = Reading::new(Class::PacketFiltered, action).by_machine(source).pairs(text);
    reading.object = super::super::fill::machine(target);
    Some(reading.with("prefix", prefix.trim()))
}
