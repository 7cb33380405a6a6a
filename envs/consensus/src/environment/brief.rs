//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use serde::Deserialize;

use super::settings::Settings;
use crate::tools;

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/consensus/brief.yaml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    role: String,
    goal: String,
    mentioned: String,
    subject: String,
    glossary: Vec<GlossaryEntry>,
    tool_names: BTreeMap<String, String>,
    seconds_per_step: NonZeroU32,
    manifest: Draft,
    forbidden_words: Vec<String>,
}

/// Read once: a game is shorter than a YAML file.
static FORM: LazyLock<Result<Form, String>> = LazyLock::new(|| catalogue::built_in(TEXT, FILE));

/// The facts of all tools, those that an episode does not offer too. They are the same for any number of agents.
static MANIFEST: LazyLock<Result<Manifest, String>> =
    LazyLock::new(|| catalogue::manifest(&FORM, |form| &form.manifest, FILE, &tools::specs(1)));

/// The call of whoever has nothing to say: every agent keeps its value and votes to continue.
pub(super) fn idle() -> ToolCall {
    tools::call(&[])
}

/// The brief of games with these settings.
pub(super) fn of(settings: &Settings) -> Result<Brief, EnvError> {
    let form = catalogue::value(&FORM)?;
    let goal = if settings.mentioned { format!("{} {}", form.goal, form.mentioned) } else { form.goal.clone() };
    Ok(Brief {
        environment: "consensus".to_owned(),
        goal,
        role: form.role.clone(),
        subject: form.subject.clone(),
        subjects: (0..settings.agents).map(tools::name).collect(),
        glossary: form.glossary.clone(),
        horizon: u32::try_from(settings.rounds).unwrap_or(u32::MAX),
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(),
        segment_calls: None,
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: catalogue::value(&MANIFEST)?.clone(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: form.tool_names.clone(),
        forbidden_words: form.forbidden_words.clone(),
        literals_change: false,
        free_arguments: true,
        answer: None,
        objective: None,
        efficiency_shift: None,
    })
}
