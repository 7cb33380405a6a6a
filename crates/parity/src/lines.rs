//! Recordings line by line: one JSON object a line, plain or gzipped.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use crate::json::fields;
use crate::{Json, Seed};

/// No line of a recording is longer.
const LONGEST_LINE: u64 = 64 << 20;

/// Why a recording cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or unpacked.
    #[error("{}: cannot be read ({source}); give a recording as .jsonl or .jsonl.gz", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file breaks off.
    #[error("{}:{line}: the file cannot be read any further ({source}); it is cut short or damaged: fetch it again", path.display())]
    Torn {
        /// The file.
        path: PathBuf,
        /// The line that could not be read to its end, from one.
        line: usize,
        /// Why.
        source: io::Error,
    },
    /// A file without any episode.
    #[error("no episode in {}: {wanted}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What a recording holds at least.
        wanted: &'static str,
    },
    /// A line does not have the form of the format.
    #[error("{}:{line}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
}

/// A line: its place and its fields, each still as text.
#[derive(Debug)]
pub struct Line<'a> {
    path: &'a Path,
    /// Its number, from one.
    pub number: usize,
    /// The value of `kind`.
    pub kind: String,
    /// The fields, in order, as JSON text.
    pub fields: Vec<(String, &'a str)>,
}

/// The lines of a recording.
pub struct Lines {
    path: PathBuf,
    source: Box<dyn BufRead>,
    buffer: Vec<u8>,
    number: usize,
}

impl Lines {
    /// Opens a recording, or standard input for `-`; whether it is gzipped is seen from its first bytes.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let failed = |source| ReadError::Io { path: path.to_owned(), source };
        let bytes: Box<dyn Read> =
            if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
        let mut file = BufReader::with_capacity(1 << 16, bytes);
        let gzipped = file.fill_buf().map_err(failed)?.starts_with(&[0x1F, 0x8B]);
        let source: Box<dyn BufRead> = if gzipped {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self::new(path, source))
    }

    /// Lines of any source; `path` is only for messages.
    #[must_use]
    pub fn new(path: &Path, source: Box<dyn BufRead>) -> Self {
        Self { path: path.to_owned(), source, buffer: Vec::new(), number: 0 }
    }

    /// The next line that is not blank.
    ///
    /// # Errors
    /// When the file ends badly or the line is malformed.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        loop {
            self.buffer.clear();
            let mut limited = (&mut self.source).take(LONGEST_LINE);
            let read = limited.read_until(b'\n', &mut self.buffer);
            self.number += 1;
            let read = read.map_err(|source| ReadError::Torn { path: self.path.clone(), line: self.number, source })?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == LONGEST_LINE {
                return Err(self.malformed("the line is longer than 64 MiB".to_owned()));
            }
            // Some editors put a mark in front of UTF-8.
            if self.number == 1 && self.buffer.starts_with(b"\xEF\xBB\xBF") {
                self.buffer.drain(..3);
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        let malformed = |what: String| ReadError::Malformed { path: self.path.clone(), line: self.number, what };
        let text = std::str::from_utf8(&self.buffer).map_err(|error| malformed(format!("not UTF-8: {error}")))?;
        let fields = fields(text.trim_ascii_end()).map_err(|error| malformed(error.to_string()))?;
        for (at, (key, _)) in fields.iter().enumerate() {
            if fields[..at].iter().any(|(earlier, _)| earlier == key) {
                return Err(malformed(format!("the field `{key}` is given twice")));
            }
        }
        let kind = fields.iter().find(|(key, _)| key == "kind").map(|(_, value)| Json::parse(value));
        let kind = match kind {
            Some(Ok(Json::Text(kind))) => kind,
            Some(_) => return Err(malformed("`kind` must be a text".to_owned())),
            None => return Err(malformed("the line has no `kind`; is this a recording?".to_owned())),
        };
        Ok(Some(Line { path: &self.path, number: self.number, kind, fields }))
    }

    fn malformed(&self, what: String) -> ReadError {
        ReadError::Malformed { path: self.path.clone(), line: self.number, what }
    }
}

impl<'a> Line<'a> {
    /// An error at this line.
    #[must_use]
    pub fn error(&self, what: impl Into<String>) -> ReadError {
        ReadError::Malformed { path: self.path.to_owned(), line: self.number, what: what.into() }
    }

    /// The text of a field, if the line has it.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&'a str> {
        self.fields.iter().find(|(known, _)| known == key).map(|(_, value)| *value)
    }

    /// A field, if the line has it.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn json(&self, key: &str) -> Result<Option<Json>, ReadError> {
        match self.raw(key) {
            None => Ok(None),
            Some(raw) => Json::parse(raw).map(Some).map_err(|error| self.error(format!("`{key}`: {error}"))),
        }
    }

    /// A field that must be there.
    ///
    /// # Errors
    /// When it is missing or not JSON.
    pub fn needed(&self, key: &str) -> Result<Json, ReadError> {
        self.json(key)?.ok_or_else(|| self.error(format!("`{key}` is missing")))
    }

    /// A field that must be there as a text.
    ///
    /// # Errors
    /// When it is missing or something else.
    pub fn text(&self, key: &str) -> Result<String, ReadError> {
        match self.needed(key)? {
            Json::Text(text) => Ok(text),
            _ => Err(self.error(format!("`{key}` must be a text"))),
        }
    }

    /// A field that is a whole number at least 0, if the line has it.
    ///
    /// # Errors
    /// When it is something else.
    pub fn whole(&self, key: &str) -> Result<Option<u64>, ReadError> {
        match self.json(key)? {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match value.as_whole().and_then(|value| u64::try_from(value).ok()) {
                Some(value) => Ok(Some(value)),
                None => Err(self.error(format!("`{key}` must be a whole number from 0 to 2^64-1"))),
            },
        }
    }

    /// The seed, of any size; Python takes the absolute value of a negative one.
    ///
    /// # Errors
    /// When it is not a whole number.
    pub fn seed(&self) -> Result<Option<Seed>, ReadError> {
        match self.raw("seed").map(str::trim) {
            None | Some("null") => Ok(None),
            Some(text) => match Seed::from_decimal(text) {
                Some(seed) => Ok(Some(seed)),
                None => Err(self.error("`seed` must be a whole number, written with at most 4300 digits")),
            },
        }
    }
}
