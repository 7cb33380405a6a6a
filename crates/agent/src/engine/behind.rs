//! What follows an action on its own line. No text alone says where an action ends: the environment does, whose reading of the shortest
//! beginning that is the same action leaves the rest over.

use gimbal_core::{Remark, Stage, ToolCall, remark};

/// Places of a line at which its action may end; a line of words is not read for longer.
const ENDS: usize = 48;

/// An action on its line, and the words behind it.
#[derive(Clone, Copy)]
pub(super) struct Behind<'t> {
    pub action: &'t str,
    pub words: &'t str,
}

/// The words behind an action on its line; `None` if there are none. `call` is what the environment reads in the text. What is written as the
/// environment writes the action is all action, and so is each value of it.
pub(super) async fn behind<'t>(stage: &dyn Stage, text: &'t str, call: &ToolCall) -> Option<Behind<'t>> {
    let line = line(text)?;
    if said(line).eq(said(&stage.render(call).await)) || !is_read_as(stage, line, call).await {
        return None;
    }
    for end in ends(line) {
        if is_read_as(stage, &line[..end], call).await {
            // An argument that the environment does not look at is not a remark.
            let (action, words) = line.split_at(end);
            let is_remark = words.contains(char::is_alphanumeric) && !is_argument(words);
            return is_remark.then_some(Behind { action, words });
        }
    }
    None
}

/// Whether an answer is an action that the words behind it take back, where no shorter text is the `call` that the environment reads in it: it
/// cannot read the whole (`None`), or takes all of it for a command that is not possible now, though its beginning is. Where values are any text,
/// the beginning of one is not an action.
pub(super) async fn is_taken_back(stage: &dyn Stage, text: &str, call: Option<&ToolCall>) -> bool {
    let Some(line) = line(text) else { return false };
    let beginnings = ends(line).map(|end| line.split_at(end)).map(|(action, words)| Behind { action, words });
    for beginning in beginnings.filter(Behind::takes_back) {
        let Ok(beginning) = stage.parse(beginning.action).await else { continue };
        let Some(call) = call else { return true };
        if stage.brief().free_arguments {
            return false;
        }
        let legal = stage.legal(usize::MAX).await;
        if beginning != *call && legal.contains(&beginning) && !legal.contains(call) {
            return true;
        }
    }
    false
}

impl Behind<'_> {
    /// Whether the words take the action back. A parameter or a quotation among them is a value, or repeats the words of others.
    pub(super) fn takes_back(&self) -> bool {
        !self.words.contains(['=', '"']) && remark::of(self.action, self.words) == Remark::TakesBack
    }
}

/// Whether an answer is a table with a row of names that holds more than the action, as its environment writes it.
pub(super) fn is_beside(text: &str, written: &str) -> bool {
    let is_row = |line: &&str| line.contains('|') && line.contains(char::is_alphanumeric);
    let rows: Vec<&str> =
        text.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| line.contains('|')).collect();
    let rows: Vec<&str> = rows.into_iter().filter(is_row).collect();
    let Some((names, rows)) = rows.split_first() else { return false };
    let own: Vec<String> = said(written).collect();
    let Some(name) = own.first() else { return false };
    // The words of a name may be parted.
    let is_own = |word: &String| {
        own.contains(word) || name.contains(word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    said(names).all(|word| word != *name) && rows.iter().any(|row| !said(row).all(|word| is_own(&word)))
}

/// Whether words begin with a parameter and its sign.
fn is_argument(words: &str) -> bool {
    let words = words.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let end = words.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-')));
    end.is_some_and(|end| words[end..].trim_start().starts_with('='))
}

async fn is_read_as(stage: &dyn Stage, text: &str, call: &ToolCall) -> bool {
    stage.parse(text).await.is_ok_and(|read| read == *call)
}

/// The line of the answer: the first that is more than drawn.
fn line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find(|line| line.contains(char::is_alphanumeric))
}

/// The words of a text, in small letters.
fn said(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Where an action may end, from the left: before a blank or a sign that separates clauses.
fn ends(line: &str) -> impl Iterator<Item = usize> {
    let separates = |letter: char| {
        letter.is_whitespace()
            || ",;.!?:([\u{2013}\u{2014}\u{3002}\u{ff01}\u{ff08}\u{ff0c}\u{ff1a}\u{ff1b}\u{ff1f}".contains(letter)
    };
    let ends = line.char_indices().filter(move |(at, letter)| {
        let before = line[..*at].chars().next_back();
        separates(*letter) && before.is_some_and(|before| !before.is_whitespace())
    });
    ends.map(|(at, _)| at).take(ENDS)
}

#[cfg(test)]
mod tests {
    use super::{ends, is_argument, is_beside, said};

    #[test]
    fn a_line_is_parted_where_an_action_may_end() {
        let parts: Vec<&str> = ends("Fix a, (no) \u{2014} b").map(|end| &"Fix a, (no) \u{2014} b"[..end]).collect();
        assert_eq!(parts, ["Fix", "Fix a", "Fix a,", "Fix a, (no)", "Fix a, (no) \u{2014}"]);
        assert_eq!(ends(&"a ".repeat(500)).count(), super::ENDS);
        assert!(said("Fix node=A").eq(["fix", "node", "a"]));
    }
    #[test]
    fn a_parameter_in_the_middle_of_words_is_a_remark() {
        assert!(is_argument(", reasoning=\"not yet\"") && is_argument(" note = x"));
        assert!(!is_argument(" because Remove hostname=User1 failed") && !is_argument(" (no)"));
    }

    #[test]
    fn a_table_that_says_more_than_the_action_is_found() {
        let written = "Restore hostname=User1";
        assert!(is_beside("| Action | Host | Severity |\n|---|---|---|\n| Restore | User1 | high |", written));
        assert!(is_beside("\nAction | Host | Why\n--- | --- | ---\nRestore | User1 | it is broken", written));
        for text in [
            "| Step | Action | Host |\n|---|---|---|\n| 1 | Restore | User1 |",
            "| Action | Restore |\n|---|---|\n| Host | User1 |",
            "Restore hostname=User1",
            "Restore hostname=User1 | now",
            "",
        ] {
            assert!(!is_beside(text, written), "{text}");
        }
    }
}
