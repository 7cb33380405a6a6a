//! Events of Sysmon.

use super::{Form, HERE, NONE, Rule, rule};
use crate::Class::{
    Connection, DnsQuery, FileAccessed, FileChanged, FileCreated, FileDeleted, Message, ModuleLoaded, ProcessAccessed,
    ProcessEnded, ProcessStarted, RegistryChanged, SecurityProduct, ServiceChanged, Wmi,
};
use crate::EntityKind::File;

const PROCESS: &[Form] = &[Form::Process("Image", "ProcessId")];
const PARENT: &[Form] = &[Form::Process("ParentImage", "ParentProcessId"), Form::Account("", "User")];
const SOURCE: &[Form] = &[Form::Process("SourceImage", "SourceProcessId")];
const TARGET: &[Form] = &[Form::Process("TargetImage", "TargetProcessId")];
const FILE: &[Form] = &[Form::Plain(File, "TargetFilename")];
const MODULE: &[Form] = &[Form::Plain(File, "ImageLoaded")];
const PIPE: &[Form] = &[Form::Plain(File, "PipeName")];
const USER: &[Form] = &[Form::Account("", "User")];

/// Microsoft-Windows-Sysmon.
pub(super) const SYSMON: &[Rule] = &[
    rule(1, ProcessStarted, "process started", PARENT, PROCESS),
    rule(2, FileChanged, "creation time set", PROCESS, FILE),
    rule(3, Connection, "connection", PROCESS, &[Form::Address("DestinationIp")]),
    rule(4, ServiceChanged, "sensor state", NONE, HERE),
    rule(5, ProcessEnded, "process ended", NONE, PROCESS),
    rule(6, ModuleLoaded, "driver loaded", NONE, MODULE),
    rule(7, ModuleLoaded, "module loaded", PROCESS, MODULE),
    rule(8, ProcessAccessed, "remote thread created", SOURCE, TARGET),
    rule(9, FileAccessed, "disk read raw", PROCESS, &[Form::Plain(File, "Device")]),
    rule(10, ProcessAccessed, "process opened", SOURCE, TARGET),
    rule(11, FileCreated, "file created", PROCESS, FILE),
    rule(12, RegistryChanged, "key created or deleted", PROCESS, HERE),
    rule(13, RegistryChanged, "value set", PROCESS, HERE),
    rule(14, RegistryChanged, "key or value renamed", PROCESS, HERE),
    rule(15, FileCreated, "stream created", PROCESS, FILE),
    rule(16, SecurityProduct, "sensor configuration changed", NONE, HERE),
    rule(17, FileCreated, "pipe created", PROCESS, PIPE),
    rule(18, FileAccessed, "pipe connected", PROCESS, PIPE),
    rule(19, Wmi, "event filter changed", USER, HERE),
    rule(20, Wmi, "event consumer changed", USER, HERE),
    rule(21, Wmi, "consumer bound to filter", USER, HERE),
    rule(22, DnsQuery, "name looked up", PROCESS, &[Form::Host("QueryName")]),
    rule(23, FileDeleted, "file deleted and archived", PROCESS, FILE),
    rule(24, Message, "clipboard changed", PROCESS, HERE),
    rule(25, ProcessAccessed, "process image changed", NONE, PROCESS),
    rule(26, FileDeleted, "file deleted", PROCESS, FILE),
    rule(27, SecurityProduct, "executable blocked", PROCESS, FILE),
    rule(28, SecurityProduct, "shredding blocked", PROCESS, FILE),
    rule(29, FileCreated, "executable created", PROCESS, FILE),
];
