//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Answering, Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use serde::Deserialize;

use super::settings::Settings;
use crate::tools::{FINAL_ANSWER, RETRIEVE, Version};

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/finance_agent/brief.yaml";

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    role: String,
    subject: String,
    subjects: Vec<String>,
    glossary: Vec<GlossaryEntry>,
    tool_names: BTreeMap<String, String>,
    seconds_per_step: NonZeroU32,
    manifest: Draft,
    forbidden_words: Vec<String>,
}

/// Read once: an episode of one step is shorter than a YAML file.
static FORM: LazyLock<Result<Form, String>> = LazyLock::new(|| catalogue::built_in(TEXT, FILE));

/// The facts of all tools, those that an episode does not offer too.
static MANIFEST: LazyLock<Result<Manifest, String>> =
    LazyLock::new(|| catalogue::manifest(&FORM, |form| &form.manifest, FILE, &crate::tools::specs(Version::default())));

/// The call that does nothing: to read nothing at all. It is answered by the tool's error and uses up one call.
pub(super) fn idle() -> ToolCall {
    ToolCall::with(RETRIEVE, &[("prompt", "")])
}

/// The brief of an episode with this question.
pub(super) fn of(settings: &Settings, question: &str) -> Result<Brief, EnvError> {
    let form = catalogue::value(&FORM)?;
    let mut glossary = form.glossary.clone();
    if settings.texts == Version::V11 {
        for entry in &mut glossary {
            entry.usage = entry.usage.replace("edgar_search query=", "edgar_search search_query=");
            entry.usage = entry
                .usage
                .replace(r#"={"<key>":[<start>,<end>]}"#, r#"=[{"key":"<key>","start":<start>,"end":<end>}]"#);
        }
    }
    Ok(Brief {
        environment: "finance_agent".to_owned(),
        goal: question.to_owned(),
        objective: Some(question.trim().lines().map(str::trim).collect::<Vec<_>>().join(" ")),
        role: form.role.clone(),
        subject: form.subject.clone(),
        subjects: form.subjects.clone(),
        glossary,
        horizon: settings.max_calls,
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(),
        segment_calls: Some(20),
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: catalogue::value(&MANIFEST)?.clone(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: form.tool_names.clone(),
        forbidden_words: form.forbidden_words.clone(),
        literals_change: false,
        free_arguments: true,
        answer: Some(Answering { tool: FINAL_ANSWER.to_owned(), argument: "answer".to_owned() }),
        efficiency_shift: None,
    })
}
