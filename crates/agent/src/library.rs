//! Personas that can be played: loaded, tried on a made-up brief, and kept.

use std::sync::Arc;

use gimbal_core::{Files, Kept};
use minijinja::Value;

use crate::persona::{Persona, PersonaError, load};
use crate::prompt::{PromptContext, Question, asked, system, user};
use crate::settings::Acting;
use crate::tool::{Delegates, Offered};
use crate::variables::Variables;
use crate::{Protocol, Settings, sample};

/// Compiled personas that are kept: more than any study of ours names.
const KEPT: usize = 32;

impl Persona {
    /// Reads the persona called `name`, and checks it: unknown keys, unknown variables and templates that fail on a
    /// made-up brief are refused here, before any episode.
    ///
    /// # Errors
    /// See [`PersonaError`]; every message names file and line.
    pub fn load(name: &str, files: &dyn Files) -> Result<Self, PersonaError> {
        let persona = load::load(name, files)?;
        try_all(&persona)?;
        Ok(persona)
    }

    /// The same persona as [`Persona::load`] gives, compiled once for all who ask for it: a study of many architectures names few
    /// personas. What was compiled counts as long as the name and the text of every file are the same.
    ///
    /// # Errors
    /// As [`Persona::load`].
    pub fn shared(name: &str, files: &dyn Files) -> Result<Arc<Self>, PersonaError> {
        static KNOWN: Kept<Persona> = Kept::new(KEPT);
        KNOWN.get(load::identity(name, files)?, || Self::load(name, files))
    }
}

/// Renders everything that a persona holds with a made-up brief, every switch on: what fails here would fail in the
/// middle of a run.
fn try_all(persona: &Persona) -> Result<(), PersonaError> {
    let (brief, queries, actions) = (sample::brief(), sample::queries(), sample::actions());
    let all = Settings::everything();
    let mut queries = queries.to_vec();
    // A query that the made-up environment does not have is tried as one of the shape of those that it has.
    for query in persona.core.tools.iter().filter_map(|tool| tool.query.as_ref()) {
        if let Some(known) = queries.first().filter(|_| !queries.iter().any(|known| known.name == *query)).cloned() {
            queries.push(gimbal_core::ToolSpec { name: query.clone(), ..known });
        }
    }
    let tools = Offered::of(persona, &all, (&brief, "Wait"), &queries, Delegates::Any)?;
    for protocol in [Protocol::ReactText, Protocol::NativeTools, Protocol::Json] {
        let settings = Settings { protocol, ..all.clone() };
        let often = Settings { acting: Some(Acting { list_literals: true }), ..settings.clone() };
        for tools in [&tools[..], &[]] {
            let context = PromptContext { brief: &brief, idle: "Wait", tools, actions: &actions };
            system(persona, &settings, context)?;
            system(persona, &often, context)?;
            let question = Question { target: "lathe", message: "{}" };
            asked(persona, context, 1, &[], question)?;
            if !persona.core.is_asked() {
                user(persona, context, 1, &[])?;
            }
        }
    }
    feedback_texts(persona, &Variables::of(&brief, "Wait", &actions))
}

fn feedback_texts(persona: &Persona, variables: &Variables) -> Result<(), PersonaError> {
    let engine = &persona.texts.engine;
    let attempt = variables.with(&[
        ("attempt", Value::from(1)),
        ("max_attempts", Value::from(3)),
        ("answer", Value::from("Oil")),
        ("allowed", Value::from("Wait")),
        ("shown", Value::from("It is loud.")),
        ("answer_format", Value::from("an object")),
        ("message", Value::from("machine is missing")),
        ("repeated", Value::from(true)),
        ("required_form", Value::from("Answer with an object.")),
    ]);
    let tool =
        variables.with(&[("tool", Value::from("x")), ("tools", Value::from("y")), ("message", Value::from("z"))]);
    for sourced in
        [&engine.feedback_rejected, &engine.feedback_refusal, &engine.feedback_truncated, &engine.feedback_bad_shape]
    {
        persona.templates.render(&sourced.text, &attempt)?;
    }
    let placeholder = variables.with(&[("placeholder", Value::from("<machine>")), ("actions", Value::from("Wait"))]);
    persona.templates.render(&engine.feedback_placeholder.text, &placeholder)?;
    if let Some(repair) = &persona.texts.repair {
        persona.templates.render(&repair.system.text, &attempt)?;
        persona.templates.render(&repair.user.text, &attempt)?;
    }
    let thought = variables.with(&[("text", Value::from("x")), ("tool", Value::from("y")), ("asks", Value::from("z"))]);
    for texts in &engine.deliberation {
        let texts = [Some(&texts.input), Some(&texts.reply), texts.other.as_ref()];
        for sourced in texts.into_iter().flatten() {
            persona.templates.render(&sourced.text, &thought)?;
        }
    }
    if let Some(acting) = &engine.acting {
        let literals = variables.with(&[
            ("usage", Value::from("Oil <machine>")),
            ("name", Value::from("machine")),
            ("values", Value::from(vec!["lathe", "press"])),
            ("count", Value::from(2)),
            ("change", Value::from(true)),
        ]);
        for sourced in [&acting.literals_heading, &acting.literals_open, &acting.literals_more] {
            persona.templates.render(&sourced.text, &literals)?;
        }
        persona.templates.render(&acting.refused.text, &attempt)?;
        let left = variables.with(&[("left", Value::from(33)), ("most", Value::from(40))]);
        persona.templates.render(&acting.actions_left.text, &left)?;
    }
    for sourced in [
        &engine.unknown_tool,
        &engine.no_tools,
        &engine.failed,
        &engine.answer_now,
        &engine.not_used,
        &engine.last_turn,
    ] {
        persona.templates.render(&sourced.text, &tool)?;
    }
    Ok(())
}
