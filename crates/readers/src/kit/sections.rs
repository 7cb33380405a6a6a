//! Parts of a text between tags.

/// The parts between tags, outermost ones only, in order: name and content.
#[must_use]
pub fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((begin, name, inner)) = opening(text, at) {
        let closing = format!("</{name}>");
        match text[inner..].find(&closing) {
            Some(length) => {
                found.push((name, text[inner..inner + length].trim_matches('\n')));
                at = inner + length + closing.len();
            }
            // A placeholder such as `<item>`, and no tag.
            None => at = begin + 1,
        }
    }
    found
}

/// The first tag from `from` on: where it begins, its name, where its content begins.
fn opening(text: &str, from: usize) -> Option<(usize, &str, usize)> {
    let mut at = from;
    loop {
        let begin = at + text.get(at..)?.find('<')?;
        let rest = &text[begin + 1..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if length > 0 && rest.as_bytes().get(length) == Some(&b'>') {
            return Some((begin, &rest[..length], begin + length + 2));
        }
        at = begin + 1;
    }
}

/// The content of the last part with this tag.
#[must_use]
pub fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let end = text.rfind(&format!("</{tag}>"))?;
    let opening = format!("<{tag}>");
    let begin = text[..end].rfind(&opening)? + opening.len();
    Some(text[begin..end].trim_matches('\n'))
}

/// The text without its tagged parts, each trimmed of the blank lines around it.
#[must_use]
pub fn without(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (name, body) in sections(text) {
        let opening = format!("<{name}>");
        let closing = format!("</{name}>");
        let inner = body.as_ptr() as usize - text.as_ptr() as usize;
        let Some(begin) = text[..inner].rfind(&opening) else { continue };
        out.push_str(&text[at..begin]);
        at = text[inner..].find(&closing).map_or(text.len(), |end| inner + end + closing.len());
    }
    out.push_str(&text[at..]);
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{between, sections, without};

    #[test]
    fn parts_are_found_and_placeholders_are_none() {
        let text = "Write <item> so.\n<a>\none <x>two</x>\n</a>\nand <b>three</b> end";
        assert_eq!(sections(text), [("a", "one <x>two</x>"), ("b", "three")]);
        assert_eq!(between(text, "b"), Some("three"));
        assert_eq!(between(text, "c"), None);
        assert_eq!(without(text), "Write <item> so.\n\nand  end");
    }
}
