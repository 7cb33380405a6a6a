//! The read-only queries about one host (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, canonical, nearest};
use serde_json::Value;

use super::host::{Host, Status};
use super::words;
use gimbal_env_kit::json;

const STATE: &str = "subject_state";
const BASELINE: &str = "subject_baseline";
const SUBJECT: &str = "subject";

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    let parameters = [(SUBJECT, "Name of one host.")];
    [
        ToolSpec::of_strings(STATE, "Tells what is currently known of the state of one host.", &parameters),
        ToolSpec::of_strings(
            BASELINE,
            "Tells the baseline of one host, with decoys that are expected on it.",
            &parameters,
        ),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text. `hosts` are sorted by name; `now` is the number of steps taken.
pub(super) fn answer(hosts: &[Host], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        STATE => Ok(state(find(hosts, call)?, now)),
        BASELINE => Ok(baseline(find(hosts, call)?)),
        other => {
            let hint = nearest::hint(other, [STATE, BASELINE]);
            let message = format!("there is no query `{other}`; there are `{STATE}` and `{BASELINE}`{hint}");
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn find<'a>(hosts: &'a [Host], call: &ToolCall) -> Result<&'a Host, Rejection> {
    let tool = &call.tool;
    if let Some(other) = call.arguments.keys().find(|name| *name != SUBJECT) {
        let message = format!("`{tool}` takes no argument `{other}`; its only argument is `{SUBJECT}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let Some(value) = call.arguments.get(SUBJECT) else {
        let message = format!("`{tool}` needs the argument `{SUBJECT}`: the name of one host");
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(name) = value.as_str().map(str::trim) else {
        let message = format!("`{SUBJECT}` of `{tool}` must be a string, the name of one host, and is {value}");
        return Err(Rejection::new(RejectionKind::BadValue, message));
    };
    let host = hosts.iter().find(|host| host.name == name);
    host.or_else(|| hosts.iter().find(|host| host.name.eq_ignore_ascii_case(name))).ok_or_else(|| {
        let names = || hosts.iter().map(|host| host.name.as_str());
        let mend = nearest::nearest(name, names()).map_or_else(
            || format!("; hosts are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("; the nearest name is `{near}`"),
        );
        Rejection::new(RejectionKind::BadValue, format!("there is no host `{name}`{mend}"))
    })
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
