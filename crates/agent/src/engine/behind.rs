//! What follows an action on its own line. No text alone says where an action ends: the environment does, whose reading of the shortest
//! beginning that is the same action leaves the rest over.

use gimbal_core::{Remark, Stage, ToolCall, remark};

/// Places of a line at which its action may end; a line of words is not read for longer.
const ENDS: usize = 48;

/// The words behind an action on its line; `None` if there are none. `call` is what the environment reads in the text. What is written as the
/// environment writes the action is all action, and so is each value of it.
pub(super) async fn behind<'t>(stage: &dyn Stage, text: &'t str, call: &ToolCall) -> Option<&'t str> {
    let line = line(text)?;
    if said(line).eq(said(&stage.render(call).await)) || !is_read_as(stage, line, call).await {
        return None;
    }
    for end in ends(line) {
        if is_read_as(stage, &line[..end], call).await {
            // An argument that the environment does not look at is not a remark.
            return Some(&line[end..]).filter(|rest| rest.contains(char::is_alphanumeric) && !rest.contains('='));
        }
    }
    None
}

/// Whether an answer is an action that the words behind it take back, where no shorter text is the `call` that the environment reads in it: it
/// cannot read the whole (`None`), or takes all of it for a command that is not possible now, though its beginning is. Where values are any text,
/// the beginning of one is not an action.
pub(super) async fn is_taken_back(stage: &dyn Stage, text: &str, call: Option<&ToolCall>) -> bool {
    let Some(line) = line(text) else { return false };
    for end in ends(line).filter(|end| takes_back(&line[*end..])) {
        let Ok(beginning) = stage.parse(&line[..end]).await else { continue };
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

/// Whether the words behind an action take it back. A parameter or a quotation among them is a value, or repeats the words of others.
pub(super) fn takes_back(words: &str) -> bool {
    !words.contains(['=', '"']) && remark::of(words) == Remark::TakesBack
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
    use super::{ends, said};

    #[test]
    fn a_line_is_parted_where_an_action_may_end() {
        let parts: Vec<&str> = ends("Fix a, (no) \u{2014} b").map(|end| &"Fix a, (no) \u{2014} b"[..end]).collect();
        assert_eq!(parts, ["Fix", "Fix a", "Fix a,", "Fix a, (no)", "Fix a, (no) \u{2014}"]);
        assert_eq!(ends(&"a ".repeat(500)).count(), super::ENDS);
        assert!(said("Fix node=A").eq(["fix", "node", "a"]));
    }
}
