//! The brief, from `brief.yaml`.

use gimbal_core::{Brief, EnvError, Milli, Thresholds, ToolCall};
use gimbal_env_kit::brief::BuiltIn;

use super::settings::Settings;
use crate::tools;

gimbal_env_kit::brief_form! {
    /// The file.
    Form { goal: String, mentioned: String }
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("consensus", "envs/consensus/brief.yaml", include_str!("../../brief.yaml"));

/// The call of whoever has nothing to say: every agent keeps its value and votes to continue.
pub(super) fn idle() -> ToolCall {
    tools::call(&[])
}

/// The brief of games with these settings.
pub(super) fn of(settings: &Settings) -> Result<Brief, EnvError> {
    let form = FILE.form()?;
    let goal = if settings.mentioned { format!("{} {}", form.goal, form.mentioned) } else { form.goal.clone() };
    Ok(Brief {
        goal,
        subjects: (0..settings.agents).map(tools::name).collect(),
        horizon: u32::try_from(settings.rounds).unwrap_or(u32::MAX),
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(),
        free_arguments: true,
        ..FILE.brief(|| tools::specs(1))?
    })
}
