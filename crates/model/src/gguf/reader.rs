//! Values of a GGUF header, each held against the length of the file before anything is read.

use std::collections::HashSet;
use std::io::Read;

use super::GgufError;

/// Longest key or name in bytes.
const KEY: u64 = 1 << 10;
/// Longest text that is kept; longer ones are passed over.
const TEXT: u64 = 1 << 20;

/// A value of the header; arrays are counted and looked through, not kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Whole numbers and truth values.
    Whole(i128),
    Float(f64),
    Text(String),
    Array(Array),
}

/// An array of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Array {
    /// Type of its items.
    pub kind: u32,
    /// How many there are.
    pub length: u64,
    /// Least and greatest whole number in it.
    pub range: Option<(i128, i128)>,
    /// Whether every text in it has a blank within.
    pub pairs: bool,
    /// Whether every text in it is UTF-8.
    pub texts: bool,
    /// Whether no text but the empty one is in it twice.
    pub distinct: bool,
}

pub(super) const TEXT_KIND: u32 = 8;
const ARRAY_KIND: u32 = 9;

pub(super) struct Reader<R> {
    bytes: R,
    at: u64,
    length: u64,
}

impl<R: Read> Reader<R> {
    pub(super) const fn new(bytes: R, length: u64) -> Self {
        Self { bytes, at: 0, length }
    }

    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn wrong<T>(&self, what: impl Into<String>) -> Result<T, GgufError> {
        Err(GgufError { at: self.at, what: what.into() })
    }

    pub(super) fn take<const COUNT: usize>(&mut self, what: &str) -> Result<[u8; COUNT], GgufError> {
        let mut bytes = [0; COUNT];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8], what: &str) -> Result<(), GgufError> {
        if bytes.len() as u64 > self.length.saturating_sub(self.at) {
            return self.wrong(format!("it ends within {what}"));
        }
        if let Err(error) = self.bytes.read_exact(bytes) {
            return self.wrong(format!("{what} cannot be read: {error}"));
        }
        self.at += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, GgufError> {
        self.take(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, GgufError> {
        self.take(what).map(u64::from_le_bytes)
    }

    /// A key, or the name of a tensor.
    pub(super) fn name(&mut self, what: &str) -> Result<String, GgufError> {
        let length = self.u64(what)?;
        if length == 0 || length > KEY {
            return self.wrong(format!("{what} has {length} bytes, and 1 to {KEY} are possible"));
        }
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes, what)?;
        String::from_utf8(bytes).or_else(|_| self.wrong(format!("{what} is not a text")))
    }

    /// A text; the part of it beyond [`TEXT`] is passed over.
    fn text(&mut self, what: &str) -> Result<Vec<u8>, GgufError> {
        let length = self.u64(what)?;
        if length > self.length.saturating_sub(self.at) {
            return self.wrong(format!("it ends within {what}"));
        }
        let mut bytes = vec![0; length.min(TEXT) as usize];
        self.fill(&mut bytes, what)?;
        let mut rest = length - bytes.len() as u64;
        let mut scrap = vec![0; rest.min(1 << 16) as usize];
        while rest > 0 {
            let part = rest.min(scrap.len() as u64) as usize;
            self.fill(&mut scrap[..part], what)?;
            rest -= part as u64;
        }
        Ok(bytes)
    }

    pub(super) fn value(&mut self, key: &str) -> Result<Value, GgufError> {
        let what = format!("the value of `{key}`");
        let kind = self.u32(&what)?;
        match kind {
            TEXT_KIND => {
                let bytes = self.text(&what)?;
                Ok(Value::Text(String::from_utf8_lossy(&bytes).into_owned()))
            }
            ARRAY_KIND => self.array(&what).map(Value::Array),
            _ => self.number(kind, &what),
        }
    }

    fn number(&mut self, kind: u32, what: &str) -> Result<Value, GgufError> {
        Ok(match kind {
            0 => Value::Whole(u8::from_le_bytes(self.take(what)?).into()),
            1 => Value::Whole(i8::from_le_bytes(self.take(what)?).into()),
            2 => Value::Whole(u16::from_le_bytes(self.take(what)?).into()),
            3 => Value::Whole(i16::from_le_bytes(self.take(what)?).into()),
            4 => Value::Whole(u32::from_le_bytes(self.take(what)?).into()),
            5 => Value::Whole(i32::from_le_bytes(self.take(what)?).into()),
            6 => Value::Float(f32::from_le_bytes(self.take(what)?).into()),
            7 => match self.take::<1>(what)? {
                [bit @ (0 | 1)] => Value::Whole(bit.into()),
                [other] => return self.wrong(format!("{what} is {other}, and 0 or 1 are possible")),
            },
            10 => Value::Whole(u64::from_le_bytes(self.take(what)?).into()),
            11 => Value::Whole(i64::from_le_bytes(self.take(what)?).into()),
            12 => Value::Float(f64::from_le_bytes(self.take(what)?)),
            other => return self.wrong(format!("{what} is of type {other}, which GGUF does not have")),
        })
    }

    fn array(&mut self, what: &str) -> Result<Array, GgufError> {
        let kind = self.u32(what)?;
        if kind == ARRAY_KIND {
            return self.wrong(format!("{what} is an array of arrays, which no model has"));
        }
        let length = self.u64(what)?;
        // An item has a byte at least, a text eight.
        let least = if kind == TEXT_KIND { 8 } else { 1 };
        if length > self.length.saturating_sub(self.at) / least {
            return self.wrong(format!("{what} claims {length} items, more than the file can hold"));
        }
        let mut array = Array { kind, length, range: None, pairs: true, texts: true, distinct: true };
        let mut seen = HashSet::new();
        for _ in 0..length {
            if kind == TEXT_KIND {
                let bytes = self.text(what)?;
                array.texts &= std::str::from_utf8(&bytes).is_ok();
                array.pairs &= bytes.iter().skip(1).any(|byte| *byte == b' ');
                // The library numbers empty texts itself.
                array.distinct &= bytes.is_empty() || seen.insert(bytes);
            } else if let Value::Whole(number) = self.number(kind, what)? {
                let (least, most) = array.range.unwrap_or((number, number));
                array.range = Some((least.min(number), most.max(number)));
            }
        }
        Ok(array)
    }
}
