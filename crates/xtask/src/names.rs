//! Names that types must not have: the list is a part of `STYLE.md`.

use std::path::Path;

use crate::language::{STYLE, listed};

/// The part of `STYLE.md` whose list holds the names, each between backticks.
const PART: &str = "## Refused names of types";
/// What declares a type.
const KINDS: [&str; 5] = ["struct", "enum", "union", "trait", "type"];

/// Fails where a type of the code, tests included, has a refused name.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let style = std::fs::read_to_string(root.join(STYLE)).unwrap_or_default();
    let refused = listed(&style, PART);
    if refused.is_empty() {
        return Err(vec![format!("{STYLE}: no list below `{PART}`")]);
    }
    let mut complaints = Vec::new();
    for path in crate::files(root, &[".rs"]) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = declared(line).filter(|name| refused.contains(name)) {
                let place = format!("{}:{}", crate::shown(root, &path), index + 1);
                complaints.push(format!("{place}: a type is called `{name}`: name it after what it is ({STYLE})"));
            }
        }
    }
    if complaints.is_empty() {
        Ok(format!("names: no type has one of {} refused names", refused.len()))
    } else {
        Err(complaints)
    }
}

/// The name of the type that a line declares; an associated type counts too.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(public) = rest.strip_prefix("pub") {
        rest = match public.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => public,
        };
    }
    let (kind, rest) = rest.trim_start().split_once(' ')?;
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    KINDS.contains(&kind).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn the_name_of_a_declared_type_is_read() {
        for (line, name) in [
            ("struct Seat;", Some("Seat")),
            ("    pub(crate) enum Seat {", Some("Seat")),
            ("pub(in crate::a) trait Seat: Send {", Some("Seat")),
            ("pub type Seat<'a> = &'a str;", Some("Seat")),
            ("pub struct Seats(Vec<Seat>);", Some("Seats")),
            ("impl Seat {", None),
            ("let seat = Seat { layer };", None),
            ("// struct Seat", None),
        ] {
            assert_eq!(declared(line), name, "{line}");
        }
    }
}
