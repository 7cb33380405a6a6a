//! The options of the original's configuration: names, kinds, ranges and the values of a fresh one. They are listed in
//! `facts/options.txt`.

use std::sync::LazyLock;

use super::value::{Kind, OptionFact, Value};

/// All options, in the order of the original.
pub static OPTIONS: LazyLock<Vec<OptionFact>> =
    LazyLock::new(|| read(include_str!("../../facts/options.txt")).unwrap_or_default());

/// Reads a file of options; lines that begin with `#` are left out.
fn read(text: &'static str) -> Result<Vec<OptionFact>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let wrong = |line| format!("`{line}`: expected `name | kind | initial value as JSON | range`, or `-` for no range");
    lines.map(|line| option(line).ok_or_else(|| wrong(line))).collect()
}

fn option(line: &'static str) -> Option<OptionFact> {
    let mut parts = line.split(" | ");
    let [name, kind, initial, range] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
    let (kind, null) = kind.strip_suffix(" or null").map_or((kind, false), |kind| (kind, true));
    let kind = match kind {
        "flag" => Kind::Flag,
        "whole" => Kind::Whole,
        "real" => Kind::Real,
        "text" => Kind::Text,
        _ => return None,
    };
    let initial = Value::of_json(serde_json::from_str(initial).ok()?)?;
    let mut fact = OptionFact { name, kind, null, initial, least: None, open: false, most: None };
    if range != "-" {
        let (least, most) = range.split_once(", ")?;
        fact.open = least.starts_with('(');
        fact.least = Some(least.strip_prefix(['[', '('])?.parse().ok()?);
        if most != "...)" {
            fact.most = Some(most.strip_suffix(']')?.parse().ok()?);
        }
    }
    parts.next().is_none().then_some(fact)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gimbal_core::Digest;

    use super::*;

    /// What was read from the original; another digest is another environment.
    const DIGEST: &str = "77e2246184ed482cbf642b7b80f358e2722716da3da464a53406f36f89f6ff78";

    #[test]
    fn the_options_are_those_of_the_original() {
        let options = read(include_str!("../../facts/options.txt")).unwrap();
        let mut text = String::new();
        for option in &options {
            let OptionFact { name, kind, null, initial, least, open, most } = option;
            let kind = format!("{kind:?}").to_lowercase();
            writeln!(text, "{name}|{kind}|{null}|{}|{least:?}|{open}|{most:?}", initial.to_json()).unwrap();
        }
        assert_eq!(options.len(), 93);
        assert_eq!(Digest::of(text.as_bytes()).to_string(), DIGEST, "{text}");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for line in [
            "a | flag | false",
            "a | flag | false | - | -",
            "a | colour | false | -",
            "a | flag | no | -",
            "a | whole | 0 | 0, 1]",
            "a | whole | 0 | [0, 1)",
            "a | whole | 0 | [0]",
        ] {
            assert!(read(line).unwrap_err().starts_with(&format!("`{line}`: expected `name | kind")), "{line}");
        }
    }
}
