//! Turns of phrase that comments, help and pages must not have: the list is a part of `STYLE.md`.

use std::path::Path;

/// The part of `STYLE.md` whose list holds the phrases, each between backticks.
const PART: &str = "## Refused by `cargo xtask invariants`";
/// The page that has the list.
pub const STYLE: &str = "STYLE.md";
/// What is not written by hand: pages made from data, and records of runs.
const MADE: [&str; 2] = ["docs/fidelity.md", "results/"];

/// Fails where a comment of the code or a page has a refused phrase.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let style = std::fs::read_to_string(root.join(STYLE)).unwrap_or_default();
    let phrases = listed(&style, PART);
    if phrases.is_empty() {
        return Err(vec![format!("{STYLE}: no list below `{PART}`")]);
    }
    let mut complaints = Vec::new();
    let mut read = 0;
    for path in crate::files(root, &[".rs", ".md"]) {
        let name = crate::shown(root, &path);
        if name == STYLE || MADE.iter().any(|made| name.starts_with(made)) {
            continue;
        }
        read += 1;
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if name.ends_with(".md") || line.trim_start().starts_with("//") {
                for phrase in phrases.iter().filter(|phrase| has(line, phrase)) {
                    complaints.push(format!("{name}:{}: `{phrase}`: {STYLE} says what to write", index + 1));
                }
            }
        }
    }
    if complaints.is_empty() {
        Ok(format!("language: {read} files without the {} refused phrases", phrases.len()))
    } else {
        Err(complaints)
    }
}

/// What is between backticks in a part of the page.
pub fn listed<'a>(style: &'a str, part: &str) -> Vec<&'a str> {
    let part = style.lines().skip_while(|line| *line != part).skip(1).take_while(|line| !line.starts_with("## "));
    part.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Whether a line has a phrase as whole words, in any case.
fn has(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    line.match_indices(phrase)
        .any(|(at, _)| is_end(line[..at].chars().next_back()) && is_end(line[at + phrase.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::{PART, has, listed};

    #[test]
    fn phrases_are_whole_words_of_the_list_in_the_style_page() {
        let style = format!("# Style\n`not here`\n{PART}\n\n`hangs on`, `seldom`\n\n## Names\n`nor here`\n");
        assert_eq!(listed(&style, PART), ["hangs on", "seldom"]);
        assert!(has("/// It Hangs on: that.", "hangs on"));
        assert!(!has("/// It changes on that.", "hangs on"));
        assert!(!has("/// It hangs only there.", "hangs on"));
    }
}
