//! The read-only queries: about a kind of source (BOG-063, BOG-064), and about what an answer is based on (CYC-095).

use std::sync::{Arc, LazyLock};

use gimbal_core::tracker::{EVIDENCE, PASSAGES, QUOTATION};
use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use gimbal_env_kit::query::{self, Argument, SUBJECT, SUBJECT_BASELINE, SUBJECT_STATE};
use serde_json::json;

use super::{KINDS, SourceBelief, passages, words};
use crate::spans::{Numbers, evidence};

const KIND: Argument = (SUBJECT, "one kind of source");
const ANSWER: Argument = ("answer", "the answer");
const ABOUT: Argument = ("about", "the text");
const KEY: Argument = ("key", "the key of a stored document");
const TEXT: Argument = ("text", "the words");

static SPECS: LazyLock<[ToolSpec; 5]> = LazyLock::new(|| {
    let [state, baseline] = query::of_subjects(
        "One kind of source.",
        "Tells what was found, stored and read so far of one kind of source.",
        "Tells what was known of one kind of source at the start.",
    );
    [
        state,
        baseline,
        ToolSpec::of_strings(
            EVIDENCE,
            "Tells for each figure of an answer where it stands in the stored documents.",
            &[(ANSWER.0, "The answer.")],
        ),
        ToolSpec::of_strings(
            PASSAGES,
            "Lists the stored documents, and their passages that share most words with a text.",
            &[(ABOUT.0, "The text.")],
        ),
        ToolSpec::of_strings(
            QUOTATION,
            "Tells whether a stored document holds these words, and how many figures are among them.",
            &[(KEY.0, "Key of the document."), (TEXT.0, "The words.")],
        ),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text.
pub(super) fn answer(tracker: &SourceBelief, call: &ToolCall) -> Result<String, Rejection> {
    let one = |argument: Argument| query::arguments(call, [argument]).map(|[value]| value);
    match call.tool.as_str() {
        SUBJECT_STATE => state(tracker, one(KIND)?),
        SUBJECT_BASELINE => {
            let kind = kind(one(KIND)?)?;
            Ok(json!({ words::SOURCE: kind, words::BASELINE_STATE: words::BASELINE }).to_string())
        }
        EVIDENCE => Ok(of_answer(tracker, one(ANSWER)?)),
        PASSAGES => Ok(passages::about(tracker, one(ABOUT)?).to_string()),
        QUOTATION => {
            let [key, text] = query::arguments(call, [KEY, TEXT])?;
            Ok(passages::quoted(tracker, key, text).to_string())
        }
        _ => Err(query::unknown(call, specs())),
    }
}

fn kind(name: &str) -> Result<&'static str, Rejection> {
    KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(name.trim())).ok_or_else(|| {
        let message =
            format!("there is no source `{name}`{} (known: {})", nearest::hint(name, KINDS), KINDS.join(", "));
        Rejection::new(RejectionKind::BadValue, message)
    })
}

fn state(tracker: &SourceBelief, name: &str) -> Result<String, Rejection> {
    let kind = kind(name)?;
    let keys: Vec<&str> =
        tracker.stored.iter().filter(|stored| stored.kind == kind).map(|stored| stored.key.as_str()).collect();
    let count = tracker.found.iter().filter(|found| found.kind == kind).count();
    Ok(json!({
        words::SOURCE: kind, words::CURRENT_STATUS: tracker.status_of(kind).text(), words::COUNT: count, words::KEYS: keys,
    })
    .to_string())
}

fn of_answer(tracker: &SourceBelief, answer: &str) -> String {
    let documents: Vec<(&str, Arc<str>, Numbers)> = tracker
        .texts()
        .map(|(key, text)| {
            let numbers = Numbers::of(&text);
            (key, text, numbers)
        })
        .collect();
    let found = evidence(answer, documents.iter().map(|(key, text, numbers)| (*key, &**text, numbers)));
    json!({ "figures": found.figures, "stored": found.stored(), "supported": found.supported(), "all": found.figures.len() }).to_string()
}
