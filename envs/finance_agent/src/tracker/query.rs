//! The read-only queries: about a kind of source (BOG-063, BOG-064), and about the figures of an answer (CYC-095).

use std::sync::{Arc, LazyLock};

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use serde_json::{Value, json};

use super::{KINDS, QUERIES, SourceTracker, words};
use crate::spans::{Numbers, evidence};

const SUBJECT: &str = "subject";
const ANSWER: &str = "answer";

static SPECS: LazyLock<[ToolSpec; 3]> = LazyLock::new(|| {
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
        "evidence" => Ok(of_answer(tracker, argument(call, ANSWER)?)),
        other => {
            let message =
                format!("there is no query `{other}`{} (known: {})", nearest::hint(other, QUERIES), QUERIES.join(", "));
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn argument<'a>(call: &'a ToolCall, name: &str) -> Result<&'a str, Rejection> {
    if let Some(other) = call.arguments.keys().find(|known| *known != name) {
        let message = format!("`{}` takes no argument `{other}`; its only argument is `{name}`", call.tool);
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    match call.arguments.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Rejection::new(RejectionKind::BadValue, format!("`{name}` of `{}` must be a text", call.tool))),
        None => {
            Err(Rejection::new(RejectionKind::MissingArgument, format!("`{}` needs the argument `{name}`", call.tool)))
        }
    }
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
        .stored
        .iter()
        .filter_map(|stored| Some((stored.key.as_str(), tracker.shelf.get(&stored.digest?)?)))
        .map(|(key, text)| {
            let numbers = Numbers::of(&text);
            (key, text, numbers)
        })
        .collect();
    let found = evidence(answer, documents.iter().map(|(key, text, numbers)| (*key, &**text, numbers)));
    json!({ "figures": found.figures, "stored": found.stored(), "supported": found.supported(), "all": found.figures.len() }).to_string()
}
