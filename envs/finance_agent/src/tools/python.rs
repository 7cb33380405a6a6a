//! Texts as Python writes them, where a tool's error shows them.

/// The representation of a text: single quotes, or double ones where it holds single ones and no double one.
///
/// # Examples
/// ```
/// use gimbal_finance_agent::tools::python::quote;
///
/// assert_eq!(quote("it's"), "\"it's\"");
/// assert_eq!(quote("a\nb"), "'a\\nb'");
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if letter == mark => {
                out.push('\\');
                out.push(letter);
            }
            _ if letter.is_control() => out.push_str(&format!("\\x{:02x}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out.push(mark);
    out
}

/// The characters of a text from `start` to before `end`, as a slice of Python takes them: negative places count from
/// behind, and what lies outside is left out.
#[must_use]
pub fn slice(text: &str, start: i64, end: i64) -> String {
    let count = text.chars().count() as i64;
    let place = |at: i64| if at < 0 { (at + count).max(0) } else { at.min(count) };
    let (start, end) = (place(start), place(end));
    text.chars().skip(start as usize).take((end - start).max(0) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::{quote, slice};

    #[test]
    fn representations_choose_their_quotes() {
        assert_eq!(quote("plain"), "'plain'");
        assert_eq!(quote("a 'b' \"c\""), "'a \\'b\\' \"c\"'");
        assert_eq!(quote("tab\t\\ \u{7}"), "'tab\\t\\\\ \\x07'");
    }

    #[test]
    fn slices_are_those_of_python() {
        for (start, end, expected) in [
            (1, 6, "nnual"),
            (0, 100, "Annual Report é"),
            (-1, 100, "é"),
            (3, 3, ""),
            (5, 2, ""),
            (-100, 2, "An"),
            (0, -2, "Annual Report"),
        ] {
            assert_eq!(slice("Annual Report é", start, end), expected, "{start}..{end}");
        }
    }
}
