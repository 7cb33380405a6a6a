//! What is said of a text of the protocol of lines that could not be read.

use crate::reading::bare;

/// What is missing in a text that [`read`](super::react_text::read) could make nothing of: the marker, its colon, or its
/// place. `tools`: whether a line that begins with `Tool:` would do as well.
pub(super) fn missing(text: &str, tools: bool) -> &'static str {
    let body = bare(text);
    if body.trim().is_empty() && !text.trim().is_empty() {
        return "your message ended before your thought did; think more briefly, and then write \"Answer:\" and the answer";
    }
    if body.lines().any(|line| bare_marker(line, "answer") || bare_marker(line, "final answer")) {
        return "the word \"Answer\" stands there without its colon; write \"Answer:\" and then the answer";
    }
    if body.lines().any(|line| bare_marker(line, "tool")) {
        return "the word \"Tool\" stands there without its colon; write \"Tool:\" and then the name of the tool";
    }
    let lower = body.to_ascii_lowercase();
    if lower.contains("tool:") {
        return "\"Tool:\" does not begin its line; begin a line with it";
    }
    if lower.contains("answer:") {
        return "\"Answer:\" does not begin its line; begin the last line with it";
    }
    if tools {
        return "your message has no line that begins with \"Answer:\" and none that begins with \"Tool:\"";
    }
    "your message has no line that begins with \"Answer:\""
}

/// Whether a line begins with this marker as a word of its own, with no colon behind it.
fn bare_marker(line: &str, marker: &str) -> bool {
    let bare = line.trim_start().trim_start_matches(['*', '_', '`', '#']).trim_start();
    let Some((head, rest)) = bare.split_at_checked(marker.len()) else { return false };
    head.eq_ignore_ascii_case(marker)
        && !rest.trim_start_matches([' ', '\t', '*', '_', '`']).starts_with(':')
        && !rest.starts_with(|next: char| next.is_alphanumeric())
}
