//! Formats of telemetry.

use std::fmt;

use crate::SourceKind;

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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
