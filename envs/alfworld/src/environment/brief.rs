//! The brief, from `brief.yaml`.

use gimbal_core::{Brief, EnvError, GlossaryEntry, Milli, Thresholds, ToolCall};
use gimbal_env_kit::brief::BuiltIn;

use super::settings::{Offered, Settings};
use super::tools::{self, COMMAND, Tool};
use crate::engine::{Game, Role};
use crate::scene::Lexicon;

/// The placeholder of a command in the usages of the glossary.
const PLACEHOLDER: &str = "<command>";

/// Reward of the step that solves a task.
pub const SOLVED: Milli = Milli(1000);

gimbal_env_kit::brief_form! {
    /// The file.
    Form {}
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("alfworld", "envs/alfworld/brief.yaml", include_str!("../../brief.yaml"));

/// The brief of a game.
pub(super) fn of(game: &Game, lexicon: &Lexicon, settings: &Settings) -> Result<Brief, EnvError> {
    let form = FILE.form()?;
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
        goal: game.goal_sentence().to_owned(),
        objective: Some(game.goal_sentence().to_owned()),
        subjects: subjects.collect(),
        glossary: form.glossary.iter().filter_map(|entry| of_tool(known(&entry)?)).collect(),
        horizon: settings.max_calls,
        reward_range: Some((Milli(0), SOLVED)),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle,
        segment_calls: Some(15),
        literals_change: true,
        ..FILE.brief(|| tools::specs(Offered::All))?
    })
}
