//! Changes of good inputs. Equal seeds give equal changes.

use gimbal_core::Rng;

/// Words that parsers look for, and numbers at the edges of types.
const WORDS: [&str; 40] = [
    "Answer:",
    "Thought:",
    "Tool:",
    "Tool Input:",
    "PAUSE",
    "```json\n",
    "```",
    "<think>",
    "</think>",
    "**",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "\0",
    ":",
    ",",
    "- ",
    "#",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "NaN",
    "18446744073709551615",
    "-9223372036854775808",
    "99999999999999999999",
    "\u{202e}",
    "\u{e9}",
    "\u{1f600}",
    "{{",
    "%}",
];

/// Longest input in bytes.
const LONGEST: usize = 1 << 16;

/// Makes inputs.
pub struct Mutator<'a> {
    draws: Rng,
    seeds: &'a [Vec<u8>],
}

impl<'a> Mutator<'a> {
    /// Of these good inputs; of nothing where there are none.
    pub fn new(seed: u64, target: &str, seeds: &'a [Vec<u8>]) -> Self {
        Self { draws: Rng::stream(seed, target), seeds }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.draws.below(bound.max(1) as u64) as usize
    }

    fn seed(&mut self) -> &'a [u8] {
        let at = self.below(self.seeds.len());
        self.seeds.get(at).map_or(&[], Vec::as_slice)
    }

    /// The next input.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.seed().to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let end = (at + 1 + self.below(40)).min(input.len());
        match self.below(10) {
            0 => input.truncate(at),
            1 if at < end => input[at] ^= 1 << self.below(8),
            2 if at < end => input[at] = self.below(256) as u8,
            3 if at < end => drop(input.drain(at..end)),
            // A piece once more, in its place or elsewhere.
            4 | 5 if at < end => {
                let piece = input[at..end].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            6 if at < end => {
                let times = 1 + self.below(200);
                let piece = input[at..end].repeat(times);
                input.splice(at..at, piece);
            }
            7 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                let to = (from + self.below(200)).min(other.len());
                input.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let word = WORDS[self.below(WORDS.len())];
                let over = if self.below(2) == 0 { at } else { end.max(at) };
                input.splice(at..over, word.bytes());
            }
        }
    }
}
