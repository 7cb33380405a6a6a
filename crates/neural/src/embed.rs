//! Vectors of texts by hashing: no weights, the same numbers everywhere.

use gimbal_core::Embedder;
use gimbal_core::seed::fnv;

/// Length of the vectors, that of the sentence encoder in whose place it is.
const DIMENSIONS: usize = 384;

/// An embedder that counts words and their parts of three letters, each at a place and with a sign that its hash decides. The square root of each count
/// is taken, so that a word that is repeated does not fill the vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl Hashed {
    /// The name under which it is chosen.
    pub const NAME: &'static str = "hashed";

    /// A vector of another length; see [`Embedder::embed`]. None of no length.
    #[must_use]
    pub fn vector(text: &str, dimensions: usize) -> Vec<f32> {
        let mut counts = vec![0_i32; dimensions];
        if dimensions == 0 {
            return Vec::new();
        }
        let mut add = |kind: u8, part: &str, times: i32| {
            let hash = hashed(kind, part);
            let place = (hash >> 1) % dimensions as u64;
            counts[place as usize] += if hash & 1 == 0 { times } else { -times };
        };
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            add(b'w', &word, 2);
            let framed = format!("^{word}$");
            let starts: Vec<usize> = framed.char_indices().map(|(start, _)| start).chain([framed.len()]).collect();
            for window in starts.windows(4) {
                add(b'g', &framed[window[0]..window[3]], 1);
            }
        }
        let mut vector: Vec<f32> =
            counts.iter().map(|count| (count.unsigned_abs() as f32).sqrt().copysign(count.signum() as f32)).collect();
        let length = vector.iter().fold(0.0_f32, |sum, value| sum + value * value).sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|value| *value /= length);
        }
        vector
    }

    /// The place of a text in a table of actions of `size` places, from 0; 0 where the table has none.
    #[must_use]
    pub fn bucket(text: &str, size: usize) -> usize {
        if size == 0 { 0 } else { (hashed(b'a', text) % size as u64) as usize }
    }
}

impl Embedder for Hashed {
    fn identity(&self) -> String {
        format!("{}/1/{DIMENSIONS}", Self::NAME)
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Vec<f32> {
        Self::vector(text, DIMENSIONS)
    }
}

/// The hash of a text of a kind, with its bits mixed at the end, because the low ones alone are weak.
fn hashed(kind: u8, text: &str) -> u64 {
    let mut hash = fnv(std::iter::once(kind).chain(text.bytes()));
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use gimbal_core::Embedder as _;

    use super::Hashed;

    fn cosine(one: &str, other: &str) -> f32 {
        Hashed.embed(one).iter().zip(Hashed.embed(other)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn like_texts_are_near_and_others_are_not() {
        assert!((cosine("Restore the host", "restore the HOST") - 1.0).abs() < 1e-5);
        let (near, far) =
            (cosine("restore host user1", "restore host user2"), cosine("restore host user1", "a planned budget"));
        assert!(near > 0.6 && far < 0.2, "{near} {far}");
        assert_eq!(Hashed.embed(" .,! "), vec![0.0; 384]);
        assert_eq!(Hashed.embed("ok").len(), Hashed.dimensions());
        assert!(Hashed::bucket("restore", 10_000) < 10_000 && Hashed::bucket("x", 0) == 0);
    }

    /// Vectors are in keys of episodes: their bits stay.
    #[test]
    fn vectors_stay_as_they_are() {
        let bytes: Vec<u8> = Hashed.embed("restore host user1").iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(gimbal_core::Digest::of(&bytes).short(), "aac03d8e976a");
    }
}
