//! Completions of models that are not language models.

use gimbal_core::chat::ProviderFacts;
use gimbal_core::{ChatRequest, Completion, Finish, RequestedCall};

use crate::estimate;

/// A completion with this text, cut at the first stop text, and an estimated usage.
pub(crate) fn plain(request: &ChatRequest, text: &str, calls: Vec<RequestedCall>, finish: Finish) -> Completion {
    let text = until_stop(text, &request.stop);
    Completion {
        text: text.into(),
        usage: estimate::usage(request, text, &calls),
        calls,
        finish,
        reasoning: None,
        missed: Vec::new(),
        latency_us: 0,
        provider: ProviderFacts::default(),
    }
}

/// The text before the earliest stop text, as every provider gives it.
pub(crate) fn until_stop<'a>(text: &'a str, stop: &[String]) -> &'a str {
    let end = stop.iter().filter(|stop| !stop.is_empty()).filter_map(|stop| text.find(stop.as_str())).min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_earliest_stop_text_ends_an_answer() {
        let stop = ["Observation:".to_owned(), "\n\n".to_owned(), String::new()];
        assert_eq!(super::until_stop("a\n\nb Observation: c", &stop), "a");
        assert_eq!(super::until_stop("plain", &stop), "plain");
    }
}
