//! The game modes: three that ship with the original and sixteen of its own tests. They are listed in `facts/modes.txt`.

use std::sync::LazyLock;

use super::read::sections;
use super::value::Value;

/// A game mode.
#[derive(Clone, Debug)]
pub struct ModeFact {
    /// The name in options.
    pub name: &'static str,
    /// The original's title.
    pub title: &'static str,
    /// The original's id.
    pub uuid: &'static str,
    /// Whether it ships; else it is of the original's own tests.
    pub ships: bool,
    /// Options that differ from those of `default`; for `default` itself, from those of a fresh configuration.
    pub changes: Vec<(&'static str, Value)>,
}

/// All modes, shipped ones first.
pub static MODES: LazyLock<Vec<ModeFact>> =
    LazyLock::new(|| read(include_str!("../../facts/modes.txt")).unwrap_or_default());

/// Reads a file of modes.
fn read(text: &'static str) -> Result<Vec<ModeFact>, String> {
    let mode = |section: super::read::Section| {
        let (uuid, ships) = match section.mark.split_once(" | ") {
            Some((uuid, "ships")) => (uuid, true),
            Some((uuid, "tests")) => (uuid, false),
            _ => return Err(format!("mode `{}`: expected `title | id | ships`, or `tests`", section.name)),
        };
        let changes = section.lines.into_iter().map(change).collect::<Result<Vec<_>, _>>()?;
        Ok(ModeFact { name: section.name, title: section.title, uuid, ships, changes })
    };
    sections(text)?.into_iter().map(mode).collect()
}

/// Reads `option = value`, the value as JSON.
fn change(line: &'static str) -> Result<(&'static str, Value), String> {
    let wrong = || format!("`{line}`: expected `option = value`, the value as JSON");
    let (name, value) = line.split_once(" = ").ok_or_else(wrong)?;
    let value = serde_json::from_str(value).ok().and_then(Value::of_json).ok_or_else(wrong)?;
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gimbal_core::Digest;

    use super::*;

    /// What was read from the original; another digest is another environment.
    const DIGEST: &str = "e65e69cae1b50c3293f626dfc9736d0167f9d6ae692a39e5c2c20fc93b9f88fd";

    #[test]
    fn the_modes_are_those_of_the_original() {
        let modes = read(include_str!("../../facts/modes.txt")).unwrap();
        let mut text = String::new();
        for mode in &modes {
            writeln!(text, "{}|{}|{}|{}", mode.name, mode.title, mode.uuid, mode.ships).unwrap();
            for (name, value) in &mode.changes {
                writeln!(text, "{name}={}", value.to_json()).unwrap();
            }
        }
        assert_eq!(modes.len(), 19);
        assert_eq!(Digest::of(text.as_bytes()).to_string(), DIGEST);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        for (text, line) in [
            ("a = 1", "`a = 1`: expected a section"),
            ("[m] M | id | ships\na: 1", "`a: 1`: expected `option = value`"),
            ("[m] M | id | ships\na = [1]", "`a = [1]`: expected `option = value`"),
            ("[m] M | id", "mode `m`: expected"),
        ] {
            assert!(read(text).unwrap_err().starts_with(line), "{text}");
        }
    }
}
