//! The brief, from `brief.yaml`.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use gimbal_core::{Brief, EnvError, GlossaryEntry, Manifest, Milli, Thresholds, ToolCall};
use gimbal_env_kit::catalogue;
use gimbal_env_kit::manifest::Draft;
use serde::Deserialize;

use super::settings::{Offered, Settings};
use super::tools::{self, COMMAND, Tool};
use crate::engine::{Game, Role};
use crate::scene::Lexicon;

/// The built-in text of the brief.
const TEXT: &str = include_str!("../../brief.yaml");
/// The file.
const FILE: &str = "envs/alfworld/brief.yaml";

/// What stands for a command in the usages of the glossary.
const PLACEHOLDER: &str = "<command>";

/// Reward of the step that solves a task.
pub const SOLVED: Milli = Milli(1000);

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
    LazyLock::new(|| catalogue::manifest(&FORM, |form| &form.manifest, FILE, &tools::specs(Offered::All)));

/// The brief of a game.
pub(super) fn of(game: &Game, lexicon: &Lexicon, settings: &Settings) -> Result<Brief, EnvError> {
    let form = catalogue::value(&FORM)?;
    let of_tool = |tool: Tool| {
        let mut entry = form.glossary.iter().find(|entry| entry.name == tool.name())?.clone();
        let forms = tools::forms(tool, &game.rules, lexicon);
        // Where it is the only tool it says what its commands are, each as the whole action that prompts list.
        if tool != Tool::Select || settings.tools == Offered::Select {
            let whole = |form: &String| entry.usage.replace(PLACEHOLDER, form);
            let actions: Vec<String> = forms.iter().map(whole).collect();
            entry.description = format!("{} Its actions: {}.", entry.description, actions.join("; "));
        }
        Some(entry)
    };
    let offered: Vec<Tool> = Tool::offered(settings.tools).collect();
    let known = |entry: &&GlossaryEntry| offered.iter().find(|tool| tool.name() == entry.name).copied();
    let subjects = lexicon.receptacles(game).into_iter().map(|symbol| game.name(symbol).trim().to_owned());
    // Looking around changes nothing.
    let idle = ToolCall::with(Tool::of(Role::Look, settings.tools).name(), &[(COMMAND, "look")]);
    Ok(Brief {
        environment: "alfworld".to_owned(),
        goal: game.goal_sentence().to_owned(),
        objective: Some(game.goal_sentence().to_owned()),
        role: form.role.clone(),
        subject: form.subject.clone(),
        subjects: subjects.collect(),
        glossary: form.glossary.iter().filter_map(|entry| of_tool(known(&entry)?)).collect(),
        horizon: settings.max_calls,
        reward_range: Some((Milli(0), SOLVED)),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle,
        segment_calls: Some(15),
        seconds_per_step: Some(form.seconds_per_step.get()),
        manifest: catalogue::value(&MANIFEST)?.clone(),
        runs_on: false,
        materials: Vec::new(),
        tool_names: form.tool_names.clone(),
        forbidden_words: form.forbidden_words.clone(),
        literals_change: true,
        free_arguments: false,
        answer: None,
        efficiency_shift: None,
    })
}
