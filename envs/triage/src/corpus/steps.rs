//! The steps of a generated source: their bounds, and their names filled in.

use crate::scenario::{Execution, FlowStep, Step};

/// Most records of the steps of a source.
pub(super) const MOST_RECORDS: u64 = 50_000;
/// Longest time that a script may last, in seconds.
pub(super) const LONGEST: f64 = 31.0 * 86_400.0;

/// The bounds of a step: a script lasts a month at most.
pub(super) fn check_step(step: &Step) -> Result<(), String> {
    let wrong = |key: &str, found: f64, expected: &str| Err(format!("a step has {key} {found}; expected {expected}"));
    let last = step.at + step.every * f64::from(step.count);
    match step {
        step if !(0.0..=LONGEST).contains(&step.at) => wrong("at", step.at, "seconds from 0 to 31 days"),
        step if !(0.0..=LONGEST).contains(&step.every) => wrong("every", step.every, "seconds from 0 to 31 days"),
        step if !(0.0..=1.0).contains(&step.jitter) => wrong("jitter", step.jitter, "a share from 0 to 1"),
        _ if last > LONGEST => wrong("its end at", last, "at most 31 days after the start"),
        _ => Ok(()),
    }
}

/// A step with its names filled in.
pub(super) fn filled_step(step: &Step, fill: &dyn Fn(&str) -> Result<String, String>) -> Result<Step, String> {
    let maybe = |text: &Option<String>| text.as_deref().map(fill).transpose();
    let mut filled = step.clone();
    filled.host = maybe(&step.host)?;
    filled.line = maybe(&step.line)?;
    for value in filled.fields.values_mut().chain(filled.each.values_mut().flatten()) {
        *value = fill(value)?;
    }
    if let Some(Execution { exe, argv, user, cwd, .. }) = &mut filled.exec {
        for text in [exe, argv, user, cwd] {
            *text = fill(text)?;
        }
    }
    if let Some(FlowStep { from, to, .. }) = &mut filled.flow {
        (*from, *to) = (fill(from)?, fill(to)?);
    }
    Ok(filled)
}
