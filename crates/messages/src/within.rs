//! Expressions of texts that stand within a JSON string: what is escaped there is escaped in the expression.

/// The expression of what a JSON string holds whose text matches `regex`: quotation marks, backslashes and line ends are escaped there.
///
/// For expressions as this crate and the grammars of actions write them: literals, groups, repetitions and classes of printable ASCII. Classes
/// of what is *not* in them leave quotation marks and backslashes out.
#[must_use]
pub fn within_json(regex: &str) -> String {
    let mut out = String::with_capacity(regex.len() + 16);
    let mut rest = regex.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => match rest.next() {
                Some('\\') => out.push_str(r"\\\\"),
                Some(escaped @ ('n' | 't' | 'r')) => out.extend([r"\\", escaped.encode_utf8(&mut [0; 4])]),
                Some('"') => out.push_str("\\\\\""),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '"' => out.push_str("\\\\\""),
            '[' => out.push_str(&class(&mut rest)),
            other => out.push(other),
        }
    }
    out
}

/// The rest of a class behind its opening bracket, as an expression of what each of its letters means.
fn class(rest: &mut std::str::Chars<'_>) -> String {
    let mut items: Vec<(char, bool)> = Vec::new();
    while let Some(letter) = rest.next() {
        match letter {
            ']' => break,
            // An escaped letter is never a range.
            '\\' => items.extend(rest.next().map(|escaped| (escaped, true))),
            other => items.push((other, false)),
        }
    }
    let negated = items.first() == Some(&('^', false));
    let written = |items: &[(char, bool)]| -> String {
        items
            .iter()
            .map(|(letter, escaped)| if *escaped { format!("\\{letter}") } else { letter.to_string() })
            .collect()
    };
    if negated {
        return format!("[^\"\\\\{}]", written(&items[1..]));
    }
    let is_range = |at: usize| at > 0 && at + 1 < items.len() && items[at] == ('-', false);
    let holds = |wanted: char| {
        let in_range = |at: usize| is_range(at) && (items[at - 1].0..=items[at + 1].0).contains(&wanted);
        items.iter().any(|(letter, _)| *letter == wanted) || (0..items.len()).any(in_range)
    };
    let special: Vec<char> = ['"', '\\'].into_iter().filter(|letter| holds(*letter)).collect();
    if special.is_empty() {
        return format!("[{}]", written(&items));
    }
    // A range over one of both is parted around it.
    let mut plain = String::new();
    let mut at = 0;
    while at < items.len() {
        let (letter, escaped) = items[at];
        if is_range(at + 1) && at + 2 < items.len() {
            plain.push_str(&parted(letter, items[at + 2].0));
            at += 3;
            continue;
        }
        if !matches!(letter, '"' | '\\') {
            plain.push_str(&written(&[(letter, escaped)]));
        }
        at += 1;
    }
    let escaped = special.iter().map(|letter| if *letter == '"' { "\\\\\"" } else { r"\\\\" });
    let plain = (!plain.is_empty()).then(|| format!("[{plain}]"));
    let all: Vec<String> = plain.into_iter().chain(escaped.map(str::to_owned)).collect();
    format!("({})", all.join("|"))
}

/// The letters from one to another without quotation marks and backslashes, as items of a class.
fn parted(from: char, to: char) -> String {
    let kept = (from..=to).filter(|letter| !matches!(letter, '"' | '\\'));
    kept.map(|letter| crate::escape(letter.encode_utf8(&mut [0; 4]))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;
    use serde_json::Value;

    use super::within_json;
    use crate::escape;

    fn whole(regex: &str) -> Regex {
        Regex::new(&format!("^({regex})$")).unwrap()
    }

    /// What is between the quotation marks of a text as JSON.
    fn inside(text: &str) -> String {
        let written = Value::from(text).to_string();
        written[1..written.len() - 1].to_owned()
    }

    #[test]
    fn quotation_marks_and_backslashes_are_escaped_and_nothing_else() {
        for (regex, fits, other) in [
            (r#"search query="[ !#-\[\]-~]{1,9}""#, r#"search query="net""#, r#"search query=net"#),
            (r#""([ !#-\[\]-~]|\\["\\n]){0,9}""#, r#""a \"b\" \n""#, r#""a "b"""#),
            (r"[!-~]{1,4}", r#"a"\b"#, "a b"),
            (r"get ([1-9]|[1-9][0-9]) oak\-log", "get 17 oak-log", "get 07 oak-log"),
            (r"\{(a: \[[0-9]\])?\}", "{a: [1]}", "{a: []}"),
        ] {
            let (plain, json) = (whole(regex), whole(&within_json(regex)));
            assert!(plain.is_match(fits) && json.is_match(&inside(fits)), "{regex}: {}", within_json(regex));
            assert!(!plain.is_match(other) && !json.is_match(&inside(other)), "{regex}");
        }
        assert!(!whole(&within_json(r#"a="b""#)).is_match(r#"a="b""#), "what is not escaped would end the string");
    }

    proptest! {
        #[test]
        fn a_text_is_let_through_within_a_string_where_its_expression_lets_it_through(
            text in "[ -~\n\t]{0,12}", other in "[ -~]{0,12}",
        ) {
            let regex = within_json(&escape(&text));
            prop_assert!(whole(&regex).is_match(&inside(&text)), "{}", regex);
            prop_assert_eq!(whole(&regex).is_match(&inside(&other)), text == other);
        }
    }
}
