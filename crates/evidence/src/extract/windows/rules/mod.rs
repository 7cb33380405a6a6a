//! The table of events: by provider and number, the class, what was done, and which fields name who did it to what.

mod security;
mod services;
mod sysmon;
mod system;

use super::entity::Form;
use crate::Class;

/// The provider of Sysmon.
pub(super) const SYSMON: &str = "Microsoft-Windows-Sysmon";
/// The action of a validation; another one means its refusal.
pub(super) const CREDENTIALS_VALIDATED: &str = "credentials validated";

/// What an event means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The number of the event.
    pub(super) id: u32,
    pub(super) class: Class,
    /// What was done.
    pub(super) action: &'static str,
    /// Who did it: the first that the event names.
    pub(super) actor: &'static [Form],
    /// What it was done to: the first that the event names.
    pub(super) object: &'static [Form],
}

/// A row of the table.
const fn rule(id: u32, class: Class, action: &'static str, actor: &'static [Form], object: &'static [Form]) -> Rule {
    Rule { id, class, action, actor, object }
}

/// Nobody is named.
const NONE: &[Form] = &[];
/// The host that logged the event.
const HERE: &[Form] = &[Form::Computer];
/// The account under which the event was logged.
const USER: &[Form] = &[Form::SystemUser];

/// The rules of a provider, in the order of their numbers.
fn rules_of(provider: &str) -> &'static [Rule] {
    match provider {
        "Microsoft-Windows-Security-Auditing" => security::AUDITING,
        SYSMON => sysmon::SYSMON,
        "Microsoft-Windows-Eventlog" => security::EVENT_LOG,
        "Service Control Manager" | "Microsoft-Windows-Service Control Manager" => system::SERVICE_CONTROL,
        "EventLog" => system::EVENT_LOG,
        "User32" | "USER32" => system::USER32,
        "Microsoft-Windows-Kernel-General" => system::KERNEL_GENERAL,
        "Microsoft-Windows-Kernel-Power" => system::KERNEL_POWER,
        "Microsoft-Windows-FilterManager" => system::FILTER_MANAGER,
        "Microsoft-Windows-Time-Service" => system::TIME_SERVICE,
        "Microsoft-Windows-Winlogon" => system::WINLOGON,
        "Microsoft-Windows-UserPnp" => system::USER_PNP,
        "Microsoft-Windows-WindowsUpdateClient" => system::WINDOWS_UPDATE,
        "MsiInstaller" => system::MSI_INSTALLER,
        "PowerShell" => services::POWERSHELL_CLASSIC,
        "Microsoft-Windows-PowerShell" | "PowerShellCore" => services::POWERSHELL,
        "Microsoft-Windows-TaskScheduler" => services::TASK_SCHEDULER,
        "Microsoft-Windows-WMI-Activity" => services::WMI,
        "Microsoft-Windows-TerminalServices-LocalSessionManager" => services::LOCAL_SESSIONS,
        "Microsoft-Windows-TerminalServices-RemoteConnectionManager" => services::REMOTE_CONNECTIONS,
        "Microsoft-Windows-WinRM" => services::WINRM,
        "Microsoft-Windows-Windows Defender" => services::DEFENDER,
        "Microsoft-Windows-Bits-Client" => services::BITS,
        "Microsoft-Windows-DNS-Client" => services::DNS_CLIENT,
        "Microsoft-Windows-DNSServer" | "Microsoft-Windows-DNS-Server-Service" => services::DNS_SERVER,
        "Microsoft-Windows-Windows Firewall With Advanced Security" => services::FIREWALL,
        "Microsoft-Windows-NTLM" => services::NTLM,
        _ => &[],
    }
}

/// The rule of an event, if the table has one.
pub(super) fn find(provider: &str, id: u32) -> Option<&'static Rule> {
    let rules = rules_of(provider);
    rules.binary_search_by_key(&id, |rule| rule.id).ok().and_then(|at| rules.get(at))
}

/// The class of events of a provider that the table does not name.
pub(super) fn class_of_provider(provider: &str) -> Class {
    match provider {
        "Microsoft-Windows-Windows Defender" | "SecurityCenter" | "Microsoft-Windows-AppLocker" => {
            Class::SecurityProduct
        }
        _ => Class::Message,
    }
}

#[cfg(test)]
mod tests {
    use super::{find, rules_of};
    use crate::Class;

    #[test]
    fn every_table_is_in_order_and_every_action_is_a_word_or_two() {
        for provider in [
            "Microsoft-Windows-Security-Auditing",
            "Microsoft-Windows-Sysmon",
            "Microsoft-Windows-Eventlog",
            "Service Control Manager",
            "EventLog",
            "User32",
            "Microsoft-Windows-Kernel-General",
            "Microsoft-Windows-Kernel-Power",
            "Microsoft-Windows-FilterManager",
            "Microsoft-Windows-Time-Service",
            "Microsoft-Windows-Winlogon",
            "Microsoft-Windows-UserPnp",
            "Microsoft-Windows-WindowsUpdateClient",
            "MsiInstaller",
            "PowerShell",
            "Microsoft-Windows-PowerShell",
            "Microsoft-Windows-TaskScheduler",
            "Microsoft-Windows-WMI-Activity",
            "Microsoft-Windows-TerminalServices-LocalSessionManager",
            "Microsoft-Windows-TerminalServices-RemoteConnectionManager",
            "Microsoft-Windows-WinRM",
            "Microsoft-Windows-Windows Defender",
            "Microsoft-Windows-Bits-Client",
            "Microsoft-Windows-DNS-Client",
            "Microsoft-Windows-DNSServer",
            "Microsoft-Windows-Windows Firewall With Advanced Security",
            "Microsoft-Windows-NTLM",
        ] {
            let rules = rules_of(provider);
            assert!(!rules.is_empty(), "{provider}");
            assert!(rules.is_sorted_by(|before, after| before.id < after.id), "{provider}");
            for rule in rules {
                assert!((1..=40).contains(&rule.action.len()), "{provider} {}", rule.id);
                assert!(find(provider, rule.id).is_some_and(|found| found.action == rule.action));
            }
        }
        assert!(find("Microsoft-Windows-Security-Auditing", 4624).is_some_and(|rule| rule.class == Class::Logon));
        assert!(find("nobody", 4624).is_none());
    }
}
