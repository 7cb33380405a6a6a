//! Events of the logs of single services and programs.

use super::{Form, HERE, NONE, Rule, USER, rule};
use crate::Class::{
    Connection, DnsQuery, HttpRequest, Logon, LogonFailed, ModuleLoaded, PolicyChanged, ProcessEnded, ProcessStarted,
    RemoteDesktop, ScriptRun, SecurityProduct, ServiceChanged, SessionClosed, SessionOpened, TaskChanged, TaskCreated,
    TaskDeleted, TaskRun, TicketRequested, Wmi,
};
use crate::EntityKind::{Account, File, Process, Task};

/// The account that a text of PowerShell names, else the one under which the event was logged.
const RUNNER: &[Form] = &[Form::Line(Account, "UserId"), Form::Line(Account, "User"), Form::SystemUser];
const SCRIPT: &[Form] = &[Form::Plain(File, "Path"), Form::Line(File, "Script Name"), Form::Computer];
const ENGINE: &[Form] = &[Form::Line(Process, "HostApplication"), Form::Computer];

/// PowerShell, in the log `Windows PowerShell`.
pub(super) const POWERSHELL_CLASSIC: &[Rule] = &[
    rule(400, ProcessStarted, "engine started", NONE, ENGINE),
    rule(403, ProcessEnded, "engine stopped", NONE, ENGINE),
    rule(600, ScriptRun, "provider started", NONE, ENGINE),
    rule(800, ScriptRun, "pipeline run", RUNNER, HERE),
];

/// Microsoft-Windows-PowerShell and PowerShellCore.
pub(super) const POWERSHELL: &[Rule] =
    &[rule(4103, ScriptRun, "command run", RUNNER, SCRIPT), rule(4104, ScriptRun, "script block", USER, SCRIPT)];

const TASK: &[Form] = &[Form::Plain(Task, "TaskName")];
const TASK_USER: &[Form] = &[Form::Account("", "UserContext"), Form::Account("", "UserName"), Form::SystemUser];

/// Microsoft-Windows-TaskScheduler.
pub(super) const TASK_SCHEDULER: &[Rule] = &[
    rule(100, TaskRun, "task started", TASK_USER, TASK),
    rule(102, TaskRun, "task ended", TASK_USER, TASK),
    rule(106, TaskCreated, "task registered", TASK_USER, TASK),
    rule(107, TaskRun, "task started by time", NONE, TASK),
    rule(110, TaskRun, "task started by a user", TASK_USER, TASK),
    rule(118, TaskRun, "task started by system start", NONE, TASK),
    rule(119, TaskRun, "task started by logon", TASK_USER, TASK),
    rule(129, TaskRun, "process of a task created", NONE, TASK),
    rule(140, TaskChanged, "task updated", TASK_USER, TASK),
    rule(141, TaskDeleted, "task deleted", TASK_USER, TASK),
    rule(142, TaskChanged, "task disabled", TASK_USER, TASK),
    rule(200, TaskRun, "action started", NONE, TASK),
    rule(201, TaskRun, "action ended", NONE, TASK),
];

const WMI_USER: &[Form] = &[Form::Account("", "User"), Form::Host("ClientMachine")];

/// Microsoft-Windows-WMI-Activity.
pub(super) const WMI: &[Rule] = &[
    rule(5857, Wmi, "provider started", NONE, &[Form::Plain(File, "ProviderPath"), Form::Computer]),
    rule(5858, Wmi, "operation failed", WMI_USER, HERE),
    rule(5859, Wmi, "event filter registered", WMI_USER, HERE),
    rule(5860, Wmi, "temporary consumer registered", WMI_USER, HERE),
    rule(5861, Wmi, "permanent consumer registered", WMI_USER, HERE),
];

const SESSION_PEER: &[Form] = &[Form::Address("Address")];
const SESSION_USER: &[Form] = &[Form::Account("", "User")];

/// Microsoft-Windows-TerminalServices-LocalSessionManager.
pub(super) const LOCAL_SESSIONS: &[Rule] = &[
    rule(21, RemoteDesktop, "session logon", SESSION_PEER, SESSION_USER),
    rule(22, RemoteDesktop, "shell started", SESSION_PEER, SESSION_USER),
    rule(23, RemoteDesktop, "session logoff", SESSION_PEER, SESSION_USER),
    rule(24, RemoteDesktop, "session disconnected", SESSION_PEER, SESSION_USER),
    rule(25, RemoteDesktop, "session reconnected", SESSION_PEER, SESSION_USER),
    rule(39, RemoteDesktop, "session disconnected by another", NONE, HERE),
    rule(40, RemoteDesktop, "session disconnected", NONE, HERE),
];

/// Microsoft-Windows-TerminalServices-RemoteConnectionManager.
pub(super) const REMOTE_CONNECTIONS: &[Rule] = &[
    rule(261, Connection, "connection received", NONE, HERE),
    rule(
        1149,
        RemoteDesktop,
        "account authenticated",
        &[Form::Address("Param3")],
        &[Form::Account("Param2", "Param1")],
    ),
];

/// Microsoft-Windows-WinRM.
pub(super) const WINRM: &[Rule] = &[
    rule(6, Connection, "session requested", USER, HERE),
    rule(8, SessionClosed, "session closed", USER, HERE),
    rule(33, SessionClosed, "session closed", USER, HERE),
    rule(91, SessionOpened, "session opened", USER, HERE),
    rule(161, LogonFailed, "remote management logon", USER, HERE),
    rule(169, Logon, "remote management logon", NONE, &[Form::Account("", "username")]),
];

const FINDER: &[Form] = &[Form::Account("", "Detection User"), Form::SystemUser];
const FOUND: &[Form] = &[Form::Plain(File, "Path"), Form::Computer];

/// Microsoft-Windows-Windows Defender. Its other events are of the class `security_product` too.
pub(super) const DEFENDER: &[Rule] = &[
    rule(1006, SecurityProduct, "detection", FINDER, FOUND),
    rule(1007, SecurityProduct, "action taken", FINDER, FOUND),
    rule(1008, SecurityProduct, "action failed", FINDER, FOUND),
    rule(1013, SecurityProduct, "history deleted", USER, HERE),
    rule(1015, SecurityProduct, "behaviour detected", FINDER, FOUND),
    rule(1116, SecurityProduct, "detection", FINDER, FOUND),
    rule(1117, SecurityProduct, "action taken", FINDER, FOUND),
    rule(1118, SecurityProduct, "action failed", FINDER, FOUND),
    rule(1119, SecurityProduct, "action failed", FINDER, FOUND),
    rule(1121, SecurityProduct, "attack surface rule blocked", USER, FOUND),
    rule(1122, SecurityProduct, "attack surface rule audited", USER, FOUND),
    rule(5001, SecurityProduct, "real-time protection disabled", USER, HERE),
    rule(5004, SecurityProduct, "real-time protection changed", USER, HERE),
    rule(5007, SecurityProduct, "settings changed", USER, HERE),
    rule(5010, SecurityProduct, "malware scanning disabled", USER, HERE),
    rule(5012, SecurityProduct, "virus scanning disabled", USER, HERE),
    rule(5013, SecurityProduct, "change of settings blocked", USER, HERE),
];

const JOB: &[Form] = &[Form::Plain(Task, "jobTitle"), Form::Plain(Task, "string"), Form::Plain(Task, "name")];
const JOB_OWNER: &[Form] =
    &[Form::Account("", "jobOwner"), Form::Account("", "User"), Form::Account("", "string2"), Form::SystemUser];
const REMOTE: &[Form] = &[Form::Url("url"), Form::Url("RemoteName")];

/// Microsoft-Windows-Bits-Client: jobs that transfer files.
pub(super) const BITS: &[Rule] = &[
    rule(3, TaskCreated, "transfer job created", JOB_OWNER, JOB),
    rule(4, TaskRun, "transfer job completed", JOB_OWNER, JOB),
    rule(5, TaskDeleted, "transfer job cancelled", JOB_OWNER, JOB),
    rule(59, HttpRequest, "transfer started", USER, REMOTE),
    rule(60, HttpRequest, "transfer stopped", USER, REMOTE),
    rule(61, HttpRequest, "transfer failed", USER, REMOTE),
    rule(16403, TaskCreated, "transfer job created", JOB_OWNER, JOB),
];

const NAME: &[Form] = &[Form::Host("QueryName"), Form::Host("QNAME"), Form::Host("Zone"), Form::Computer];
const ASKER: &[Form] = &[Form::Address("Source"), Form::Address("Destination")];

/// Microsoft-Windows-DNS-Client.
pub(super) const DNS_CLIENT: &[Rule] = &[
    rule(1014, DnsQuery, "look-up timed out", NONE, NAME),
    rule(3006, DnsQuery, "name looked up", NONE, NAME),
    rule(3008, DnsQuery, "look-up ended", NONE, NAME),
    rule(3010, DnsQuery, "query sent", NONE, NAME),
    rule(3011, DnsQuery, "response received", NONE, NAME),
    rule(3018, DnsQuery, "look-up in the cache", NONE, NAME),
    rule(3020, DnsQuery, "response of a look-up", NONE, NAME),
];

/// Microsoft-Windows-DNSServer and Microsoft-Windows-DNS-Server-Service.
pub(super) const DNS_SERVER: &[Rule] = &[
    rule(150, ModuleLoaded, "plug-in could not be loaded", NONE, HERE),
    rule(256, DnsQuery, "query received", ASKER, NAME),
    rule(257, DnsQuery, "response sent", NONE, NAME),
    rule(258, DnsQuery, "response failed", NONE, NAME),
    rule(260, DnsQuery, "query sent on", NONE, NAME),
    rule(515, PolicyChanged, "record created", USER, NAME),
    rule(516, PolicyChanged, "record deleted", USER, NAME),
    rule(541, PolicyChanged, "server setting changed", USER, HERE),
    rule(770, ModuleLoaded, "plug-in loaded", NONE, HERE),
    rule(771, ModuleLoaded, "plug-in could not be loaded", NONE, HERE),
];

const CHANGER: &[Form] = &[Form::Account("", "ModifyingUser"), Form::SystemUser];

/// Microsoft-Windows-Windows Firewall With Advanced Security.
pub(super) const FIREWALL: &[Rule] = &[
    rule(2002, PolicyChanged, "firewall setting changed", CHANGER, HERE),
    rule(2003, PolicyChanged, "firewall profile changed", CHANGER, HERE),
    rule(2004, PolicyChanged, "firewall rule added", CHANGER, HERE),
    rule(2005, PolicyChanged, "firewall rule changed", CHANGER, HERE),
    rule(2006, PolicyChanged, "firewall rule deleted", CHANGER, HERE),
    rule(2008, PolicyChanged, "firewall policy changed", CHANGER, HERE),
    rule(2010, ServiceChanged, "network profile changed", NONE, HERE),
    rule(2032, PolicyChanged, "firewall reset", CHANGER, HERE),
    rule(2033, PolicyChanged, "all firewall rules deleted", CHANGER, HERE),
    rule(2052, PolicyChanged, "firewall rule deleted", CHANGER, HERE),
    rule(2059, PolicyChanged, "all firewall rules deleted", CHANGER, HERE),
    rule(2060, PolicyChanged, "firewall reset", CHANGER, HERE),
    rule(2071, PolicyChanged, "firewall rule added", CHANGER, HERE),
    rule(2073, PolicyChanged, "firewall rule changed", CHANGER, HERE),
    rule(2082, PolicyChanged, "firewall setting changed", CHANGER, HERE),
    rule(2083, PolicyChanged, "firewall profile changed", CHANGER, HERE),
    rule(2097, PolicyChanged, "firewall rule added", CHANGER, HERE),
    rule(2099, PolicyChanged, "firewall rule changed", CHANGER, HERE),
];

const NTLM_PEER: &[Form] = &[Form::Host("WorkstationName"), Form::Host("Workstation")];
const NTLM_ACCOUNT: &[Form] = &[Form::Account("DomainName", "UserName")];

/// Microsoft-Windows-NTLM.
pub(super) const NTLM: &[Rule] = &[
    rule(8001, TicketRequested, "outgoing logon audited", NONE, &[Form::Account("DomainName", "UserName")]),
    rule(8002, TicketRequested, "incoming logon audited", NONE, HERE),
    rule(8003, TicketRequested, "incoming domain logon audited", NTLM_PEER, NTLM_ACCOUNT),
    rule(8004, TicketRequested, "domain logon audited", NTLM_PEER, NTLM_ACCOUNT),
];
