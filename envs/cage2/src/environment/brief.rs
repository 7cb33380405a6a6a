//! The brief, from `brief.yaml`.

use gimbal_core::{Brief, EnvError, Manifest, Milli, Thresholds, ToolCall, ToolSpec};
use gimbal_env_kit::brief::BuiltIn;

gimbal_env_kit::brief_form! {
    /// The file.
    Form { goal: String, catastrophic: f64, success: f64, harm: f64, floor: f64, efficiency_shift: f64 }
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("cage2", "envs/cage2/brief.yaml", include_str!("../../brief.yaml"));

/// The brief of every episode, but for subjects, horizon and manifest.
pub(super) fn read() -> Result<Brief, EnvError> {
    let form = FILE.form()?;
    Ok(Brief {
        goal: form.goal.clone(),
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
        runs_on: true,
        efficiency_shift: Some(Milli::from_f64(form.efficiency_shift)),
        ..FILE.without_manifest()?
    })
}

/// The facts of these tools; names of decoys are those of the episode.
pub(super) fn manifest(tools: &[ToolSpec]) -> Result<Manifest, EnvError> {
    FILE.manifest(tools)
}
