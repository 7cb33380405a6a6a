//! Untrusted text into HTML and SVG.

use gimbal_analysis::printable;

/// Text safe between tags and inside double-quoted attributes; control and direction-changing characters become
/// visible escapes.
#[must_use]
pub fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A number for people: a real minus sign.
#[must_use]
pub fn minus(text: &str) -> String {
    text.strip_prefix('-').map_or_else(|| text.to_owned(), |rest| format!("\u{2212}{rest}"))
}
