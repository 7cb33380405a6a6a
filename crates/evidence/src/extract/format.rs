//! Formats of telemetry.

use std::fmt;
use std::str::FromStr;

use gimbal_core::nearest;
use thiserror::Error;

use crate::SourceKind;

/// There is no format of this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no format `{name}`{} (known: {})", nearest::hint(.name, Format::ALL.map(Format::name)), Format::ALL.map(Format::name).join(", "))]
pub struct NoFormat {
    /// What was asked for.
    pub name: String,
}

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Windows event log, as Windows keeps it.
    Evtx,
    /// Windows events as XML.
    WindowsXml,
    /// JSON lines with a Windows event in each.
    WindowsJson,
    /// Windows events as delimited text, as Event Viewer and PowerShell export them.
    WindowsCsv,
    /// Syslog lines of RFC 3164 and RFC 5424.
    Syslog,
    /// JSON lines that an agent forwards, with a syslog message in each.
    SyslogJson,
    /// Records of the Linux audit system.
    Auditd,
    /// NetFlow and IPFIX datagrams in a capture.
    FlowCapture,
    /// NetFlow or IPFIX payloads, one after another.
    FlowDatagram,
    /// Zeek connections, tab separated.
    Zeek,
    /// Zeek connections as JSON lines.
    ZeekJson,
    /// Argus flows, comma separated.
    Argus,
    /// nfdump flows and other tables of flows, comma separated.
    Nfdump,
    /// What a person states: inventory, changes, scanners, accounts.
    Context,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 14] = [
        Self::Evtx,
        Self::WindowsXml,
        Self::WindowsJson,
        Self::WindowsCsv,
        Self::Syslog,
        Self::SyslogJson,
        Self::Auditd,
        Self::FlowCapture,
        Self::FlowDatagram,
        Self::Zeek,
        Self::ZeekJson,
        Self::Argus,
        Self::Nfdump,
        Self::Context,
    ];

    /// Its name on the command line and in packets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evtx => "evtx",
            Self::WindowsXml => "windows_xml",
            Self::WindowsJson => "windows_json",
            Self::WindowsCsv => "windows_csv",
            Self::Syslog => "syslog",
            Self::SyslogJson => "syslog_json",
            Self::Auditd => "auditd",
            Self::FlowCapture => "flow_capture",
            Self::FlowDatagram => "flow_datagram",
            Self::Zeek => "zeek",
            Self::ZeekJson => "zeek_json",
            Self::Argus => "argus",
            Self::Nfdump => "nfdump",
            Self::Context => "context",
        }
    }

    /// Whether it is text, which may be in UTF-16.
    pub(super) const fn is_text(self) -> bool {
        !matches!(self, Self::Evtx | Self::FlowCapture | Self::FlowDatagram)
    }

    /// The kind of source that it is.
    #[must_use]
    pub const fn kind(self) -> SourceKind {
        match self {
            Self::Evtx | Self::WindowsXml | Self::WindowsJson | Self::WindowsCsv => SourceKind::Windows,
            Self::Syslog | Self::SyslogJson => SourceKind::Syslog,
            Self::Auditd => SourceKind::Auditd,
            Self::FlowCapture | Self::FlowDatagram => SourceKind::Netflow,
            Self::Zeek | Self::ZeekJson | Self::Argus | Self::Nfdump => SourceKind::FlowText,
            Self::Context => SourceKind::Manual,
        }
    }
}

impl FromStr for Format {
    type Err = NoFormat;

    fn from_str(name: &str) -> Result<Self, NoFormat> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| NoFormat { name: name.to_owned() })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
