//! No source file is longer than a reader can hold in mind: at most 400 lines before its inline tests.
//!
//! Files that were longer when the check began are listed with their lines in `known-long-files.txt`. A listed file may get shorter, with
//! its number, and never longer; one that is short enough leaves the list.

use std::collections::BTreeMap;
use std::path::Path;

/// Most lines of a file before its inline tests.
const MOST: usize = 400;
/// The list, from the folder of the workspace: lines and path.
const KNOWN: &str = "crates/xtask/known-long-files.txt";

/// Fails where a file is too long, or the list says more than is true.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let text = std::fs::read_to_string(root.join(KNOWN)).map_err(|error| vec![format!("{KNOWN}: {error}")])?;
    let known = known(&text)?;
    let mut found = BTreeMap::new();
    for path in crate::files(root, &[".rs"]) {
        let name = crate::shown(root, &path);
        if crate::is_source(&name) {
            found.insert(name, lines(&std::fs::read_to_string(&path).unwrap_or_default()));
        }
    }
    let complaints = compare(&found, &known);
    if complaints.is_empty() {
        Ok(format!(
            "lengths: {} files of at most {MOST} lines, {} known longer ones",
            found.len() - known.len(),
            known.len()
        ))
    } else {
        Err(complaints)
    }
}

/// The listed paths with their lines.
fn known(text: &str) -> Result<BTreeMap<&str, usize>, Vec<String>> {
    let listed = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read = |line: &'_ str| -> Option<usize> { line.split_once(' ')?.0.parse().ok() };
    let mut known = BTreeMap::new();
    let mut complaints = Vec::new();
    for line in listed {
        match (read(line), line.split_once(' ')) {
            (Some(lines), Some((_, path))) => drop(known.insert(path.trim(), lines)),
            _ => complaints.push(format!("{KNOWN}: `{line}`: expected lines and a path")),
        }
    }
    if complaints.is_empty() { Ok(known) } else { Err(complaints) }
}

fn compare(found: &BTreeMap<String, usize>, known: &BTreeMap<&str, usize>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, lines) in found {
        match known.get(path.as_str()) {
            None if *lines > MOST => {
                complaints.push(format!("{path}: {lines} lines before its tests; at most {MOST}: split it by subject"));
            }
            Some(most) if lines > most => {
                complaints.push(format!(
                    "{path}: {lines} lines before its tests; {KNOWN} has {most}, and no file there may grow"
                ));
            }
            Some(_) if *lines <= MOST => {
                complaints.push(format!("{KNOWN}: {path} has {lines} lines now: take it out of the list"));
            }
            Some(most) if lines < most => {
                complaints.push(format!("{KNOWN}: {path} has {lines} lines now, and not {most}: lower its number"));
            }
            _ => {}
        }
    }
    let gone = known.keys().filter(|path| !found.contains_key(**path));
    complaints.extend(gone.map(|path| format!("{KNOWN}: there is no file {path}: take it out of the list")));
    complaints
}

/// Lines before inline tests.
fn lines(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines
        .windows(2)
        .position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{'));
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{MOST, compare, known, lines};

    #[test]
    fn lines_after_the_attribute_of_inline_tests_do_not_count() {
        assert_eq!(lines("a\nb\n#[cfg(test)]\nmod tests {\nc\n}\n"), 2);
        assert_eq!(lines("a\n#[cfg(test)]\nmod tests;\nb\n"), 4);
        assert_eq!(lines("a\n#[cfg(test)]\nuse b;\n"), 3);
    }

    #[test]
    fn listed_files_get_shorter_only() {
        let list = known("# comment\n500 a.rs\n").unwrap();
        let of = |files: &[(&str, usize)]| {
            let found: BTreeMap<String, usize> =
                files.iter().map(|(path, lines)| ((*path).to_owned(), *lines)).collect();
            compare(&found, &list).len()
        };
        assert_eq!(of(&[("a.rs", 500), ("b.rs", MOST)]), 0);
        assert_eq!(of(&[("a.rs", 499)]), 1, "its number is too high");
        assert_eq!(of(&[("a.rs", 501)]), 1, "it grew");
        assert_eq!(of(&[("a.rs", MOST)]), 1, "it is short enough to leave the list");
        assert_eq!(of(&[]), 1, "it is gone");
        assert_eq!(of(&[("a.rs", 500), ("b.rs", MOST + 1)]), 1, "a new long one");
        assert!(known("a.rs\n").is_err());
    }
}
