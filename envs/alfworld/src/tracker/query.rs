//! The read-only queries about one receptacle (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, RejectionKind, ToolCall, ToolSpec, nearest};
use gimbal_env_kit::json;

use super::receptacle::{Receptacle, listed};
use super::words;

const STATE: &str = "subject_state";
const BASELINE: &str = "subject_baseline";
const SUBJECT: &str = "subject";

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    let parameters = [(SUBJECT, "Name of one receptacle.")];
    [
        ToolSpec::of_strings(STATE, "Tells what is currently known of one receptacle.", &parameters),
        ToolSpec::of_strings(BASELINE, "Tells what one receptacle held when it was first seen.", &parameters),
    ]
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text; `now` is the number of steps taken.
pub(super) fn answer(all: &[Receptacle], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    match call.tool.as_str() {
        STATE => Ok(state(find(all, call)?, now)),
        BASELINE => Ok(baseline(find(all, call)?)),
        other => {
            let hint = nearest::hint(other, [STATE, BASELINE]);
            let message = format!("there is no query `{other}`; there are `{STATE}` and `{BASELINE}`{hint}");
            Err(Rejection::new(RejectionKind::UnknownTool, message))
        }
    }
}

fn find<'a>(all: &'a [Receptacle], call: &ToolCall) -> Result<&'a Receptacle, Rejection> {
    let tool = &call.tool;
    if let Some(other) = call.arguments.keys().find(|name| *name != SUBJECT) {
        let message = format!("`{tool}` takes no argument `{other}`; its only argument is `{SUBJECT}`");
        return Err(Rejection::new(RejectionKind::UnknownArgument, message));
    }
    let Some(value) = call.arguments.get(SUBJECT) else {
        let message = format!("`{tool}` needs the argument `{SUBJECT}`: the name of one receptacle");
        return Err(Rejection::new(RejectionKind::MissingArgument, message));
    };
    let Some(name) = value.as_str().map(str::trim) else {
        let message = format!("`{SUBJECT}` of `{tool}` must be a string, the name of one receptacle, and is {value}");
        return Err(Rejection::new(RejectionKind::BadValue, message));
    };
    all.iter().find(|known| known.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names = || all.iter().map(|known| known.name.as_str());
        let mend = nearest::nearest(name, names()).map_or_else(
            || format!("; receptacles are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("; the nearest name is `{near}`"),
        );
        Rejection::new(RejectionKind::BadValue, format!("there is no receptacle `{name}`{mend}"))
    })
}

fn state(known: &Receptacle, now: u32) -> String {
    let mut out = opened(known);
    json::member(&mut out, words::CURRENT_STATUS, &known.status.text());
    if let Some(step) = known.appeared {
        let source = if step == now { words::FROM_OBSERVATION } else { words::FROM_RECORD };
        json::member(&mut out, words::SOURCE, source);
        json::key(&mut out, words::AT_STEP);
        out.push_str(&step.to_string());
    }
    known.write(&mut out);
    out.push('}');
    out
}

fn baseline(known: &Receptacle) -> String {
    let mut out = opened(known);
    match &known.baseline {
        Some(holds) => json::member(&mut out, words::BASELINE_STATE, &listed(holds)),
        None => json::member(&mut out, words::NOTICE, words::NO_EVIDENCE),
    }
    out.push('}');
    out
}

fn opened(known: &Receptacle) -> String {
    let mut out = "{".to_owned();
    json::member(&mut out, words::RECEPTACLE_NAME, &known.name);
    out
}
