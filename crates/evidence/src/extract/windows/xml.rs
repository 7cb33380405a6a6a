//! A strict extractor of the part of XML that events need: elements, attributes, text, `CDATA`, comments.
//!
//! Document types are refused, so that no entity can be declared: the five names of XML and characters by number are all there is.
//! Nothing is fetched, and nothing expands.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};
use thiserror::Error;

/// Why a text is not such XML.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("byte {at} of the event: {what}")]
pub(super) struct XmlError {
    /// Where, in bytes from the start of the event.
    pub(super) at: usize,
    /// What is wrong.
    pub(super) what: &'static str,
}

/// A tag.
pub(super) enum Tag<'a> {
    /// `<name attributes>`, or `<name attributes/>` when it is empty.
    Open { name: &'a str, attributes: &'a str, empty: bool },
    /// `</name>`
    Close { name: &'a str },
}

/// Goes from tag to tag.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next tag, where it starts and where it ends; comments, `CDATA` and processing instructions are passed over.
    pub(super) fn next(&mut self) -> Result<Option<(Tag<'a>, usize, usize)>, XmlError> {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(distance) = memchr(b'<', rest.as_bytes()) else { return Ok(None) };
            let start = self.at + distance;
            let rest = rest.get(distance + 1..).unwrap_or_default();
            let passed = if rest.starts_with("!--") {
                length(rest, "-->")
            } else if rest.starts_with("![CDATA[") {
                length(rest, "]]>")
            } else if rest.starts_with('?') {
                length(rest, "?>")
            } else if rest.starts_with('!') {
                return Err(XmlError { at: start, what: "a document type or another declaration" });
            } else {
                let length = tag_length(rest.as_bytes()).ok_or(UNFINISHED.at(start))?;
                let end = start + 1 + length;
                self.at = end;
                let tag = tag(rest.get(..length.saturating_sub(1)).unwrap_or_default());
                return tag.map(|tag| Some((tag, start, end))).ok_or(NO_NAME.at(start));
            };
            self.at = start + 1 + passed.ok_or(UNFINISHED.at(start))?;
        }
    }
}

/// A fault without its place.
struct Fault(&'static str);

const UNFINISHED: Fault = Fault("a tag, comment or section that does not end");
const NO_NAME: Fault = Fault("a tag without a name");

impl Fault {
    const fn at(&self, at: usize) -> XmlError {
        XmlError { at, what: self.0 }
    }
}

/// The length of a piece up to the end of its mark.
fn length(text: &str, mark: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), mark.as_bytes()).map(|at| at + mark.len())
}

/// The length of a tag up to the end of its `>`, which values in quotes may hold too. `None` where it does not end.
fn tag_length(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.iter().enumerate() {
        match (quote, *byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Reads what is between `<` and `>`.
fn tag(inner: &str) -> Option<Tag<'_>> {
    let named =
        |text: &str| !text.is_empty() && !text.starts_with(|first: char| !first.is_alphabetic() && first != '_');
    if let Some(name) = inner.strip_prefix('/') {
        let name = local(name.trim_ascii_end());
        return named(name).then_some(Tag::Close { name });
    }
    let (inner, empty) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
    let end = inner.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(inner.len());
    let (name, attributes) = inner.split_at(end);
    let name = local(name);
    named(name).then_some(Tag::Open { name, attributes, empty })
}

/// The name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The attributes of a tag that are not namespaces, with their raw values.
pub(super) fn attributes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (name, after) = rest.split_once('=')?;
            let after = after.trim_ascii_start();
            let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''))?;
            let (value, after) = after.get(1..)?.split_once(quote)?;
            rest = after;
            let name = name.trim_ascii();
            if name != "xmlns" && !name.starts_with("xmlns:") {
                return Some((local(name), value));
            }
        }
    })
}

/// The characters that raw content encodes.
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    if memchr2(b'&', b'<', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr2(b'&', b'<', rest.as_bytes()) {
        let (before, markup) = rest.split_at(at);
        out.push_str(before);
        if let Some((character, after)) = reference(markup) {
            out.push(character);
            rest = after;
        } else if let Some((inner, after)) = section(markup, "<![CDATA[", "]]>") {
            out.push_str(inner);
            rest = after;
        } else if let Some((_, after)) = section(markup, "<!--", "-->") {
            rest = after;
        } else {
            // Layouts are read before values, and refuse anything else.
            let mut characters = markup.chars();
            out.extend(characters.next());
            rest = characters.as_str();
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether all references in raw content are known; else where the first unknown one is.
pub(super) fn check_references(raw: &str) -> Result<(), usize> {
    let mut at = 0;
    while let Some(rest) = raw.get(at..) {
        let Some(next) = memchr2(b'&', b'<', rest.as_bytes()) else { break };
        let markup = rest.get(next..).unwrap_or_default();
        let after = reference(markup)
            .map(|(_, after)| after)
            .or_else(|| section(markup, "<![CDATA[", "]]>").map(|(_, after)| after))
            .or_else(|| section(markup, "<!--", "-->").map(|(_, after)| after));
        let Some(after) = after else { return Err(at + next) };
        at = raw.len() - after.len();
    }
    Ok(())
}

fn section<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(open)?.split_once(close)
}

/// A reference at the start of a text, and what comes after it.
fn reference(text: &str) -> Option<(char, &str)> {
    // The longest one is `&#x10FFFF;`.
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = text.get(1..end).filter(|_| text.starts_with('&'))?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = number.strip_prefix(['x', 'X']).map_or_else(|| number.parse().ok(), hexadecimal)?;
            char::from_u32(number)?
        }
    };
    Some((character, text.get(end + 1..)?))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{Scanner, attributes, check_references, decode};

    #[test]
    fn references_are_read_and_nothing_expands() {
        assert_eq!(decode("a &lt;&#x41;&#66;&amp;lt; <![CDATA[<&>]]><!-- no -->z"), "a <AB&lt; <&>z");
        for raw in ["&lol;", "&", "&#xD800;", "&#99999999999;", "x<y"] {
            assert!(check_references(raw).is_err(), "{raw}");
        }
    }

    #[test]
    fn attributes_may_hold_any_mark_and_namespaces_are_none() {
        let text = r#" xmlns="a" xmlns:b='c' Name='x>"y' b:Other = "1""#;
        assert_eq!(attributes(text).collect::<Vec<_>>(), [("Name", "x>\"y"), ("Other", "1")]);
    }

    #[test]
    fn declarations_are_refused() {
        assert!(Scanner::new("<!DOCTYPE lolz [<!ENTITY a \"b\">]><Event/>").next().is_err());
        assert!(Scanner::new("<a").next().is_err());
        assert!(Scanner::new("<>").next().is_err());
    }
}
