//! The read-only queries about one receptacle (BOG-063, BOG-064).

use std::sync::LazyLock;

use gimbal_core::{Rejection, ToolCall, ToolSpec};
use gimbal_env_kit::json;
use gimbal_env_kit::query::{self, Nouns, SUBJECT_BASELINE, SUBJECT_STATE};

use super::receptacle::{Receptacle, listed};
use super::words;

const NOUNS: Nouns = Nouns { one: "receptacle", many: "receptacles", argument: "the name of one receptacle" };

static SPECS: LazyLock<[ToolSpec; 2]> = LazyLock::new(|| {
    query::of_subjects(
        "Name of one receptacle.",
        "Tells what is currently known of one receptacle.",
        "Tells what one receptacle held when it was first seen.",
    )
});

/// The queries there are.
pub(super) fn specs() -> &'static [ToolSpec] {
    &*SPECS
}

/// Answers a query with JSON text; `now` is the number of steps taken.
pub(super) fn answer(all: &[Receptacle], now: u32, call: &ToolCall) -> Result<String, Rejection> {
    let find = || query::subject(call, NOUNS, all, |receptacle| receptacle.name.as_str());
    match call.tool.as_str() {
        SUBJECT_STATE => Ok(state(find()?, now)),
        SUBJECT_BASELINE => Ok(baseline(find()?)),
        _ => Err(query::unknown(call, specs())),
    }
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
