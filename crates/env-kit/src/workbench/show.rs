//! What an environment reports about itself: tasks, brief, tools, options, legal calls.

use std::fmt::Write as _;

use gimbal_core::{Brief, EnvError, ToolSpec, legal_calls, nearest};
use serde_json::{Value, json};

use super::{Output, Setup, Workbench};

/// Most legal calls that are listed.
const LISTED: usize = 10_000;

/// The tasks of a split, or of all splits. Of all, a split whose data are missing is left out with a note.
///
/// # Errors
/// When there is no such split, or the named one has no data.
pub fn tasks<W: Workbench + ?Sized>(family: &W, setup: &Setup) -> Result<Output, EnvError> {
    let (options, splits) = (family.resolve(&setup.options())?, family.splits());
    if let Some(split) = setup.split.as_deref().filter(|split| !splits.contains(split)) {
        let hint = nearest::hint(split, splits.iter().copied());
        return Err(EnvError::Usage(format!("there is no split `{split}`{hint} (known: {})", splits.join(", "))));
    }
    let mut all = Vec::new();
    let mut missing: Vec<(String, Vec<&str>)> = Vec::new();
    for split in splits.iter().filter(|known| setup.split.as_ref().is_none_or(|split| split == *known)) {
        match family.tasks(split, &options) {
            Ok(tasks) => all.extend(tasks.into_iter().map(|task| (*split, task))),
            Err(EnvError::Data(why)) if setup.split.is_none() => {
                match missing.iter_mut().find(|(reason, _)| *reason == why) {
                    Some((_, splits)) => splits.push(split),
                    None => missing.push((why, vec![split])),
                }
            }
            Err(error) => return Err(error),
        }
    }
    let mut output = Output::default();
    output.notes.extend(missing.into_iter().map(|(why, splits)| format!("without {}: {why}", splits.join(", "))));
    for (split, task) in &all {
        line(&mut output.text, format_args!("{split:<12} {task}"));
    }
    output.json = all.iter().map(|(split, task)| json!({ "split": split, "task": task })).collect();
    Ok(output)
}

/// The legal calls at the beginning of a task, as an agent writes them.
///
/// # Errors
/// When the environment cannot be opened.
pub async fn calls<W: Workbench + ?Sized>(family: &W, setup: &Setup, seed: u64) -> Result<Output, EnvError> {
    let mut environment = setup.open(family)?;
    environment.reset(&setup.task(family, seed)?, seed).await?;
    let calls = legal_calls(&*environment, LISTED);
    let mut output = Output::default();
    for call in &calls {
        line(&mut output.text, format_args!("{}", environment.render(call)));
    }
    output.json = calls.iter().map(|call| json!({ "text": environment.render(call), "call": call })).collect();
    Ok(output)
}

/// What an environment reports about itself for a task: its brief, tools, policies, tasks by split, and options.
///
/// # Errors
/// When the environment cannot be opened.
pub async fn show<W: Workbench + ?Sized>(family: &W, setup: &Setup, seed: u64) -> Result<Output, EnvError> {
    let mut environment = setup.open(family)?;
    let task = setup.task(family, seed)?;
    environment.reset(&task, seed).await?;
    let tracker = environment.tracker();
    let (brief, tools, schema) = (environment.brief(), environment.tools(), family.schema());
    let mut out = String::new();
    line(&mut out, format_args!("{} (behaviour {}), task `{task}`, seed {seed}\n", family.name(), family.behaviour()));
    about(&mut out, brief);
    row(&mut out, "policies", &environment.policies().join(", "));
    row(&mut out, "blocks", &tracker.blocks().join(", "));
    let queries: Vec<&str> = tracker.queries().iter().map(|query| brief.tool_name(&query.name)).collect();
    row(&mut out, "queries", &queries.join(", "));
    let splits: Vec<String> = family.splits().iter().map(|split| counted(family, setup, split)).collect();
    row(&mut out, "tasks", &splits.join(", "));
    let parts: Vec<String> = family
        .parts()
        .iter()
        .map(|part| {
            format!("{} {} ({}{})", part.set, part.name, part.split, if part.train { ", for training" } else { "" })
        })
        .collect();
    row(&mut out, "parts", &parts.join(", "));
    line(&mut out, format_args!("\nactions"));
    for entry in &brief.glossary {
        line(&mut out, format_args!("  {} ({}): {}\n      {}", entry.name, entry.kind, entry.description, entry.usage));
    }
    line(&mut out, format_args!("\ntools"));
    for tool in tools.iter() {
        line(&mut out, format_args!("  {}: {}", signature(tool), tool.description));
    }
    line(&mut out, format_args!("\noptions of a study, and what they take"));
    let options = family.resolve(&setup.options())?;
    for (name, takes) in schema["properties"].as_object().into_iter().flatten() {
        let about = takes["description"].as_str().unwrap_or_default();
        line(&mut out, format_args!("  {name}: {}  {about}{}", options[name], listed(takes)));
    }
    let json = json!({
        "environment": family.name(), "behaviour": family.behaviour(), "task": task, "seed": seed, "brief": brief,
        "tools": tools, "policies": environment.policies(), "blocks": tracker.blocks(), "queries": tracker.queries(),
        "splits": family.splits(), "options": options, "schema": schema,
    });
    Ok(Output { text: out, json, ..Output::default() })
}

// Writing to a string cannot fail.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

/// A name and its value, where there is one.
fn row(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        line(out, format_args!("{name:<10} {value}"));
    }
}

fn about(out: &mut String, brief: &Brief) {
    row(out, "role", brief.role.trim());
    row(out, "goal", brief.goal.trim());
    row(
        out,
        "subjects",
        &match brief.subjects.len() {
            0 => String::new(),
            count => format!("{count} of the kind `{}`: {}", brief.subject, brief.subjects.join(", ")),
        },
    );
    row(out, "steps", &brief.horizon.to_string());
    if let Some((least, most)) = brief.reward_range {
        row(out, "reward", &format!("{least} to {most} a step"));
    }
    let thresholds =
        [("catastrophic below", brief.thresholds.catastrophic), ("success above", brief.thresholds.success)];
    let named: Vec<String> =
        thresholds.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
    row(out, "return", &named.join(", "));
}

fn counted<W: Workbench + ?Sized>(family: &W, setup: &Setup, split: &str) -> String {
    match family.tasks(split, &setup.options()) {
        Ok(tasks) => format!("{split} {}", tasks.len()),
        Err(_) => format!("{split} (its data are missing)"),
    }
}

fn signature(tool: &ToolSpec) -> String {
    format!("{}({})", tool.name, tool.required().collect::<Vec<_>>().join(", "))
}

/// The values that an option lists, or its bounds.
pub(super) fn listed(takes: &Value) -> String {
    if let Some(names) = takes["enum"].as_array() {
        return format!(" ({})", names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
    }
    match (&takes["minimum"], &takes["maximum"]) {
        (Value::Null, Value::Null) => String::new(),
        (least, Value::Null) => format!(" (at least {least})"),
        (Value::Null, most) => format!(" (at most {most})"),
        (least, most) => format!(" ({least} to {most})"),
    }
}
