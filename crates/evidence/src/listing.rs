//! Facts as lines of a prompt: id, time, class, who did what to what, how often, and the fields that say most.
//!
//! What was found in telemetry is text of strangers. A name of plain letters is written as it is; everything else is a JSON string on one
//! line, in which no tag can begin: neither a line break nor a quotation mark of the data ends it, and a copy of it into JSON reads
//! back as the same text. Lines are bounded, and the same fact gives the same line everywhere.

use std::fmt::Write as _;

use crate::{Entity, Fact, Packet, Utc};

/// Fields that say most of a record, the most telling first. Others follow in the order of the alphabet.
const TELLING: [&str; 71] = [
    "CommandLine",
    "Image",
    "NewProcessName",
    "ParentImage",
    "ParentProcessName",
    "ParentCommandLine",
    "SourceImage",
    "TargetImage",
    "GrantedAccess",
    "TargetFilename",
    "TargetObject",
    "Details",
    "ImagePath",
    "ServiceName",
    "ServiceFileName",
    "StartType",
    "TaskName",
    "TaskContent",
    "ShareName",
    "RelativeTargetName",
    "ObjectName",
    "Properties",
    "AccessMask",
    "LogonType",
    "LogonProcessName",
    "IpAddress",
    "WorkstationName",
    "ProcessName",
    "TargetUserName",
    "SubjectUserName",
    "TargetServerName",
    "TicketEncryptionType",
    "Status",
    "PrivilegeList",
    "MemberName",
    "ScriptBlockText",
    "Payload",
    "QueryName",
    "DestinationIp",
    "DestinationPort",
    "ImageLoaded",
    "Signed",
    "Signature",
    "command",
    "message",
    "method",
    "port",
    "direction",
    "protocol",
    "target_port",
    "destinationTransportPort",
    "source_port",
    "sourceTransportPort",
    "octetDeltaCount",
    "packetDeltaCount",
    "protocolIdentifier",
    "tcpControlBits",
    "covers",
    "about",
    "addresses",
    "bytes",
    "packets",
    "duration",
    "state",
    "flags",
    "from",
    "until",
    "ticket",
    "note",
    "statement",
    "EventID",
];

/// Fields that only number or relate records: they are in the packet, and not in a line.
const NUMBERING: [&str; 41] = [
    "ActivityID",
    "CallTrace",
    "Channel",
    "Computer",
    "Correlation",
    "ElevatedToken",
    "EventRecordID",
    "ExecutionProcessID",
    "IpPort",
    "ImpersonationLevel",
    "KeyLength",
    "Keywords",
    "Level",
    "LogonGuid",
    "LogonId",
    "Opcode",
    "ParentProcessGuid",
    "ProcessGuid",
    "Provider",
    "ProviderGuid",
    "RecordNumber",
    "SourceProcessGUID",
    "SourceProcessGuid",
    "SubjectDomainName",
    "SubjectLogonId",
    "SubjectUserSid",
    "TargetDomainName",
    "TargetLogonId",
    "TargetProcessGUID",
    "TargetProcessGuid",
    "TargetUserSid",
    "Task",
    "TaskInstanceId",
    "UtcTime",
    "Version",
    "VirtualAccount",
    "domain",
    "facility",
    "pid",
    "program",
    "severity",
];

/// How much of a fact a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Most fields.
    pub fields: usize,
    /// Most characters of a text; the rest is counted.
    pub characters: usize,
    /// Most further entities.
    pub entities: usize,
    /// Whether a field is shown that repeats a name of the line or words of the record's text.
    pub repeats: bool,
}

impl Listing {
    /// A line among many.
    pub const SHORT: Self = Self { fields: 7, characters: 160, entities: 4, repeats: false };
    /// A fact on its own.
    pub const FULL: Self = Self { fields: 64, characters: 2000, entities: 32, repeats: true };

    /// The line of a fact. What a person stated is shown in full, because it is short and every word of it counts.
    #[must_use]
    pub fn line(&self, fact: &Fact) -> String {
        let shown = if fact.class.is_context() { &Self { repeats: false, ..Self::FULL } } else { self };
        let mut out = fact.id.to_string();
        // Writing to a string cannot fail.
        if let Some(time) = &fact.time {
            let _ = write!(out, " {}", clock(time.utc));
        }
        if let Some(aggregate) = &fact.aggregate {
            if let Some(last) = aggregate.last {
                let _ = write!(out, " to {}", clock(last));
            }
            let _ = write!(out, ", {} records", aggregate.count);
        }
        let _ =
            write!(out, " {}: {}", fact.class, plain_or_quoted(&fact.action, shown.characters, |letter| letter == ' '));
        if let Some(actor) = &fact.actor {
            let _ = write!(out, "; by {}", shown.entity(actor));
        }
        if let Some(object) = &fact.object {
            let _ = write!(out, "; on {}", shown.entity(object));
        }
        shown.others(fact, &mut out);
        shown.write_fields(fact, &mut out);
        out
    }

    /// The lines of all facts of a packet, in the order of their ids.
    #[must_use]
    pub fn lines(&self, packet: &Packet) -> Vec<String> {
        packet.facts().iter().map(|fact| self.line(fact)).collect()
    }

    fn others(&self, fact: &Fact, out: &mut String) {
        for (place, entity) in fact.entities.iter().take(self.entities).enumerate() {
            let _ = write!(out, "{} {}", if place == 0 { "; also" } else { "," }, self.entity(entity));
        }
        more(out, fact.entities.len().saturating_sub(self.entities), "");
    }

    /// The fields of a fact that its line shows, the most telling first: names with values as found. What a name of the line or the
    /// text of the record says already is left out where repeats are.
    #[must_use]
    pub fn fields<'a>(&self, fact: &'a Fact) -> Vec<(&'a str, &'a str)> {
        let mut fields = self.telling(fact);
        fields.truncate(self.fields);
        fields
    }

    fn telling<'a>(&self, fact: &'a Fact) -> Vec<(&'a str, &'a str)> {
        // `root` of `HOST\root`, and the image of `IMAGE (4711)`.
        let said = |value: &str| {
            fact.about().any(|entity| {
                let name = entity.name();
                let rest = name.strip_prefix(value).or_else(|| name.strip_suffix(value));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" (") || rest.ends_with('\\'))
            })
        };
        let record = fact.attributes.get("message").filter(|text| text.chars().count() <= self.characters);
        let repeats = |name: &str, value: &str| {
            value == "-" || said(value) || (name != "message" && record.is_some_and(|record| record.contains(value)))
        };
        let mut fields: Vec<(usize, &str, &str)> = fact
            .attributes
            .iter()
            .filter(|(name, value)| !NUMBERING.contains(&name.as_str()) && (self.repeats || !repeats(name, value)))
            .map(|(name, value)| {
                let place = TELLING.iter().position(|known| known == name).unwrap_or(TELLING.len());
                (place, name.as_str(), value.as_str())
            })
            .collect();
        fields.sort_unstable();
        fields.into_iter().map(|(_, name, value)| (name, value)).collect()
    }

    fn write_fields(&self, fact: &Fact, out: &mut String) {
        let fields = self.telling(fact);
        for (place, (name, value)) in fields.iter().take(self.fields).enumerate() {
            let name = plain_or_quoted(name, self.characters, |letter| letter == ' ');
            let _ = write!(out, "{} {name}={}", if place == 0 { ";" } else { "," }, quoted(value, self.characters));
        }
        more(out, fields.len().saturating_sub(self.fields), " fields");
    }

    fn entity(&self, entity: &Entity) -> String {
        plain_or_quoted(&entity.to_string(), self.characters, |_| false)
    }
}

/// How many things a line leaves out.
fn more(out: &mut String, count: usize, nouns: &str) {
    if count > 0 {
        let _ = write!(out, " and {count} more{nouns}");
    }
}

/// A time without a fraction of 0.
#[must_use]
pub fn clock(time: Utc) -> String {
    let text = time.to_string();
    let bare = text.strip_suffix('Z').unwrap_or(&text).trim_end_matches('0');
    format!("{}Z", bare.strip_suffix('.').unwrap_or(bare))
}

/// The name of an entity as lines write it: as it is, or as a JSON string where it holds more than plain letters.
#[must_use]
pub fn named(entity: &Entity) -> String {
    plain_or_quoted(&entity.to_string(), usize::MAX, |_| false)
}

fn plain_or_quoted(text: &str, most: usize, also: fn(char) -> bool) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._:/@$-+%~".contains(letter) || also(letter);
    let is_plain = !text.is_empty() && text.len() <= most && text.chars().all(plain);
    if is_plain { text.to_owned() } else { quoted(text, most) }
}

/// A text of strangers: a JSON string on one line, of at most `most` characters of the text, with the number of those that are left out
/// behind it. A `<` before a letter or a slash is written as its number, so that no tag begins within the text.
#[must_use]
pub fn quoted(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    let mut out = String::with_capacity(end + 2);
    out.push('"');
    let mut letters = text[..end].chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' if letters.peek().is_some_and(|next| next.is_alphabetic() || *next == '/') => out.push_str("\\u003c"),
            letter if letter.is_control() || is_invisible(letter) => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    let left_out = text[end..].chars().count();
    if left_out > 0 {
        let _ = write!(out, " (and {left_out} more characters)");
    }
    out
}

/// Characters that break a line for some readers, change the direction of writing, or are not seen at all.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
