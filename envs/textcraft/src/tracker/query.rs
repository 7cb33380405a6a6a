//! The read-only queries about one item (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use gimbal_env_kit::json;

use super::item::Item;
use super::words;

const STATE: &str = "subject_state";
const BASELINE: &str = "subject_baseline";
const SUBJECT: &str = "subject";

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    let parameters = [(SUBJECT, "Name of one item.")];
    [
        ToolSpec::of_strings(
            STATE,
            "Tells what is currently known of one item, and how many are carried.",
            &parameters,
        ),
        ToolSpec::of_strings(BASELINE, "Tells the commands that make one item and those that take it.", &parameters),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text.
pub(super) fn answer(items: &[Item], call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        STATE => Ok(state(find(items, call)?)),
        BASELINE => Ok(baseline(find(items, call)?)),
        other => {
            let hint = nearest::hint(other, [STATE, BASELINE]);
            let message = format!("there is no query `{other}`; there are `{STATE}` and `{BASELINE}`{hint}");
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn find<'a>(items: &'a [Item], call: &ToolCall) -> Result<&'a Item, Rejection> {
    let tool = &call.tool;
    if let Some(other) = call.arguments.keys().find(|name| *name != SUBJECT) {
        let message = format!("`{tool}` takes no argument `{other}`; its only argument is `{SUBJECT}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let Some(value) = call.arguments.get(SUBJECT) else {
        let message = format!("`{tool}` needs the argument `{SUBJECT}`: the name of one item");
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(name) = value.as_str().map(str::trim) else {
        let message = format!("`{SUBJECT}` of `{tool}` must be a text, the name of one item, and is {value}");
        return Err(Rejection::new(RejectionKind::BadValue, message));
    };
    items.iter().find(|item| item.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names = || items.iter().map(|item| item.name.as_str());
        let mend = nearest::nearest(name, names()).map_or_else(
            || format!("; items are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("; the nearest name is `{near}`"),
        );
        Rejection::new(RejectionKind::BadValue, format!("there is no item `{name}`{mend}"))
    })
}

fn state(item: &Item) -> String {
    let mut out = opened(item);
    json::member(&mut out, words::CURRENT_STATUS, item.status().text());
    carried(&mut out, item);
    json::member(&mut out, words::SOURCE, if item.record.is_empty() { words::BASELINE } else { words::FROM_REPLIES });
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
