//! The user prompt: opening, context blocks with what their keys mean, closing (BOG-061).

use gimbal_core::Block;
use minijinja::Value;

use super::{Part, PromptContext};
use crate::persona::{Origin, Persona, PersonaError, Sourced};
use crate::variables::Variables;

/// Builds the user prompt of a step (BOG-061); empty blocks are left out.
///
/// # Errors
/// When a text cannot be filled in; [`Persona::load`] finds this on a made-up brief.
pub fn user(
    persona: &Persona,
    context: PromptContext<'_>,
    step: u32,
    blocks: &[Block],
) -> Result<Vec<Part>, PersonaError> {
    user_parts(persona, &context.variables(), step, blocks, None)
}

/// What an adviser is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The subject.
    pub target: &'a str,
    /// The message that asks, as JSON text.
    pub message: &'a str,
}

/// Builds the user prompt of an adviser.
///
/// # Errors
/// When a text cannot be filled in; [`Persona::load`] finds this on a made-up brief.
pub fn asked(
    persona: &Persona,
    context: PromptContext<'_>,
    step: u32,
    blocks: &[Block],
    question: Question<'_>,
) -> Result<Vec<Part>, PersonaError> {
    user_parts(persona, &context.variables(), step, blocks, Some(question))
}

pub(crate) fn user_parts(
    persona: &Persona,
    initial: &Variables,
    step: u32,
    blocks: &[Block],
    question: Option<Question<'_>>,
) -> Result<Vec<Part>, PersonaError> {
    let mut more = vec![("step", Value::from(step))];
    if let Some(Question { target, message }) = question {
        more.extend([("target", Value::from(target)), ("message", Value::from(message))]);
    }
    let variables = initial.with(&more);
    let part = |name, sourced: &Sourced| {
        let text = persona.templates.render(&sourced.text, &variables)?;
        Ok::<_, PersonaError>(Part { name, origins: vec![sourced.origin.clone()], text })
    };
    let mut parts = Vec::with_capacity(blocks.len() + 2);
    parts.push(part("opening", &persona.texts.opening)?);
    parts.extend(blocks.iter().map(|block| Part {
        name: "block",
        origins: vec![Origin { file: "tracker".to_owned(), key: block.name.clone() }],
        text: block.text.trim_end().to_owned(),
    }));
    if persona.prompt.explain_keys {
        let blocks = blocks.iter().map(|block| &*block.text);
        let texts: Vec<&str> = blocks.chain(question.map(|question| question.message)).collect();
        // The answers of a query hold such keys, too; they come later.
        let asks = persona.core.tools.iter().any(|tool| tool.query.is_some());
        let keys = if asks { initial.legend() } else { initial.explained(&texts) };
        if !keys.is_empty() {
            let heading = part("legend", &persona.texts.engine.legend_heading)?;
            let lines: Vec<String> = keys.iter().map(|(key, meaning)| format!("- {key}: {meaning}")).collect();
            parts.push(Part { text: [heading.text.trim_end(), &lines.join("\n")].join("\n"), ..heading });
        }
    }
    parts.push(part("closing", &persona.texts.closing)?);
    parts.retain(|part| !part.text.is_empty());
    Ok(parts)
}
