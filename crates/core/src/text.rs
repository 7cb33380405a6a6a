//! References to texts: short ones inline, long ones by hash.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// Texts up to this many bytes are in the event itself; longer ones are in the run's store of texts.
pub const INLINE_BYTES: usize = 256;

/// A text as events hold it: `=` and the text, or `#` and the SHA-256 of the text in 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TextRef(String);

impl TextRef {
    /// A reference to `text`, and its hash when the text must be stored beside the event.
    #[must_use]
    pub fn to(text: &str) -> (Self, Option<Digest>) {
        if text.len() <= INLINE_BYTES {
            (Self::inline(text), None)
        } else {
            let digest = Digest::of(text.as_bytes());
            (Self::stored(digest), Some(digest))
        }
    }

    /// A text that is in the event itself, whatever its length.
    #[must_use]
    pub fn inline(text: &str) -> Self {
        Self(format!("={text}"))
    }

    /// A text in the run's store.
    #[must_use]
    pub fn stored(digest: Digest) -> Self {
        Self(format!("#{digest}"))
    }

    /// The text, if it is here.
    #[must_use]
    pub fn as_inline(&self) -> Option<&str> {
        self.0.strip_prefix('=')
    }

    /// The hash under which the text is stored, if it is.
    #[must_use]
    pub fn as_stored(&self) -> Option<Digest> {
        self.0.strip_prefix('#').and_then(|hex| hex.parse().ok())
    }
}

impl fmt::Display for TextRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::TextRef;

    #[test]
    fn short_texts_stay_and_long_ones_go_to_the_store() {
        let (short, digest) = TextRef::to("#not a hash");
        assert_eq!((short.as_inline(), digest), (Some("#not a hash"), None));
        let long = "x".repeat(257);
        let (reference, digest) = TextRef::to(&long);
        assert_eq!(reference.as_stored(), digest);
        assert_eq!(reference.as_inline(), None);
    }
}
