//! Events of the Security log.

use super::{CREDENTIALS_VALIDATED, Form, HERE, NONE, Rule, rule};
use crate::Class::{
    AccountChanged, AccountCreated, AccountDeleted, ClockChanged, Connection, DirectoryAccessed, ExplicitLogon,
    FileAccessed, FileChanged, FileDeleted, GroupChanged, LogCleared, LogStarted, Logoff, Logon, LogonFailed, Message,
    ModuleLoaded, PacketFiltered, PasswordChanged, PolicyChanged, PrivilegesAssigned, ProcessEnded, ProcessStarted,
    RegistryChanged, RemoteDesktop, ServiceChanged, ServiceInstalled, ShareAccessed, SystemStarted, SystemStopped,
    TaskChanged, TaskCreated, TaskDeleted, TicketRequested,
};
use crate::EntityKind::{Account, File, Service, Task};

const SUBJECT: &[Form] = &[Form::Account("SubjectDomainName", "SubjectUserName")];
const TARGET: &[Form] = &[Form::Account("TargetDomainName", "TargetUserName")];
/// Where a logon came from; else who asked for it.
const FROM: &[Form] =
    &[Form::Address("IpAddress"), Form::Host("WorkstationName"), Form::Account("SubjectDomainName", "SubjectUserName")];
/// The process that acted; else the account.
const PROCESS: &[Form] =
    &[Form::Process("ProcessName", "ProcessId"), Form::Account("SubjectDomainName", "SubjectUserName")];
const PARENT: &[Form] =
    &[Form::Process("ParentProcessName", "ProcessId"), Form::Account("SubjectDomainName", "SubjectUserName")];
const NEW_PROCESS: &[Form] = &[Form::Process("NewProcessName", "NewProcessId")];
const ENDED_PROCESS: &[Form] = &[Form::Process("ProcessName", "ProcessId")];
const OBJECT: &[Form] = &[Form::Object, Form::Plain(Service, "ServiceName"), Form::Computer];
const SERVICE: &[Form] = &[Form::Plain(Service, "ServiceName")];
const TASK: &[Form] = &[Form::Plain(Task, "TaskName")];
const SHARE: &[Form] = &[Form::Shared("ShareName", "RelativeTargetName")];
/// The peer of a service of the host; else who asked.
const PEER: &[Form] = &[
    Form::Address("IpAddress"),
    Form::Address("ClientAddress"),
    Form::Host("ClientName"),
    Form::Account("SubjectDomainName", "SubjectUserName"),
];
const SESSION_ACCOUNT: &[Form] = &[Form::Account("AccountDomain", "AccountName")];
const APPLICATION: &[Form] = &[Form::Process("Application", "ProcessID"), Form::Process("Application", "ProcessId")];
const SOURCE: &[Form] = &[Form::Address("SourceAddress")];
const DESTINATION: &[Form] = &[Form::Address("DestAddress")];

/// Microsoft-Windows-Security-Auditing.
pub(super) const AUDITING: &[Rule] = &[
    rule(4608, SystemStarted, "system started", NONE, HERE),
    rule(4609, SystemStopped, "system stopped", NONE, HERE),
    rule(4610, ModuleLoaded, "authentication package loaded", NONE, &[Form::Plain(File, "AuthenticationPackageName")]),
    rule(4612, LogStarted, "audit records lost", NONE, HERE),
    rule(4614, ModuleLoaded, "notification package loaded", NONE, &[Form::Plain(File, "NotificationPackageName")]),
    rule(4616, ClockChanged, "clock set", PROCESS, HERE),
    rule(4622, ModuleLoaded, "security package loaded", NONE, &[Form::Plain(File, "SecurityPackageName")]),
    rule(4624, Logon, "logon", FROM, TARGET),
    rule(4625, LogonFailed, "logon", FROM, TARGET),
    rule(4627, PrivilegesAssigned, "groups of a logon", SUBJECT, TARGET),
    rule(4634, Logoff, "logoff", TARGET, HERE),
    rule(4647, Logoff, "logoff by the user", TARGET, HERE),
    rule(4648, ExplicitLogon, "explicit credentials", PROCESS, TARGET),
    rule(4656, FileAccessed, "handle requested", PROCESS, OBJECT),
    rule(4657, RegistryChanged, "value set", PROCESS, HERE),
    rule(4658, FileAccessed, "handle closed", PROCESS, OBJECT),
    rule(4660, FileDeleted, "object deleted", PROCESS, OBJECT),
    rule(4661, DirectoryAccessed, "handle requested", PROCESS, HERE),
    rule(4662, DirectoryAccessed, "directory operation", SUBJECT, HERE),
    rule(4663, FileAccessed, "object accessed", PROCESS, OBJECT),
    rule(4670, FileChanged, "permissions changed", PROCESS, OBJECT),
    rule(4672, PrivilegesAssigned, "privileges assigned", NONE, SUBJECT),
    rule(4673, PrivilegesAssigned, "privileged service called", PROCESS, SUBJECT),
    rule(4674, PrivilegesAssigned, "privileged object used", PROCESS, OBJECT),
    rule(4688, ProcessStarted, "process started", PARENT, NEW_PROCESS),
    rule(4689, ProcessEnded, "process ended", SUBJECT, ENDED_PROCESS),
    rule(4697, ServiceInstalled, "service installed", SUBJECT, SERVICE),
    rule(4698, TaskCreated, "task created", SUBJECT, TASK),
    rule(4699, TaskDeleted, "task deleted", SUBJECT, TASK),
    rule(4700, TaskChanged, "task enabled", SUBJECT, TASK),
    rule(4701, TaskChanged, "task disabled", SUBJECT, TASK),
    rule(4702, TaskChanged, "task updated", SUBJECT, TASK),
    rule(4703, PrivilegesAssigned, "privileges adjusted", PROCESS, TARGET),
    rule(4704, PolicyChanged, "right assigned", SUBJECT, &[Form::Plain(Account, "TargetSid")]),
    rule(4705, PolicyChanged, "right removed", SUBJECT, &[Form::Plain(Account, "TargetSid")]),
    rule(4706, PolicyChanged, "trust created", SUBJECT, HERE),
    rule(4713, PolicyChanged, "kerberos policy changed", SUBJECT, HERE),
    rule(4715, PolicyChanged, "audit policy permissions changed", SUBJECT, HERE),
    rule(4717, PolicyChanged, "system access granted", SUBJECT, &[Form::Plain(Account, "TargetSid")]),
    rule(4718, PolicyChanged, "system access removed", SUBJECT, &[Form::Plain(Account, "TargetSid")]),
    rule(4719, PolicyChanged, "audit policy changed", SUBJECT, HERE),
    rule(4720, AccountCreated, "account created", SUBJECT, TARGET),
    rule(4722, AccountChanged, "account enabled", SUBJECT, TARGET),
    rule(4723, PasswordChanged, "password change", SUBJECT, TARGET),
    rule(4724, PasswordChanged, "password reset", SUBJECT, TARGET),
    rule(4725, AccountChanged, "account disabled", SUBJECT, TARGET),
    rule(4726, AccountDeleted, "account deleted", SUBJECT, TARGET),
    rule(4727, GroupChanged, "global group created", SUBJECT, TARGET),
    rule(4728, GroupChanged, "global group member added", SUBJECT, TARGET),
    rule(4729, GroupChanged, "global group member removed", SUBJECT, TARGET),
    rule(4730, GroupChanged, "global group deleted", SUBJECT, TARGET),
    rule(4731, GroupChanged, "local group created", SUBJECT, TARGET),
    rule(4732, GroupChanged, "local group member added", SUBJECT, TARGET),
    rule(4733, GroupChanged, "local group member removed", SUBJECT, TARGET),
    rule(4734, GroupChanged, "local group deleted", SUBJECT, TARGET),
    rule(4735, GroupChanged, "local group changed", SUBJECT, TARGET),
    rule(4737, GroupChanged, "global group changed", SUBJECT, TARGET),
    rule(4738, AccountChanged, "account changed", SUBJECT, TARGET),
    rule(4739, PolicyChanged, "domain policy changed", SUBJECT, HERE),
    rule(4740, AccountChanged, "account locked", SUBJECT, &[Form::Account("", "TargetUserName")]),
    rule(4741, AccountCreated, "computer account created", SUBJECT, TARGET),
    rule(4742, AccountChanged, "computer account changed", SUBJECT, TARGET),
    rule(4743, AccountDeleted, "computer account deleted", SUBJECT, TARGET),
    rule(4754, GroupChanged, "universal group created", SUBJECT, TARGET),
    rule(4755, GroupChanged, "universal group changed", SUBJECT, TARGET),
    rule(4756, GroupChanged, "universal group member added", SUBJECT, TARGET),
    rule(4757, GroupChanged, "universal group member removed", SUBJECT, TARGET),
    rule(4758, GroupChanged, "universal group deleted", SUBJECT, TARGET),
    rule(4764, GroupChanged, "group type changed", SUBJECT, TARGET),
    rule(4767, AccountChanged, "account unlocked", SUBJECT, TARGET),
    rule(4768, TicketRequested, "ticket-granting ticket requested", FROM, TARGET),
    rule(4769, TicketRequested, "service ticket requested", TARGET, SERVICE),
    rule(4770, TicketRequested, "service ticket renewed", TARGET, SERVICE),
    rule(4771, TicketRequested, "pre-authentication failed", FROM, TARGET),
    rule(
        4776,
        TicketRequested,
        CREDENTIALS_VALIDATED,
        &[Form::Host("Workstation"), Form::Host("WorkstationName")],
        &[Form::Account("", "TargetUserName")],
    ),
    rule(4778, RemoteDesktop, "session reconnected", PEER, SESSION_ACCOUNT),
    rule(4779, RemoteDesktop, "session disconnected", PEER, SESSION_ACCOUNT),
    rule(4781, AccountChanged, "account renamed", SUBJECT, &[Form::Account("TargetDomainName", "NewTargetUserName")]),
    rule(4798, DirectoryAccessed, "groups of an account read", PROCESS, TARGET),
    rule(4799, DirectoryAccessed, "members of a group read", PROCESS, TARGET),
    rule(4800, Logoff, "workstation locked", TARGET, HERE),
    rule(4801, Logon, "workstation unlocked", HERE, TARGET),
    rule(4825, RemoteDesktop, "session refused", PEER, SESSION_ACCOUNT),
    rule(4902, PolicyChanged, "per-user audit policy loaded", NONE, HERE),
    rule(4904, PolicyChanged, "audit source registered", PROCESS, HERE),
    rule(4905, PolicyChanged, "audit source removed", PROCESS, HERE),
    rule(4906, PolicyChanged, "crash on audit failure changed", NONE, HERE),
    rule(4907, PolicyChanged, "auditing of an object changed", PROCESS, OBJECT),
    rule(4912, PolicyChanged, "per-user audit policy changed", SUBJECT, HERE),
    rule(4946, PolicyChanged, "firewall rule added", NONE, HERE),
    rule(4947, PolicyChanged, "firewall rule changed", NONE, HERE),
    rule(4948, PolicyChanged, "firewall rule deleted", NONE, HERE),
    rule(4949, PolicyChanged, "firewall settings restored", NONE, HERE),
    rule(4950, PolicyChanged, "firewall setting changed", NONE, HERE),
    rule(4964, PrivilegesAssigned, "special groups of a logon", SUBJECT, TARGET),
    rule(4985, Message, "transaction changed", PROCESS, HERE),
    rule(5024, ServiceChanged, "firewall service started", NONE, HERE),
    rule(5025, ServiceChanged, "firewall service stopped", NONE, HERE),
    rule(5033, ServiceChanged, "firewall driver started", NONE, HERE),
    rule(5034, ServiceChanged, "firewall driver stopped", NONE, HERE),
    rule(5058, FileAccessed, "key file used", SUBJECT, &[Form::Plain(File, "KeyFilePath"), Form::Computer]),
    rule(5136, DirectoryAccessed, "directory object changed", SUBJECT, HERE),
    rule(5137, DirectoryAccessed, "directory object created", SUBJECT, HERE),
    rule(5138, DirectoryAccessed, "directory object restored", SUBJECT, HERE),
    rule(5139, DirectoryAccessed, "directory object moved", SUBJECT, HERE),
    rule(5140, ShareAccessed, "share opened", PEER, SHARE),
    rule(5141, DirectoryAccessed, "directory object deleted", SUBJECT, HERE),
    rule(5142, ShareAccessed, "share added", SUBJECT, SHARE),
    rule(5143, ShareAccessed, "share changed", SUBJECT, SHARE),
    rule(5144, ShareAccessed, "share deleted", SUBJECT, SHARE),
    rule(5145, ShareAccessed, "share access checked", PEER, SHARE),
    rule(5152, PacketFiltered, "packet blocked", SOURCE, DESTINATION),
    rule(5154, Connection, "port opened", APPLICATION, SOURCE),
    rule(5155, Connection, "port refused", APPLICATION, SOURCE),
    rule(5156, Connection, "connection allowed", APPLICATION, DESTINATION),
    rule(5157, Connection, "connection blocked", APPLICATION, DESTINATION),
    rule(5158, Connection, "bind allowed", APPLICATION, SOURCE),
    rule(5159, Connection, "bind blocked", APPLICATION, SOURCE),
    rule(6416, Message, "device recognised", SUBJECT, HERE),
];

/// Microsoft-Windows-Eventlog, in the Security log and in others.
pub(super) const EVENT_LOG: &[Rule] = &[
    rule(104, LogCleared, "log cleared", SUBJECT, HERE),
    rule(1100, LogStarted, "logging stopped", NONE, HERE),
    rule(1101, LogStarted, "audit records lost", NONE, HERE),
    rule(1102, LogCleared, "log cleared", SUBJECT, HERE),
    rule(1104, LogStarted, "log full", NONE, HERE),
    rule(1105, LogStarted, "log archived", NONE, HERE),
    rule(1108, LogStarted, "event could not be logged", NONE, HERE),
];
