//! The form of an action's text: a name and parameters, written in many ways (BOG-032). What they mean is the environment's.

const QUOTES: [char; 7] = ['"', '\'', '`', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}'];
/// What models put around a name or a value that they were shown as a placeholder, or want to stress.
const MARKS: [char; 14] =
    ['"', '\'', '`', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', '*', '<', '>', '[', ']', '{', '}'];

/// What separates a key from its value, also as wide as the signs of Chinese and Japanese.
const SETS: [char; 4] = ['=', ':', '\u{ff1d}', '\u{ff1a}'];

/// Parameters, each with its key if it has one.
pub type Arguments<'a> = [(Option<&'a str>, &'a str)];

/// The name and the rest, with outer quotes, a closing full stop and the brackets of a call taken away; none if there is
/// no name.
#[must_use]
pub fn split(text: &str) -> Option<(&str, &str)> {
    let mut inner = text.trim();
    loop {
        let shorter = strip_outer(inner).trim();
        if shorter.len() == inner.len() {
            break;
        }
        inner = shorter;
    }
    let inner = labelled(inner);
    let end =
        inner.find(|c: char| c.is_whitespace() || "(,:[{\u{ff08}\u{ff0c}\u{ff1a}".contains(c)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let name = name.trim_matches(MARKS);
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim();
    let rest = rest.strip_prefix([':', ',', '\u{ff1a}', '\u{ff0c}']).unwrap_or(rest).trim();
    let rest = ["->", "=>", "\u{2192}", "- "].iter().find_map(|arrow| rest.strip_prefix(arrow)).unwrap_or(rest).trim();
    let pairs = [('(', ')'), ('[', ']'), ('{', '}'), ('\u{ff08}', '\u{ff09}')];
    let inside = pairs.iter().find_map(|(open, close)| {
        let inside = rest.strip_prefix(*open)?;
        Some(inside.trim_end().strip_suffix(*close).unwrap_or(inside))
    });
    Some((name, inside.unwrap_or(rest)))
}

/// Without a word that announces an action: `action=Fix`, `action: Fix`.
fn labelled(text: &str) -> &str {
    const LABEL: &str = "action";
    let Some(head) = text.get(..LABEL.len()).filter(|head| head.eq_ignore_ascii_case(LABEL)) else { return text };
    let rest = text[head.len()..].trim_start();
    rest.strip_prefix(SETS).map_or(text, str::trim_start)
}

/// What a text in brackets holds, or the words of a link.
fn bracketed(text: &str) -> Option<&str> {
    let (inside, target) = text.strip_prefix('[')?.split_once(']')?;
    let is_link = target.starts_with('(') && target.ends_with(')') && !target[1..].contains('(');
    (target.is_empty() || is_link).then_some(inside)
}

fn strip_outer(text: &str) -> &str {
    let text = text.strip_suffix(['.', ';', '\u{3002}', '\u{ff1b}']).unwrap_or(text);
    if let Some(inside) = bracketed(text) {
        return inside;
    }
    let mut chars = text.chars();
    if let (Some(first), Some(last)) = (chars.next(), chars.next_back())
        && QUOTES.contains(&first)
        && QUOTES.contains(&last)
        && (first == last || !first.is_ascii())
    {
        let inside = chars.as_str();
        // `"Restore" "User1"` is quoted word by word, not as a whole.
        if !inside.contains(first) {
            return inside;
        }
    }
    text
}

/// Reads the parameters of an action: bare, or as `key=value` or `key: value`, quoted or not, after spaces or commas.
#[must_use]
pub fn arguments(text: &str) -> Vec<(Option<&str>, &str)> {
    let mut arguments = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || is_comma(c));
        if rest.is_empty() {
            return arguments;
        }
        let (first, after) = token(rest);
        let gap = after.trim_start();
        if let Some(value) = gap.strip_prefix(SETS) {
            let (value, after) = token(value.trim_start());
            arguments.push((Some(first), value));
            rest = after;
        } else {
            arguments.push((None, first));
            rest = after;
        }
    }
}

fn is_comma(letter: char) -> bool {
    matches!(letter, ',' | '\u{ff0c}' | '\u{3001}')
}

/// One word, or the text between two quotes, and what follows it.
fn token(text: &str) -> (&str, &str) {
    let mut chars = text.chars();
    if let Some(quote) = chars.next().filter(|first| QUOTES.contains(first)) {
        let inside = chars.as_str();
        let closing = if quote == '\u{201c}' { '\u{201d}' } else { quote };
        if let Some(end) = inside.find(closing) {
            return (inside[..end].trim(), &inside[end + closing.len_utf8()..]);
        }
        return (inside.trim_matches(QUOTES), "");
    }
    let end = text
        .char_indices()
        .find(|(at, c)| c.is_whitespace() || is_comma(*c) || (*at > 0 && SETS.contains(c)))
        .map_or(text.len(), |(at, _)| at);
    (text[..end].trim_matches(MARKS), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    // covers: BOG-032
    #[test]
    fn one_action_is_written_in_many_ways() {
        for text in [
            "Fix node=a",
            "Fix(node=a)",
            "`Fix node = \"a\"`.",
            "Fix: node: 'a'",
            "\u{201c}Fix node=a\u{201d}",
            "Fix[node=a]",
            "Fix{node: a}",
            "**Fix** node=<a>",
            "action=Fix, node=a",
            "Action: Fix(node=[a])",
            "Fix\u{ff08}node\u{ff1d}a\u{ff09}\u{3002}",
            "Fix\u{ff1a}node\u{ff1a}a",
            "Fix\u{ff0c}node=a",
        ] {
            let (name, rest) = split(text).unwrap();
            assert_eq!((name, arguments(rest)), ("Fix", vec![(Some("node"), "a")]), "{text}");
        }
        assert_eq!(
            split("\"Fix\" \"a\"").map(|(name, rest)| (name, arguments(rest))),
            Some(("Fix", vec![(None, "a")]))
        );
        assert_eq!(split(" '' "), None);
        for text in ["[Fix node=a]", "[Fix node=a](http://x)", "`[Fix node=a](x)`."] {
            assert_eq!(split(text), Some(("Fix", "node=a")), "{text}");
        }
    }
}
