//! The read-only queries: about a kind of source (BOG-063, BOG-064), and about what an answer rests on (CYC-095).

use std::sync::{Arc, LazyLock};

use gimbal_core::tracker::{EVIDENCE, PASSAGES, QUOTATION};
use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use serde_json::{Value, json};

use super::{KINDS, QUERIES, SourceTracker, passages, words};
use crate::spans::{Numbers, evidence};

const SUBJECT: &str = "subject";
const ANSWER: &str = "answer";
const ABOUT: &str = "about";
const KEY: &str = "key";
const TEXT: &str = "text";

static SPECS: LazyLock<[ToolSpec; 5]> = LazyLock::new(|| {
    let parameters = [(SUBJECT, "One kind of source.")];
    [
        ToolSpec::of_strings(
            QUERIES[0],
            "Tells what was found, stored and read so far of one kind of source.",
            &parameters,
        ),
        ToolSpec::of_strings(QUERIES[1], "Tells what was known of one kind of source at the start.", &parameters),
        ToolSpec::of_strings(
            QUERIES[2],
            "Tells for each figure of an answer where it stands in the stored documents.",
            &[(ANSWER, "The answer.")],
        ),
        ToolSpec::of_strings(
            QUERIES[3],
            "Lists the stored documents, and their passages that share most words with a text.",
            &[(ABOUT, "The text.")],
        ),
        ToolSpec::of_strings(
            QUERIES[4],
            "Tells whether a stored document holds these words, and how many figures are among them.",
            &[(KEY, "Key of the document."), (TEXT, "The words.")],
        ),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text.
pub(super) fn answer(tracker: &SourceTracker, call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        "subject_state" => state(tracker, argument(call, SUBJECT)?),
        "subject_baseline" => {
            let kind = kind(argument(call, SUBJECT)?)?;
            Ok(json!({ words::SOURCE: kind, words::BASELINE_STATE: words::BASELINE }).to_string())
        }
        EVIDENCE => Ok(of_answer(tracker, argument(call, ANSWER)?)),
        PASSAGES => Ok(passages::about(tracker, argument(call, ABOUT)?).to_string()),
        QUOTATION => {
            let [key, text] = arguments(call, [KEY, TEXT])?;
            Ok(passages::quoted(tracker, key, text).to_string())
        }
        other => {
            let message =
                format!("there is no query `{other}`{} (known: {})", nearest::hint(other, QUERIES), QUERIES.join(", "));
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn argument<'a>(call: &'a ToolCall, name: &str) -> Result<&'a str, Rejection> {
    arguments(call, [name]).map(|[argument]| argument)
}

fn arguments<'a, const N: usize>(call: &'a ToolCall, names: [&str; N]) -> Result<[&'a str; N], Rejection> {
    if let Some(other) = call.arguments.keys().find(|known| !names.contains(&known.as_str())) {
        let (query, names) = (&call.tool, names.join("`, `"));
        let message = match N {
            1 => format!("`{query}` takes no argument `{other}`; its only argument is `{names}`"),
            _ => format!("`{query}` takes no argument `{other}`; its arguments are `{names}`"),
        };
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let mut found = [""; N];
    for (place, name) in found.iter_mut().zip(names) {
        *place = match call.arguments.get(name) {
            Some(Value::String(text)) => text,
            Some(_) => {
                let message = format!("`{name}` of `{}` must be a text", call.tool);
                return Err(Rejection::new(RejectionKind::BadValue, message));
            }
            None => {
                let message = format!("`{}` needs the argument `{name}`", call.tool);
                return Err(Rejection::new(RejectionKind::MissingArgument, message));
            }
        };
    }
    Ok(found)
}

fn kind(name: &str) -> Result<&'static str, Rejection> {
    KINDS.into_iter().find(|kind| kind.eq_ignore_ascii_case(name.trim())).ok_or_else(|| {
        let message =
            format!("there is no source `{name}`{} (known: {})", nearest::hint(name, KINDS), KINDS.join(", "));
        Rejection::new(RejectionKind::BadValue, message)
    })
}

fn state(tracker: &SourceTracker, name: &str) -> Result<String, Rejection> {
    let kind = kind(name)?;
    let keys: Vec<&str> =
        tracker.stored.iter().filter(|stored| stored.kind == kind).map(|stored| stored.key.as_str()).collect();
    let count = tracker.found.iter().filter(|found| found.kind == kind).count();
    Ok(json!({
        words::SOURCE: kind, words::CURRENT_STATUS: tracker.status(kind).text(), words::COUNT: count, words::KEYS: keys,
    })
    .to_string())
}

fn of_answer(tracker: &SourceTracker, answer: &str) -> String {
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
