//! The frame of a line: priority, time, host, program, and the message.

use super::super::clock::{self, YearLess};
use crate::Utc;

/// What programs write before an object (Common Event Expression; `mmjsonparse` of rsyslog reads it).
pub(super) const COOKIE: &str = "@cee:";

/// When a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// Not said (`-` of RFC 5424).
    Unknown,
    /// Without a year, as in RFC 3164.
    YearLess(YearLess),
    /// In full.
    At(Utc),
}

/// A line in its parts, borrowed. Parts that are missing or `-` are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub priority: Option<u8>,
    pub when: When,
    /// When by the clock of the source, for a time without a year that none was supplied for. Who reads the source sets it.
    pub clock: Option<Utc>,
    pub time_found: &'a str,
    pub host: &'a str,
    pub program: &'a str,
    pub pid: &'a str,
    pub message_id: &'a str,
    /// Structured data of RFC 5424, with its brackets.
    pub structured: &'a str,
    pub message: &'a str,
}

impl<'a> Frame<'a> {
    /// Reads a line of RFC 3164 (with its own time, one of RFC 3339, or that of `journalctl -o short-full`, and
    /// with or without a priority) or of RFC 5424.
    pub fn read(line: &'a str, zone_minutes: i16) -> Option<Self> {
        let (priority, rest) = priority(line)?;
        if priority.is_some()
            && let Some(rest) = rest.strip_prefix("1 ")
        {
            return Self::structured(priority, rest);
        }
        let (when, time_found, rest) = match clock::rfc3164(rest.as_bytes()) {
            Some((time, length)) => (When::YearLess(time), rest.get(..length)?, rest.get(length..)?.strip_prefix(' ')?),
            None => match clock::journal(rest) {
                Some((time, length)) => (When::At(time), rest.get(..length)?, rest.get(length..)?.strip_prefix(' ')?),
                None => {
                    let (found, rest) = rest.split_once(' ')?;
                    (When::At(clock::date_time(found, zone_minutes)?), found, rest)
                }
            },
        };
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        if word.is_empty() {
            return None;
        }
        // Programs that write to their own machine name no host.
        let has_no_host = word.ends_with(':') || is_object(word);
        let (host, rest) = if has_no_host { ("", rest) } else { (word, after) };
        let (program, pid, message) = tag(rest);
        Some(Self {
            priority,
            when,
            clock: None,
            time_found,
            host,
            program,
            pid,
            message_id: "",
            structured: "",
            message,
        })
    }

    /// The rest of a line of RFC 5424 after its version.
    fn structured(priority: Option<u8>, rest: &'a str) -> Option<Self> {
        let (found, rest) = rest.split_once(' ')?;
        let when = if found == "-" { When::Unknown } else { When::At(clock::date_time(found, 0)?) };
        let (host, rest) = rest.split_once(' ')?;
        let (program, rest) = rest.split_once(' ')?;
        let (pid, rest) = rest.split_once(' ')?;
        let (message_id, rest) = rest.split_once(' ')?;
        let (structured, message) = match rest.strip_prefix('-') {
            Some(rest) => ("", rest),
            None => rest.split_at_checked(structured_length(rest)?)?,
        };
        let message = if message.is_empty() { message } else { message.strip_prefix(' ')? };
        Some(Self {
            priority,
            when,
            clock: None,
            time_found: said(found),
            host: said(host),
            program: said(program),
            pid: said(pid),
            message_id: said(message_id),
            structured,
            message: message.strip_prefix('\u{feff}').unwrap_or(message),
        })
    }

    /// The parameters of the structured data: the name as `ELEMENT.PARAMETER`, and the value without its escapes.
    pub fn parameters(&self, mut take: impl FnMut(&str, &str)) {
        for element in elements(self.structured) {
            let (id, mut rest) = element.split_once(' ').unwrap_or((element, ""));
            if rest.is_empty() {
                take(id, "");
            }
            while let Some((name, after)) = rest.trim_start().split_once("=\"") {
                let end = quoted_length(after);
                let value = after.get(..end).unwrap_or_default();
                let value = value.replace("\\\"", "\"").replace("\\]", "]").replace("\\\\", "\\");
                take(&format!("{id}.{name}"), &value);
                rest = after.get(end + 1..).unwrap_or_default();
            }
        }
    }
}

fn said(text: &str) -> &str {
    if text == "-" { "" } else { text }
}

/// The priority at the start, if there is one, and the rest; `None` where it is broken.
fn priority(line: &str) -> Option<(Option<u8>, &str)> {
    let Some(rest) = line.strip_prefix('<') else { return Some((None, line)) };
    let (number, rest) = rest.split_once('>')?;
    let sound = (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u8 = if sound { number.parse().ok()? } else { return None };
    (number < 192).then_some((Some(number), rest))
}

/// Program, its number, and the message. A line without a tag is a message, and so is an object.
fn tag(text: &str) -> (&str, &str, &str) {
    if is_object(text) {
        return ("", "", text);
    }
    let bytes = text.as_bytes();
    let Some(end) = bytes.iter().position(|byte| matches!(byte, b':' | b'[') || byte.is_ascii_whitespace()) else {
        return ("", "", text);
    };
    let (program, rest) = text.split_at(end);
    let (pid, rest) = match rest.strip_prefix('[') {
        Some(inside) => match inside.split_once(']') {
            Some((pid, rest)) => (pid, rest),
            None => return ("", "", text),
        },
        None => ("", rest),
    };
    match rest.strip_prefix(':') {
        Some(message) if !program.is_empty() => (program, pid, message.strip_prefix(' ').unwrap_or(message)),
        _ => ("", "", text),
    }
}

/// Whether an object begins here, with or without its mark.
fn is_object(text: &str) -> bool {
    text.starts_with('{') || text.starts_with(COOKIE)
}

/// Bytes up to the quotation mark that closes a value.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Bytes of the structured data at the start of a text; `None` where it does not end.
fn structured_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut quoted, mut open) = (0, false, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' if open => quoted = !quoted,
            b'[' if !open => open = true,
            b']' if open && !quoted => open = false,
            _ if !open => break,
            _ => {}
        }
        at += 1;
    }
    (at > 0 && !open && at <= bytes.len()).then_some(at)
}

/// The elements of structured data, without their brackets.
fn elements(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let inside = text.strip_prefix('[')?;
        let length = first_element(inside)?;
        text = inside.get(length + 1..).unwrap_or_default();
        inside.get(..length)
    })
}

fn first_element(text: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().position(|byte| {
        let ends = byte == b']' && !quoted;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        ends
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Frame, When};

    proptest! {
        #[test]
        fn no_line_is_too_strange(line in "(<[0-9]{0,4}>)?(1 )?[A-Za-z0-9 :\\[\\]\"=\\\\<>.-]{0,80}") {
            if let Some(frame) = Frame::read(&line, 0) {
                frame.parameters(|_, _| {});
            }
        }
    }

    #[test]
    fn a_line_may_name_no_host_and_no_program() {
        let of = |line: &'static str| {
            let frame = Frame::read(line, 0).unwrap();
            (frame.host, frame.program, frame.pid, frame.message)
        };
        assert_eq!(of("<13>Oct 11 22:14:15 su[7]: text"), ("", "su", "7", "text"));
        assert_eq!(of("Oct 11 22:14:15 gate last message repeated"), ("gate", "", "", "last message repeated"));
        assert_eq!(of("Oct 11 22:14:15 gate"), ("gate", "", "", ""));
        assert!(Frame::read("Oct 11 22:14:15  gate", 0).is_none());
    }

    // covers: ARES-012
    #[test]
    fn structured_data_is_read_with_its_escapes() {
        let line = r#"<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [a@1 x="1" y="say \"hi\" \]"][b] An event"#;
        let frame = Frame::read(line, 0).unwrap();
        let mut found = Vec::new();
        frame.parameters(|name, value| found.push(format!("{name}={value}")));
        assert_eq!(found, ["a@1.x=1", r#"a@1.y=say "hi" ]"#, "b="]);
        assert_eq!((frame.program, frame.pid, frame.message_id, frame.message), ("evntslog", "", "ID47", "An event"));
        let bare = Frame::read("<34>1 - - - - - -", 0).unwrap();
        assert_eq!((bare.when, bare.host, bare.message), (When::Unknown, "", ""));
        for wrong in [
            "<34>1 - - - - - [a",
            "<34>1 - - - - - x",
            "<34>1 2003-13-11T22:14:15Z a b c d - x",
            "<999>Oct 11 22:14:15 a b",
        ] {
            assert!(Frame::read(wrong, 0).is_none(), "{wrong}");
        }
    }
}
