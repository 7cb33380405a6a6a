//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Answering, Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::listing::named;
use serde::Deserialize;

use super::case::Case;
use crate::tools::{CONCLUDE, Conclusion, specs};

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/triage/brief.yaml";
/// Most subjects.
const SUBJECTS: usize = 24;
/// Longest name of a subject, in bytes.
const NAME: usize = 80;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    role: String,
    goal: String,
    subject: String,
    glossary: Vec<GlossaryEntry>,
    tool_names: BTreeMap<String, String>,
    seconds_per_step: NonZeroU32,
    manifest: Draft,
    forbidden_words: Vec<String>,
}

/// Read once: an episode is shorter than a YAML file.
static FORM: LazyLock<Result<Form, String>> = LazyLock::new(|| catalogue::built_in(TEXT, FILE));

/// The facts of all tools, those that an episode does not offer too.
static MANIFEST: LazyLock<Result<Manifest, String>> =
    LazyLock::new(|| catalogue::manifest(&FORM, |form| &form.manifest, FILE, &specs()));

/// The call of whoever cannot tell: inconclusive, with a confidence of a half and no facts.
pub(super) fn idle() -> ToolCall {
    Conclusion { verdict: Verdict::Inconclusive, confidence: Milli(500), facts: Vec::new() }.call()
}

/// The brief of an episode over this packet.
pub(super) fn of(case: &Case, calls: u32) -> Result<Brief, EnvError> {
    let form = catalogue::value(&FORM)?;
    // Names are in prompts as they are: only plain ones.
    let plain = |name: &String| !name.starts_with('"') && name.len() <= NAME;
    let subjects = case.index.entities().iter().map(|(entity, _)| named(entity)).filter(plain).take(SUBJECTS);
    Ok(Brief {
        environment: "triage".to_owned(),
        goal: form.goal.clone(),
        role: form.role.clone(),
        subject: form.subject.clone(),
        subjects: subjects.collect(),
        glossary: form.glossary.clone(),
        horizon: calls,
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: case.expected().map(|_| Milli(999)), ..Thresholds::default() },
        idle: idle(),
        segment_calls: Some(8),
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: catalogue::value(&MANIFEST)?.clone(),
        runs_on: false,
        materials: vec![case.index.packet().material("packet")],
        tool_names: form.tool_names.clone(),
        forbidden_words: form.forbidden_words.clone(),
        literals_change: false,
        free_arguments: true,
        answer: Some(Answering { tool: CONCLUDE.to_owned(), argument: "facts".to_owned() }),
        objective: None,
        efficiency_shift: None,
    })
}
