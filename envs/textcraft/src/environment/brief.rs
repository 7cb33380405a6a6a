//! The brief, from `brief.yaml`.

use gimbal_core::{Brief, EnvError, GlossaryEntry, Milli, Thresholds, ToolCall};
use gimbal_env_kit::brief::BuiltIn;

use crate::action::{COMMAND, INVENTORY, SELECT, Toolset, tools};
use crate::menu::Menu;
use crate::scene::{Scene, objective};

gimbal_env_kit::brief_form! {
    /// The file.
    Form {}
}

static FILE: BuiltIn<Form> = BuiltIn::new("textcraft", "envs/textcraft/brief.yaml", include_str!("../../brief.yaml"));

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
    let form = FILE.form()?;
    Ok(Brief {
        goal: scene.prompt().to_owned(),
        objective: Some(objective(scene.tree(), scene.task().goal)),
        subjects: menu.names.clone(),
        glossary: glossary(&form.glossary, toolset),
        horizon,
        reward_range: Some((Milli(0), Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(toolset),
        segment_calls: Some(5),
        // The only tool takes a command as a text: no list has every number of items.
        free_arguments: toolset == Toolset::Unified,
        ..FILE.brief(|| tools(Toolset::All, &Menu::default()))?
    })
}
