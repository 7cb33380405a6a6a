//! Messages of the OpenSSH server on Windows: the text of a Unix log in one field.

use super::entity;
use crate::{Class, EntityKind};

/// The provider.
pub(super) const PROVIDER: &str = "OpenSSH";

/// The class of a message, and what was done.
pub(super) fn class(message: &str) -> (Class, &'static str) {
    let message = message.trim_start();
    let starts = |text| message.starts_with(text);
    if starts("Accepted ") {
        (Class::Logon, "ssh logon")
    } else if starts("Failed ") {
        (Class::LogonFailed, "ssh logon")
    } else if starts("Invalid user ") {
        (Class::LogonFailed, "unknown account")
    } else if starts("Server listening ") {
        (Class::SshEvent, "server listening")
    } else if starts("Connection ") || starts("Disconnect") || starts("Received disconnect ") {
        (Class::SshEvent, "connection ended")
    } else {
        (Class::SshEvent, "ssh message")
    }
}

/// The peer's address, after ` from `.
pub(super) fn address_of(message: &str, out: &mut String) -> Option<EntityKind> {
    out.clear();
    // The last one: an account may be called anything.
    let (_, after) = message.rsplit_once(" from ")?;
    let word = after.split_ascii_whitespace().next()?;
    entity::address(word.trim_end_matches(':'), out)
}

/// The account, after ` for `, ` for invalid user ` or `Invalid user `.
pub(super) fn account_of(message: &str, out: &mut String) -> Option<EntityKind> {
    out.clear();
    let message = message.trim_start();
    let after = if message.starts_with("Accepted ") || message.starts_with("Failed ") {
        let after = message.split_once(" for ").map(|(_, after)| after)?;
        after.strip_prefix("invalid user ").unwrap_or(after)
    } else {
        message.strip_prefix("Invalid user ")?
    };
    let (name, _) = after.rsplit_once(" from ")?;
    let sound = !name.is_empty() && name.len() <= 512 && !name.chars().any(char::is_control);
    out.push_str(name);
    sound.then_some(EntityKind::Account)
}

#[cfg(test)]
mod tests {
    use super::{account_of, address_of, class};
    use crate::Class;

    #[test]
    fn an_account_cannot_forge_an_address() {
        let message = "Invalid user a from 192.0.2.1 port 22 from 198.51.100.9 port 50022";
        let (mut address, mut account) = (String::new(), String::new());
        address_of(message, &mut address).unwrap();
        account_of(message, &mut account).unwrap();
        assert_eq!((address.as_str(), account.as_str()), ("198.51.100.9", "a from 192.0.2.1 port 22"));
    }

    #[test]
    fn messages_have_classes() {
        assert_eq!(class("Accepted password for eve from 192.0.2.1 port 22 ssh2").0, Class::Logon);
        assert_eq!(class("Failed password for invalid user x from 192.0.2.1 port 22 ssh2").0, Class::LogonFailed);
        assert_eq!(class("Invalid user x from 192.0.2.1 port 22"), (Class::LogonFailed, "unknown account"));
        assert_eq!(class("Server listening on :: port 22.").0, Class::SshEvent);
    }
}
