//! Events of the System and Application logs.

use super::{Form, HERE, NONE, Rule, USER, rule};
use crate::Class::{
    ClockChanged, LogStarted, ModuleLoaded, ServiceChanged, ServiceInstalled, SessionClosed, SessionOpened, Software,
    SystemStarted, SystemStopped,
};
use crate::EntityKind::{Account, Service};

const SERVICE: &[Form] = &[Form::Plain(Service, "param1")];

/// Service Control Manager.
pub(super) const SERVICE_CONTROL: &[Rule] = &[
    rule(7000, ServiceChanged, "service did not start", NONE, SERVICE),
    rule(7009, ServiceChanged, "service timed out", NONE, &[Form::Plain(Service, "param2")]),
    rule(7023, ServiceChanged, "service ended with error", NONE, SERVICE),
    rule(7024, ServiceChanged, "service ended with error", NONE, SERVICE),
    rule(7026, ServiceChanged, "drivers did not load", NONE, HERE),
    rule(7030, ServiceChanged, "service is interactive", NONE, SERVICE),
    rule(7031, ServiceChanged, "service ended unexpectedly", NONE, SERVICE),
    rule(7034, ServiceChanged, "service ended unexpectedly", NONE, SERVICE),
    rule(7035, ServiceChanged, "control sent", USER, SERVICE),
    rule(7036, ServiceChanged, "service state", NONE, SERVICE),
    rule(7038, ServiceChanged, "service could not log on", NONE, SERVICE),
    rule(7040, ServiceChanged, "start type changed", USER, SERVICE),
    rule(7042, ServiceChanged, "control sent", USER, SERVICE),
    rule(7043, ServiceChanged, "service did not stop", NONE, SERVICE),
    rule(7045, ServiceInstalled, "service installed", USER, &[Form::Plain(Service, "ServiceName")]),
];

/// EventLog.
pub(super) const EVENT_LOG: &[Rule] = &[
    rule(6005, LogStarted, "logging started", NONE, HERE),
    rule(6006, LogStarted, "logging stopped", NONE, HERE),
    rule(6008, SystemStopped, "unexpected stop", NONE, HERE),
    rule(6009, SystemStarted, "system version at start", NONE, HERE),
];

/// User32: who asked the system to stop, by which process and why.
pub(super) const USER32: &[Rule] =
    &[rule(1074, SystemStopped, "stop or restart requested", &[Form::Account("", "param7"), Form::SystemUser], HERE)];

/// Microsoft-Windows-Kernel-General.
pub(super) const KERNEL_GENERAL: &[Rule] = &[
    rule(1, ClockChanged, "clock set", USER, HERE),
    rule(12, SystemStarted, "system started", NONE, HERE),
    rule(13, SystemStopped, "system stopped", NONE, HERE),
];

/// Microsoft-Windows-Kernel-Power.
pub(super) const KERNEL_POWER: &[Rule] = &[
    rule(41, SystemStopped, "start after an unexpected stop", NONE, HERE),
    rule(109, SystemStopped, "stop or restart begun", NONE, HERE),
];

/// Microsoft-Windows-FilterManager: drivers between programs and file systems, sensors among them.
pub(super) const FILTER_MANAGER: &[Rule] = &[
    rule(1, ServiceChanged, "filter driver unloaded", USER, &[Form::Plain(Service, "DeviceName")]),
    rule(6, ModuleLoaded, "filter driver loaded", USER, &[Form::Plain(Service, "DeviceName")]),
];

/// Microsoft-Windows-Time-Service.
pub(super) const TIME_SERVICE: &[Rule] = &[rule(52, ClockChanged, "clock moved", NONE, HERE)];

/// Microsoft-Windows-Winlogon.
pub(super) const WINLOGON: &[Rule] = &[
    rule(7001, SessionOpened, "session opened", NONE, &[Form::Plain(Account, "UserSid")]),
    rule(7002, SessionClosed, "session closed", NONE, &[Form::Plain(Account, "UserSid")]),
];

/// Microsoft-Windows-UserPnp.
pub(super) const USER_PNP: &[Rule] = &[
    rule(20001, Software, "device driver installed", NONE, HERE),
    rule(20003, ServiceInstalled, "service added for a device", NONE, &[Form::Plain(Service, "ServiceName")]),
];

/// Microsoft-Windows-WindowsUpdateClient.
pub(super) const WINDOWS_UPDATE: &[Rule] = &[
    rule(19, Software, "update installed", NONE, HERE),
    rule(20, Software, "update failed", NONE, HERE),
    rule(43, Software, "update started", NONE, HERE),
    rule(44, Software, "update downloading", NONE, HERE),
];

/// MsiInstaller.
pub(super) const MSI_INSTALLER: &[Rule] = &[
    rule(1033, Software, "installation ended", USER, HERE),
    rule(1034, Software, "removal ended", USER, HERE),
    rule(1036, Software, "update ended", USER, HERE),
    rule(1040, Software, "installation begun", USER, HERE),
    rule(1042, Software, "installation closed", USER, HERE),
    rule(11707, Software, "installation succeeded", USER, HERE),
    rule(11708, Software, "installation failed", USER, HERE),
    rule(11724, Software, "removal succeeded", USER, HERE),
];
