//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use serde::Deserialize;

use crate::action::{COMMAND, INVENTORY, SELECT, Toolset, tools};
use crate::menu::Menu;
use crate::scene::{Scene, objective};

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/textcraft/brief.yaml";

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    role: String,
    subject: String,
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
    LazyLock::new(|| catalogue::manifest(&FORM, |form| &form.manifest, FILE, &tools(Toolset::All, &Menu::default())));

/// The call that looks at the inventory.
pub(super) fn idle(toolset: Toolset) -> ToolCall {
    if toolset.has(INVENTORY) { ToolCall::bare(INVENTORY) } else { ToolCall::with(SELECT, &[(COMMAND, "inventory")]) }
}

/// The entry of the tool that takes any command, where it is the only one.
const ALONE: &str = "textcraft_select_command alone";

/// The entries of the tools that an agent is given.
fn glossary(entries: &[GlossaryEntry], toolset: Toolset) -> Vec<GlossaryEntry> {
    let named = |entry: &GlossaryEntry| GlossaryEntry { name: SELECT.to_owned(), ..entry.clone() };
    match toolset {
        Toolset::Unified => entries.iter().filter(|entry| entry.name == ALONE).map(named).collect(),
        _ => entries.iter().filter(|entry| toolset.has(&entry.name)).cloned().collect(),
    }
}

/// The brief of an episode.
pub(super) fn of(scene: &Scene, menu: &Menu, toolset: Toolset, horizon: u32) -> Result<Brief, EnvError> {
    let form = catalogue::value(&FORM)?;
    Ok(Brief {
        environment: "textcraft".to_owned(),
        goal: scene.prompt().to_owned(),
        objective: Some(objective(scene.tree(), scene.task().goal)),
        role: form.role.clone(),
        subject: form.subject.clone(),
        subjects: menu.names.clone(),
        glossary: glossary(&form.glossary, toolset),
        horizon,
        reward_range: Some((Milli(0), Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(toolset),
        segment_calls: Some(5),
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: catalogue::value(&MANIFEST)?.clone(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: form.tool_names.clone(),
        forbidden_words: form.forbidden_words.clone(),
        literals_change: false,
        // The only tool takes a command as a text: no list has every number of items.
        free_arguments: toolset == Toolset::Unified,
        answer: None,
        efficiency_shift: None,
    })
}
