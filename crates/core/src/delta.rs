//! Texts as changes of texts that are there already, so that what is stored or held grows with what is new.
//!
//! A prompt with a growing history differs from the one before in a few lines; stored whole, an episode of 300 turns
//! would take a hundred times the room of one of 30. Only the stored form is affected: hashes are of whole texts.

use std::collections::HashMap;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// `length` bytes of source number `source` from `from` on.
    Copy { source: usize, from: usize, length: usize },
    /// Bytes of the text itself.
    Own { from: usize, length: usize },
}

/// Copies shorter than this cost more than they save.
const WORTH: usize = 24;

/// Beginnings of lines looked up in the middle of a text that beginning and end do not explain.
const MIDDLE: usize = 256;

/// Encodes `text` by `sources`; none when that would save less than a quarter.
///
/// The form: number of pieces, then of each its length x 2 (+ 1 for a copy), and for a copy source number and place, else
/// the bytes; all numbers as LEB128.
#[must_use]
pub fn encode(text: &[u8], sources: &[&[u8]]) -> Option<Vec<u8>> {
    let pieces = pieces(text, sources);
    let mut out = Vec::with_capacity(64);
    number(&mut out, pieces.len() as u64);
    for piece in pieces {
        match piece {
            Piece::Copy { source, from, length } => {
                number(&mut out, (length as u64) << 1 | 1);
                number(&mut out, source as u64);
                number(&mut out, from as u64);
            }
            Piece::Own { from, length } => {
                number(&mut out, (length as u64) << 1);
                out.extend_from_slice(&text[from..from + length]);
            }
        }
    }
    (out.len() < text.len() - text.len() / 4).then_some(out)
}

/// The inverse of [`encode`]; none for damaged input.
#[must_use]
pub fn decode(mut encoded: &[u8], sources: &[&[u8]], most: usize) -> Option<Vec<u8>> {
    let count = read_number(&mut encoded)?;
    let mut text = Vec::new();
    for _ in 0..count {
        let head = read_number(&mut encoded)?;
        let length = usize::try_from(head >> 1).ok()?;
        if text.len().checked_add(length)? > most {
            return None;
        }
        if head & 1 == 1 {
            let source = sources.get(usize::try_from(read_number(&mut encoded)?).ok()?)?;
            let from = usize::try_from(read_number(&mut encoded)?).ok()?;
            text.extend_from_slice(source.get(from..from.checked_add(length)?)?);
        } else {
            text.extend_from_slice(encoded.get(..length)?);
            encoded = &encoded[length..];
        }
    }
    encoded.is_empty().then_some(text)
}

/// The first source is the likeliest: its beginning and end are tried first. What is between them is explained by whole
/// other sources (blocks of a prompt), then side by side with the first source as long as they differ in small places
/// only (numbers of an observation), then line by line.
fn pieces(text: &[u8], sources: &[&[u8]]) -> Vec<Piece> {
    let Some(first) = sources.first() else { return vec![Piece::Own { from: 0, length: text.len() }] };
    let start = text.iter().zip(first.iter()).take_while(|(left, right)| left == right).count();
    let rest = (text.len() - start).min(first.len() - start);
    let end = text.iter().rev().zip(first.iter().rev()).take(rest).take_while(|(left, right)| left == right).count();
    // Pieces with their places in the text, by which they are put in order.
    let mut placed: Vec<(usize, Piece)> = Vec::new();
    if start > 0 {
        placed.push((0, Piece::Copy { source: 0, from: 0, length: start }));
    }
    if end > 0 {
        placed.push((text.len() - end, Piece::Copy { source: 0, from: first.len() - end, length: end }));
    }
    let mut gaps = vec![(start, text.len() - end)];
    for (source, bytes) in sources.iter().enumerate().filter(|(_, bytes)| bytes.len() >= WORTH) {
        let found = gaps.iter().enumerate().find_map(|(index, (from, to))| {
            // A look at the lengths first: preparing a search takes as long as what is sought for.
            let room = to - from >= bytes.len();
            room.then(|| memchr::memmem::find(&text[*from..*to], bytes)).flatten().map(|place| (index, from + place))
        });
        if let Some((index, place)) = found {
            let (from, to) = gaps[index];
            gaps.splice(index..=index, [(from, place), (place + bytes.len(), to)]);
            placed.push((place, Piece::Copy { source, from: 0, length: bytes.len() }));
        }
    }
    for (from, to) in gaps {
        let from = if from == start { side_by_side(text, (from, to), first, &mut placed) } else { from };
        by_lines(text, (from, to), first, &mut placed);
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, piece)| piece).collect()
}

/// Bytes of both texts together that may differ before the two are the same again: two numbers with a short word between
/// them.
const STRAY: usize = 96;

/// Explains the beginning of a gap whose two sides begin at the same place: pieces that both have, with little between
/// them. Returns the end of what is explained.
fn side_by_side(text: &[u8], (from, to): (usize, usize), source: &[u8], placed: &mut Vec<(usize, Piece)>) -> usize {
    let (mut at, mut there) = (from, from);
    while to - at >= WORTH {
        let found = meet(&text[at..to], source.get(there..).unwrap_or_default());
        let Some((here, other)) = found.map(|(ours, theirs)| (at + ours, there + theirs)) else { break };
        if here > at {
            placed.push((at, Piece::Own { from: at, length: here - at }));
        }
        let length = text[here..to].iter().zip(&source[other..]).take_while(|(left, right)| left == right).count();
        placed.push((here, Piece::Copy { source: 0, from: other, length }));
        (at, there) = (here + length, other + length);
    }
    at
}

/// Where two texts are the same again, with as few bytes of both before it as can be.
fn meet(ours: &[u8], theirs: &[u8]) -> Option<(usize, usize)> {
    let ((our_words, our_count), (their_words, their_count)) = (words(ours), words(theirs));
    (0..=STRAY).find_map(|stray| {
        let from = (stray + 1).saturating_sub(their_count);
        (from..(stray + 1).min(our_count)).find_map(|our| {
            let their = stray - our;
            let same = our_words[our] == their_words[their] && ours[our..our + WORTH] == theirs[their..their + WORTH];
            same.then_some((our, their))
        })
    })
}

/// The first eight bytes from every place on at which a worthy piece may begin, and how many such places there are:
/// whole words are compared first, since hardly any are the same.
fn words(bytes: &[u8]) -> ([u64; STRAY + 1], usize) {
    let mut words = [0; STRAY + 1];
    let count = (bytes.len() + 1).saturating_sub(WORTH).min(words.len());
    for (word, window) in words.iter_mut().zip(bytes.windows(8)).take(count) {
        let mut eight = [0; 8];
        eight.copy_from_slice(window);
        *word = u64::from_le_bytes(eight);
    }
    (words, count)
}

/// Explains a gap by lines of the first source.
fn by_lines(text: &[u8], (from, to): (usize, usize), source: &[u8], placed: &mut Vec<(usize, Piece)>) {
    let own = |placed: &mut Vec<(usize, Piece)>, from: usize, to: usize| {
        if to > from {
            placed.push((from, Piece::Own { from, length: to - from }));
        }
    };
    if to - from < MIDDLE {
        return own(placed, from, to);
    }
    let mut lines: HashMap<&[u8], usize> = HashMap::new();
    let mut place = 0;
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        if line.len() >= WORTH {
            lines.entry(line).or_insert(place);
        }
        place += line.len();
    }
    let (mut pending, mut at) = (from, from);
    while at < to {
        let length = memchr::memchr(b'\n', &text[at..to]).map_or(to - at, |place| place + 1);
        match lines.get(&text[at..at + length]) {
            Some(&there) => {
                own(placed, pending, at);
                let more = text[at..to].iter().zip(&source[there..]).take_while(|(left, right)| left == right).count();
                placed.push((at, Piece::Copy { source: 0, from: there, length: more }));
                at += more;
                pending = at;
            }
            None => at += length,
        }
    }
    own(placed, pending, to);
}

/// Appends a number in LEB128.
pub fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number in LEB128 off the front.
pub fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    const MOST: usize = 1 << 20;

    fn history(lines: usize) -> String {
        (0..lines)
            .map(|line| format!("step {line}: acted on host-{} because of {}\n", line % 13, line * 7919))
            .collect()
    }

    #[test]
    fn a_prompt_with_a_longer_history_costs_its_new_lines() {
        let block = |lines| format!("history:\n{}", history(lines));
        let prompt = |lines, seen: &str| format!("Step {lines}.\n{seen}\n{}What now?\n", block(lines));
        let old = prompt(200, &"observation one ".repeat(30));
        let (new, blocks) = (prompt(201, &"observation two ".repeat(30)), block(201));
        let encoded = encode(new.as_bytes(), &[old.as_bytes(), blocks.as_bytes()]).unwrap();
        assert!(encoded.len() < 600, "{}", encoded.len());
        assert_eq!(decode(&encoded, &[old.as_bytes(), blocks.as_bytes()], MOST).unwrap(), new.as_bytes());
        // Without the block line by line.
        let encoded = encode(new.as_bytes(), &[old.as_bytes()]).unwrap();
        assert!(encoded.len() < 700, "{}", encoded.len());
        assert_eq!(decode(&encoded, &[old.as_bytes()], MOST).unwrap(), new.as_bytes());
    }

    #[test]
    fn one_long_line_with_other_numbers_costs_its_numbers() {
        let line = |seed: u64| -> String {
            (1..60_u64)
                .map(|host| format!("'host-{host}': {{'PID': {}, 'Username': 'SYSTEM'}}, ", host * seed))
                .collect()
        };
        let (old, new) = (line(7), line(7919));
        let encoded = encode(new.as_bytes(), &[old.as_bytes()]).unwrap();
        assert!(encoded.len() < new.len() / 4, "{} of {}", encoded.len(), new.len());
        assert_eq!(decode(&encoded, &[old.as_bytes()], MOST).unwrap(), new.as_bytes());
    }

    #[test]
    fn what_saves_nothing_is_not_encoded() {
        assert_eq!(encode(&[7; 300], &[&[8; 300]]), None);
        assert_eq!(encode(b"abc", &[]), None);
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(
            source in "[ab\n]{0,600}", other in "[ab]{0,80}", parts in proptest::collection::vec((0..3_u8, any::<prop::sample::Index>(), "[abc\n]{0,40}"), 0..6),
        ) {
            let mut text = String::new();
            for (kind, index, own) in parts {
                match kind {
                    0 => text.push_str(&own),
                    1 => text.push_str(&source[index.index(source.len() + 1)..]),
                    _ => text.push_str(&other),
                }
            }
            if let Some(encoded) = encode(text.as_bytes(), &[source.as_bytes(), other.as_bytes()]) {
                prop_assert_eq!(decode(&encoded, &[source.as_bytes(), other.as_bytes()], MOST).unwrap(), text.as_bytes());
            }
        }

        #[test]
        fn any_bytes_decode_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes, &[b"some source"], MOST);
        }
    }
}
