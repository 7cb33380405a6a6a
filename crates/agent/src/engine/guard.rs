//! The context guard (BOG-046): above a bound of prompt tokens the oldest exchange is dropped.

use std::sync::Arc;

use gimbal_core::{Message, Speaker, Usage, UsageSource};

/// Tokens of a prompt as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Estimate {
    pub(super) tokens: u64,
    /// `reported`, `exact` where a model counted all of it; else `estimated`.
    pub(super) source: &'static str,
}

/// What the last call cost, and how many messages it held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) messages: usize,
    pub(super) usage: Usage,
}

/// A message by its length: a token is about four bytes.
fn by_length(message: &Message) -> u64 {
    message.text.len() as u64 / 4 + 1
}

/// Tokens of the next prompt: what the last call was counted at, and the later messages by their length.
pub(super) fn estimate(messages: &[Arc<Message>], counted: Option<Counted>) -> Estimate {
    let (counted_messages, base, source) = match counted {
        Some(Counted { messages, usage }) => match usage.source {
            UsageSource::Reported => (messages, usage.input, "reported"),
            UsageSource::Exact => (messages, usage.input, "exact"),
            UsageSource::Estimated | UsageSource::Missing => (0, 0, "estimated"),
        },
        None => (0, 0, "estimated"),
    };
    let later = messages.get(counted_messages..).unwrap_or_default();
    let tokens = base + later.iter().map(|message| by_length(message)).sum::<u64>();
    Estimate { tokens, source: if later.is_empty() { source } else { "estimated" } }
}

/// Drops oldest exchanges until `bound` is kept or only the last message of the user is left. The system prompt
/// stays. An exchange is a message of the user and the reply to it; where the reply is followed by results of its
/// tool calls, these go and the message of the user stays, since a conversation must begin with one. The first `pinned`
/// messages stay: where a message of the user is among them, an exchange is a reply and what it led to.
///
/// Returns how many messages were dropped and the estimate before.
pub(super) fn keep(
    messages: &mut Vec<Arc<Message>>,
    counted: Option<Counted>,
    (bound, pinned): (u64, usize),
) -> Option<(usize, Estimate)> {
    let before = estimate(messages, counted);
    let mut tokens = before.tokens;
    let mut dropped = 0;
    while tokens > bound {
        let Some(range) = oldest_exchange(messages, pinned) else { break };
        dropped += range.len();
        tokens = tokens.saturating_sub(messages.drain(range).map(|message| by_length(&message)).sum());
    }
    (dropped > 0).then_some((dropped, before))
}

fn oldest_exchange(messages: &[Arc<Message>], pinned: usize) -> Option<std::ops::Range<usize>> {
    let speaker = |at: usize| messages.get(at).map(|message| message.speaker);
    let first = usize::from(speaker(0) == Some(Speaker::System)).max(pinned);
    if pinned > 1 {
        // The opening stays, and the next reply follows it as the first one did.
        let reply = (first..messages.len()).find(|at| speaker(*at) == Some(Speaker::Assistant))?;
        let next = (reply + 1..messages.len()).find(|at| speaker(*at) == Some(Speaker::Assistant))?;
        return Some(first..next);
    }
    let reply = (first..messages.len()).find(|at| speaker(*at) == Some(Speaker::Assistant))?;
    let mut end = reply + 1;
    while speaker(end) == Some(Speaker::Tool) {
        end += 1;
    }
    // The newest question must stay.
    if end >= messages.len() {
        return None;
    }
    Some(if speaker(end) == Some(Speaker::User) { first..end } else { reply..end })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{Message, Speaker, Usage, UsageSource};

    use super::{Counted, estimate, keep};

    fn say(speaker: Speaker, text: &str) -> Arc<Message> {
        Arc::new(Message::new(speaker, text))
    }

    fn talk(exchanges: usize) -> Vec<Arc<Message>> {
        let mut messages = vec![say(Speaker::System, &"s".repeat(36)), say(Speaker::User, &"u".repeat(36))];
        for _ in 0..exchanges {
            messages.push(say(Speaker::Assistant, &"a".repeat(36)));
            messages.push(say(Speaker::User, &"o".repeat(36)));
        }
        messages
    }

    // covers: BOG-046
    #[test]
    fn drops_the_oldest_pair_and_no_more_than_needed() {
        let mut messages = talk(3);
        assert_eq!(estimate(&messages, None).tokens, 80);
        assert_eq!(keep(&mut messages, None, (80, 1)), None);
        let (dropped, before) = keep(&mut messages, None, (79, 1)).unwrap();
        assert_eq!((dropped, before.tokens, before.source), (2, 80, "estimated"));
        assert_eq!(messages.len(), 6);
        assert_eq!(messages[0].speaker, Speaker::System);
        assert_eq!(messages[1].speaker, Speaker::User);
    }

    // covers: BOG-046
    #[test]
    fn keeps_the_system_prompt_and_the_newest_question_whatever_they_cost() {
        let mut messages = talk(3);
        assert_eq!(keep(&mut messages, None, (0, 1)).map(|(dropped, _)| dropped), Some(6));
        let speakers: Vec<Speaker> = messages.iter().map(|message| message.speaker).collect();
        assert_eq!(speakers, [Speaker::System, Speaker::User]);
        assert_eq!(keep(&mut messages, None, (0, 1)), None);
    }

    #[test]
    fn counts_by_the_provider_where_it_counted_and_marks_the_rest() {
        let messages = talk(1);
        let usage = |source| Usage { input: 1000, source, ..Usage::default() };
        let of = |messages_counted, source| {
            let estimate = estimate(&messages, Some(Counted { messages: messages_counted, usage: usage(source) }));
            (estimate.tokens, estimate.source)
        };
        assert_eq!(of(4, UsageSource::Reported), (1000, "reported"));
        assert_eq!(of(2, UsageSource::Exact), (1020, "estimated"));
        assert_eq!(of(2, UsageSource::Missing), (40, "estimated"));
    }

    // covers: BOG-046, CYC-036
    #[test]
    fn the_opening_of_an_agent_that_acts_many_times_stays() {
        let mut messages = talk(3);
        assert_eq!(keep(&mut messages, None, (79, 2)).map(|(dropped, _)| dropped), Some(2));
        assert!(messages[1].text.starts_with('u'), "the task was told there");
        assert_eq!(messages[2].speaker, Speaker::Assistant);
        assert_eq!(keep(&mut messages, None, (0, 2)).map(|(dropped, _)| dropped), Some(2));
        let speakers: Vec<Speaker> = messages.iter().map(|message| message.speaker).collect();
        assert_eq!(speakers, [Speaker::System, Speaker::User, Speaker::Assistant, Speaker::User]);
        assert_eq!(keep(&mut messages, None, (0, 2)), None, "the newest exchange stays");
    }

    #[test]
    fn results_of_native_calls_go_with_their_calls() {
        let mut messages = vec![
            say(Speaker::System, "s"),
            say(Speaker::User, "u"),
            say(Speaker::Assistant, &"a".repeat(400)),
            Arc::new(Message::answering("1", "r")),
            say(Speaker::Assistant, "b"),
            Arc::new(Message::answering("2", "r")),
        ];
        assert_eq!(keep(&mut messages, None, (50, 1)).map(|(dropped, _)| dropped), Some(2));
        assert_eq!(messages[1].speaker, Speaker::User);
        assert_eq!(&*messages[2].text, "b");
    }
}
