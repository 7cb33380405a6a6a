//! Whether other text follows an answer in lines: such text may take the answer back, and the answer is carried out all the same. It is counted.
//! Where the action ends on the line of the answer itself, the environment alone knows (`engine/behind.rs`).

use gimbal_messages::records::engine::ReadingMark;

use super::Expects;
use crate::reading::words;

/// The marks of an answer, of which `content` is the text behind its marker up to the end of the message. A message to another agent may have
/// any number of lines.
pub(super) fn marks(content: &str, expects: Expects) -> Vec<ReadingMark> {
    let followed = expects == Expects::Action && is_followed(content);
    if followed { vec![ReadingMark::FollowedByText] } else { Vec::new() }
}

/// Whether the text behind the marker of an answer goes on after the line of the answer. Code
/// fences, `PAUSE`, ends of thoughts and turns, rules, and the rest of a quoted value or of a list of arguments do not count, and neither does an
/// answer that is JSON or is between tags.
fn is_followed(content: &str) -> bool {
    let mut lines = content.lines().map(str::trim).filter(|line| !says_nothing(line));
    let Some(answer) = lines.next() else { return false };
    if answer.starts_with(['{', '[', '<', '\\']) {
        return false;
    }
    let mut open = quotes(answer);
    for line in lines {
        if !open && !is_argument(line) {
            return true;
        }
        open ^= quotes(line);
    }
    false
}

/// Whether a line leaves a quotation open that was not, or closes one that was.
fn quotes(line: &str) -> bool {
    line.matches('"').count() % 2 == 1
}

/// A line without words of its own.
fn says_nothing(line: &str) -> bool {
    let is_tag = line.starts_with('<') && line.ends_with('>') && !line.contains(' ');
    line.starts_with("```") || is_tag || words().is_pause(line) || !line.contains(char::is_alphanumeric)
}

/// `key=value`, as a part of an action that is written in several lines.
fn is_argument(line: &str) -> bool {
    line.split_once('=')
        .is_some_and(|(key, _)| !key.is_empty() && key.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
}

#[cfg(test)]
mod tests {
    use super::is_followed;

    #[test]
    fn words_behind_the_answer_are_text_and_what_ends_a_message_is_not() {
        let followed = [
            "Restore hostname=User1\nWait, no, I take that back. I will Monitor instead.",
            "Restore hostname=User1\n(Ignore the line above.)",
            "\nRestore hostname=User1\n\nThis is only an example.",
            "Monitor\nThought: or rather not",
            "Monitor\nPAUSE\nI am not sure of it.",
        ];
        for content in followed {
            assert!(is_followed(content), "{content}");
        }
        let alone = [
            "",
            "Monitor",
            "\nMonitor\n",
            "Monitor\nPAUSE",
            "Monitor\n```\n",
            "```\nMonitor\n```",
            "Monitor\n</think>\n<|im_end|>",
            "Monitor\n---",
            "Restore\nhostname=User1",
            "submit answer=\"first line\nsecond line\"",
            "{\n\"action\": \"Monitor\"\n}",
        ];
        for content in alone {
            assert!(!is_followed(content), "{content}");
        }
    }
}
