//! What is read of free text, where layers follow no contracts: a last line `Do: ACTION`, and lines `Forbid: PATTERN` and `Only: PATTERN`.

use gimbal_temporal::{Directive, Pattern};

/// Longest pattern that is read, in characters, and most patterns of a text.
const BOUNDS: (usize, usize) = (64, 10);

/// What a layer wrote, as far as code reads it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Remark {
    /// The action that it wants done now.
    pub action: Option<String>,
    /// What it wants faster layers to do and to leave.
    pub directive: Option<Directive>,
}

/// The rest of the line behind a mark, which may stand anywhere in a line; of several marks the last.
fn behind<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let lower = line.to_ascii_lowercase();
    let at = lower.rfind(mark)?;
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let begins = line[..at].chars().next_back().is_none_or(|letter| !is_word(letter));
    begins.then(|| bare(&line[at + mark.len()..])).filter(|rest| !rest.is_empty())
}

/// A text without the marks of bold letters before it, and without the marks of code around it.
fn bare(text: &str) -> &str {
    let text = text.trim().trim_start_matches("**").trim();
    let code = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    code.unwrap_or(text).trim()
}

/// Reads a text. `name` is what its directive is called.
pub(super) fn read(text: &str, name: &str) -> Remark {
    let mut remark = Remark::default();
    let (mut forbids, mut only) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(action) = behind(line, "do:") {
            remark.action = Some(action.to_owned());
        } else if let Some(pattern) = behind(line, "forbid:") {
            forbids.push(pattern);
        } else if let Some(pattern) = behind(line, "only:") {
            only.push(pattern);
        }
    }
    if !forbids.is_empty() || !only.is_empty() {
        let patterns = |texts: &[&str]| -> Vec<Pattern> {
            let short = texts.iter().filter(|text| text.chars().count() <= BOUNDS.0);
            short.take(BOUNDS.1).map(|text| Pattern::new(text)).collect()
        };
        let said = |word: &str, texts: &[&str]| texts.iter().map(|text| format!("{word} {text}")).collect::<Vec<_>>();
        remark.directive = Some(Directive {
            id: name.to_owned(),
            text: [said("forbid", &forbids), said("only", &only)].concat().join("; "),
            forbids: patterns(&forbids),
            only: patterns(&only),
        });
    }
    remark
}

#[cfg(test)]
mod tests {
    use gimbal_temporal::Pattern;

    use super::{Remark, read};

    #[test]
    fn the_last_action_and_all_patterns_are_read() {
        let text =
            "I would wait.\nDo: Light lamp=1\nForbid: Wait\n- **Only:** `Light *`\nNo, rather this. Do: Light lamp=2";
        let remark = read(text, "mine");
        assert_eq!(remark.action.as_deref(), Some("Light lamp=2"));
        let directive = remark.directive.unwrap();
        assert_eq!((directive.forbids, directive.only), (vec![Pattern::new("wait")], vec![Pattern::new("light *")]));
        assert_eq!(directive.text, "forbid Wait; only Light *");
        for text in ["", "Do:", "undo: this", "What do we do now?", "é Do"] {
            assert_eq!(read(text, "mine"), Remark::default(), "{text}");
        }
    }
}
