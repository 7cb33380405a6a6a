//! One record of the audit system: `type=SYSCALL msg=audit(1684329817.579:2995): arch=c000003e ...`.

use std::borrow::Cow;

use crate::Utc;

/// A record in its parts, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Record<'a> {
    /// The machine, where several log to one place.
    pub node: &'a str,
    /// What kind of record it is. The forwarding agent's own prefix is left out.
    pub kind: &'a str,
    /// The time as written.
    pub time_found: &'a str,
    pub time: Option<Utc>,
    /// The number of the event.
    pub event: &'a str,
    /// The fields.
    pub fields: &'a str,
}

impl<'a> Record<'a> {
    /// Reads a line; `None` where it has no head of that form.
    pub fn read(line: &'a str) -> Option<Self> {
        let (node, rest) = match line.strip_prefix("node=") {
            Some(rest) => rest.split_once(' ')?,
            None => ("", line),
        };
        let (kind, rest) = rest.strip_prefix("type=")?.split_once(' ')?;
        let rest = rest.strip_prefix("msg=").unwrap_or(rest).strip_prefix("audit(")?;
        let (time_found, rest) = rest.split_once(':')?;
        let (event, rest) = rest.split_once(')')?;
        let fields = rest.strip_prefix(':')?.trim_start();
        if kind.is_empty() || event.is_empty() || !event.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let kind = kind.strip_prefix("AUOMS_").filter(|rest| !rest.is_empty()).unwrap_or(kind);
        Some(Self { node, kind, time_found, time: super::super::clock::epoch(time_found), event, fields })
    }

    /// The first field of a name, decoded; empty where it is missing or the record says that it has none.
    pub fn get(&self, name: &str) -> Cow<'a, str> {
        // Most names that are asked for are not there, and a text is searched faster than fields are cut.
        if !self.fields.contains(name) {
            return Cow::default();
        }
        let found = self.fields().find(|field| field.name == name).map(|field| field.decoded());
        found.filter(|value| !matches!(value.as_ref(), "?" | "(null)" | "(none)")).unwrap_or_default()
    }

    /// The fields in order; those of a message that a program wrote (`msg='...'`) stand among them.
    pub fn fields(&self) -> Fields<'a> {
        Fields::new(self.fields)
    }
}

/// A field as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Field<'a> {
    pub name: &'a str,
    pub value: &'a str,
    quoted: bool,
}

impl<'a> Field<'a> {
    /// The value; what the kernel wrote in hexadecimal digits is decoded, with blanks for the zero bytes between arguments.
    pub fn decoded(&self) -> Cow<'a, str> {
        let bytes = if self.quoted || !is_encoded(self.name) { None } else { from_hex(self.value) };
        match bytes {
            Some(bytes) => {
                let between = |byte: &u8| if matches!(byte, 0 | 1) { b' ' } else { *byte };
                let mut bytes: Vec<u8> = bytes.iter().map(between).collect();
                while bytes.last() == Some(&b' ') {
                    bytes.pop();
                }
                Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
            }
            None => Cow::Borrowed(self.value),
        }
    }
}

/// Whether the kernel may write a field in hexadecimal digits.
fn is_encoded(name: &str) -> bool {
    let argument = name.strip_prefix('a').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    argument
        || matches!(
            name,
            "acct"
                | "cmd"
                | "comm"
                | "cwd"
                | "data"
                | "dir"
                | "exe"
                | "file"
                | "grp"
                | "key"
                | "name"
                | "new_group"
                | "ocomm"
                | "old_disk"
                | "path"
                | "proctitle"
                | "vm"
                | "watch"
        )
}

/// Bytes of an even number of upper-case hexadecimal digits, at least four; a shorter text is more likely a word.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    if text.len() < 4 || !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes().chunks_exact(2).map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.last()?)?)).collect()
}

/// Goes through fields.
pub(in super::super) struct Fields<'a> {
    rest: &'a str,
    /// What follows the message of a program.
    after: &'a str,
}

impl<'a> Fields<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, after: "" }
    }
}

/// Whether a text begins with the name of a field and `=`; its length without the sign.
fn name_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end =
        bytes.iter().position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-' | b'[' | b']'))?;
    (bytes.get(end) == Some(&b'=')).then_some(end)
}

const SEPARATORS: [char; 3] = [' ', '\u{1d}', '\t'];

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        loop {
            let text = self.rest.trim_start_matches(SEPARATORS);
            if text.is_empty() {
                self.rest = std::mem::take(&mut self.after);
                if self.rest.is_empty() {
                    return None;
                }
                continue;
            }
            let Some(length) = name_length(text) else {
                // A word of no field, such as `avc:`.
                let end = text.find(SEPARATORS).unwrap_or(text.len());
                self.rest = text.get(end..)?;
                return Some(Field { name: "text", value: text.get(..end)?, quoted: true });
            };
            let (name, rest) = (text.get(..length)?, text.get(length + 1..)?);
            if name == "msg"
                && let Some(inside) = rest.strip_prefix('\'')
            {
                // The fields inside are read as if they stood here. The message ends at the last mark before the names that the
                // log adds.
                let (inside, after) = inside.split_once("'\u{1d}").unwrap_or((inside, ""));
                self.rest = inside.trim_end_matches(['\'', ' ']);
                self.after = after;
                continue;
            }
            for (open, close) in [('"', '"'), ('\'', '\''), ('[', ']')] {
                if let Some(inside) = rest.strip_prefix(open)
                    && let Some((value, after)) = inside.split_once(close)
                {
                    self.rest = after;
                    return Some(Field { name, value, quoted: true });
                }
            }
            let end = value_length(rest);
            self.rest = rest.get(end..)?;
            return Some(Field { name, value: rest.get(..end)?.trim_end(), quoted: false });
        }
    }
}

/// The length of a bare value: up to the next field. Agents write values with blanks in them.
fn value_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(SEPARATORS)) {
        let end = at + next;
        let after = text.get(end + 1..).unwrap_or_default();
        if after.is_empty()
            || name_length(after).is_some()
            || after.starts_with(SEPARATORS)
            || text.as_bytes().get(end) == Some(&0x1d)
        {
            return end;
        }
        at = end + 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Record;

    proptest! {
        #[test]
        fn no_record_is_too_strange(fields in "[a-z0-9= \"'\\[\\](\u{1d}A-F-]{0,80}") {
            let line = format!("type=X msg=audit(1.5:2): {fields}");
            let record = Record::read(&line).unwrap();
            for field in record.fields().take(200) {
                let _ = field.decoded();
            }
            prop_assert!(record.fields().count() <= fields.len());
        }
    }

    #[test]
    fn fields_are_read_as_kernel_and_programs_write_them() {
        let line = "node=web01 type=EXECVE msg=audit(1684329817.579:2995): argc=3 a0=\"sh\" a1=\"-c\" a2=6C73202D6C a3=59a key=(null)";
        let record = Record::read(line).unwrap();
        assert_eq!((record.node, record.kind, record.event), ("web01", "EXECVE", "2995"));
        assert_eq!(
            (record.get("a2").as_ref(), record.get("a3").as_ref(), record.get("key").as_ref()),
            ("ls -l", "59a", "")
        );
        let line =
            "type=USER_LOGIN msg=audit(1.2:3): pid=7 uid=0 msg='op=login acct=\"root\" addr=192.0.2.7 res=failed'";
        let record = Record::read(line).unwrap();
        assert_eq!((record.get("acct").as_ref(), record.get("res").as_ref()), ("root", "failed"));
        let line =
            "type=USER_CMD msg=audit(1.2:3): pid=7 msg='cmd=6C73202D6C res=success'\u{1d}UID=\"bob\" AUID=\"bob\"";
        let record = Record::read(line).unwrap();
        assert_eq!((record.get("res").as_ref(), record.get("UID").as_ref()), ("success", "bob"));
        let line = "type=AUOMS_EXECVE audit(1.2:3): proctitle=/bin/java -Dx=1 -cp a:b redactors= containerid= path=[\"/bin/ls\"]";
        let record = Record::read(line).unwrap();
        assert_eq!((record.kind, record.get("proctitle").as_ref()), ("EXECVE", "/bin/java -Dx=1 -cp a:b"));
        assert_eq!(record.get("path").as_ref(), "\"/bin/ls\"");
        for wrong in ["", "type=X", "type=X msg=audit(1.2)", "type= msg=audit(1:2): ", "type=X msg=audit(1:2)"] {
            assert!(Record::read(wrong).is_none(), "{wrong}");
        }
    }
}
