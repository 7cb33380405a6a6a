//! Which texts of a persona mention the list of legal actions.

use super::{Content, JsonContent, Persona};
use crate::template::Text;

impl Persona {
    /// Whether any text that is rendered with the system prompt needs the list of legal actions.
    pub(crate) fn mentions_actions(&self) -> bool {
        let texts = &self.texts;
        let mentions = |text: &Text| self.templates.uses(text, "actions");
        let sourced = [&texts.system_message, &texts.answer_format, &texts.cot, &texts.opening, &texts.closing];
        sourced
            .into_iter()
            .chain(&texts.rules)
            .chain(&texts.calibration)
            .chain(&texts.examples)
            .chain(&texts.reflection_examples)
            .any(|sourced| mentions(&sourced.text))
            || texts.knowledge.iter().any(|entry| match &entry.content {
                Content::Variable(name) => name == "actions",
                Content::Plain(text) => mentions(text),
                Content::Json(content) => content.texts().into_iter().any(mentions),
            })
    }
}

impl JsonContent {
    fn texts(&self) -> Vec<&Text> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Object(members) => members.iter().flat_map(|(_, member)| member.texts()).collect(),
            Self::Other(_) => Vec::new(),
        }
    }
}
