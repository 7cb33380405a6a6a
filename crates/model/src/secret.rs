//! Keys: read from the environment only, in a type that cannot print.

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex::Regex;

/// What stands where a key stood.
const REDACTED: &str = "[key]";

/// A provider's key. Neither `Debug` nor `Display` shows it, it is not serialisable, and [`Secret::scrub`] takes it
/// out of whatever a provider sends back (BOG-148).
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Wraps a key; none if it is empty but for white space.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.into()))
    }

    /// Whether the key can stand in a header: visible ASCII only.
    #[must_use]
    pub fn is_sendable(&self) -> bool {
        self.0.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// The key itself, for the header of a request and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without this key and without anything else that looks like a key.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        scrub(&text.replace(&*self.0, REDACTED))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([key])")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// The shapes that the providers' keys have, masked ones (`sk-ab***yz`) too, and bearer headers.
fn shapes() -> Option<&'static Regex> {
    static SHAPES: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"(?x)
        \b (?: sk | rk | pk ) - [A-Za-z0-9_*\-]{8,}
      | \b AIza [A-Za-z0-9_*\-]{16,}
      | (?i: \b bearer \s+ ) [A-Za-z0-9_*\-.=+/~]{8,}";
    SHAPES.get_or_init(|| Regex::new(pattern).ok()).as_ref()
}

/// `text` with everything that looks like a provider's key replaced.
#[must_use]
pub fn scrub(text: &str) -> String {
    match shapes() {
        Some(shapes) if shapes.is_match(text) => shapes.replace_all(text, REDACTED).into_owned(),
        _ => text.to_owned(),
    }
}

/// Whether `text` holds something that looks like a provider's key.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    shapes().is_some_and(|shapes| shapes.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::{Secret, looks_secret, scrub};

    // covers: BOG-148
    #[test]
    fn a_key_never_prints() {
        let secret = Secret::new("  very-private-value \n").unwrap();
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "[key] Secret([key]) Some(Secret([key]))");
        assert_eq!(secret.expose(), "very-private-value");
        assert_eq!(secret.scrub("you sent very-private-value!"), "you sent [key]!");
    }

    #[test]
    fn empty_keys_are_none_and_odd_ones_are_told() {
        assert!(Secret::new(" \t").is_none());
        assert!(!Secret::new("line\nbreak").unwrap().is_sendable());
        assert!(!Secret::new("schlüssel").unwrap().is_sendable());
        assert!(Secret::new("sk-plain").unwrap().is_sendable());
    }

    #[test]
    fn what_looks_like_a_key_is_taken_out() {
        let text = "Incorrect API key provided: sk-proj-********wxyz. Bearer abcdefgh12 AIzaSyA0123456789abcdef";
        assert!(looks_secret(text));
        assert_eq!(scrub(text), "Incorrect API key provided: [key]. [key] [key]");
        assert!(!looks_secret("the task-based bearer of risk-adjusted news"));
    }
}
