//! What the checks share of reading Rust as tokens: attributes, and what is for tests alone.

use proc_macro2::{Delimiter, TokenTree};

/// Whether this token is the sign.
pub fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// The text of an attribute without blanks, and the place after it.
pub fn attribute(tokens: &[TokenTree], at: usize) -> Option<(String, usize)> {
    if !is_punct(tokens.get(at), '#') {
        return None;
    }
    let at = if is_punct(tokens.get(at + 1), '!') { at + 2 } else { at + 1 };
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            Some((group.stream().to_string().split_whitespace().collect(), at + 1))
        }
        _ => None,
    }
}

/// Whether an attribute keeps its item for tests.
pub fn is_for_tests(attribute: &str) -> bool {
    attribute == "cfg(test)" || attribute.starts_with("cfg(all(test,") || attribute == "test"
}

/// The place after an item, a field or a statement.
pub fn end_of_item(tokens: &[TokenTree], mut at: usize, is_body: bool) -> usize {
    while let Some((_, next)) = attribute(tokens, at) {
        at = next;
    }
    let is_use = tokens[at..].iter().take(3).any(|token| matches!(token, TokenTree::Ident(word) if word == "use"));
    while let Some(token) = tokens.get(at) {
        at += 1;
        let ends = match token {
            TokenTree::Punct(punct) => punct.as_char() == ';' || (is_body && punct.as_char() == ','),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !is_use,
            _ => false,
        };
        if ends {
            break;
        }
    }
    at
}
