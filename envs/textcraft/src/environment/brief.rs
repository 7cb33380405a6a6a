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

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("textcraft", "envs/textcraft/brief.yaml", include_str!("../../brief.yaml"));

/// The call that looks at the inventory.
pub(super) fn idle(toolset: Toolset) -> ToolCall {
    if toolset.has(INVENTORY) { ToolCall::bare(INVENTORY) } else { ToolCall::with(SELECT, &[(COMMAND, "inventory")]) }
}

/// The entries of the tools that an agent is given. The one that takes any command says, where it is alone, what the others would.
fn glossary(entries: &[GlossaryEntry], toolset: Toolset) -> Vec<GlossaryEntry> {
    let offered = entries.iter().filter(|entry| toolset.has(&entry.name)).cloned();
    if toolset != Toolset::Unified {
        return offered.collect();
    }
    let others = entries.iter().filter(|entry| !toolset.has(&entry.name));
    let forms: String = others.map(|entry| format!(" `{}`: {}", entry.usage, entry.description)).collect();
    let usage = format!("{SELECT} {COMMAND}=\"<{COMMAND}>\"");
    offered
        .map(|entry| GlossaryEntry {
            description: format!("{}{forms}", entry.description),
            usage: usage.clone(),
            ..entry
        })
        .collect()
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
        free_numbers: true,
        ..FILE.brief(|| tools(Toolset::All, &Menu::default()))?
    })
}
