//! Reads events as XML, such as `wevtutil qe CHANNEL /f:XML` prints them: one or many, with or without an element around them.

use std::io::{self, BufRead};

use memchr::memchr;

use super::super::utf16::{Encoding, Text};
use super::super::{ExtractError, Format, IssueKind, ReadOptions, Sink, Stats};
use super::{MAX_EVENT, Reader};

/// How much of a text outside of events is kept, to show it.
const MAX_STRAY: usize = 4096;

/// Reads events as XML in UTF-8, or in UTF-16 with a mark of the order of bytes. Each event gives one fact, with the place `event N at byte
/// B`: the number counts from 1, and the byte is where it starts in the source, whose bytes are hashed. An event that is not
/// well-formed, or longer than 1 MiB, and text outside of events give facts of the class `damaged` (ARES-011).
///
/// No entity can be declared: a document type is refused. Nothing is fetched.
///
/// # Errors
/// When the input cannot be read, is not XML, has a document type, or (if `options` say strict) has a damaged part.
pub fn read_xml(input: impl BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<Stats, ExtractError> {
    let (text, encoding) = Text::open(input)?;
    read_text(text, encoding, options, sink)
}

/// Reads events of decoded text.
fn read_text(
    input: impl BufRead,
    encoding: Encoding,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Stats, ExtractError> {
    let mut reader = Reader::new(options, sink);
    let mut pieces = Pieces { input, encoding, piece: Vec::new(), too_large: false, start: 0, end: 0 };
    let mut event = Vec::new();
    let mut state = State { encoding, ..State::default() };
    pieces.text()?;
    refuse_other_texts(&pieces.piece)?;
    loop {
        // A text, then the markup behind it, by turns.
        if state.is_inside {
            state.too_large |= pieces.too_large || event.len() + pieces.piece.len() > MAX_EVENT;
            append(&mut event, &pieces.piece, state.too_large);
        } else {
            stray(&pieces, &mut reader)?;
        }
        let markup = pieces.markup()?;
        match markup {
            Markup::End => break,
            Markup::Declaration => {
                let what = "it has a document type, which may declare entities: remove it".to_owned();
                return Err(ExtractError::Format { format: Format::WindowsXml, what });
            }
            Markup::Open { empty } => {
                if state.is_inside {
                    state.finish(&mut event, &mut reader, Some("the event ends before it is complete"))?;
                }
                state.begin(pieces.start);
                append(&mut event, &pieces.piece, false);
                if empty {
                    state.finish(&mut event, &mut reader, None)?;
                }
            }
            Markup::Close if state.is_inside => {
                append(&mut event, &pieces.piece, state.too_large);
                state.finish(&mut event, &mut reader, None)?;
            }
            Markup::Close | Markup::Other if !state.is_inside => {}
            Markup::Close | Markup::Other | Markup::Broken => {
                if state.is_inside {
                    state.too_large |= pieces.too_large || event.len() + pieces.piece.len() > MAX_EVENT;
                    append(&mut event, &pieces.piece, state.too_large);
                } else {
                    stray(&pieces, &mut reader)?;
                }
            }
        }
        pieces.text()?;
    }
    if state.is_inside {
        state.finish(&mut event, &mut reader, Some("the event ends before it is complete"))?;
    }
    Ok(reader.run.finish())
}

/// Adds a piece to an event that is kept.
fn append(event: &mut Vec<u8>, piece: &[u8], too_large: bool) {
    if !too_large {
        event.extend_from_slice(piece);
    }
}

/// A source that is not XML.
fn refuse_other_texts(text: &[u8]) -> Result<(), ExtractError> {
    if text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii().is_empty() {
        return Ok(());
    }
    Err(ExtractError::Format { format: Format::WindowsXml, what: "it does not start with `<`".to_owned() })
}

/// Where in the source the extractor is.
struct State {
    encoding: Encoding,
    is_inside: bool,
    too_large: bool,
    /// Events so far, this one included.
    number: u64,
    /// Where this one starts.
    start: u64,
}

impl Default for State {
    fn default() -> Self {
        Self { encoding: Encoding::Utf8, is_inside: false, too_large: false, number: 0, start: 0 }
    }
}

impl State {
    fn begin(&mut self, start: u64) {
        *self = Self { is_inside: true, too_large: false, number: self.number + 1, start, ..*self };
    }

    /// Ends an event: reads it, or says what is wrong with it.
    fn finish(
        &mut self,
        event: &mut Vec<u8>,
        reader: &mut Reader<'_>,
        problem: Option<&str>,
    ) -> Result<(), ExtractError> {
        let Self { number, start, .. } = *self;
        let place = || format!("event {number} at byte {start}");
        self.is_inside = false;
        let raw = self.encoding.raw(event);
        let result = if self.too_large {
            reader.run.damage(place(), IssueKind::TooLarge, "an event of more than 1 MiB", &raw)
        } else if let Some(problem) = problem {
            reader.run.damage(place(), IssueKind::Truncated, problem, &raw)
        } else {
            match std::str::from_utf8(event) {
                Ok(text) => reader.event(text, &raw, &place),
                Err(_) => {
                    let what = match self.encoding {
                        Encoding::Utf8 => "the event is not in UTF-8",
                        Encoding::Utf16 { .. } => "the event holds half of a pair of UTF-16 without the other half",
                    };
                    reader.run.damage(place(), IssueKind::Encoding, what, &raw)
                }
            }
        };
        drop(raw);
        event.clear();
        result
    }
}

/// A piece between events, where there is only space.
fn stray<R>(pieces: &Pieces<R>, reader: &mut Reader<'_>) -> Result<(), ExtractError> {
    let text = pieces.piece.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&pieces.piece);
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    let place = || format!("byte {}", pieces.start);
    let shown = text.get(..MAX_STRAY).unwrap_or(text);
    let shown = pieces.encoding.raw(shown);
    reader.run.damage(place(), IssueKind::Malformed, "text outside of an event", &shown)
}

/// What a piece of markup is.
enum Markup {
    /// `<Event …>`
    Open { empty: bool },
    /// `</Event>`
    Close,
    /// Another tag, a comment, a section or an instruction.
    Other,
    /// `<!DOCTYPE`, `<!ENTITY` and the like.
    Declaration,
    /// Markup that does not end.
    Broken,
    /// The source ended.
    End,
}

/// Cuts the source into text and markup. A piece is kept up to [`MAX_EVENT`] bytes.
struct Pieces<R> {
    input: R,
    encoding: Encoding,
    piece: Vec<u8>,
    too_large: bool,
    /// Where the piece starts in the source, and where it ends so far.
    start: u64,
    end: u64,
}

impl<R: BufRead> Pieces<R> {
    fn begin(&mut self) {
        self.piece.clear();
        self.too_large = false;
        self.start = self.end;
    }

    /// Reads the text before the next `<`.
    fn text(&mut self) -> io::Result<()> {
        self.begin();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let end = memchr(b'<', buffer);
            let length = end.unwrap_or(buffer.len());
            let piece = buffer.get(..length).unwrap_or_default();
            keep(&mut self.piece, &mut self.too_large, piece);
            self.end += self.encoding.length(piece);
            self.input.consume(length);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// Reads the markup that starts here.
    fn markup(&mut self) -> io::Result<Markup> {
        self.begin();
        let (mut scanned, mut quote, mut is_broken) = (1, None, false);
        loop {
            if !self.through_end_of_tag()? {
                return Ok(if self.piece.is_empty() { Markup::End } else { Markup::Broken });
            }
            // Markup of more than 1 MiB is not kept, and its end cannot be told: what follows is read as text.
            if self.too_large {
                return Ok(Markup::Broken);
            }
            let inner = self.piece.get(1..).unwrap_or_default();
            let ends = |mark: &[u8]| self.piece.ends_with(mark);
            let is_whole = if inner.starts_with(b"!--") {
                ends(b"-->") && self.piece.len() >= 7
            } else if inner.starts_with(b"![CDATA[") {
                ends(b"]]>")
            } else if inner.starts_with(b"?") {
                ends(b"?>")
            } else if inner.starts_with(b"!") {
                return Ok(Markup::Declaration);
            } else {
                // A value in quotes may hold `>`. Each byte is looked at once.
                for byte in self.piece.get(scanned..).unwrap_or_default() {
                    match (quote, *byte) {
                        (None, b'<') => is_broken = true,
                        (None, b'"' | b'\'') => quote = Some(*byte),
                        (Some(open), byte) if open == byte => quote = None,
                        _ => {}
                    }
                }
                scanned = self.piece.len();
                quote.is_none()
            };
            if is_whole {
                return Ok(if is_broken { Markup::Broken } else { kind(inner) });
            }
        }
    }

    /// Reads through the next `>`. Whether there was one.
    fn through_end_of_tag(&mut self) -> io::Result<bool> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = memchr(b'>', buffer);
            let length = end.map_or(buffer.len(), |end| end + 1);
            let piece = buffer.get(..length).unwrap_or_default();
            keep(&mut self.piece, &mut self.too_large, piece);
            self.end += self.encoding.length(piece);
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

/// What a whole tag is.
fn kind(inner: &[u8]) -> Markup {
    let (name, is_close) = inner.strip_prefix(b"/").map_or((inner, false), |name| (name, true));
    let end = name.iter().position(|byte| matches!(byte, b'>' | b'/') || byte.is_ascii_whitespace());
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    let local = name.iter().rposition(|byte| *byte == b':').and_then(|at| name.get(at + 1..)).unwrap_or(name);
    match (local, is_close) {
        (b"Event", true) => Markup::Close,
        (b"Event", false) => Markup::Open { empty: inner.ends_with(b"/>") },
        _ => Markup::Other,
    }
}

/// Adds to a piece while there is room.
fn keep(piece: &mut Vec<u8>, too_large: &mut bool, bytes: &[u8]) {
    if piece.len() + bytes.len() > MAX_EVENT {
        *too_large = true;
    } else {
        piece.extend_from_slice(bytes);
    }
}
