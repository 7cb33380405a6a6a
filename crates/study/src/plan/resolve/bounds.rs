//! Bounds of faults that no call could ever meet: names that nobody has, and steps that no episode reaches.

use std::collections::BTreeSet;
use std::sync::Arc;

use gimbal_core::nearest;
use serde_json::Value;

use super::named::Built;
use crate::faults::{Fault, Rule};
use crate::plan::cells::EnvironmentPart;
use crate::plan::error::Problem;
use crate::plan::faults::FaultSet;
use crate::plan::file::StudyFile;

/// Options of environments that say how many steps an episode has at most.
const STEPS: [&str; 3] = ["horizon", "max_calls", "rounds"];
/// The query by which an architecture speaks for the subjects of an environment, under names that episodes alone know.
const VIEW: &str = "view";

/// What is wrong with the bounds of the faults of a study.
pub(super) fn check(study: &StudyFile, environments: &[Arc<EnvironmentPart>], built: &[Built]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let names = senders(built);
    for set in &study.faults {
        for rule in set.faults.rules() {
            let mut wrong: Vec<String> = names.as_ref().map(|names| unknown(rule, names)).unwrap_or_default();
            wrong.extend(environments.iter().filter_map(|environment| beyond(rule, environment)));
            wrong.dedup();
            problems.extend(wrong.into_iter().map(|what| problem(study, set, &what)));
        }
    }
    problems
}

fn problem(study: &StudyFile, set: &FaultSet, what: &str) -> Problem {
    Problem::at(&study.file, set.at, what)
}

/// Who sends and gets messages in the architectures of a study; `None` if an architecture speaks for subjects.
fn senders(built: &[Built]) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for Built { needs, parties, .. } in built.iter().filter(|built| built.needs.messages) {
        if needs.queries.iter().any(|query| query == VIEW) {
            return None;
        }
        names.extend(needs.roles.iter().cloned());
        names.extend(parties.iter().map(|party| (*party).to_owned()));
    }
    Some(names)
}

fn unknown(rule: &Rule, names: &BTreeSet<String>) -> Vec<String> {
    // Agents beside one another have the name of their role with a number.
    let is_known = |name: &str| {
        let role = name.rsplit_once(['-', '_']).filter(|(_, number)| number.parse::<u32>().is_ok());
        names.contains(name) || role.is_some_and(|(role, _)| names.contains(role))
    };
    let bounds = [("from", &rule.bounds.from), ("to", &rule.bounds.to)];
    let named = bounds.into_iter().filter_map(|(key, bound)| Some((key, bound.as_deref()?)));
    named
        .filter(|(_, name)| !is_known(name))
        .map(|(key, name)| {
            let listed: Vec<&str> = names.iter().map(String::as_str).collect();
            let hint = nearest::hint_among(name, &listed);
            format!(
                "`{}`: `{key}: {name}`: nobody of that name sends or gets a message in this study{hint}",
                rule.fault.key()
            )
        })
        .collect()
}

/// Why a rule is never met in an environment, where its step is beyond the last one whose message or observation is read.
fn beyond(rule: &Rule, environment: &EnvironmentPart) -> Option<String> {
    let step = rule.bounds.step?;
    let horizon = STEPS.iter().find_map(|key| environment.options.get(key).and_then(Value::as_u64))?;
    // What is seen of the last step is read by nobody.
    let last = if rule.fault == Fault::Planted { horizon.saturating_sub(1) } else { horizon };
    let remedy = match last {
        0 => "no step can be named there".to_owned(),
        _ => format!("name a step from 1 to {last}"),
    };
    let has = if horizon == 1 { "1 step".to_owned() } else { format!("{horizon} steps") };
    (u64::from(step) > last).then(|| {
        format!(
            "`{}`: `step: {step}` is never met in `{}`, whose episodes have {has}; {remedy}",
            rule.fault.key(),
            environment.label
        )
    })
}
