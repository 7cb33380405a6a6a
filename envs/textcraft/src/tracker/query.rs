//! The read-only queries about one item (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, ToolCall, ToolSpec};
use gimbal_env_kit::json;
use gimbal_env_kit::query::{self, Nouns, SUBJECT_BASELINE, SUBJECT_STATE};

use super::item::Item;
use super::words;

const NOUNS: Nouns = Nouns { one: "item", many: "items", argument: "the name of one item" };

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    query::of_subjects(
        "Name of one item.",
        "Tells what is currently known of one item, and how many are carried.",
        "Tells the commands that make one item and those that take it.",
    )
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text.
pub(super) fn answer(items: &[Item], call: &ToolCall) -> Result<String, Rejection> {
    let find = || query::subject(call, NOUNS, items, |item| item.name.as_str());
    match call.tool.as_str() {
        SUBJECT_STATE => Ok(state(find()?)),
        SUBJECT_BASELINE => Ok(baseline(find()?)),
        _ => Err(query::unknown(call, specs())),
    }
}

fn state(item: &Item) -> String {
    let mut out = opened(item);
    json::member(&mut out, words::CURRENT_STATUS, item.status().text());
    carried(&mut out, item);
    json::member(&mut out, words::SOURCE, if item.applied.is_empty() { words::BASELINE } else { words::FROM_REPLIES });
    if let Some(notice) = item.notice() {
        json::member(&mut out, words::NOTICE, notice);
    }
    out.push('}');
    out
}

fn baseline(item: &Item) -> String {
    let mut out = opened(item);
    json::key(&mut out, words::BASELINE_STATE);
    out.push('{');
    for (key, commands) in [(words::MADE_BY, &item.made_by), (words::TAKEN_BY, &item.taken_by)] {
        json::key(&mut out, key);
        out.push('[');
        for (at, command) in commands.iter().enumerate() {
            out.push_str(if at == 0 { "" } else { "," });
            json::quote(&mut out, command);
        }
        out.push(']');
    }
    out.push_str("}}");
    out
}

fn opened(item: &Item) -> String {
    let mut out = "{".to_owned();
    json::member(&mut out, words::ITEM_NAME, &item.name);
    out
}

/// Appends how many are carried.
pub(super) fn carried(out: &mut String, item: &Item) {
    json::key(out, words::CARRIED);
    item.carried.push_to(out);
}
