//! Variables of texts as JSON, for texts that are JSON.

use crate::prompt::PromptContext;
use crate::variables::{idle_is_offered, strict};

impl PromptContext<'_> {
    /// A variable of the brief as JSON.
    pub(crate) fn variable(&self, name: &str) -> serde_json::Value {
        let brief = self.brief;
        match name {
            "role" => brief.role.as_str().into(),
            "goal" => brief.goal.as_str().into(),
            "subject" => brief.subject.as_str().into(),
            "subjects" => brief.subjects.clone().into(),
            "glossary" => serde_json::to_value(&brief.glossary).unwrap_or_default(),
            "glossary_strict" => serde_json::to_value(strict(brief)).unwrap_or_default(),
            "actions" => self.actions.to_vec().into(),
            "lists_examples" => brief.lists_examples().into(),
            "idle" => self.idle.into(),
            "idle_is_offered" => idle_is_offered(brief).into(),
            "horizon" => brief.horizon.into(),
            "runs_on" => brief.runs_on.into(),
            "has_answer" => brief.answer.is_some().into(),
            _ => serde_json::Value::Null,
        }
    }
}
