//! Grammars in llama.cpp's notation: choices, and those regular expressions that are made of literals, classes,
//! alternatives, groups and bounded repetitions.

use std::fmt::Write as _;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// A choice.
pub(super) fn choice(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
    format!("root ::= {}", quoted.join(" | "))
}

/// A regular expression that matches a text as a whole; `None` where the notation cannot say it.
pub(super) fn regex(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut rule = String::from("root ::= ");
    write(&hir, &mut rule)?;
    Some(rule)
}

fn write(hir: &Hir, out: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty => out.push_str("\"\""),
        HirKind::Literal(literal) => out.push_str(&quoted(std::str::from_utf8(&literal.0).ok()?)),
        HirKind::Class(class) => self::class(class, out)?,
        HirKind::Capture(capture) => group(&capture.sub, out)?,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            group(sub, out)?;
            match (min, max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (least, None) => write!(out, "{{{least},}}").ok()?,
                (least, Some(most)) => write!(out, "{{{least},{most}}}").ok()?,
            }
        }
        HirKind::Concat(parts) => {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                if matches!(part.kind(), HirKind::Alternation(_)) { group(part, out)? } else { write(part, out)? }
            }
        }
        HirKind::Alternation(branches) => {
            for (at, branch) in branches.iter().enumerate() {
                if at > 0 {
                    out.push_str(" | ");
                }
                write(branch, out)?;
            }
        }
        // The expression matches as a whole anyway; other assertions have no counterpart.
        HirKind::Look(look) if look.as_repr() <= regex_syntax::hir::Look::End.as_repr() => out.push_str("\"\""),
        HirKind::Look(_) => return None,
    }
    Some(())
}

fn group(hir: &Hir, out: &mut String) -> Option<()> {
    out.push('(');
    write(hir, out)?;
    out.push(')');
    Some(())
}

fn class(class: &Class, out: &mut String) -> Option<()> {
    let Class::Unicode(class) = class else { return None };
    out.push('[');
    for range in class.ranges() {
        for (at, letter) in [range.start(), range.end()].into_iter().enumerate() {
            if at == 1 && range.start() == range.end() {
                break;
            }
            if at == 1 {
                out.push('-');
            }
            match letter {
                letter if letter.is_ascii_alphanumeric() || letter == ' ' => out.push(letter),
                letter if letter.is_ascii() => write!(out, "\\x{:02X}", u32::from(letter)).ok()?,
                letter if u32::from(letter) <= 0xFFFF => write!(out, "\\u{:04X}", u32::from(letter)).ok()?,
                letter => write!(out, "\\U{:08X}", u32::from(letter)).ok()?,
            }
        }
    }
    out.push(']');
    Some(())
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{choice, regex};

    #[test]
    fn choices_are_quoted() {
        let choices = ["Say \"a\\b\"".to_owned(), "two\nlines".to_owned()];
        assert_eq!(choice(&choices), r#"root ::= "Say \"a\\b\"" | "two\nlines""#);
    }

    #[test]
    fn expressions_of_replies_are_written() {
        let pattern = r"Thought: [ -~]{0,300}\n(Answer: (Wait|Oil\+x)|Tool: (ask: [ -~]{1,20})\nPAUSE)";
        let expected = concat!(
            r#"root ::= "Thought: " ([ -\x7E]){0,300} "\n" ("Answer: " ("Wait" | "Oil+x") | "Tool: " "#,
            r#"("ask: " ([ -\x7E]){1,20}) "\nPAUSE")"#
        );
        assert_eq!(regex(pattern).unwrap(), expected);
        assert_eq!(regex("^a?b*c+d{2,}$").unwrap(), r#"root ::= "" ("a"){0,1} ("b")* ("c")+ ("d"){2,} """#);
    }

    #[test]
    fn what_the_notation_cannot_say_is_none() {
        assert_eq!(regex(r"\bword\b"), None);
        assert_eq!(regex("("), None);
    }
}
