//! Lines of a source, bounded.

use std::borrow::Cow;
use std::io::{self, BufRead};

/// Longest line that is read, in bytes; a longer one is damaged.
pub(super) const MAX_LINE: usize = 1 << 20;
/// What some editors write before the first line of a text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines without copying those that the reader's buffer holds whole.
pub(super) struct Lines<R> {
    input: R,
    /// A line that spans buffers.
    spanning: Vec<u8>,
    /// Bytes of the reader's buffer that the line before took.
    taken: usize,
    number: u64,
    /// Whether a line that is too long ends at its last carriage return.
    cuts: bool,
    /// Bytes of `spanning` that the line before took; those behind them belong to the next one.
    done: usize,
}

/// A line without its end.
pub(super) struct Line<'a> {
    /// Its bytes; of a line that is too long, the first [`MAX_LINE`].
    pub bytes: &'a [u8],
    /// Its number, from 1.
    pub number: u64,
    /// Whether it exceeds [`MAX_LINE`].
    pub too_long: bool,
}

impl Line<'_> {
    /// Its text. Bytes that are not UTF-8 become replacement characters.
    pub fn text(&self) -> Cow<'_, str> {
        text_of(self.bytes)
    }

    /// Where it is in its source.
    pub fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// A text. Bytes that are not UTF-8 become replacement characters.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly all lines are sound, and a whole line is checked faster than piece by piece.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Self { input, spanning: Vec::new(), taken: 0, number: 0, cuts: false, done: 0 }
    }

    /// Lines of which those that are too long end at their last carriage return: a source may have no other ends of lines.
    pub fn cut_at_returns(input: R) -> Self {
        Self { cuts: true, ..Self::new(input) }
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.input.consume(std::mem::take(&mut self.taken));
        self.spanning.drain(..std::mem::replace(&mut self.done, usize::MAX).min(self.spanning.len()));
        let mut too_long = false;
        let whole = loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                if self.spanning.is_empty() {
                    return Ok(None);
                }
                break false;
            }
            let end = memchr::memchr(b'\n', buffer);
            if end.is_some_and(|end| end <= MAX_LINE) && self.spanning.is_empty() {
                self.taken = end.map_or(0, |end| end + 1);
                break true;
            }
            let (piece, length) = end.map_or((buffer, buffer.len()), |end| (&buffer[..end], end + 1));
            let room = MAX_LINE - self.spanning.len();
            if self.cuts && !too_long && piece.len() > room {
                self.spanning.extend_from_slice(&piece[..room]);
                self.input.consume(room);
                too_long = true;
                if let Some(end) = memchr::memrchr(b'\r', &self.spanning) {
                    self.number += 1;
                    self.done = end + 1;
                    let bytes = self.spanning.get(..end).unwrap_or_default();
                    let bytes = without_mark(bytes, self.number);
                    return Ok(Some(Line { bytes, number: self.number, too_long: false }));
                }
                continue;
            }
            too_long |= piece.len() > room;
            self.spanning.extend_from_slice(&piece[..piece.len().min(room)]);
            self.input.consume(length);
            if end.is_some() {
                break false;
            }
        };
        self.number += 1;
        let bytes = if whole {
            // The same buffer as above: nothing was consumed since.
            let buffer = self.input.fill_buf()?;
            buffer.get(..self.taken.saturating_sub(1)).unwrap_or_default()
        } else {
            &self.spanning
        };
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Ok(Some(Line { bytes: without_mark(bytes, self.number), number: self.number, too_long }))
    }
}

/// A byte order mark does not belong to the first record.
fn without_mark(bytes: &[u8], number: u64) -> &[u8] {
    let mark = if number == 1 { MARK } else { b"" };
    bytes.strip_prefix(mark).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{Lines, MAX_LINE};

    fn lines(text: &[u8], capacity: usize) -> Vec<(Vec<u8>, bool)> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, text));
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            assert_eq!(line.number, found.len() as u64 + 1);
            found.push((line.bytes.to_vec(), line.too_long));
        }
        found
    }

    #[test]
    fn lines_are_the_same_for_every_size_of_the_buffer() {
        let text = b"one\r\ntwo\n\nfour and more\nlast";
        let expected: Vec<(Vec<u8>, bool)> =
            ["one", "two", "", "four and more", "last"].map(|line| (line.as_bytes().to_vec(), false)).to_vec();
        for capacity in [1, 2, 3, 7, 100] {
            assert_eq!(lines(text, capacity), expected, "{capacity}");
        }
        assert!(lines(b"", 8).is_empty());
    }

    #[test]
    fn a_mark_of_the_order_of_bytes_is_no_part_of_the_first_line_and_stays_in_others() {
        for capacity in [1, 2, 3, 4, 100] {
            let found = lines(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo", capacity);
            let found: Vec<&[u8]> = found.iter().map(|(line, _)| line.as_slice()).collect();
            assert_eq!(found, [&b"one"[..], b"\xef\xbb\xbftwo"], "{capacity}");
        }
    }

    #[test]
    fn a_line_beyond_the_bound_is_cut_and_the_next_one_is_whole() {
        for capacity in [4096, 4 * MAX_LINE] {
            let mut text = vec![b'x'; MAX_LINE + 5000];
            text.extend_from_slice(b"\nnext\n");
            let found = lines(&text, capacity);
            assert_eq!(found.len(), 2);
            assert_eq!((found[0].0.len(), found[0].1), (MAX_LINE, true));
            assert_eq!(found[1], (b"next".to_vec(), false));
        }
    }
}
