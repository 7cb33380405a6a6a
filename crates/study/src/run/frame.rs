//! Frames: a piece of one episode's journal with its length and checksum.
//!
//! A segment file holds frames of many episodes as they fill, each naming the one before it of its own episode: one file
//! to make durable, whatever the number of episodes in flight.

/// Largest payload of a frame in bytes.
pub const FRAME_BYTES: usize = 64 * 1024;

/// Bytes before the payload.
pub const HEAD_BYTES: usize = 32;

/// The place that means "no frame before this one".
pub const NONE: u64 = u64::MAX;

const MAGIC: [u8; 4] = *b"GJF1";

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Bytes of payload.
    pub length: u32,
    /// Number of the attempt within its segment.
    pub attempt: u64,
    /// Place of the attempt's frame before this one; [`NONE`] for the first.
    pub previous: u64,
    /// Checksum over the fields above and the payload.
    pub checksum: u32,
}

/// Writes a frame.
#[must_use]
pub fn frame(attempt: u64, previous: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD_BYTES + payload.len());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(&attempt.to_le_bytes());
    out.extend_from_slice(&previous.to_le_bytes());
    let checksum = checksum(&out[4..], payload);
    out.extend_from_slice(&checksum.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
    out
}

/// Reads the head of a frame; `None` if these bytes are none.
#[must_use]
pub fn head(bytes: &[u8]) -> Option<Head> {
    let bytes = bytes.get(..HEAD_BYTES)?;
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let length = word(4);
    let sound = bytes[..4] == MAGIC && length as usize <= FRAME_BYTES && word(28) == 0;
    sound.then(|| Head { length, attempt: long(8), previous: long(16), checksum: word(24) })
}

/// Whether the payload is the one that the head was written for.
#[must_use]
pub fn matches(head: &Head, payload: &[u8]) -> bool {
    let mut fields = Vec::with_capacity(20);
    fields.extend_from_slice(&head.length.to_le_bytes());
    fields.extend_from_slice(&head.attempt.to_le_bytes());
    fields.extend_from_slice(&head.previous.to_le_bytes());
    payload.len() == head.length as usize && checksum(&fields, payload) == head.checksum
}

fn checksum(fields: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(fields);
    hasher.update(payload);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{HEAD_BYTES, frame, head, matches};

    proptest! {
        #[test]
        fn any_flipped_bit_shows(payload in proptest::collection::vec(any::<u8>(), 0..64), bit in any::<prop::sample::Index>()) {
            let written = frame(3, 77, &payload);
            let read = head(&written).unwrap();
            prop_assert!(matches(&read, &written[HEAD_BYTES..]));
            let bit = bit.index(written.len() * 8);
            let mut damaged = written.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let noticed = head(&damaged).is_none_or(|head| !matches(&head, &damaged[HEAD_BYTES..]));
            prop_assert!(noticed);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some(head) = head(&bytes) {
                let _ = matches(&head, &bytes[HEAD_BYTES..]);
            }
        }
    }
}
