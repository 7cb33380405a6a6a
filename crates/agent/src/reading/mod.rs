//! What a model wrote, before any protocol looks at it: thoughts that do not count, markers, words, calls between tags.
//!
//! The rule of this module: what is read must have been stated. Where a text can be read in two ways, it is not read.

mod extract;
pub mod lenient;
pub mod tags;
mod words;

pub use extract::{array, keyed, object};
pub use words::{Marker, Words, words};

/// Marks between which models think: how a thought begins, and how it ends.
const THOUGHTS: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];

/// Tokens that end a turn: what follows is another speaker's.
const ENDS: [&str; 9] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
    "<end_of_turn>",
];

/// The channel in which some models answer.
const FINAL: &str = "<|channel|>final<|message|>";

/// Takes thoughts between tags away, and what follows the end of the turn. A thought that never ends takes all that
/// follows with it; one that never began, all before its end.
#[must_use]
pub fn bare(text: &str) -> String {
    let text = match text.rfind(FINAL) {
        Some(at) => &text[at + FINAL.len()..],
        None => text,
    };
    let end = ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let mut text = text[..end].to_owned();
    for (open, close) in THOUGHTS {
        let mut left = String::with_capacity(text.len());
        let mut rest = text.as_str();
        if let Some(end) = find(rest, close)
            && find(rest, open).is_none_or(|begin| begin > end)
        {
            rest = &rest[end + close.len()..];
        }
        // What is before a thought and what is behind it are not one word.
        while let Some(begin) = find(rest, open)
            && let Some(end) = find(&rest[begin..], close)
        {
            left.push_str(&rest[..begin]);
            left.push('\n');
            rest = &rest[begin + end + close.len()..];
        }
        // One that never ends; within a line the tag is only spoken of.
        let begins = if find(rest, open) == Some(rest.len() - rest.trim_start().len()) {
            find(rest, open)
        } else {
            find(rest, &format!("\n{open}"))
        };
        if let Some(begin) = begins {
            rest = &rest[..begin];
        }
        left.push_str(rest);
        text = left;
    }
    text
}

/// Where `tag` is in `text`, in any case of its letters.
fn find(text: &str, tag: &str) -> Option<usize> {
    let first = tag.as_bytes().first()?;
    let (text, tag) = (text.as_bytes(), tag.as_bytes());
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.iter().position(|byte| byte == first)) {
        let at = from + at;
        if text.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// A key of JSON as it is compared: in small letters, words parted by `_`.
#[must_use]
pub fn key(written: &str) -> String {
    let part = |letter: char| if letter.is_whitespace() || letter == '-' { '_' } else { letter };
    written.trim().chars().map(part).flat_map(char::to_lowercase).collect()
}

/// A text without code fences, outer emphasis, quotes and blanks.
#[must_use]
pub fn undecorated(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = unfenced(text).trim().trim_matches('*').trim();
        let strong = shorter.strip_prefix("__").and_then(|inside| inside.strip_suffix("__"));
        let shorter = strong.filter(|inside| !inside.contains("__")).unwrap_or(shorter);
        let shorter = one_pair(shorter, '`').or_else(|| one_pair(shorter, '_')).unwrap_or(shorter).trim();
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// What is between two of these letters, where the text has no other.
fn one_pair(text: &str, letter: char) -> Option<&str> {
    let inside = text.strip_prefix(letter)?.strip_suffix(letter)?;
    (!inside.contains(letter)).then_some(inside)
}

/// Without a code fence around it; one that is not closed counts too. A language behind the fence is left out.
#[must_use]
pub fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```").or_else(|| text.strip_prefix("~~~")) else { return text };
    let inner = match inner.split_once('\n') {
        Some((language, rest)) if is_language(language) => rest,
        _ => inner,
    };
    let end = inner.find("```").or_else(|| inner.find("~~~"));
    match end {
        Some(end) if inner[end + 3..].trim().is_empty() => inner[..end].trim(),
        Some(_) => text,
        None => inner.trim(),
    }
}

fn is_language(text: &str) -> bool {
    let text = text.trim();
    text.len() < 16 && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::{bare, undecorated};

    #[test]
    fn thoughts_between_tags_do_not_count() {
        let cases = [
            ("<think>Answer: A</think>\nAnswer: B", "Answer: B"),
            ("so A is best</think>Answer: B", "Answer: B"),
            ("<think>never ends\nAnswer: A", ""),
            ("Well.\n<think>\nnever ends\nAnswer: A", "Well."),
            ("Answer: B<|im_end|>\n<|im_start|>user\nAnswer: C", "Answer: B"),
            (
                "<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>Wait<|return|>",
                "Wait",
            ),
            ("<THINK>a</THINK>B<thinking>c</thinking>", "B"),
            ("[THINK]\nAnswer: A\n[/THINK]\nI do not know.", "I do not know."),
            ("\u{25c1}think\u{25b7}Answer: A\u{25c1}/think\u{25b7}Answer: B", "Answer: B"),
            ("<|begin_of_thought|>\nAnswer: A\n<|end_of_thought|>\nAnswer: B", "Answer: B"),
            ("I write <think> here\nAnswer: B", "I write <think> here\nAnswer: B"),
            ("plain", "plain"),
        ];
        for (text, left) in cases {
            assert_eq!(bare(text).trim(), left, "{text}");
        }
    }

    #[test]
    fn decoration_comes_off() {
        for text in [
            "Wait",
            "**Wait**",
            "`Wait`",
            "```\nWait\n```",
            "```text\nWait",
            "__Wait__",
            "_Wait_",
            " ***`Wait`*** ",
            "~~~\nWait\n~~~",
        ] {
            assert_eq!(undecorated(text), "Wait", "{text}");
        }
        for text in ["`a` or `b`", "_a_b_"] {
            assert_eq!(undecorated(text), text);
        }
    }

    #[test]
    fn hostile_texts_end() {
        for piece in ["<think>", "</think>", "<", "`", "*", "```\n", "_", "**`"] {
            let text = piece.repeat(400_000 / piece.len());
            let _ = (bare(&text), undecorated(&text));
        }
    }
}
