//! How formats are told apart.

use std::fmt;

use super::flows::is_table;
use super::utf16::Encoding;
use super::{Format, clock, windows};

impl Format {
    /// The format of a source by its first bytes (4 KiB are enough); `None` where they tell nothing.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        if let Some(text) = wide(head) {
            // PowerShell's `>` writes it.
            return Self::detect(text.as_bytes()).filter(|format| format.is_text());
        }
        if packed(head).is_some() || is_spread(head) {
            return None;
        }
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
        // A machine that lost power leaves a block of zeros in its log.
        let head_text = &head[head.iter().take_while(|byte| **byte == 0).count()..];
        let text = head_text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head_text);
        let text = &text[text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()..];
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
        let holds = |piece: &str| line.windows(piece.len()).any(|window| window.eq_ignore_ascii_case(piece.as_bytes()));
        if head.starts_with(b"\0") {
            return has_syslog(text, false).then_some(Self::Syslog);
        }
        if line.starts_with(b"<?xml") || line.starts_with(b"<Event") {
            return Some(Self::WindowsXml);
        }
        if line.starts_with(b"#separator") {
            return Some(Self::Zeek);
        }
        if line.starts_with(b"{") {
            let is_zeek = holds("\"id.orig_h\"") || holds("\"id_orig_h\"");
            let is_windows = ["\"winlog\"", "\"EventID\"", "\"event_id\"", "\"Event\":"].iter().any(|name| holds(name));
            return Some(match (is_zeek, is_windows) {
                (true, _) => Self::ZeekJson,
                (false, true) => Self::WindowsJson,
                (false, false) => Self::SyslogJson,
            });
        }
        if line.starts_with(b"StartTime,") {
            return Some(Self::Argus);
        }
        if is_export(text) {
            return Some(Self::WindowsCsv);
        }
        if std::str::from_utf8(line).is_ok_and(is_table) {
            return Some(Self::Nfdump);
        }
        if line.starts_with(b"type=") && holds("msg=audit(") {
            return Some(Self::Auditd);
        }
        let printable = !line.is_empty() && !line.contains(&0);
        (printable && has_syslog(text, head.len() >= FULL)).then_some(Self::Syslog)
    }
}

/// Whether the first line names the columns of an export of Windows events; PowerShell may write a line before it. Names in another language tell
/// nothing: then the second line must be an event of Windows.
fn is_export(text: &[u8]) -> bool {
    let lines = text.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let mut lines = lines.skip_while(|line| windows::is_type(line) || line.trim().is_empty());
    let Some(line) = lines.next() else { return false };
    let is_placed = |next: &str| windows::is_of_windows(next) && windows::Head::by_place(&line, next).is_some();
    windows::Head::read(&line).is_some() || lines.next().is_some_and(|next| is_placed(&next))
}

/// As many bytes tell a format; fewer are the whole source.
const FULL: usize = 4096;

/// Whether a line begins as one of syslog does: pictures, pages of text and files of settings have none. A first line that does not end in
/// what is known of the source may still be one.
fn has_syslog(text: &[u8], is_cut: bool) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        if starts_as_syslog(line) || (is_cut && number == 1 && lines.peek().is_none() && line.is_ascii()) {
            return true;
        }
    }
    false
}

/// Longest time of a line of the journal, in bytes, with what follows its zone.
const JOURNAL: usize = 48;

/// Whether a line begins as one of syslog does.
pub(super) fn starts_as_syslog(line: &[u8]) -> bool {
    let (has_priority, rest) = match line.strip_prefix(b"<") {
        Some(rest) => match rest.iter().take(4).position(|byte| *byte == b'>') {
            Some(end) => (rest[..end].iter().all(u8::is_ascii_digit), &rest[end + 1..]),
            None => return false,
        },
        None => (false, line),
    };
    let word = rest.split(|byte| *byte == b' ').next().unwrap_or_default();
    (has_priority && rest.starts_with(b"1 "))
        || clock::rfc3164(rest).is_some()
        || std::str::from_utf8(word).is_ok_and(|word| clock::date_time(word, 0).is_some())
        || clock::journal(&String::from_utf8_lossy(&rest[..rest.len().min(JOURNAL)])).is_some()
}

/// The text after a mark of UTF-16.
fn wide(head: &[u8]) -> Option<String> {
    let Encoding::Utf16 { big_endian } = Encoding::of(head) else { return None };
    let unit = |pair: &[u8; 2]| if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    // The mark is the first unit.
    let units: Vec<u16> = head.as_chunks().0.iter().skip(1).map(unit).collect();
    Some(String::from_utf16_lossy(&units))
}

/// What a source is that no extractor reads as it is, and what makes it readable.
fn packed(head: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 5] = [
        (&[0x1f, 0x8b], "it is compressed (gzip): decompress it first, as in `zcat FILE | gimbal triage -`"),
        (b"PK\x03\x04", "it is an archive (zip): unpack it first, and give the folder"),
        (
            &[0xfd, b'7', b'z', b'X', b'Z', 0],
            "it is compressed (xz): decompress it first, as in `xzcat FILE | gimbal triage -`",
        ),
        (
            &[0x28, 0xb5, 0x2f, 0xfd],
            "it is compressed (zstd): decompress it first, as in `zstdcat FILE | gimbal triage -`",
        ),
        (b"BZh", "it is compressed (bzip2): decompress it first, as in `bzcat FILE | gimbal triage -`"),
    ];
    known.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| what)
}

/// Whether a source is JSON in another form than one object a line: a list of objects, or an object over many lines.
fn is_spread(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match text {
        [b'[', rest @ ..] => rest.trim_ascii_start().starts_with(b"{"),
        [b'{', rest @ ..] => {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            line.len() < rest.len() && line.trim_ascii().is_empty()
        }
        _ => false,
    }
}

/// Why the first bytes of a source tell no format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// What they are, and what helps where they must be changed first.
    pub why: &'static str,
    /// Whether it helps to name a format.
    pub can_be_named: bool,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.why)?;
        if self.can_be_named {
            let known = Format::ALL.map(Format::name).join(", ");
            write!(formatter, "; name the format, if it has one of these (`--format`): {known}")?;
        }
        Ok(())
    }
}

/// Why the first bytes of a source tell no format.
pub(super) fn unknown(head: &[u8]) -> UnknownFormat {
    if let Some(why) = packed(head) {
        return UnknownFormat { why, can_be_named: false };
    }
    let text = wide(head);
    let head = text.as_ref().map_or(head, String::as_bytes);
    if is_spread(head) {
        let why = match text {
            None => {
                "it is JSON that is not one object a line: write it so first, as in `jq -c 'if type == \"array\" then .[] else . end' FILE | \
                 gimbal triage -`"
            }
            Some(_) => {
                "it is JSON in UTF-16 that is not one object a line: write it so first, as in `iconv -f UTF-16 -t UTF-8 FILE | \
                 jq -c 'if type == \"array\" then .[] else . end' | gimbal triage -`"
            }
        };
        return UnknownFormat { why, can_be_named: false };
    }
    let why = if head.iter().all(u8::is_ascii_whitespace) {
        "its beginning is blank"
    } else if head.contains(&0) {
        "its first bytes are those of no known format"
    } else {
        "no line at its beginning is one of a known format"
    };
    UnknownFormat { why, can_be_named: true }
}

#[cfg(test)]
mod tests {
    use super::{Format, unknown};

    #[test]
    fn a_source_that_must_be_unpacked_first_is_told_so() {
        let cases: [(&[u8], &str); 8] = [
            (b"\x1f\x8b\x08 no zero in its first line", "zcat"),
            (b"PK\x03\x04abc", "unpack"),
            (b"\xff\xfe[\0\n\0{\0\"\0a\0\"\0:\x001\0}\0]\0", "iconv"),
            (b"\xff\xfeM\0a\0r\0", "no line at its beginning"),
            (b" \n\n", "blank"),
            (b"[\n  {\"message\": \"x\"}]", "jq -c"),
            (b"{\n  \"message\": \"x\"\n}", "jq -c"),
            (&[1, 0, 2], "no known format"),
        ];
        for (head, expected) in cases {
            assert_eq!(Format::detect(head), None, "{expected}");
            assert!(unknown(head).why.contains(expected), "{}", unknown(head));
        }
    }

    #[test]
    fn formats_are_told_apart_by_their_first_bytes() {
        let cases: [(&[u8], Format); 25] = [
            (b"ElfFile\0", Format::Evtx),
            (b"\xef\xbb\xbf<?xml version=\"1.0\"?>", Format::WindowsXml),
            (b"\xff\xfe<\0E\0v\0e\0n\0t\0 \0", Format::WindowsXml),
            (b"\xfe\xff\0\n\0<\0?\0x\0m\0l\0 ", Format::WindowsXml),
            (b"\xff\xfe{\0\"\0E\0v\0e\0n\0t\0I\0D\0\"\0:\x001\0}\0", Format::WindowsJson),
            (&[0xd4, 0xc3, 0xb2, 0xa1], Format::FlowCapture),
            (&[0x0a, 0x0d, 0x0d, 0x0a], Format::FlowCapture),
            (&[0, 9, 0, 1], Format::FlowDatagram),
            (b"#separator \\x09", Format::Zeek),
            (b"{\"ts\":1.5,\"id_orig_h\":\"10.0.0.1\"}", Format::ZeekJson),
            (b"{\"SyslogMessage\":\"x\"}", Format::SyslogJson),
            (b"{\"@timestamp\":\"x\",\"winlog\":{\"event_id\":4625}}", Format::WindowsJson),
            (b"{\"EventID\":4625}", Format::WindowsJson),
            (b"Level,Date and Time,Source,Event ID,Task Category\r\n", Format::WindowsCsv),
            (b"\xef\xbb\xbfKeywords,Date and Time,Source,Event ID,Task Category\r\n", Format::WindowsCsv),
            (b"#TYPE System.Diagnostics.Eventing.Reader.EventLogRecord\r\n\"Message\",\"Id\",\"LogName\",\"TimeCreated\"\r\n", Format::WindowsCsv),
            (b"Ebene;Datum und Uhrzeit;Quelle;Ereignis-ID;Aufgabenkategorie\r\nx;28.03.2026 09:00:01;EventLog;6005;Keine;x", Format::WindowsCsv),
            (b"StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr", Format::Argus),
            (b"ts,te,td,sa,da,sp,dp,pr", Format::Nfdump),
            (b"2026-03-28T09:00:00Z,b,c,10.0.0.1,10.0.0.2,1,2,TCP,1,2,S,0", Format::Nfdump),
            (
                b"Date first seen   Duration Proto   Src IP Addr:Port   Dst IP Addr:Port  Packets Bytes Flows",
                Format::Nfdump,
            ),
            (b"Tue 2026-03-10 08:00:00 UTC web01 sshd[1]: x", Format::Syslog),
            (b"type=SYSCALL msg=audit(1.2:3): pid=1", Format::Auditd),
            (b"Mar 28 09:00:01 web01 sshd[1]: x, y, z", Format::Syslog),
            (b"2026-03-28T09:00:00Z web01 app: a,b,c,d,e,f,g,h,i,j,k,l", Format::Syslog),
        ];
        for (head, expected) in cases {
            assert_eq!(Format::detect(head), Some(expected), "{:?}", String::from_utf8_lossy(head));
        }
        // A table of something else with a time and a number in those places.
        assert_eq!(Format::detect(b"id,time,name,number,kind\n1,28.03.2026 09:00:01,web,200,x\n"), None);
        assert_eq!(Format::detect(b""), None);
        assert_eq!(Format::detect(&[1, 0, 2]), None);
    }
}
