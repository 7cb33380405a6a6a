//! The brief, from `brief.yaml`.

use gimbal_core::{Answering, Brief, EnvError, Milli, Thresholds, ToolCall};
use gimbal_env_kit::brief::BuiltIn;
use gimbal_evidence::judge::Verdict;
use gimbal_evidence::listing::named;

use super::case::Case;
use crate::tools::{CONCLUDE, Conclusion, specs};

/// Most subjects.
const SUBJECTS: usize = 24;
/// Longest name of a subject, in bytes.
const NAME: usize = 80;

gimbal_env_kit::brief_form! {
    /// The file.
    Form { goal: String }
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("triage", "envs/triage/brief.yaml", include_str!("../../brief.yaml"));

/// The call of whoever cannot tell: inconclusive, with a confidence of a half and no facts.
pub(super) fn idle() -> ToolCall {
    Conclusion { verdict: Verdict::Inconclusive, confidence: Milli(500), facts: Vec::new() }.call()
}

/// The brief of an episode over this packet.
pub(super) fn of(case: &Case, calls: u32) -> Result<Brief, EnvError> {
    let form = FILE.form()?;
    // Names are in prompts as they are: only plain ones.
    let plain = |name: &String| !name.starts_with('"') && name.len() <= NAME;
    let subjects = case.index.entities().iter().map(|(entity, _)| named(entity)).filter(plain).take(SUBJECTS);
    Ok(Brief {
        goal: form.goal.clone(),
        subjects: subjects.collect(),
        horizon: calls,
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: case.expected().map(|_| Milli(999)), ..Thresholds::default() },
        idle: idle(),
        segment_calls: Some(8),
        materials: vec![case.index.packet().material("packet")],
        free_arguments: true,
        answer: Some(Answering { tool: CONCLUDE.to_owned(), argument: "facts".to_owned() }),
        ..FILE.brief(specs)?
    })
}
