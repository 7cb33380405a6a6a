//! Keys: read from the environment only, in a type that cannot print.

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex::Regex;

#[path = "secret/escaped.rs"]
mod escaped;

/// What is written in place of a key.
const REDACTED: &str = "[key]";

/// Bytes from which on a key is a secret. Shorter ones (`EMPTY`, `ollama`, `x`) are the placeholders of servers of one's
/// own, and taking them out of a model's words would spoil the words.
const SHORTEST: usize = 8;

/// A provider's key. Neither `Debug` nor `Display` shows it, it is not serialisable, and it is taken out of whatever a
/// provider sends back (BOG-148).
#[derive(Clone)]
pub struct Secret {
    key: Arc<str>,
    /// The key as it may be in a text: itself, and as URLs, JSON and HTML write it; the longest first.
    forms: Arc<[String]>,
    /// What base64 of a text that holds the key must hold.
    encoded: Arc<[String]>,
}

impl Secret {
    /// Wraps a key; `None` if it is empty but for white space.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self {
            key: key.into(),
            forms: forms(key).into(),
            encoded: base64(key.as_bytes()).into(),
        })
    }

    /// Whether the key can be sent in a header: visible ASCII only.
    #[must_use]
    pub fn is_sendable(&self) -> bool {
        self.key.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// The key itself, for the header of a request and nothing else.
    pub(crate) fn expose(&self) -> &str {
        &self.key
    }

    /// `text` without this key and without anything else that looks like a key: for messages and bodies.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        scrub(&self.without(text).unwrap_or_else(|| text.to_owned()))
    }

    /// Takes this very key out of a model's words, and leaves everything else as it is: words that merely resemble a
    /// key are the model's own.
    pub(crate) fn take_out(&self, text: &mut String) {
        if self.key.len() >= SHORTEST
            && let Some(without) = self.without(text)
        {
            *text = without;
        }
    }

    /// `text` without the key, if it is in there.
    fn without(&self, text: &str) -> Option<String> {
        let encoded = without_runs(text, &self.encoded);
        let text_so_far = encoded.as_deref().unwrap_or(text);
        let found = self.forms.iter().filter(|form| text_so_far.contains(form.as_str()));
        let plain = found.fold(None, |so_far: Option<String>, form| {
            Some(so_far.as_deref().unwrap_or(text_so_far).replace(form.as_str(), REDACTED))
        });
        let plain = plain.or(encoded);
        escaped::without(plain.as_deref().unwrap_or(text), &self.key, REDACTED).or(plain)
    }
}

/// The ways in which a text may write a key.
fn forms(key: &str) -> Vec<String> {
    let percent = |upper: bool| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        key.bytes().fold(String::new(), |mut written, byte| {
            match (plain(byte), upper) {
                (true, _) => written.push(char::from(byte)),
                (false, true) => written.push_str(&format!("%{byte:02X}")),
                (false, false) => written.push_str(&format!("%{byte:02x}")),
            }
            written
        })
    };
    let hexadecimal = key.bytes().fold(String::new(), |written, byte| format!("{written}{byte:02x}"));
    let json = serde_json::Value::from(key).to_string();
    let json = json.trim_matches('"').to_owned();
    let html = key.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut forms = vec![
        key.to_owned(),
        percent(true),
        percent(false),
        json.replace('/', "\\/"),
        json,
        html.replace('\'', "&#39;"),
        html,
        hexadecimal.to_uppercase(),
        hexadecimal,
    ];
    forms.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    forms.dedup();
    forms
}

/// `text` without the runs of base64 that hold one of these; `None` where there is no such run. The letters beside a key also
/// hold bits of it, how many depends on its place in what was encoded: the whole run goes.
fn without_runs(text: &str, forms: &[String]) -> Option<String> {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    let bytes = text.as_bytes();
    let (mut out, mut from) = (String::new(), 0);
    while let Some(at) = forms.iter().filter_map(|form| text.get(from..)?.find(form.as_str())).min() {
        let at = from + at;
        let before = bytes.get(from..at).unwrap_or_default();
        let start = at - before.iter().rev().take_while(|byte| letter(byte)).count();
        let end = at + bytes.get(at..).unwrap_or_default().iter().take_while(|byte| letter(byte)).count();
        out.push_str(text.get(from..start)?);
        out.push_str(REDACTED);
        from = end;
    }
    (from > 0).then(|| out + text.get(from..).unwrap_or_default())
}

/// Shortest base64 of a key that is looked for: shorter ones may be chance.
const SHORTEST_BASE64: usize = 10;

/// The letters that base64 must hold wherever the key is in what was encoded, in both alphabets. A letter at either
/// end that also encodes a neighbour of the key is left out.
fn base64(key: &[u8]) -> Vec<String> {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut forms = Vec::new();
    for last in [*b"+/", *b"-_"] {
        for before in 0..3_usize {
            let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(key.iter().copied()).collect();
            let sextet = |at: usize| {
                let pair = (u16::from(bytes[at * 6 / 8]) << 8) | u16::from(*bytes.get(at * 6 / 8 + 1).unwrap_or(&0));
                usize::from((pair >> (10 - at * 6 % 8)) & 63)
            };
            let whole = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
            let letter =
                |value: usize| LETTERS.get(value).or(last.get(value.wrapping_sub(62))).map(|byte| char::from(*byte));
            let form: String = whole.filter_map(|at| letter(sextet(at))).collect();
            if form.len() >= SHORTEST_BASE64 {
                forms.push(form);
            }
        }
    }
    forms
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

    // covers: BOG-148
    #[test]
    fn a_key_is_known_in_every_way_of_writing_it() {
        let key = "zq7/Pri+vate<&\"'key\\=";
        let secret = Secret::new(key).unwrap();
        let json = serde_json::Value::from(key).to_string();
        for written in [
            key.to_owned(),
            json.trim_matches('"').to_owned(),
            json.trim_matches('"').replace('/', "\\/"),
            "zq7%2FPri%2Bvate%3C%26%22%27key%5C%3D".to_owned(),
            "zq7%2fPri%2bvate%3c%26%22%27key%5c%3d".to_owned(),
            "zq7/Pri+vate&lt;&amp;&quot;&#39;key\\=".to_owned(),
        ] {
            assert_eq!(secret.scrub(&format!("<{written}>")), "<[key]>");
            let mut words = format!("a {written} b {written}");
            secret.take_out(&mut words);
            assert_eq!(words, "a [key] b [key]");
        }
    }

    // covers: BOG-148
    #[test]
    fn a_key_is_known_in_base64_wherever_it_stands() {
        // Bit by bit, and not as the code under test does it.
        let encode = |text: &str| {
            let mut bits: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
            bits.extend(std::iter::repeat_n('0', (6 - bits.len() % 6) % 6));
            let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
            let sextets = bits.as_bytes().chunks(6).map(|six| std::str::from_utf8(six).unwrap());
            sextets.map(|six| letters[usize::from_str_radix(six, 2).unwrap()]).collect::<String>()
        };
        let key = "zq7/Pri+vate_key?~0123456789";
        let secret = Secret::new(key).unwrap();
        for before in ["", "a", "ab", "abc", "Bearer ", "user:"] {
            for after in ["", "!", "\n", "and more"] {
                let told = format!("{before}{key}{after}");
                let written = encode(&told);
                for written in [written.clone(), written.replace('+', "-").replace('/', "_")] {
                    // Nothing of the run stays: its letters at either end hold bits of the key.
                    for padding in ["", "=", "=="] {
                        let scrubbed = secret.scrub(&format!("it is {written}{padding}. And {written}?"));
                        assert_eq!(scrubbed, "it is [key]. And [key]?", "{told:?}");
                    }
                }
            }
        }
        assert_eq!(secret.scrub("7a71372f5072692b766174655f6b65793f7e30313233343536373839"), "[key]");
    }

    // covers: BOG-148
    #[test]
    fn a_key_is_known_behind_any_escapes() {
        let key = "sk-loop/back+0123";
        let secret = Secret::new(key).unwrap();
        for written in [
            "\\u0073k-loop/back+0123",
            "sk-loop\\/back\\u002b0123",
            "sk%2dloop%2Fback%2B0123",
            "s%6B-loop/back+0123",
            "&#115;k-loop&#x2F;back&#43;0123",
            "%73\\u006b-loop&#47;back+0123",
        ] {
            let written = written.replace("\\\\", "\\");
            assert_eq!(secret.scrub(&format!("<{written}> 100% \\n &amp;")), "<[key]> 100% \\n &amp;", "{written}");
        }
    }

    #[test]
    fn a_models_own_words_are_left_alone() {
        let mut words = "The bearer certificates of sk-learn-based EMPTY shells".to_owned();
        let before = words.clone();
        for key in ["EMPTY", "sk-another-private-key", "ollama"] {
            Secret::new(key).unwrap().take_out(&mut words);
            assert_eq!(words, before);
        }
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
