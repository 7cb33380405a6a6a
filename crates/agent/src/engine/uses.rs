//! The use of tools within a conversation.

use gimbal_core::{Halt, ToolCall};
use serde_json::{Map, json};

use super::conversation::Conversation;
use crate::Protocol;
use crate::deliberation::Deliberation;
use crate::persona::Sourced;
use crate::protocol::{Input, ToolUse};
use crate::tool::{Carrier, FINISH, Observed, Offered, ToolError, arguments};

/// How much of what a tool says of its failure is journaled; the conversation holds the whole.
const NOTED: usize = 300;

impl Conversation<'_> {
    /// The call of the world that is meant; none where actions are written as answers, or no such tool exists.
    pub(super) fn action(&self, used: &ToolUse) -> Option<ToolCall> {
        if self.seat.settings().protocol == Protocol::ReactText || self.seat.advises() {
            return None;
        }
        let tools = self.stage.tools();
        let spec = tools
            .iter()
            .find(|spec| spec.name == used.name)
            .or_else(|| tools.iter().find(|spec| spec.name.eq_ignore_ascii_case(&used.name)))?;
        let arguments = match &used.input {
            Input::Arguments(arguments) => {
                arguments.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
            }
            Input::Text(text) if text.trim().is_empty() => std::collections::BTreeMap::new(),
            Input::Text(text) => {
                let name = spec.required().next().unwrap_or("input").to_owned();
                std::collections::BTreeMap::from([(name, text.trim().into())])
            }
        };
        Some(ToolCall { tool: spec.name.clone(), arguments })
    }

    /// What the agent says of its subtask where it gives control back; none where the tool is another one.
    pub(super) fn finish(&self, used: &ToolUse) -> Option<String> {
        let offered = self.seat.prepared.tools.iter().find(|tool| tool.answers_to(&used.name).is_some())?;
        (offered.generic == FINISH).then(|| match &used.input {
            Input::Text(text) => text.trim().to_owned(),
            Input::Arguments(arguments) => arguments.values().next().map(crate::protocol::plain).unwrap_or_default(),
        })
    }

    /// Uses a tool; whatever goes wrong becomes the observation (BOG-044).
    pub(super) async fn observe(&mut self, used: &ToolUse, reasoning: &str) -> Result<String, Halt> {
        let seat = self.seat;
        let offered = seat.prepared.tools.iter().find_map(|tool| Some((tool, tool.answers_to(&used.name)?)));
        let texts = &seat.agent.persona.texts.engine;
        let Some((tool, alias)) = offered else {
            self.note("tool_failed", json!({ "tool": bounded(&used.name), "message": "unknown" })).await;
            let unknown = if seat.prepared.tools.is_empty() && seat.prepared.native.is_empty() {
                &texts.no_tools
            } else {
                &texts.unknown_tool
            };
            return self.observation(unknown, &used.name, "");
        };
        if alias {
            self.note("tool_alias", json!({ "written": used.name, "tool": tool.name })).await;
        }
        if self.answer_due {
            self.note("answer_due", json!({ "tool": tool.name })).await;
            return self.observation(&texts.answer_now, &tool.name, "");
        }
        if !reasoning.is_empty() {
            self.note("tool_reasoning", json!({ "tool": tool.name, "reasoning": reasoning })).await;
        }
        if let Some(moves) = &mut self.moves {
            moves.used();
        }
        match self.carry_out(tool, &used.input).await {
            Ok(Observed { text, advised }) => {
                self.answer_due = tool.critical;
                if let Some(moves) = &mut self.moves {
                    moves.heard(advised);
                }
                Ok(text)
            }
            Err(ToolError::Halt(halt)) => Err(halt),
            Err(ToolError::Said(message)) => {
                self.note("tool_failed", json!({ "tool": tool.name, "message": bounded(&message) })).await;
                self.observation(&texts.failed, &tool.name, &message)
            }
        }
    }

    async fn carry_out(&mut self, tool: &Offered, input: &Input) -> Result<Observed, ToolError> {
        match &tool.carrier {
            Carrier::Query(spec) => {
                let arguments = arguments(spec, input).map_err(ToolError::Said)?;
                let call = ToolCall { tool: spec.name.clone(), arguments };
                let found = self.stage.query(self.lane, &call).await;
                found
                    .map(|text| Observed { text, advised: None })
                    .map_err(|rejection| ToolError::Said(rejection.message))
            }
            Carrier::Deliberation(kind) => Ok(Observed { text: self.deliberate(*kind, input).await?, advised: None }),
            Carrier::Delegate => {
                let arguments = arguments(&tool.spec, input).map_err(ToolError::Said)?;
                let arguments: Map<_, _> = arguments.into_iter().collect();
                self.company.ask(self.stage, self.lane, &tool.generic, &arguments).await
            }
        }
    }

    /// The agent turns to itself: the reply asks it to think on (BOG-110..112).
    async fn deliberate(&mut self, kind: Deliberation, input: &Input) -> Result<String, Halt> {
        let (persona, settings) = (&self.seat.agent.persona, self.seat.settings());
        let (reply, over_budget) = kind.reply(persona, settings, self.questions);
        if kind == Deliberation::Question {
            self.questions += 1;
        }
        let role = self.seat.agent.role();
        self.note("deliberated", json!({ "agent": role, "tool": kind.name(), "over_budget": over_budget })).await;
        self.fill(reply, &[("text", kind.input(input).into())])
    }

    fn observation(&self, sourced: &Sourced, tool: &str, message: &str) -> Result<String, Halt> {
        let prepared = &self.seat.prepared;
        let names: Vec<&str> = if prepared.native.is_empty() {
            prepared.tools.iter().map(|tool| tool.name.as_str()).collect()
        } else {
            prepared.native.iter().map(|spec| spec.name.as_str()).collect()
        };
        self.fill(sourced, &[("tool", tool.into()), ("tools", names.join(", ").into()), ("message", message.into())])
    }
}

fn bounded(text: &str) -> &str {
    text.char_indices().nth(NOTED).map_or(text, |(end, _)| &text[..end])
}
