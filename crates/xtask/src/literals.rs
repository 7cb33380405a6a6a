//! The string literals of a source file, without those of its tests.

use proc_macro2::{TokenStream, TokenTree};

use crate::tokens::{attribute, end_of_item, is_for_tests};

/// A string literal.
#[derive(Debug, PartialEq, Eq)]
pub struct Literal {
    /// The line where it begins, from 1.
    pub line: usize,
    /// Its text. Line breaks are blanks, other escapes stay as they are written.
    pub text: String,
}

/// The literals of a file, those in attributes other than comments too.
///
/// # Errors
/// A text that cannot be split into tokens.
pub fn of(text: &str) -> Result<Vec<Literal>, String> {
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}"))?;
    let mut found = Vec::new();
    read(tokens, false, &mut found);
    Ok(found)
}

fn read(tokens: TokenStream, is_body: bool, found: &mut Vec<Literal>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some((words, next)) = attribute(&tokens, at) {
            at = if is_for_tests(&words) { end_of_item(&tokens, next, is_body) } else { next };
            if let TokenTree::Group(group) = &tokens[next - 1]
                && !is_for_tests(&words)
                && !words.starts_with("doc=")
            {
                read(group.stream(), true, found);
            }
            continue;
        }
        match token {
            TokenTree::Group(group) => read(group.stream(), true, found),
            TokenTree::Literal(literal) => {
                if let Some(text) = content(&literal.to_string()) {
                    found.push(Literal { line: literal.span().start().line, text });
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// What is between the quotation marks of a string; `None` for numbers, characters and bytes.
fn content(written: &str) -> Option<String> {
    let is_raw = written.starts_with('r');
    let inner = written.trim_start_matches('r').trim_matches('#').strip_prefix('"')?.strip_suffix('"')?;
    let mut text = inner.to_owned();
    if !is_raw {
        // A backslash at the end of a line leaves out the line break and the blanks after it.
        text = text
            .split("\\\n")
            .enumerate()
            .map(|(part, text)| if part == 0 { text } else { text.trim_start() })
            .collect();
        text = text.replace("\\n", " ");
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn literals_are_read_outside_comments_and_tests() {
        let source = r####"
            /// "In a comment."
            #[error("in an attribute: {0}")]
            struct One;
            fn all() {
                say("a \"word\"", 'c', 3, b"bytes");
                say("first \
                     second\nthird");
                say(r#"raw "text""#);
            }
            #[cfg(test)]
            mod tests { fn f() { say("in a test"); } }
            #[cfg(not(test))]
            const LAST: &str = "last";
        "####;
        let found: Vec<(usize, String)> = of(source).unwrap().into_iter().map(|one| (one.line, one.text)).collect();
        let expected = [
            (3, "in an attribute: {0}"),
            (6, "a \\\"word\\\""),
            (7, "first second third"),
            (9, "raw \"text\""),
            (14, "last"),
        ];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    }
}
