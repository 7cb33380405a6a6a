//! Classes of facts: what kind of thing was observed. A class is not an opinion.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::text::as_text;

macro_rules! classes {
    ($($variant:ident = $name:literal, $ocsf:expr, $means:literal;)*) => {
        /// What kind of thing a fact states. A closed list; the number is the class of the Open Cybersecurity Schema Framework
        /// that covers it, where there is one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Class {
            $(#[doc = $means] $variant,)*
        }

        impl Class {
            /// All classes, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in packets.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The class of the Open Cybersecurity Schema Framework that covers it.
            #[must_use]
            pub const fn ocsf(self) -> Option<u16> {
                match self { $(Self::$variant => $ocsf,)* }
            }

            /// What facts of the class state, in a sentence for people.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $means,)* }
            }
        }
    };
}

classes! {
    Logon = "logon", Some(3002), "An account logged on.";
    LogonFailed = "logon_failed", Some(3002), "A logon failed.";
    Logoff = "logoff", Some(3002), "An account logged off.";
    ExplicitLogon = "explicit_logon", Some(3002), "A process used the credentials of another account.";
    PrivilegesAssigned = "privileges_assigned", Some(3003), "Privileges were assigned to a new logon.";
    SessionOpened = "session_opened", Some(3002), "A login session was opened.";
    SessionClosed = "session_closed", Some(3002), "A login session was closed.";
    TicketRequested = "ticket_requested", Some(3002), "A Kerberos ticket was requested, or credentials were validated.";
    CommandAsOther = "command_as_other", Some(1007), "A command was run as another account (sudo, su, runas).";
    ProcessStarted = "process_started", Some(1007), "A process started.";
    ProcessEnded = "process_ended", Some(1007), "A process ended.";
    ProcessAccessed = "process_accessed", Some(1007), "A process opened another process or wrote into it.";
    ModuleLoaded = "module_loaded", Some(1005), "A module or driver was loaded.";
    ScriptRun = "script_run", Some(1009), "A script or a block of one was run.";
    FileCreated = "file_created", Some(1001), "A file was created.";
    FileAccessed = "file_accessed", Some(1001), "A file or another object was opened.";
    FileChanged = "file_changed", Some(1001), "A file was changed, renamed or given other attributes.";
    FileDeleted = "file_deleted", Some(1001), "A file was deleted.";
    RegistryChanged = "registry_changed", None, "A registry key or value was created, set or deleted.";
    ServiceInstalled = "service_installed", Some(1006), "A service was installed.";
    ServiceChanged = "service_changed", Some(1006), "A service started, stopped or was given other settings.";
    TaskCreated = "task_created", Some(1006), "A scheduled task was created.";
    TaskChanged = "task_changed", Some(1006), "A scheduled task was changed.";
    TaskDeleted = "task_deleted", Some(1006), "A scheduled task was deleted.";
    TaskRun = "task_run", Some(1006), "A scheduled task or job ran.";
    AccountCreated = "account_created", Some(3001), "An account was created.";
    AccountChanged = "account_changed", Some(3001), "An account was changed, enabled, disabled, locked or unlocked.";
    AccountDeleted = "account_deleted", Some(3001), "An account was deleted.";
    PasswordChanged = "password_changed", Some(3001), "A password was changed or reset.";
    GroupChanged = "group_changed", Some(3006), "A group or its members changed.";
    DirectoryAccessed = "directory_accessed", Some(3004), "An object of a directory service was read or changed.";
    PolicyChanged = "policy_changed", Some(5002), "A policy of auditing, of a domain or of a firewall changed.";
    LogCleared = "log_cleared", Some(1008), "An event log was cleared.";
    LogStarted = "log_started", Some(1008), "A log or its service started, stopped or lost records.";
    ShareAccessed = "share_accessed", Some(4006), "A network share or a file on it was opened.";
    RemoteDesktop = "remote_desktop", Some(4005), "A remote desktop session was opened, taken over or closed.";
    Connection = "connection", Some(4001), "A process or host made, accepted or was refused a connection.";
    Flow = "flow", Some(4001), "Traffic between two addresses, as an exporter counted it.";
    PacketFiltered = "packet_filtered", Some(4001), "A packet filter logged a packet.";
    DnsQuery = "dns_query", Some(4003), "A name was looked up.";
    HttpRequest = "http_request", Some(4002), "A web request.";
    SshEvent = "ssh_event", Some(4007), "An event of an SSH server other than a logon.";
    Wmi = "wmi", Some(1009), "An event of Windows Management Instrumentation.";
    SecurityProduct = "security_product", Some(2004), "A security product reported a detection or was given other settings.";
    SystemStarted = "system_started", Some(1008), "A system started.";
    SystemStopped = "system_stopped", Some(1008), "A system stopped.";
    ClockChanged = "clock_changed", Some(1008), "A clock was set.";
    Software = "software", Some(1008), "Software was installed, updated or removed.";
    Syscall = "syscall", Some(1007), "A system call was audited.";
    Message = "message", None, "A record of another kind, as it is.";
    Inventory = "inventory", None, "What an inventory says of a host, an address or a service.";
    ChangeWindow = "change_window", None, "A change that was announced: ticket, window, what it covers.";
    KnownScanner = "known_scanner", None, "An address that is known to scan.";
    KnownAccount = "known_account", None, "What is known of an account.";
    History = "history", None, "What was observed earlier, as an operator states it.";
    NotCollected = "not_collected", None, "What was not collected: a source and an interval.";
    RuleHit = "rule_hit", Some(2004), "A detection rule of others matched a record: an opinion on it, and no observation.";
    Damaged = "damaged", None, "A record that could not be read.";
    Other = "other_groups", None, "Groups of facts beyond the table of groups, counted together.";
}

/// A text that is not a class.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no class of facts `{0}`{hint}", hint = gimbal_core::nearest::hint(.0, Class::ALL.iter().map(|class| class.name())))]
pub struct UnknownClass(pub String);

impl Class {
    /// Whether a person stated it and no sensor saw it.
    #[must_use]
    pub const fn is_context(self) -> bool {
        matches!(
            self,
            Self::Inventory
                | Self::ChangeWindow
                | Self::KnownScanner
                | Self::KnownAccount
                | Self::History
                | Self::NotCollected
        )
    }
}

impl Class {
    /// Whether it says what someone else's rule makes of a record. Agents by rule and judges pass over such facts, so that no verdict
    /// follows from them alone.
    #[must_use]
    pub const fn is_opinion(self) -> bool {
        matches!(self, Self::RuleHit)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Class {
    type Err = UnknownClass;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|class| class.name() == text).ok_or_else(|| UnknownClass(text.to_owned()))
    }
}

as_text!(Class);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Class;

    #[test]
    fn names_are_different_words() {
        let names: BTreeSet<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        assert_eq!(names.len(), Class::ALL.len());
        for class in Class::ALL {
            assert_eq!(class.name().parse(), Ok(*class));
            assert!(class.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        }
        assert!("logons".parse::<Class>().unwrap_err().to_string().contains("did you mean `logon`"));
    }
}
