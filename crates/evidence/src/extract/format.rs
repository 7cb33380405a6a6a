//! Formats of telemetry, and how they are told apart.

use std::fmt;

use super::flows::is_table;
use crate::SourceKind;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Windows event log, as Windows keeps it.
    Evtx,
    /// Windows events as XML.
    WindowsXml,
    /// Syslog lines of RFC 3164 and RFC 5424.
    Syslog,
    /// JSON lines that an agent forwards, with a syslog message in each.
    SyslogJson,
    /// Records of the Linux audit system.
    Auditd,
    /// NetFlow and IPFIX datagrams in a capture.
    FlowCapture,
    /// One NetFlow or IPFIX payload.
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
    pub const ALL: [Self; 12] = [
        Self::Evtx,
        Self::WindowsXml,
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

    /// The kind of source that it is.
    #[must_use]
    pub const fn kind(self) -> SourceKind {
        match self {
            Self::Evtx | Self::WindowsXml => SourceKind::Windows,
            Self::Syslog | Self::SyslogJson => SourceKind::Syslog,
            Self::Auditd => SourceKind::Auditd,
            Self::FlowCapture | Self::FlowDatagram => SourceKind::Netflow,
            Self::Zeek | Self::ZeekJson | Self::Argus | Self::Nfdump => SourceKind::FlowText,
            Self::Context => SourceKind::Manual,
        }
    }

    /// The format of a source by its first bytes (4 KiB are enough); `None` where they tell nothing.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"ElfFile\0") || head.starts_with(b"ElfChnk\0") {
            return Some(Self::Evtx);
        }
        let captures: [&[u8]; 5] = [
            &[0xd4, 0xc3, 0xb2, 0xa1],
            &[0xa1, 0xb2, 0xc3, 0xd4],
            &[0x4d, 0x3c, 0xb2, 0xa1],
            &[0xa1, 0xb2, 0x3c, 0x4d],
            &[0x0a, 0x0d, 0x0d, 0x0a],
        ];
        if captures.iter().any(|magic| head.starts_with(magic)) {
            return Some(Self::FlowCapture);
        }
        if let [0, version, ..] = head
            && matches!(version, 5 | 7 | 9 | 10)
        {
            return Some(Self::FlowDatagram);
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let text = &text[text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()..];
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
        let holds = |piece: &str| line.windows(piece.len()).any(|window| window.eq_ignore_ascii_case(piece.as_bytes()));
        if line.starts_with(b"<?xml") || line.starts_with(b"<Event") {
            return Some(Self::WindowsXml);
        }
        if line.starts_with(b"#separator") {
            return Some(Self::Zeek);
        }
        if line.starts_with(b"{") {
            let is_zeek = holds("\"id.orig_h\"") || holds("\"id_orig_h\"");
            return Some(if is_zeek { Self::ZeekJson } else { Self::SyslogJson });
        }
        if line.starts_with(b"StartTime,") {
            return Some(Self::Argus);
        }
        if std::str::from_utf8(line).is_ok_and(is_table) {
            return Some(Self::Nfdump);
        }
        if line.starts_with(b"type=") && holds("msg=audit(") {
            return Some(Self::Auditd);
        }
        let printable = !line.is_empty() && !line.contains(&0);
        printable.then_some(Self::Syslog)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
