//! The read-only queries about one host (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, ToolCall, ToolSpec, canonical};
use serde_json::Value;

use super::host::Host;
use super::words;
use gimbal_env_kit::query::{self, Nouns, SUBJECT_BASELINE, SUBJECT_STATE};
use gimbal_env_kit::{Status, json};

const NOUNS: Nouns = Nouns { one: "host", many: "hosts", argument: "the name of one host" };

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    query::of_subjects(
        "Name of one host.",
        "Tells what is currently known of the state of one host.",
        "Tells the baseline of one host, with decoys that are expected on it.",
    )
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text. `hosts` are sorted by name; `now` is the number of steps taken.
pub(super) fn answer(hosts: &[Host], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    let find = || query::subject(call, NOUNS, hosts, |host| host.name.as_str());
    match call.tool.as_str() {
        SUBJECT_STATE => Ok(state(find()?, now)),
        SUBJECT_BASELINE => Ok(baseline(find()?)),
        _ => Err(query::unknown(call, specs())),
    }
}

/// In this order: what the latest observation shows, that the state is unknown, what was last seen, the baseline.
fn state(host: &Host, now: u32) -> String {
    let mut out = opened(host);
    json::member(&mut out, words::CURRENT_STATUS, &host.status.text());
    let (source, seen) = match &host.seen {
        Some(seen) if host.appeared == Some(now) => (words::FROM_OBSERVATION, Some((now, seen))),
        _ if host.status == Status::Unknown => {
            json::member(&mut out, words::NOTICE, words::NOT_SEEN);
            out.push('}');
            return out;
        }
        Some(seen) => (words::FROM_RECORD, Some((seen.step, seen))),
        None => (words::BASELINE, None),
    };
    json::member(&mut out, words::SOURCE, source);
    let state = if let Some((step, seen)) = seen {
        json::key(&mut out, words::AT_STEP);
        out.push_str(&step.to_string());
        Value::Object(seen.entry())
    } else {
        json::member(&mut out, words::NOTICE, words::NO_EVIDENCE);
        host.effective_baseline()
    };
    json::key(&mut out, words::STATE);
    out.push_str(&canonical::text(&state));
    out.push('}');
    out
}

fn baseline(host: &Host) -> String {
    let mut out = opened(host);
    json::key(&mut out, words::DECOYS);
    out.push('[');
    for (at, service) in host.decoy_services().enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        json::quote(&mut out, service);
    }
    out.push(']');
    json::key(&mut out, words::BASELINE_STATE);
    out.push_str(&canonical::text(&host.effective_baseline()));
    out.push('}');
    out
}

fn opened(host: &Host) -> String {
    let mut out = "{".to_owned();
    json::member(&mut out, words::HOST_NAME, &host.name);
    out
}
