//! Text in UTF-16, as PowerShell's `>` writes it: read as UTF-8, with the places and the bytes of the source.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use super::{Observed, Sink};

/// How a source is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// With the order of bytes that its mark gives.
    Utf16 {
        big_endian: bool,
    },
}

impl Encoding {
    /// The encoding by the mark at the beginning.
    pub(super) fn of(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, ..] => Self::Utf16 { big_endian: false },
            [0xfe, 0xff, ..] => Self::Utf16 { big_endian: true },
            _ => Self::Utf8,
        }
    }

    /// How many bytes of the source a piece of decoded text takes. A piece may begin or end within a character.
    pub(super) fn length(self, text: &[u8]) -> u64 {
        let Self::Utf16 { .. } = self else { return text.len() as u64 };
        // A unit for each character, and a second one for those of four bytes.
        text.iter().map(|byte| if is_continued(*byte) { 0 } else { 2 + 2 * u64::from(*byte >= 0xf0) }).sum()
    }

    /// The bytes of the source behind a piece of decoded text.
    pub(super) fn raw(self, text: &[u8]) -> Cow<'_, [u8]> {
        let Self::Utf16 { big_endian } = self else { return Cow::Borrowed(text) };
        let mut raw = Vec::with_capacity(2 * text.len());
        for unit in units(text) {
            raw.extend_from_slice(&if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
        }
        Cow::Owned(raw)
    }
}

const fn is_continued(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// The text of a source, as UTF-8.
pub(super) enum Text<R> {
    Utf8(R),
    Utf16(Utf16<R>),
}

impl<R: BufRead> Text<R> {
    /// The text behind an input, and how it is encoded there.
    pub(super) fn open(mut input: R) -> io::Result<(Self, Encoding)> {
        let encoding = Encoding::of(input.fill_buf()?);
        let text = match encoding {
            Encoding::Utf8 => Self::Utf8(input),
            Encoding::Utf16 { big_endian } => Self::Utf16(Utf16::new(input, big_endian)),
        };
        Ok((text, encoding))
    }
}

impl<R: BufRead> Read for Text<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Utf8(input) => input.read(out),
            Self::Utf16(input) => input.read(out),
        }
    }
}

impl<R: BufRead> BufRead for Text<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Utf8(input) => input.fill_buf(),
            Self::Utf16(input) => input.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match self {
            Self::Utf8(input) => input.consume(amount),
            Self::Utf16(input) => input.consume(amount),
        }
    }
}

/// A sink for records of decoded text: gives them on with the bytes of the source, which their hashes are taken over.
pub(super) struct Encoded<'s> {
    pub encoding: Encoding,
    pub sink: &'s mut dyn Sink,
}

impl Sink for Encoded<'_> {
    fn observe(&mut self, observed: &Observed<'_>) {
        let raw = self.encoding.raw(observed.raw);
        self.sink.observe(&Observed { raw: &raw, ..*observed });
    }
}

/// The units of a text as [`Utf16`] decodes it.
fn units(mut text: &[u8]) -> impl Iterator<Item = u16> {
    let mut second = None;
    std::iter::from_fn(move || {
        if let Some(unit) = second.take() {
            return Some(unit);
        }
        let (first, rest) = text.split_first()?;
        let more = rest.iter().take_while(|byte| is_continued(**byte)).count().min(3);
        let (others, rest) = rest.split_at(more);
        text = rest;
        let start = match more {
            0 => u32::from(*first),
            1 => u32::from(first & 0x1f),
            2 => u32::from(first & 0x0f),
            _ => u32::from(first & 0x07),
        };
        let code = others.iter().fold(start, |code, byte| code << 6 | u32::from(byte & 0x3f));
        let Some(above) = code.checked_sub(0x1_0000) else { return Some(low_half(code)) };
        second = Some(0xdc00 | low_half(above & 0x3ff));
        Some(0xd800 | low_half(above >> 10 & 0x3ff))
    })
}

const fn low_half(code: u32) -> u16 {
    (code & 0xffff) as u16
}

/// A source in UTF-16 as UTF-8. Half of a pair without the other half is written as a character of three bytes, which is not sound UTF-8, so
/// that the event around it is damaged and its bytes are known; so is a byte without its second one at the end.
pub(super) struct Utf16<R> {
    input: R,
    big_endian: bool,
    /// The first byte of a unit.
    odd: Option<u8>,
    /// The first half of a pair.
    half: Option<u16>,
    decoded: Vec<u8>,
    taken: usize,
}

impl<R: BufRead> Utf16<R> {
    pub(super) const fn new(input: R, big_endian: bool) -> Self {
        Self { input, big_endian, odd: None, half: None, decoded: Vec::new(), taken: 0 }
    }

    /// Decodes what the reader's buffer holds; at the end, what is left.
    fn decode(&mut self) -> io::Result<()> {
        self.decoded.clear();
        self.taken = 0;
        while self.decoded.is_empty() {
            let buffer = self.input.fill_buf()?;
            let length = buffer.len();
            if length == 0 {
                if let Some(half) = self.half.take() {
                    write(&mut self.decoded, u32::from(half));
                }
                if self.odd.take().is_some() {
                    self.decoded.push(0xff);
                }
                return Ok(());
            }
            for byte in buffer {
                let Some(first) = self.odd.take() else {
                    self.odd = Some(*byte);
                    continue;
                };
                let pair = [first, *byte];
                let unit = if self.big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) };
                match (self.half.take(), unit) {
                    (Some(half), 0xdc00..=0xdfff) => {
                        let code = 0x1_0000 + ((u32::from(half) & 0x3ff) << 10) + (u32::from(unit) & 0x3ff);
                        write(&mut self.decoded, code);
                    }
                    (half, unit) => {
                        if let Some(half) = half {
                            write(&mut self.decoded, u32::from(half));
                        }
                        if matches!(unit, 0xd800..=0xdbff) {
                            self.half = Some(unit);
                        } else {
                            write(&mut self.decoded, u32::from(unit));
                        }
                    }
                }
            }
            self.input.consume(length);
        }
        Ok(())
    }
}

/// Adds a character, and half of a pair as if it were one.
fn write(into: &mut Vec<u8>, code: u32) {
    let low = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    match code {
        0..0x80 => into.push(code as u8),
        0x80..0x800 => into.extend_from_slice(&[0xc0 | (code >> 6) as u8, low(0)]),
        0x800..0x1_0000 => into.extend_from_slice(&[0xe0 | (code >> 12) as u8, low(6), low(0)]),
        _ => into.extend_from_slice(&[0xf0 | (code >> 18) as u8, low(12), low(6), low(0)]),
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(out)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Utf16<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken >= self.decoded.len() {
            self.decode()?;
        }
        Ok(self.decoded.get(self.taken..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount;
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read as _};

    use proptest::prelude::*;

    use super::{Encoding, Utf16};

    fn bytes_of(units: &[u16], big_endian: bool) -> Vec<u8> {
        units.iter().flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    fn decoded(bytes: &[u8], big_endian: bool, capacity: usize) -> Vec<u8> {
        let mut text = Vec::new();
        Utf16::new(BufReader::with_capacity(capacity, bytes), big_endian).read_to_end(&mut text).unwrap();
        text
    }

    proptest! {
        #[test]
        fn text_is_decoded_and_its_bytes_are_known(text in "\\PC{0,20}", big_endian: bool, capacity in 1_usize..9) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let bytes = bytes_of(&units, big_endian);
            let found = decoded(&bytes, big_endian, capacity);
            prop_assert_eq!(std::str::from_utf8(&found).unwrap(), text);
            let encoding = Encoding::Utf16 { big_endian };
            prop_assert_eq!(encoding.length(&found), bytes.len() as u64);
            prop_assert_eq!(encoding.raw(&found).into_owned(), bytes);
        }

        #[test]
        fn any_units_are_given_back(units in proptest::collection::vec(any::<u16>(), 0..20), capacity in 1_usize..9) {
            let bytes = bytes_of(&units, false);
            let found = decoded(&bytes, false, capacity);
            let encoding = Encoding::Utf16 { big_endian: false };
            prop_assert_eq!(encoding.raw(&found).into_owned(), bytes);
            prop_assert_eq!(encoding.length(&found), 2 * units.len() as u64);
        }
    }

    #[test]
    fn what_is_no_text_is_no_sound_one() {
        for units in [&[0xd800_u16][..], &[0xd800, 0x41], &[0xdc00]] {
            assert!(std::str::from_utf8(&decoded(&bytes_of(units, true), true, 8)).is_err(), "{units:x?}");
        }
        assert_eq!(decoded(&[b'<', 0, b'E'], false, 8), b"<\xff");
    }
}
