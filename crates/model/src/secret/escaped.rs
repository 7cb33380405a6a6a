//! Finds a key that is in a text letter by letter behind escapes: of URLs, of JSON, of HTML, in any mixture.

/// `text` with `shown` in the place of `key`, where the key is in it behind escapes.
pub(super) fn without(text: &str, key: &str, shown: &str) -> Option<String> {
    if !text.contains(['%', '\\', '&']) {
        return None;
    }
    let letters = letters(text);
    let bytes: Vec<u8> = letters.iter().map(|letter| letter.byte).collect();
    let mut out = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(window) = bytes.get(at..at + key.len()) {
        if window != key.as_bytes() {
            at += 1;
            continue;
        }
        out.push_str(text.get(from..letters[at].start)?);
        out.push_str(shown);
        at += key.len();
        from = letters[at - 1].end;
    }
    (from > 0).then(|| out + text.get(from..).unwrap_or_default())
}

/// A decoded byte, and its place in the text.
struct DecodedByte {
    byte: u8,
    start: usize,
    end: usize,
}

fn letters(text: &str) -> Vec<DecodedByte> {
    let bytes = text.as_bytes();
    let mut letters = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let (byte, length) = escape(&bytes[at..]).unwrap_or((bytes[at], 1));
        letters.push(DecodedByte { byte, start: at, end: at + length });
        at += length;
    }
    letters
}

/// The byte of an escape at the beginning of `rest`, and how long the escape is. Keys are ASCII, so that others do not
/// matter.
fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    let number = |digits: &[u8], radix| u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok();
    match rest {
        [b'%', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => Some((number(&[*a, *b], 16)?, 3)),
        [b'\\', b'u', b'0', b'0', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
            Some((number(&[*a, *b], 16)?, 6))
        }
        [b'\\', letter @ (b'/' | b'"' | b'\\'), ..] => Some((*letter, 2)),
        [b'&', b'#', tail @ ..] => {
            let end = tail.iter().take(6).position(|byte| *byte == b';')?;
            let byte = match &tail[..end] {
                [b'x' | b'X', digits @ ..] => number(digits, 16)?,
                digits => number(digits, 10)?,
            };
            Some((byte, end + 3))
        }
        [b'&', ..] => {
            let named: [(&[u8], u8); 5] =
                [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
            named.iter().find(|(name, _)| rest.starts_with(name)).map(|(name, byte)| (*byte, name.len()))
        }
        _ => None,
    }
}
