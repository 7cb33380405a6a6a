//! The brief, from `brief.yaml`.

use gimbal_core::{Answering, Brief, EnvError, Milli, Thresholds, ToolCall};
use gimbal_env_kit::brief::BuiltIn;

use super::settings::Settings;
use crate::tools::{FINAL_ANSWER, RETRIEVE, Version};

gimbal_env_kit::brief_form! {
    /// The file.
    Form { subjects: Vec<String> }
}

pub(super) static FILE: BuiltIn<Form> =
    BuiltIn::new("finance_agent", "envs/finance_agent/brief.yaml", include_str!("../../brief.yaml"));

/// The call that does nothing: to read nothing at all. It is answered by the tool's error and uses up one call.
pub(super) fn idle() -> ToolCall {
    ToolCall::with(RETRIEVE, &[("prompt", "")])
}

/// The brief of an episode with this question.
pub(super) fn of(settings: &Settings, question: &str) -> Result<Brief, EnvError> {
    let form = FILE.form()?;
    let mut glossary = form.glossary.clone();
    if settings.texts == Version::V11 {
        for entry in &mut glossary {
            entry.usage = entry.usage.replace("edgar_search query=", "edgar_search search_query=");
            entry.usage = entry
                .usage
                .replace(r#"={"<key>":[<start>,<end>]}"#, r#"=[{"key":"<key>","start":<start>,"end":<end>}]"#);
        }
    }
    Ok(Brief {
        goal: question.to_owned(),
        objective: Some(question.trim().lines().map(str::trim).collect::<Vec<_>>().join(" ")),
        subjects: form.subjects.clone(),
        glossary,
        horizon: settings.max_calls,
        reward_range: Some((Milli::ZERO, Milli(1000))),
        thresholds: Thresholds { success: Some(Milli(999)), ..Thresholds::default() },
        idle: idle(),
        segment_calls: Some(20),
        free_arguments: true,
        answer: Some(Answering { tool: FINAL_ANSWER.to_owned(), argument: "answer".to_owned() }),
        ..FILE.brief(|| crate::tools::specs(Version::default()))?
    })
}
