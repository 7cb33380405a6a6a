//! Rows of delimited text: each with its own bytes, which its hash is taken over, and with bounded memory.

use std::io::{self, BufRead};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr_iter};

use super::super::MAX_EVENT;

/// Most cells of a row that are read.
const MAX_CELLS: usize = 256;
/// Room for the text of a row to begin with, in bytes.
const ROOM: usize = 16 * 1024;

/// Reads rows one after another. Quoted cells may hold line breaks.
pub(super) struct Rows<R> {
    input: R,
    reader: Reader,
    delimiter: u8,
    /// The bytes of the row, at most one more than [`MAX_EVENT`].
    raw: Vec<u8>,
    /// The text of its cells, one behind the other.
    text: Vec<u8>,
    ends: Vec<usize>,
    number: u64,
    /// The line of the next byte, from 1.
    line: u64,
}

/// A row.
pub(super) struct Row<'a> {
    /// Its bytes without the end of its last line.
    pub raw: &'a [u8],
    /// Its number, from 1.
    pub number: u64,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// What is wrong with it; its cells are then nothing to read.
    pub fault: Option<Fault>,
    text: &'a [u8],
    ends: &'a [usize],
}

/// What can be wrong with the form of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has more than 1 MiB, or more cells than are read.
    TooLarge,
    /// A quotation mark is not closed at the end of the source.
    Open,
    /// Text follows a quotation mark that closes a cell.
    Behind,
}

impl Row<'_> {
    /// Where it is in its source.
    pub fn place(&self) -> String {
        format!("row {} at line {}", self.number, self.line)
    }

    /// Its cells. Bytes that are not UTF-8 become replacement characters.
    pub fn cells(&self) -> Vec<String> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let cell = |(start, end): (usize, &usize)| self.text.get(start..*end).unwrap_or_default();
        starts.zip(self.ends).map(|found| String::from_utf8_lossy(cell(found)).into_owned()).collect()
    }
}

impl<R: BufRead> Rows<R> {
    /// Rows of an input whose next byte is on the given line.
    pub fn new(input: R, delimiter: u8, line: u64) -> Self {
        Self {
            input,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            delimiter,
            raw: Vec::new(),
            text: vec![0; ROOM],
            ends: vec![0; MAX_CELLS],
            number: 0,
            line,
        }
    }

    /// The next row; `None` at the end. Empty lines are none.
    pub fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        let (mut text, mut cells, mut is_too_large) = (0, 0, false);
        let mut first = self.line;
        self.raw.clear();
        loop {
            let buffer = self.input.fill_buf()?;
            let (result, read, written, ended) = self.reader.read_record(
                buffer,
                self.text.get_mut(text..).unwrap_or_default(),
                self.ends.get_mut(cells..).unwrap_or_default(),
            );
            let mut bytes = buffer.get(..read).unwrap_or_default();
            self.line += memchr_iter(b'\n', bytes).count() as u64;
            if self.raw.is_empty() {
                // The end of the line before, and empty lines.
                let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                let rest = bytes.get(blank..).unwrap_or_default();
                first += memchr_iter(b'\n', bytes.get(..blank).unwrap_or_default()).count() as u64;
                bytes = rest;
            }
            let room = (MAX_EVENT + 1).saturating_sub(self.raw.len());
            self.raw.extend_from_slice(bytes.get(..bytes.len().min(room)).unwrap_or_default());
            self.input.consume(read);
            text += written;
            cells += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.text.len() < 2 * MAX_EVENT => {
                    self.text.resize(self.text.len() * 2, 0)
                }
                // What does not fit is read on, and written over.
                ReadRecordResult::OutputFull => (text, is_too_large) = (0, true),
                ReadRecordResult::OutputEndsFull => (cells, is_too_large) = (0, true),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break,
            }
        }
        self.number += 1;
        is_too_large |= self.raw.len() > MAX_EVENT;
        let end = self.raw.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let raw = self.raw.get(..self.raw.len() - end).unwrap_or_default();
        let fault = if is_too_large { Some(Fault::TooLarge) } else { quoting(raw, self.delimiter) };
        let (text, ends) = (self.text.as_slice(), self.ends.get(..cells).unwrap_or_default());
        Ok(Some(Row { raw, number: self.number, line: first, fault, text, ends }))
    }
}

/// What is wrong with the quotation marks of a row. The reader of rows takes any text; a row whose marks do not pair may hold pieces of others.
fn quoting(row: &[u8], delimiter: u8) -> Option<Fault> {
    let mut rest = row;
    loop {
        if let Some(mut quoted) = rest.strip_prefix(b"\"") {
            rest = loop {
                let Some(at) = memchr(b'"', quoted) else { return Some(Fault::Open) };
                let behind = quoted.get(at + 1..).unwrap_or_default();
                match behind.strip_prefix(b"\"") {
                    Some(more) => quoted = more,
                    None => break behind,
                }
            };
            if rest.first().is_some_and(|byte| *byte != delimiter) {
                return Some(Fault::Behind);
            }
        }
        match memchr(delimiter, rest) {
            Some(at) => rest = rest.get(at + 1..).unwrap_or_default(),
            None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::{Fault, MAX_EVENT, Rows};

    type Found = (String, Vec<String>, Option<Fault>);

    fn rows(text: &str, capacity: usize) -> Vec<Found> {
        let mut rows = Rows::new(BufReader::with_capacity(capacity, text.as_bytes()), b',', 2);
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            found.push((row.place(), row.cells(), row.fault));
        }
        found
    }

    #[test]
    fn rows_are_the_same_for_every_size_of_the_buffer() {
        let text = "a,\"b\r\n\"\"c\"\"\",\r\n\r\n\nd,e\r\n\"f";
        let of = |place: &str, cells: &[&str], fault| {
            (place.to_owned(), cells.iter().map(|cell| (*cell).to_owned()).collect(), fault)
        };
        let expected: Vec<Found> = vec![
            of("row 1 at line 2", &["a", "b\r\n\"c\"", ""], None),
            of("row 2 at line 6", &["d", "e"], None),
            of("row 3 at line 7", &["f"], Some(Fault::Open)),
        ];
        for capacity in [1, 2, 3, 7, 100] {
            assert_eq!(rows(text, capacity), expected, "{capacity}");
        }
        assert!(rows("\r\n\n", 8).is_empty() && rows("", 8).is_empty());
    }

    #[test]
    fn a_mark_that_is_not_closed_is_named_and_rows_begin_again() {
        let found = rows("a,\"cut\nb,\"whole\"\nc,d\n", 64);
        let faults: Vec<Option<Fault>> = found.iter().map(|(.., fault)| *fault).collect();
        assert_eq!(faults, [Some(Fault::Behind), None]);
        assert_eq!(found[1].1, ["c", "d"]);
    }

    #[test]
    fn a_row_beyond_the_bound_is_named_and_the_next_one_is_whole() {
        for long in [format!("\"{}\"", "x\n".repeat(MAX_EVENT)), "x,".repeat(300)] {
            let found = rows(&format!("{long}\nc,d\n"), 4096);
            assert_eq!((found.len(), found[0].2, found[1].2), (2, Some(Fault::TooLarge), None));
            assert_eq!(found[1].1, ["c", "d"]);
        }
    }
}
