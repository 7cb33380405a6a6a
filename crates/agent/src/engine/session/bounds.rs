//! What an agent is told about the lengths of its texts, where a mask bounds them.

use gimbal_core::{Decoding, Stage};
use gimbal_messages::Bound;
use minijinja::{Value, context};

use super::{AgentSession, Present};
use crate::engine::reply::ReplySpec;
use crate::persona::PersonaError;
use crate::protocol::open;

impl AgentSession<'_> {
    /// Whether the role decodes under a mask.
    pub(in crate::engine) fn constrained(&self, stage: &dyn Stage) -> bool {
        stage.role(self.agent.role()).is_some_and(|role| role.decoding == Decoding::Constrained)
    }

    /// What an agent is told about the lengths of its texts, where a mask bounds them.
    pub(in crate::engine) fn text_bounds(
        &self,
        stage: &dyn Stage,
        present: &Present,
        reply_spec: Option<&ReplySpec>,
    ) -> Result<Option<String>, PersonaError> {
        if !self.constrained(stage) {
            return Ok(None);
        }
        let shown = |name: &str, bound: &Bound| {
            context! { name, key => bound.key.clone(), characters => bound.characters, entries => bound.entries }
        };
        let mut inputs = Vec::new();
        for (name, form) in &self.prepared.forms {
            inputs.extend(form.bounds.iter().map(|bound| shown(name, bound)));
        }
        let (calls, texts) = present.legal.as_ref().map_or((&[][..], &[][..]), |legal| (&legal.calls, &legal.texts));
        let own = self.message_form(self.brief(), calls, texts);
        let form = reply_spec.map(|reply_spec| &reply_spec.form).or(own.as_ref());
        let members: Vec<Value> = form
            .map(|form| form.bounds.iter().filter(|bound| !bound.key.is_empty()).map(|bound| shown("", bound)))
            .into_iter()
            .flatten()
            .collect();
        let free = self.brief().free_arguments && !self.advises();
        let told = if free { open::bounds(self.open_specs()) } else { open::Bounds::default() };
        let values = [
            ("thought", Value::from(self.settings().thought_characters)),
            ("inputs", Value::from(inputs)),
            ("members", Value::from(members)),
            ("longest", Value::from(told.longest)),
            ("short", Value::from(told.short)),
            ("entries", Value::from(told.entries)),
        ];
        let persona = &self.agent.persona;
        let variables = present.variables.with(&values);
        Ok(Some(persona.templates.render(&persona.texts.engine.text_bounds.text, &variables)?))
    }
}
