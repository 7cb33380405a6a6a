//! A competent player of the synthetic questions: finds each gold document, opens it, has them read, and gives the known
//! answer. It plans anew from whatever state it meets, and answers while there is a call left.

use gimbal_core::ToolCall;
use serde_json::json;

use super::literals::{free_key, plain, prompt};
use super::session::Session;
use super::task::Asked;
use crate::corpus::Gold;
use crate::tools::{EDGAR_SEARCH, FINAL_ANSWER, PARSE_PAGE, RETRIEVE, Version, query_name};

pub(super) fn expert(asked: &Asked, session: &Session, max_calls: u32, version: Version) -> Option<ToolCall> {
    if session.over {
        return None;
    }
    let stored =
        |gold: &Gold| session.store.documents().iter().any(|document| document.url == gold.url && plain(&document.key));
    let shown = |gold: &Gold| session.trail.shown.contains(&gold.url);
    let missing: Vec<&Gold> = asked.gold.iter().filter(|gold| !stored(gold)).collect();
    let unread = asked.gold.iter().any(|gold| !session.trail.read.contains(&gold.url));
    let searches = missing.iter().filter(|gold| !shown(gold)).count();
    let needed = searches + missing.len() + usize::from(unread) + 1;
    let left = max_calls.saturating_sub(session.calls) as usize;
    // Without time for all of it the answer alone is worth a call.
    if left < needed {
        return Some(answer(asked));
    }
    if let Some(gold) = missing.iter().find(|gold| !shown(gold)) {
        return Some(search(gold, version));
    }
    if let Some(gold) = missing.first() {
        let kind = session.found.iter().find(|found| found.url == gold.url).map_or("web page", |found| found.kind);
        return Some(ToolCall::with(PARSE_PAGE, &[("url", &gold.url), ("key", &free_key(kind, session))]));
    }
    if unread {
        let documents = session.store.documents().iter();
        let keys: Vec<&str> = documents
            .filter(|document| plain(&document.key) && asked.gold.iter().any(|gold| gold.url == document.url))
            .map(|document| document.key.as_str())
            .collect();
        return Some(ToolCall::with(RETRIEVE, &[("prompt", &prompt(&asked.text, &keys))]));
    }
    Some(answer(asked))
}

/// A search that shows the document among its first rows: its company, form and day.
fn search(gold: &Gold, version: Version) -> ToolCall {
    let mut call = ToolCall::with(EDGAR_SEARCH, &[(query_name(version), &format!("\"{}\"", gold.company))]);
    call.arguments.insert("ciks".to_owned(), json!([gold.cik.to_string()]));
    call.arguments.insert("form_types".to_owned(), json!([gold.form]));
    call.arguments.insert("start_date".to_owned(), json!(gold.filed));
    call.arguments.insert("end_date".to_owned(), json!(gold.filed));
    call
}

fn answer(asked: &Asked) -> ToolCall {
    let mut call = ToolCall::with(FINAL_ANSWER, &[("answer", &asked.answer)]);
    let sources: Vec<_> = asked.gold.iter().map(|gold| json!({ "url": gold.url, "name": gold.kind })).collect();
    if !sources.is_empty() {
        call.arguments.insert("sources".to_owned(), sources.into());
    }
    call
}
