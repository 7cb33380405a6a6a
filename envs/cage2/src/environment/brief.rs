//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall, ToolSpec};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use serde::Deserialize;

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/cage2/brief.yaml";

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    role: String,
    goal: String,
    subject: String,
    glossary: Vec<GlossaryEntry>,
    tool_names: BTreeMap<String, String>,
    catastrophic: f64,
    success: f64,
    harm: f64,
    floor: f64,
    efficiency_shift: f64,
    seconds_per_step: NonZeroU32,
    manifest: Draft,
    forbidden_words: Vec<String>,
}

/// Read once: an episode of one step is shorter than a YAML file.
static FORM: LazyLock<Result<Form, String>> = LazyLock::new(|| catalogue::built_in(TEXT, FILE));

/// The brief of every episode, but for subjects, horizon and manifest.
pub(super) fn read() -> Result<Brief, EnvError> {
    catalogue::value(&FORM).cloned().map(brief)
}

/// The facts of these tools; names of decoys are those of the episode.
pub(super) fn manifest(tools: &[ToolSpec]) -> Result<Manifest, EnvError> {
    catalogue::manifest(&FORM, |form| &form.manifest, FILE, tools).map_err(EnvError::Data)
}

fn brief(form: Form) -> Brief {
    Brief {
        environment: "cage2".to_owned(),
        goal: form.goal,
        role: form.role,
        subject: form.subject,
        subjects: Vec::new(),
        glossary: form.glossary,
        horizon: 30,
        // At worst: four hosts of 1.0, seven of 0.1, the stopped service, and a restore.
        reward_range: Some((Milli::from_tenths(-157), Milli::ZERO)),
        thresholds: Thresholds {
            catastrophic: Some(Milli::from_f64(form.catastrophic)),
            success: Some(Milli::from_f64(form.success)),
            harm: Some(Milli::from_f64(form.harm)),
            floor: Some(Milli::from_f64(form.floor)),
        },
        idle: ToolCall::bare("Monitor"),
        segment_calls: None,
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: Manifest::default(),
        runs_on: true,
        materials: Vec::new(),
        tool_names: form.tool_names,
        forbidden_words: form.forbidden_words,
        literals_change: false,
        free_arguments: false,
        answer: None,
        objective: None,
        efficiency_shift: Some(Milli::from_f64(form.efficiency_shift)),
    }
}
