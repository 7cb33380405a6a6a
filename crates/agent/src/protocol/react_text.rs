//! The protocol of lines (BOG-041), read with the precedence of BOG-042.
//!
//! 1. The first `Answer:` anywhere in the text, but not as the end of a name such as `critique_the_answer:`; everything
//!    after it is the answer.
//! 2. Else the first line that begins with `Tool:`; the name ends at the next colon, the input at the first later
//!    line that begins with a keyword, or at the end. A trailing `PAUSE` is taken off name and input.
//! 3. Else the raw text.
//!
//! Tolerated: any case of the keywords; blanks around them and before their colon; Markdown emphasis (`*`, `_`,
//! backquotes, `#`) around them. White space at both ends of thought, answer, name and input does not count, nor do
//! `*` and backquotes at both ends of thought, answer and name.

use super::{Input, Reply, Saying, ToolUse};

/// Reads the text of a reply.
#[must_use]
pub fn read(text: &str) -> Reply {
    if let Some((at, after)) = find_keyword(text, "answer") {
        let answer = text[after..].trim_matches(emphasis_or_blank);
        return Reply { thought: thought(&text[..at]), saying: Saying::Answer(answer.to_owned()) };
    }
    match find_tool(text) {
        Some((at, call)) => Reply { thought: thought(&text[..at]), saying: Saying::Use(call) },
        None => Reply { thought: String::new(), saying: Saying::Raw(text.trim().to_owned()) },
    }
}

/// What is missing in a text that [`read`] could make nothing of: the marker, its colon, or its place.
#[must_use]
pub fn missing(text: &str) -> &'static str {
    if text.lines().any(|line| bare_marker(line, "answer") || bare_marker(line, "final answer")) {
        return "the word \"Answer\" stands there without its colon, so your whole message was taken for the answer; write \
                \"Answer:\" and then the answer";
    }
    if text.lines().any(|line| bare_marker(line, "tool")) {
        return "the word \"Tool\" stands there without its colon, so your whole message was taken for the answer; write \
                \"Tool:\" and then the name of the tool";
    }
    if find_keyword(text, "tool").is_some() {
        return "\"Tool:\" does not begin its line, so your whole message was taken for the answer; begin a line with it";
    }
    "no \"Answer:\" stands there, so your whole message was taken for the answer"
}

/// Whether a line begins with this marker as a word of its own, with no colon behind it.
fn bare_marker(line: &str, marker: &str) -> bool {
    let bare = line.trim_start().trim_start_matches(DECORATION).trim_start();
    let Some((head, rest)) = bare.split_at_checked(marker.len()) else { return false };
    head.eq_ignore_ascii_case(marker)
        && !rest.trim_start_matches([' ', '\t', '*', '_', '`']).starts_with(':')
        && !rest.starts_with(|next: char| next.is_alphanumeric())
}

const fn emphasis_or_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '*' | '`')
}

const DECORATION: [char; 4] = ['*', '_', '`', '#'];
const KEYWORDS: [&str; 5] = ["thought", "tool", "observation", "pause", "answer"];

/// The first `keyword` with its colon, in any case: where it begins and where its colon ends.
fn find_keyword(text: &str, keyword: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while from + keyword.len() <= bytes.len() {
        if bytes[from..from + keyword.len()].eq_ignore_ascii_case(keyword.as_bytes()) {
            let after = from + keyword.len();
            let gap =
                bytes[after..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'*' | b'_' | b'`')).count();
            if bytes.get(after + gap) == Some(&b':') && !ends_a_name(&bytes[..from]) {
                return Some((from, after + gap + 1));
            }
            // Nothing in the gap can begin a keyword, so each byte is looked at a fixed number of times.
            from = after + gap;
        } else {
            from += 1;
        }
    }
    None
}

/// Whether a keyword behind this would be the end of a name such as `critique_the_answer`.
fn ends_a_name(before: &[u8]) -> bool {
    let stem = before.len() - before.iter().rev().take_while(|byte| **byte == b'_').count();
    stem < before.len() && before[..stem].last().is_some_and(u8::is_ascii_alphanumeric)
}

/// The first line-anchored tool call and where its line begins.
fn find_tool(text: &str) -> Option<(usize, ToolUse)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = keyword_line(line, "tool") {
            let begin = at + line.len() - rest.len();
            let end = begin + first_length(&text[begin..]);
            return Some((at, split_call(&text[begin..end])));
        }
        at += line.len();
    }
    None
}

/// What follows `keyword` and its colon at the beginning of `line`.
fn keyword_line<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let bare = line.trim_start().trim_start_matches(DECORATION).trim_start();
    let head = bare.get(..keyword.len())?;
    if !head.eq_ignore_ascii_case(keyword) {
        return None;
    }
    bare[keyword.len()..].trim_start_matches([' ', '\t', '*', '_', '`']).strip_prefix(':')
}

/// Length of the input that begins here: up to the first later line that begins with a keyword.
fn first_length(text: &str) -> usize {
    let mut length = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index > 0
            && (line.trim().eq_ignore_ascii_case("pause")
                || KEYWORDS.iter().any(|word| keyword_line(line, word).is_some()))
        {
            break;
        }
        length += line.len();
    }
    length
}

fn split_call(text: &str) -> ToolUse {
    let text = without_pause(text);
    let (name, input) = text.split_once(':').unwrap_or((text, ""));
    let name = without_pause(name).trim_matches(emphasis_or_blank).to_owned();
    ToolUse { name, input: Input::Text(without_pause(input).to_owned()) }
}

/// `text` without white space at its ends and without the word `PAUSE` at its end.
fn without_pause(text: &str) -> &str {
    let text = text.trim();
    let Some(at) = text.len().checked_sub(5) else { return text };
    match text.get(at..) {
        Some(tail)
            if tail.eq_ignore_ascii_case("pause")
                && !text[..at].chars().next_back().is_some_and(char::is_alphanumeric) =>
        {
            text[..at].trim_end()
        }
        _ => text,
    }
}

/// The thought: the text without the keyword before it.
fn thought(text: &str) -> String {
    let text = text.trim();
    let bare = keyword_line(text, "thought").unwrap_or(text);
    bare.trim_matches(emphasis_or_blank).to_owned()
}

#[cfg(test)]
#[path = "react_text_tests.rs"]
mod tests;
