//! Turns of phrase that comments, help, messages and pages must not have: the lists are parts of `STYLE.md`.

use std::path::Path;

use crate::literals;

/// The part of `STYLE.md` whose list holds the phrases for comments, pages and string literals, each between backticks.
const REFUSED: &str = "## Refused by `cargo xtask invariants`";
/// The page that has the lists.
pub const STYLE: &str = "STYLE.md";
/// What is not written by hand: pages made from data, and records of runs.
const MADE: [&str; 2] = ["docs/fidelity.md", "results/"];
/// Sources, or folders of them, whose literals a model reads, or that are stored under the name they have: prompts, replies of tools, reasons for
/// a refusal, hints of experts, names of facts. Results depend on their bytes.
const READ_BY_MODELS: [&str; 22] = [
    "crates/agent/src/protocol/",
    "crates/architectures/src/debate/narrator.rs",
    "crates/architectures/src/hierarchy/panel.rs",
    "crates/architectures/src/panel/expert.rs",
    "crates/evidence/src/claim/predicate.rs",
    "crates/evidence/src/fact.rs",
    "crates/readers/",
    "crates/temporal/src/contracts/condition.rs",
    "envs/alfworld/src/environment/reading.rs",
    "envs/alfworld/src/home/household.rs",
    "envs/alfworld/src/scene.rs",
    "envs/cage2/src/action/grammar.rs",
    "envs/consensus/src/action.rs",
    "envs/consensus/src/tools.rs",
    "envs/finance_agent/src/action.rs",
    "envs/finance_agent/src/environment/",
    "envs/finance_agent/src/judge/model.rs",
    "envs/finance_agent/src/net/",
    "envs/finance_agent/src/tools/",
    "envs/finance_agent/src/tracker/",
    "envs/finance_agent/src/wire.rs",
    "envs/triage/src/action.rs",
];

/// Fails where a comment or a literal of the code, or a page, has a refused phrase.
pub fn check(root: &Path) -> Result<String, Vec<String>> {
    let style = std::fs::read_to_string(root.join(STYLE)).unwrap_or_default();
    let phrases = listed(&style, REFUSED);
    let mut complaints = Vec::new();
    if phrases.is_empty() {
        complaints.push(format!("{STYLE}: no list below `{REFUSED}`"));
    }
    let (mut files, mut strings) = (0, 0);
    for path in crate::files(root, &[".rs", ".md"]) {
        let name = crate::shown(root, &path);
        if name == STYLE || MADE.iter().any(|made| name.starts_with(made)) {
            continue;
        }
        files += 1;
        let mut complain = |line: usize, phrase: &str| {
            complaints.push(format!("{name}:{line}: `{phrase}`: {STYLE} says what to write"));
        };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if name.ends_with(".md") || line.trim_start().starts_with("//") {
                phrases.iter().filter(|phrase| has(line, phrase)).for_each(|phrase| complain(index + 1, phrase));
            }
        }
        if !crate::is_source(&name) || READ_BY_MODELS.iter().any(|read| name.starts_with(read)) {
            continue;
        }
        match literals::of(&text) {
            Ok(found) => {
                strings += found.len();
                for literal in &found {
                    phrases
                        .iter()
                        .filter(|phrase| has(&literal.text, phrase))
                        .for_each(|phrase| complain(literal.line, phrase));
                }
            }
            Err(error) => complaints.push(format!("{name}: {error}")),
        }
    }
    if complaints.is_empty() {
        let phrases = phrases.len();
        Ok(format!("language: {files} files and {strings} string literals without the {phrases} refused phrases"))
    } else {
        Err(complaints)
    }
}

/// What is between backticks in a part of the page, up to the next heading.
pub fn listed<'a>(style: &'a str, part: &str) -> Vec<&'a str> {
    let part = style.lines().skip_while(|line| *line != part).skip(1).take_while(|line| !line.starts_with('#'));
    part.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Comparisons, which may follow the words.
const COMPARED: [&str; 13] = [
    "longer", "more", "fewer", "less", "later", "earlier", "better", "worse", "greater", "larger", "smaller", "higher",
    "lower",
];

/// Whether a text has a phrase as whole words, in any case. Those that deny that there is something, and comparisons, are right.
fn has(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let is_right = |before: &str, after: &str| {
        let word = |word: Option<&str>| {
            word.unwrap_or_default().trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
        };
        let (before, after) = (word(before.split_whitespace().next_back()), word(after.split_whitespace().next()));
        phrase.ends_with(" no") && (before == "there" || COMPARED.contains(&after.as_str()))
    };
    text.match_indices(phrase).map(|(at, _)| (&text[..at], &text[at + phrase.len()..])).any(|(before, after)| {
        is_end(before.chars().next_back()) && is_end(after.chars().next()) && !is_right(before, after)
    })
}

#[cfg(test)]
mod tests {
    use super::{REFUSED, has, listed};

    #[test]
    fn phrases_are_whole_words_of_the_list_in_the_style_page() {
        let style = format!("# Style\n`not here`\n{REFUSED}\n\n`hangs on`, `seldom`\n## Names\n`nor here`\n");
        assert_eq!(listed(&style, REFUSED), ["hangs on", "seldom"]);
        assert!(has("/// It Hangs on: that.", "hangs on"));
        assert!(!has("/// It changes on that.", "hangs on"));
        assert!(!has("/// It hangs only there.", "hangs on"));
    }

    #[test]
    fn to_be_no_something_is_refused_but_not_after_there_nor_in_a_comparison() {
        assert!(has("`x` is no time: expected RFC 3339", "is no"));
        assert!(has("that is no", "is no"));
        assert!(!has("There is no time `x`", "is no"));
        assert!(!has("it says \"there is no time\"", "is no"));
        assert!(!has("the cell is no longer in the study", "is no"));
        assert!(!has("the `is none` of it", "is no"));
        assert!(has("they are no attempts", "are no"));
        assert!(!has("there are no attempts", "are no"));
    }
}
