//! Token counts where no provider counts: of models that are not language models, and of answers without a usage report.
//!
//! The rule is a fixed estimate, so that dry runs exercise budgets and tables: four bytes of UTF-8 a token, rounded up
//! for each message, for the list of tools and for the answer. It is marked [`UsageSource::Estimated`] everywhere.

use gimbal_core::{ChatRequest, Message, RequestedCall, TokenCount, Usage, UsageSource};

/// Bytes of one estimated token.
pub const BYTES_PER_TOKEN: u64 = TokenCount::BYTES;

/// Estimated tokens of a text.
#[must_use]
pub const fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// Estimated tokens of a prompt as it is sent.
#[must_use]
pub fn prompt(request: &ChatRequest) -> u64 {
    let tools: u64 = request
        .tools
        .iter()
        .map(|tool| tokens(tool.name.len() + tool.description.len() + tool.parameters.to_string().len()))
        .sum();
    let messages: u64 = request.messages.iter().map(|message| tokens(length(message))).sum();
    messages + tools
}

/// Tokens of a prompt at most, for what must fit: three bytes a token, and a few for the frame of every message.
#[must_use]
pub fn cautious_prompt(request: &ChatRequest) -> u64 {
    let tools = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len() + CAUTIOUS_FRAME);
    let messages = request.messages.iter().map(|message| length(message) + CAUTIOUS_FRAME);
    (messages.chain(tools).sum::<usize>() as u64).div_ceil(3)
}

/// Bytes that a template may put around a message.
const CAUTIOUS_FRAME: usize = 24;

/// Usage of a request without a complete answer: its cost is unknown, but its prompt was sent, and limits count
/// that much.
#[must_use]
pub fn unanswered(request: &ChatRequest) -> Usage {
    Usage { input: prompt(request), source: UsageSource::Missing, ..Usage::default() }
}

/// Estimated usage of a request and its answer.
#[must_use]
pub fn usage(request: &ChatRequest, text: &str, calls: &[RequestedCall]) -> Usage {
    let called: usize = calls.iter().map(|call| call.tool.len() + call.arguments.to_string().len()).sum();
    Usage {
        input: prompt(request),
        cached_input: 0,
        output: tokens(text.len() + called),
        reasoning: 0,
        source: UsageSource::Estimated,
    }
}

fn length(message: &Message) -> usize {
    if message.calls.is_empty() { message.text.len() } else { message.stored_text().len() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gimbal_core::{ChatRequest, Message, Speaker, UsageSource};

    #[test]
    fn four_bytes_are_a_token_rounded_up() {
        let messages = vec![
            Arc::new(Message::new(Speaker::System, "12345678")),
            Arc::new(Message::new(Speaker::User, "é1")),
            Arc::new(Message::new(Speaker::User, "")),
        ];
        let usage = super::usage(&ChatRequest { messages, ..ChatRequest::default() }, "12345", &[]);
        assert_eq!((usage.input, usage.output, usage.source), (3, 2, UsageSource::Estimated));
    }
}
