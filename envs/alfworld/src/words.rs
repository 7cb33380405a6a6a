//! Small things that several modules share: a fast hash, and texts by number.

use std::hash::{BuildHasher, Hasher};

/// The parameter that holds the command.
pub const COMMAND: &str = "command";

/// The indefinite article of a kind or a name. No kind of a household begins with a silent letter or with a vowel that sounds like a consonant.
pub(crate) fn article(name: &str) -> &'static str {
    if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// A fast, fixed hash for maps whose order nobody sees.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FastHash;

/// The state of [`FastHash`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastHasher(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl BuildHasher for FastHash {
    type Hasher = FastHasher;
    fn build_hasher(&self) -> FastHasher {
        FastHasher(0)
    }
}

impl FastHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.add(chunk.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
        }
        let rest = chunks.remainder().iter().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        self.add(rest | (bytes.len() as u64) << 56);
    }
    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.add(u64::from(word));
    }
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.add(word as u64);
        self.add((word >> 64) as u64);
    }
    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// Texts by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts(Vec<Box<str>>);

impl Texts {
    /// Adds one; gives its number.
    pub fn push(&mut self, text: &str) -> u32 {
        self.0.push(text.into());
        (self.0.len() - 1) as u32
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// One by its number; empty if there is none.
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |text| text)
    }
}
