//! How Python writes a text in quotes, for the one reply that shows an object of the original.

use std::fmt::Write as _;

/// Appends Python's `repr` of a text.
pub(crate) fn push_repr(out: &mut String, mut text: impl Iterator<Item = char> + Clone) {
    // Python prefers single quotes, and takes double ones where that saves escaping.
    let has = |mark| text.clone().any(|c| c == mark);
    let mark = if has('\'') && !has('"') { '"' } else { '\'' };
    out.push(mark);
    for c in text.by_ref() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == mark => {
                out.push('\\');
                out.push(c);
            }
            c if printable(c) => out.push(c),
            // Writing to a string cannot fail.
            c => {
                let _ = match c as u32 {
                    code @ ..=0xFF => write!(out, "\\x{code:02x}"),
                    code @ ..=0xFFFF => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(mark);
}

/// Whether Python shows a character as it is. Exact but for code points that are not assigned yet, which count as
/// printable here.
fn printable(c: char) -> bool {
    const FORMATS: [(u32, u32); 21] = [
        (0xAD, 0xAD),
        (0x600, 0x605),
        (0x61C, 0x61C),
        (0x6DD, 0x6DD),
        (0x70F, 0x70F),
        (0x890, 0x891),
        (0x8E2, 0x8E2),
        (0x180E, 0x180E),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x2064),
        (0x2066, 0x206F),
        (0xE000, 0xF8FF),
        (0xFEFF, 0xFEFF),
        (0xFFF9, 0xFFFB),
        (0x110BD, 0x110BD),
        (0x13430, 0x1343F),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0001, 0xE007F),
        (0xF0000, 0x10_FFFF),
    ];
    let code = c as u32;
    c == ' '
        || !(c.is_control() || c.is_whitespace() || FORMATS.iter().any(|(low, high)| (*low..=*high).contains(&code)))
}

#[cfg(test)]
mod tests {
    use super::push_repr;

    /// What CPython 3.11 prints.
    #[test]
    fn texts_are_quoted_as_python_does() {
        for (text, repr) in [
            ("a_b", "'a_b'"),
            ("bob's", "\"bob's\""),
            ("\"'", "'\"\\''"),
            ("a\\b\t\r", "'a\\\\b\\t\\r'"),
            ("\u{7f}\u{a0}\u{ad}\u{e9}", "'\\x7f\\xa0\\xad\u{e9}'"),
            ("\u{200b}\u{2028}\u{3000}\u{1f600}\u{e000}", "'\\u200b\\u2028\\u3000\u{1f600}\\ue000'"),
            ("\u{e0001}", "'\\U000e0001'"),
        ] {
            let mut out = String::new();
            push_repr(&mut out, text.chars());
            assert_eq!(out, repr);
        }
    }
}
