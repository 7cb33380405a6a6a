//! How formats are told apart.

use super::Format;
use super::flows::is_table;

impl Format {
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

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn formats_are_told_apart_by_their_first_bytes() {
        let cases: [(&[u8], Format); 14] = [
            (b"ElfFile\0", Format::Evtx),
            (b"\xef\xbb\xbf<?xml version=\"1.0\"?>", Format::WindowsXml),
            (&[0xd4, 0xc3, 0xb2, 0xa1], Format::FlowCapture),
            (&[0x0a, 0x0d, 0x0d, 0x0a], Format::FlowCapture),
            (&[0, 9, 0, 1], Format::FlowDatagram),
            (b"#separator \\x09", Format::Zeek),
            (b"{\"ts\":1.5,\"id_orig_h\":\"10.0.0.1\"}", Format::ZeekJson),
            (b"{\"SyslogMessage\":\"x\"}", Format::SyslogJson),
            (b"StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr", Format::Argus),
            (b"ts,te,td,sa,da,sp,dp,pr", Format::Nfdump),
            (b"2026-03-28T09:00:00Z,b,c,10.0.0.1,10.0.0.2,1,2,TCP,1,2,S,0", Format::Nfdump),
            (b"type=SYSCALL msg=audit(1.2:3): pid=1", Format::Auditd),
            (b"Mar 28 09:00:01 web01 sshd[1]: x, y, z", Format::Syslog),
            (b"2026-03-28T09:00:00Z web01 app: a,b,c,d,e,f,g,h,i,j,k,l", Format::Syslog),
        ];
        for (head, expected) in cases {
            assert_eq!(Format::detect(head), Some(expected), "{:?}", String::from_utf8_lossy(head));
        }
        assert_eq!(Format::detect(b""), None);
        assert_eq!(Format::detect(&[1, 0, 2]), None);
    }
}
