//! Says where a request differs from a recorded one.

use super::RecordedRequest;

/// Letters of a text that are shown on either side of a difference.
const SHOWN: usize = 40;

/// How many messages two requests have in common from the start.
pub(super) fn common(left: &RecordedRequest, right: &RecordedRequest) -> usize {
    left.messages.iter().zip(&right.messages).take_while(|(left, right)| left == right).count()
}

/// The first difference, in words.
pub(super) fn first_difference(asked: &RecordedRequest, recorded: &RecordedRequest) -> String {
    let at = common(asked, recorded);
    match (asked.messages.get(at), recorded.messages.get(at)) {
        (Some(asked), Some(recorded)) if asked.speaker != recorded.speaker => format!(
            "message {} is said by {}, but by {} in the recording",
            at + 1,
            asked.speaker.name(),
            recorded.speaker.name()
        ),
        (Some(asked), Some(recorded)) => {
            let (left, right) = (asked.stored_text(), recorded.stored_text());
            let same = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
            format!(
                "message {} ({}) differs from its letter {} on: {} was asked, {} is recorded",
                at + 1,
                asked.speaker.name(),
                same + 1,
                excerpt(&left, same),
                excerpt(&right, same)
            )
        }
        (Some(asked), None) => {
            format!("message {} ({}) is not in the recording, which ends before it", at + 1, asked.speaker.name())
        }
        (None, Some(recorded)) => {
            format!("message {} of the recording ({}) is missing", at + 1, recorded.speaker.name())
        }
        (None, None) => {
            let parts = [
                ("the tools", asked.tools != recorded.tools),
                ("the grammar", asked.grammar != recorded.grammar),
                ("the stop texts", asked.stop != recorded.stop),
            ];
            let different: Vec<&str> = parts.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
            format!("all messages are equal, but {} differ", different.join(" and "))
        }
    }
}

fn excerpt(text: &str, at: usize) -> String {
    let start = at.saturating_sub(SHOWN / 2);
    let shown: String = text.chars().skip(start).take(SHOWN).collect();
    format!("{shown:?}")
}
