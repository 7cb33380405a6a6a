//! Facts as the lines of a page write them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kit::{Sheet, embedded};

/// A line about a fact, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub id: String,
    /// Seconds since some day, where the line has a time.
    pub second: Option<f64>,
    /// How many records it represents.
    pub count: u64,
    pub class: String,
    pub actor: String,
    pub object: String,
    /// Everything that it is about.
    pub about: BTreeSet<String>,
    pub fields: BTreeMap<String, String>,
    /// The whole line in small letters, with texts as they were found.
    pub text: String,
}

/// Classes of facts that people stated.
const STATED: [&str; 5] = ["inventory", "change_window", "known_scanner", "known_account", "history"];

impl Line {
    /// Reads `F003 TIME to TIME, 3 records CLASS: ACTION; by X; on Y; also Z; name="value"`; `None` for any other line.
    pub fn read(line: &str) -> Option<Self> {
        let id = line.split([' ', ',']).next().filter(|word| is_id(word))?.to_owned();
        let (head, rest) = line[id.len()..].split_once(": ")?;
        let class = head.split(' ').next_back()?.to_owned();
        let (first, last) = times(head);
        let count = head
            .split_once(" records")
            .and_then(|(before, _)| before.rsplit([' ', ',']).next()?.parse().ok())
            .unwrap_or(1);
        let mut read = Self { id, count, class, second: first.or(last), ..Self::default() };
        let parts = split(rest, "; ");
        let mut text = parts.first().map(|action| plain(action)).unwrap_or_default();
        for part in parts.iter().skip(1) {
            if let Some(actor) = part.strip_prefix("by ") {
                read.actor = plain(actor);
                read.about.insert(read.actor.clone());
            } else if let Some(object) = part.strip_prefix("on ") {
                read.object = plain(object);
                read.about.insert(read.object.clone());
            } else if let Some(also) = part.strip_prefix("also ") {
                read.about.extend(split(also, ", ").into_iter().map(plain));
            } else {
                for field in split(part, ", ") {
                    if let Some((name, value)) = field.split_once('=') {
                        read.fields.insert(plain(name), plain(value));
                    }
                }
            }
        }
        for piece in read.about.iter().chain(read.fields.values()) {
            text.push(' ');
            text.push_str(piece);
        }
        read.text = text.to_lowercase();
        Some(read)
    }

    pub fn is_stated(&self) -> bool {
        STATED.contains(&self.class.as_str())
    }

    /// Whether a stated fact covers another one: it names something that the other is about, at its time where it says when.
    pub fn covers(&self, other: &Self) -> bool {
        let bound = |name: &str| self.fields.get(name).and_then(|text| seconds(text));
        let within = other.second.is_none_or(|at| {
            bound("from").is_none_or(|from| at >= from) && bound("until").is_none_or(|until| at <= until)
        });
        within && other.about.iter().any(|entity| self.names(entity))
    }

    /// Whether the line has an entity, or mentions it in one of its texts.
    fn names(&self, entity: &str) -> bool {
        let name = entity.split_once(':').map_or(entity, |(_, name)| name).to_lowercase();
        let edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
        self.about.contains(entity)
            || (name.len() > 2
                && self.text.match_indices(&name).any(|(at, found)| {
                    edge(self.text[..at].chars().next_back()) && edge(self.text[at + found.len()..].chars().next())
                }))
    }
}

fn is_id(word: &str) -> bool {
    word.strip_prefix('F').is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The first time and the last one in the head of a line.
fn times(head: &str) -> (Option<f64>, Option<f64>) {
    let mut found = head.split([' ', ',']).filter_map(seconds);
    (found.next(), found.next())
}

/// Seconds of a time such as `2026-03-10T02:20:00Z`, with months of equal length: for comparison within a packet.
fn seconds(text: &str) -> Option<f64> {
    let (day, clock) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, sign: char| -> Option<Vec<f64>> {
        text.split(sign).map(|part| part.parse::<f64>().ok()).collect::<Option<Vec<f64>>>()
    };
    let ([year, month, day], [hour, minute, second]) =
        (numbers(day, '-')?.try_into().ok()?, numbers(clock, ':')?.try_into().ok()?);
    Some((((year * 12.0 + month) * 31.0 + day) * 24.0 + hour) * 3600.0 + minute * 60.0 + second)
}

/// Parts of a text, without splitting within quotation marks.
fn split<'a>(text: &'a str, sign: &str) -> Vec<&'a str> {
    let (mut parts, mut begin, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if !quoted && at >= begin && text[at..].starts_with(sign) => {
                parts.push(&text[begin..at]);
                begin = at + sign.len();
            }
            _ => {}
        }
    }
    parts.push(&text[begin.min(text.len())..]);
    parts
}

/// A text as it was found: without the quotation marks and escapes of the line.
fn plain(text: &str) -> String {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match values.next() {
        Some(Ok(inner)) => inner,
        _ => text.to_owned(),
    }
}

/// What a page shows of a packet.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub lines: BTreeMap<String, Line>,
    /// Numbers of facts that a status says were shown, from and to.
    shown: Vec<(usize, usize)>,
    /// How many facts the packet has, where the page says so.
    pub facts: Option<usize>,
    /// Calls that are left, where the page says so.
    pub left: Option<usize>,
}

impl Page {
    pub fn read(sheet: &Sheet<'_>) -> Self {
        let mut page = Self::default();
        for text in sheet.shown() {
            page.take(text);
            for value in embedded(text) {
                page.strings(&value);
            }
        }
        page
    }

    fn strings(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.take(text);
                // A message within a message.
                for inner in embedded(text).filter(Value::is_object) {
                    self.strings(&inner);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.strings(item)),
            Value::Object(members) => members.values().for_each(|member| self.strings(member)),
            _ => {}
        }
    }

    fn take(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            let line = line.strip_prefix("Observation: ").unwrap_or(line);
            if let Some(read) = Line::read(line) {
                let fuller = self.lines.get(&read.id).is_none_or(|known| known.fields.len() <= read.fields.len());
                if fuller {
                    self.lines.insert(read.id.clone(), read);
                }
            }
            if let Some((number, _)) =
                line.strip_prefix("Evidence packet with ").and_then(|rest| rest.split_once(" fact"))
            {
                self.facts = number.parse().ok().or(self.facts);
            }
            if let Some((_, ranges)) = line.strip_prefix("Facts shown so far: ").and_then(|rest| rest.split_once(" ("))
            {
                let number = |id: &str| id.trim().strip_prefix('F').and_then(|digits| digits.parse::<usize>().ok());
                self.shown.extend(ranges.trim_end_matches(").").split(',').filter_map(|range| {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    Some((number(first)?, number(last)?))
                }));
            }
            if line.starts_with("One call is left") {
                self.left = Some(1);
            } else if let Some((number, _)) = line.split_once(" calls are left") {
                self.left = number.parse().ok().or(self.left);
            }
        }
    }

    /// The number of the first page of all facts that holds one which was not shown.
    pub fn missing(&self, size: usize) -> Option<usize> {
        let facts = self.facts?;
        let was_shown = |number: usize| {
            self.lines.contains_key(&format!("F{number:03}"))
                || self.shown.iter().any(|(first, last)| (*first..=*last).contains(&number))
        };
        let first = (1..=facts).find(|number| !was_shown(*number))?;
        Some((first - 1) / size + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let line = "F010 2026-03-10T02:20:00Z to 2026-03-10T02:27:12Z, 310 records logon_failed: password refused; by \
                    address:198.51.100.23; on account:root; also host:gate02, \"process:sshd (4106)\"; \
                    message=\"a; b, \\\"c\\\" \\u003cd\", port=\"22\"";
        let read = Line::read(line).unwrap();
        assert_eq!((read.id.as_str(), read.count, read.class.as_str()), ("F010", 310, "logon_failed"));
        assert_eq!((read.actor.as_str(), read.object.as_str()), ("address:198.51.100.23", "account:root"));
        assert!(read.about.contains("process:sshd (4106)") && read.about.len() == 4, "{:?}", read.about);
        assert_eq!(read.fields["message"], "a; b, \"c\" <d");
        assert_eq!(read.fields["port"], "22");
        let known = Line::read("F037 known_scanner: known; on address:198.51.100.23; name=\"yearly test\"").unwrap();
        assert!(known.is_stated() && known.covers(&read) && known.second.is_none());
        let window = "F038 change_window: announced; on host:gate02; from=\"2026-03-11T00:00:00Z\", until=\"2026-03-11T04:00:00Z\"";
        assert!(!Line::read(window).unwrap().covers(&read));
        for text in ["Facts by class: logon 7", "F12 x: y", "From here: on", ""] {
            assert_eq!(Line::read(text), None, "{text}");
        }
    }
}
