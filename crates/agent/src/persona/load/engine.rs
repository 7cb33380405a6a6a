//! Compiling the wording that every agent shares.

use super::super::data::Example;
use super::super::wording::{ActingWording, AdviserWording, DeliberationWording, ProtocolWording, Wording};
use super::super::{ActingTexts, DeliberationTexts, EngineTexts, PersonaError, ProtocolTexts};
use super::{Compiler, OFFERED, Source};
use crate::Protocol;

/// What the reply of a deliberation tool may name beside the brief: what the agent wrote, and the tool that it has to ask before
/// its answer, if there is one.
const REPLY: &[&str] = &["text", "asks"];

impl Compiler {
    fn protocol(
        &mut self,
        source: &Source,
        protocol: Protocol,
        wording: &ProtocolWording,
    ) -> Result<ProtocolTexts, PersonaError> {
        let mut add = |key: &str, text: &str, more: &[&str]| {
            self.add(source, &format!("protocols.{}.{key}", protocol.name()), text, more)
        };
        Ok(ProtocolTexts {
            loop_with_tools: add("loop_with_tools", &wording.loop_with_tools, &["turns"])?,
            loop_without_tools: add("loop_without_tools", &wording.loop_without_tools, &[])?,
            answer_notice: add("answer_notice", &wording.answer_notice, &["answer_format"])?,
            tools_closing: Some(add("tools_closing", &wording.tools_closing, &[])?),
            no_tools: add("no_tools", &wording.no_tools, &[])?,
        })
    }

    fn otherwise(
        &mut self,
        source: &Source,
        (protocol, to): (Protocol, &str),
        wording: Option<&AdviserWording>,
    ) -> Result<Option<ProtocolTexts>, PersonaError> {
        let Some(wording) = wording else { return Ok(None) };
        let mut add = |key: &str, text: &str, more: &[&str]| {
            self.add(source, &format!("protocols.{}.{to}.{key}", protocol.name()), text, more)
        };
        Ok(Some(ProtocolTexts {
            loop_with_tools: add("loop_with_tools", &wording.loop_with_tools, &["turns"])?,
            loop_without_tools: add("loop_without_tools", &wording.loop_without_tools, &[])?,
            answer_notice: add("answer_notice", &wording.answer_notice, &["answer_format"])?,
            tools_closing: None,
            no_tools: add("no_tools", &wording.no_tools, &[])?,
        }))
    }

    fn acting(&mut self, source: &Source, wording: &ActingWording) -> Result<ActingTexts, PersonaError> {
        let mut add = |key: &str, text: &str, more: &[&str]| self.add(source, &format!("acting.{key}"), text, more);
        Ok(ActingTexts {
            tools_heading: add("tools_heading", &wording.tools_heading, &[])?,
            tools_closing: add("tools_closing", &wording.tools_closing, &[])?,
            refused: add("refused", &wording.refused, &["answer", "message"])?,
            actions_left: add("actions_left", &wording.actions_left, &["left", "most"])?,
            literals_heading: add("literals_heading", &wording.literals_heading, &["change"])?,
            literals_open: add("literals_open", &wording.literals_open, &["usage", "name", "values"])?,
            literals_more: add("literals_more", &wording.literals_more, &["count"])?,
        })
    }

    fn deliberation(
        &mut self,
        source: &Source,
        wording: &DeliberationWording,
    ) -> Result<[DeliberationTexts; 3], PersonaError> {
        let DeliberationWording {
            raise_a_question: question,
            critique_the_answer: critique,
            improve_based_on_critique,
        } = wording;
        let improve = improve_based_on_critique;
        Ok([
            self.deliberate(
                (source, "raise_a_question"),
                (&question.description, &question.input, &question.examples),
                ("reply", &question.reply),
                Some(("over_budget", &question.over_budget)),
            )?,
            self.deliberate(
                (source, "critique_the_answer"),
                (&critique.description, &critique.input, &critique.examples),
                ("reply", &critique.reply),
                None,
            )?,
            self.deliberate(
                (source, "improve_based_on_critique"),
                (&improve.description, &improve.input, &improve.examples),
                ("final_answer", &improve.final_answer),
                Some(("improved_thought", &improve.improved_thought)),
            )?,
        ])
    }

    fn deliberate(
        &mut self,
        (source, tool): (&Source, &str),
        (description, input, examples): (&str, &str, &[Example]),
        reply: (&str, &str),
        other: Option<(&str, &str)>,
    ) -> Result<DeliberationTexts, PersonaError> {
        let examples = self.examples(source, &format!("deliberation.{tool}"), examples)?;
        let mut add =
            |key: &str, text: &str, more: &[&str]| self.add(source, &format!("deliberation.{tool}.{key}"), text, more);
        Ok(DeliberationTexts {
            description: add("description", description, OFFERED)?,
            input: add("input", input, &["tool"])?,
            reply: add(reply.0, reply.1, REPLY)?,
            other: other.map(|(key, text)| add(key, text, REPLY)).transpose()?,
            examples,
        })
    }

    pub(super) fn engine(&mut self, source: &Source, wording: &Wording) -> Result<EngineTexts, PersonaError> {
        let protocols = [
            self.protocol(source, Protocol::ReactText, &wording.protocols.react_text)?,
            self.protocol(source, Protocol::NativeTools, &wording.protocols.native_tools)?,
            self.protocol(source, Protocol::Json, &wording.protocols.json)?,
        ];
        let all = &wording.protocols;
        let mut otherwise = |to: &str, of: fn(&ProtocolWording) -> Option<&AdviserWording>| {
            Ok::<_, PersonaError>([
                self.otherwise(source, (Protocol::ReactText, to), of(&all.react_text))?,
                self.otherwise(source, (Protocol::NativeTools, to), of(&all.native_tools))?,
                self.otherwise(source, (Protocol::Json, to), of(&all.json))?,
            ])
        };
        let advisers = otherwise("adviser", |wording| wording.adviser.as_ref())?;
        let actors = otherwise("acting", |wording| wording.acting.as_ref())?;
        let acting = wording.acting.as_ref().map(|wording| self.acting(source, wording)).transpose()?;
        let deliberation = self.deliberation(source, &wording.deliberation)?;
        let mut add = |key: &str, text: &str, more: &[&str]| self.add(source, key, text, more);
        let (tools, feedback, observations) = (&wording.tools, &wording.feedback, &wording.observations);
        let attempt = &["attempt", "max_attempts", "answer", "message"];
        let shape = &["attempt", "max_attempts", "answer", "message", "required_form"];
        let again = &["attempt", "max_attempts", "answer", "message", "repeated"];
        let tool = &["tool", "tools", "message"];
        Ok(EngineTexts {
            protocols,
            advisers,
            actors,
            acting,
            deliberation,
            tags_notice: add("tags_notice", &wording.tags_notice, &[])?,
            text_bounds: add(
                "text_bounds",
                &wording.text_bounds,
                &["thought", "inputs", "members", "longest", "short", "entries"],
            )?,
            tools_heading: add("tools.heading", &tools.heading, &[])?,
            tools_entry: add("tools.entry", &tools.entry, &["name", "example", "description"])?,
            tools_critical: add("tools.critical", &tools.critical, &["name"])?,
            tools_closing: add("tools.closing", &tools.closing, &[])?,
            legend_heading: add("legend_heading", &wording.legend_heading, &[])?,
            knowledge_heading: add("knowledge_heading", &wording.knowledge_heading, &[])?,
            cot_heading: add("chain_of_thought_heading", &wording.chain_of_thought_heading, &[])?,
            examples_heading: add("examples_heading", &wording.examples_heading, &[])?,
            feedback_rejected: add("feedback.rejected", &feedback.rejected, again)?,
            feedback_placeholder: add("feedback.placeholder", &feedback.placeholder, &["placeholder", "actions"])?,
            feedback_refusal: add("feedback.refusal", &feedback.refusal, attempt)?,
            feedback_truncated: add("feedback.truncated", &feedback.truncated, attempt)?,
            feedback_bad_shape: add("feedback.bad_shape", &feedback.bad_shape, shape)?,
            feedback_native_form: add("feedback.native_form", &feedback.native_form, &[])?,
            unknown_tool: add("observations.unknown_tool", &observations.unknown_tool, tool)?,
            no_tools: add("observations.no_tools", &observations.no_tools, tool)?,
            failed: add("observations.failed", &observations.failed, tool)?,
            answer_now: add("observations.answer_now", &observations.answer_now, tool)?,
            not_used: add("observations.not_used", &observations.not_used, tool)?,
            last_turn: add("observations.last_turn", &observations.last_turn, tool)?,
        })
    }
}
